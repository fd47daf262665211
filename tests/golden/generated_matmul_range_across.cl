__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void matmul_range(
        __global const float *a,
        __global const float *b,
        __global uint32_t *range,
        int64_t a_begin,
                int64_t a_matrix,
                int64_t a_line,
                int64_t a_depth,
                int64_t a_lines,
                int64_t b_begin,
                int64_t b_matrix,
                int64_t b_line,
                int64_t b_depth,
                int64_t b_lines,
                int64_t inner,
                int64_t stretches,
                int64_t b_blocks,
        int64_t a_shares,
        int64_t b_shares)
{
    __local uint32_t largest_of[256], smallest_of[256], count_of[256];
    const int is_b = ((int)get_group_id(0)) >= (int)b_blocks;
    const uint32_t block = (uint32_t)(is_b ? ((int)get_group_id(0)) - (int)b_blocks : ((int)get_group_id(0)));
    const int64_t matrix_step = is_b ? b_matrix : a_matrix, line_step = is_b ? b_line : a_line;
    const int64_t depth_step = is_b ? b_depth : a_depth, lines = is_b ? b_lines : a_lines;
    __global const float *x = is_b ? b + b_begin : a + a_begin;
    const int64_t shares = is_b ? b_shares : a_shares;
    const uint32_t share = block % (uint32_t)shares, place = block / (uint32_t)shares;
    const uint32_t stretch = place % (uint32_t)stretches, matrix = place / (uint32_t)stretches;
    const int64_t first_depth = (int64_t)stretch * 64;
    const int own_depth = inner - first_depth < 64 ? (int)(inner - first_depth) : 64;
    const int64_t share_lines = (lines + shares - 1) / shares, first_line = share * share_lines;
    const int64_t end_line = first_line + share_lines < lines ? first_line + share_lines : lines;
    x += matrix * matrix_step + first_depth * depth_step;
    uint32_t largest = 0, smallest = 0xffffffffu, count = 0;
    for (int64_t line = first_line + ((int)get_local_id(0)); line < end_line; line += 256)
    for (int depth = 0; depth < own_depth; depth += 16) {
        float own[4][4];
#pragma unroll
        for (int i = 0; i < 16; ++i) own[i / 4][i % 4] = depth + i < own_depth ? x[line + (depth + i) * depth_step] : 0.0f;
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            const uint32_t bits = as_uint(own[i / 4][i % 4]) & 0x7fffffffu;
            if (bits > largest) largest = bits;
            if (bits - 1 < smallest) smallest = bits - 1;
            count += bits != 0;
        }
    }
    largest_of[((int)get_local_id(0))] = largest;
    smallest_of[((int)get_local_id(0))] = smallest;
    count_of[((int)get_local_id(0))] = count;
    for (int distance = 128; distance > 0; distance /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (((int)get_local_id(0)) < distance) {
            if (largest_of[((int)get_local_id(0)) + distance] > largest_of[((int)get_local_id(0))]) largest_of[((int)get_local_id(0))] = largest_of[((int)get_local_id(0)) + distance];
            if (smallest_of[((int)get_local_id(0)) + distance] < smallest_of[((int)get_local_id(0))]) smallest_of[((int)get_local_id(0))] = smallest_of[((int)get_local_id(0)) + distance];
            count_of[((int)get_local_id(0))] += count_of[((int)get_local_id(0)) + distance];
        }
    }
    if (((int)get_local_id(0)) == 0) {
        __global uint32_t *const own = range + (int64_t)((int)get_group_id(0)) * 3;
        own[0] = largest_of[0];
        own[1] = smallest_of[0];
        own[2] = count_of[0];
    }
}
