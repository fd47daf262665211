__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void matmul_range(
        __global const float *x,
        __global uint32_t *range,
        int64_t begin,
        int64_t matrix_step,
        int64_t line_step,
        int64_t depth_step,
        int64_t lines,
        int64_t inner,
        int64_t stretches,
        int64_t shares)
{
    __local uint32_t largest_of[256], smallest_of[256];
    const uint32_t share = (uint32_t)((int)get_group_id(0)) % (uint32_t)shares, place = (uint32_t)((int)get_group_id(0)) / (uint32_t)shares;
    const uint32_t stretch = place % (uint32_t)stretches, matrix = place / (uint32_t)stretches;
    const int64_t first_depth = (int64_t)stretch * 32;
    const int own_depth = inner - first_depth < 32 ? (int)(inner - first_depth) : 32;
    const int64_t share_lines = (lines + shares - 1) / shares, first_line = share * share_lines;
    const int64_t end_line = first_line + share_lines < lines ? first_line + share_lines : lines;
    x += begin + matrix * matrix_step + first_depth * depth_step;
    uint32_t largest = 0, smallest = 0xffffffffu;
    const int depth = ((int)get_local_id(0)) % 8 * 4;
    for (int64_t line = first_line + ((int)get_local_id(0)) / 8; line < end_line; line += 128) {
        float own[4][4];
#pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int64_t own_line = line + u * 32;
            const int inside = own_line < end_line ? own_depth - depth : 0;
            if (inside >= 4) {
                const float4 read = *(__global const float4 *)(x + own_line * line_step + depth);
                own[u][0] = read.x; own[u][1] = read.y; own[u][2] = read.z; own[u][3] = read.w;
            } else
            {
#pragma unroll
                for (int i = 0; i < 4; ++i) own[u][i] = i < inside ? x[own_line * line_step + depth + i] : 0.0f;
            }
        }
#pragma unroll
        for (int u = 0; u < 4; ++u) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const uint32_t bits = as_uint(own[u][i]) & 0x7fffffffu;
                if (bits > largest) largest = bits;
                if (bits - 1 < smallest) smallest = bits - 1;
            }
        }
    }
    largest_of[((int)get_local_id(0))] = largest;
    smallest_of[((int)get_local_id(0))] = smallest;
    for (int distance = 128; distance > 0; distance /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (((int)get_local_id(0)) < distance) {
            if (largest_of[((int)get_local_id(0)) + distance] > largest_of[((int)get_local_id(0))]) largest_of[((int)get_local_id(0))] = largest_of[((int)get_local_id(0)) + distance];
            if (smallest_of[((int)get_local_id(0)) + distance] < smallest_of[((int)get_local_id(0))]) smallest_of[((int)get_local_id(0))] = smallest_of[((int)get_local_id(0)) + distance];
        }
    }
    if (((int)get_local_id(0)) == 0) {
        range[(int64_t)((int)get_group_id(0)) * 2] = largest_of[0];
        range[(int64_t)((int)get_group_id(0)) * 2 + 1] = smallest_of[0];
    }
}
