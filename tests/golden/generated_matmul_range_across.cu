extern "C" __global__ __launch_bounds__(256) void matmul_range(
        const float *a,
        const float *b,
        uint32_t *range,
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
    __shared__ uint32_t largest_of[256], smallest_of[256], count_of[256];
    const int is_b = ((int)blockIdx.x) >= (int)b_blocks;
    const uint32_t block = (uint32_t)(is_b ? ((int)blockIdx.x) - (int)b_blocks : ((int)blockIdx.x));
    const int64_t matrix_step = is_b ? b_matrix : a_matrix, line_step = is_b ? b_line : a_line;
    const int64_t depth_step = is_b ? b_depth : a_depth, lines = is_b ? b_lines : a_lines;
    const float *x = is_b ? b + b_begin : a + a_begin;
    const int64_t shares = is_b ? b_shares : a_shares;
    const uint32_t share = block % (uint32_t)shares, place = block / (uint32_t)shares;
    const uint32_t stretch = place % (uint32_t)stretches, matrix = place / (uint32_t)stretches;
    const int64_t first_depth = (int64_t)stretch * 64;
    const int own_depth = inner - first_depth < 64 ? (int)(inner - first_depth) : 64;
    const int64_t share_lines = (lines + shares - 1) / shares, first_line = share * share_lines;
    const int64_t end_line = first_line + share_lines < lines ? first_line + share_lines : lines;
    x += matrix * matrix_step + first_depth * depth_step;
    uint32_t largest = 0, smallest = 0xffffffffu, count = 0;
    for (int64_t line = first_line + ((int)threadIdx.x); line < end_line; line += 256)
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
    largest_of[((int)threadIdx.x)] = largest;
    smallest_of[((int)threadIdx.x)] = smallest;
    count_of[((int)threadIdx.x)] = count;
    for (int distance = 128; distance > 0; distance /= 2) {
        __syncthreads();
        if (((int)threadIdx.x) < distance) {
            if (largest_of[((int)threadIdx.x) + distance] > largest_of[((int)threadIdx.x)]) largest_of[((int)threadIdx.x)] = largest_of[((int)threadIdx.x) + distance];
            if (smallest_of[((int)threadIdx.x) + distance] < smallest_of[((int)threadIdx.x)]) smallest_of[((int)threadIdx.x)] = smallest_of[((int)threadIdx.x) + distance];
            count_of[((int)threadIdx.x)] += count_of[((int)threadIdx.x) + distance];
        }
    }
    if (((int)threadIdx.x) == 0) {
        uint32_t *const own = range + (int64_t)((int)blockIdx.x) * 3;
        own[0] = largest_of[0];
        own[1] = smallest_of[0];
        own[2] = count_of[0];
    }
}
