extern "C" __global__ __launch_bounds__(256) void matmul_range(
        const float *x,
        uint32_t *range,
        int64_t begin,
        int64_t matrix_step,
        int64_t line_step,
        int64_t depth_step,
        int64_t lines,
        int64_t inner,
        int64_t stretches,
        int64_t shares)
{
    __shared__ uint32_t largest_of[256], smallest_of[256];
    const uint32_t share = (uint32_t)((int)blockIdx.x) % (uint32_t)shares, place = (uint32_t)((int)blockIdx.x) / (uint32_t)shares;
    const uint32_t stretch = place % (uint32_t)stretches, matrix = place / (uint32_t)stretches;
    const int64_t first_depth = (int64_t)stretch * 32;
    const int own_depth = inner - first_depth < 32 ? (int)(inner - first_depth) : 32;
    const int64_t share_lines = (lines + shares - 1) / shares, first_line = share * share_lines;
    const int64_t end_line = first_line + share_lines < lines ? first_line + share_lines : lines;
    x += begin + matrix * matrix_step + first_depth * depth_step;
    uint32_t largest = 0, smallest = 0xffffffffu;
    const int depth = ((int)threadIdx.x) / 64 * 8;
    for (int64_t line = first_line + ((int)threadIdx.x) % 64; line < end_line; line += 64) {
        float own[2][4];
#pragma unroll
        for (int u = 0; u < 2; ++u) {
#pragma unroll
            for (int i = 0; i < 4; ++i) own[u][i] = depth + 4 * u + i < own_depth ? x[line * line_step + (depth + 4 * u + i) * depth_step] : 0.0f;
        }
#pragma unroll
        for (int u = 0; u < 2; ++u) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const uint32_t bits = as_uint(own[u][i]) & 0x7fffffffu;
                if (bits > largest) largest = bits;
                if (bits - 1 < smallest) smallest = bits - 1;
            }
        }
    }
    largest_of[((int)threadIdx.x)] = largest;
    smallest_of[((int)threadIdx.x)] = smallest;
    for (int distance = 128; distance > 0; distance /= 2) {
        __syncthreads();
        if (((int)threadIdx.x) < distance) {
            if (largest_of[((int)threadIdx.x) + distance] > largest_of[((int)threadIdx.x)]) largest_of[((int)threadIdx.x)] = largest_of[((int)threadIdx.x) + distance];
            if (smallest_of[((int)threadIdx.x) + distance] < smallest_of[((int)threadIdx.x)]) smallest_of[((int)threadIdx.x)] = smallest_of[((int)threadIdx.x) + distance];
        }
    }
    if (((int)threadIdx.x) == 0) {
        range[(int64_t)((int)blockIdx.x) * 2] = largest_of[0];
        range[(int64_t)((int)blockIdx.x) * 2 + 1] = smallest_of[0];
    }
}
