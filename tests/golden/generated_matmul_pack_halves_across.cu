extern "C" __global__ __launch_bounds__(256) void matmul_pack_halves(
        const float *a,
        const float *b,
        float *a_packed,
        float *b_packed,
        float *a_scales,
        float *b_scales,
        const uint32_t *range,
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
        int64_t a_units,
        int64_t b_units,
        int64_t a_shares,
        int64_t b_shares,
        int64_t b_ranges)
{
    __shared__ float tile[2080];
    const int is_b = ((int)blockIdx.x) >= (int)b_blocks;
    const uint32_t block = (uint32_t)(is_b ? ((int)blockIdx.x) - (int)b_blocks : ((int)blockIdx.x));
    const int64_t matrix_step = is_b ? b_matrix : a_matrix, line_step = is_b ? b_line : a_line;
    const int64_t depth_step = is_b ? b_depth : a_depth, lines = is_b ? b_lines : a_lines;
    const float *x = is_b ? b + b_begin : a + a_begin;
    const int64_t units = is_b ? b_units : a_units;
    const uint32_t stretch = block % (uint32_t)stretches, unit_of_all = block / (uint32_t)stretches;
    const uint32_t unit = unit_of_all % (uint32_t)units, matrix = unit_of_all / (uint32_t)units;
    const int64_t first_line = (int64_t)unit * 64, first_depth = (int64_t)stretch * 32;
    const int own_lines = lines - first_line < 64 ? (int)(lines - first_line) : 64;
    const int own_depth = inner - first_depth < 32 ? (int)(inner - first_depth) : 32;
    const int64_t place = (int64_t)matrix * stretches + stretch;
    int fits = 1, exponent = 0, other_exponent = 0;
    for (int f = 0; f < 2; ++f) {
        const int of_b = f == 0 ? !is_b : is_b;
        const int64_t own_shares = of_b ? b_shares : a_shares;
        const int64_t begin = (of_b ? b_ranges : 0) + place * own_shares;
        uint32_t largest = 0, smallest = 0xffffffffu;
        int64_t count = 0;
        for (int64_t k = begin; k < begin + own_shares; ++k) {
            if (range[3 * k] > largest) largest = range[3 * k];
            if (range[3 * k + 1] < smallest) smallest = range[3 * k + 1];
            count += range[3 * k + 2];
        }
        other_exponent = exponent;
        exponent = largest == 0 ? 127 : (int)(largest >> 23);
        if (exponent < 127 - 40 || exponent > 127 + 40) fits = 0;
        if (largest != 0 && ((int)((smallest + 1) >> 23) < exponent - 28 || 4 * count < (of_b ? b_lines : a_lines) * own_depth)) fits = 0;
    }
    const float scale = fits ? as_float((uint32_t)(exponent - 14) << 23) : 0.0f;
    const float factor = as_float((uint32_t)(127 + 14 + 127 - exponent) << 23);
    if (unit == 0 && ((int)threadIdx.x) == 0) (is_b ? b_scales : a_scales)[place] = scale;
    x += matrix * matrix_step + first_line * line_step + first_depth * depth_step;
    float *const packed = (is_b ? b_packed : a_packed) + ((matrix * lines + first_line) * stretches + stretch) * 32;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        const int e = ((int)threadIdx.x) + k * 256, line = e % 64, depth = e / 64;
        tile[depth * 65 + line] = line < own_lines && depth < own_depth ? x[line + depth * depth_step] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 2; ++k) {
        const int e = ((int)threadIdx.x) + k * 256;
        const int line = e / 8, access = e % 8;
        if (line >= own_lines) continue;
        float own[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) own[i] = tile[(4 * access + i) * 65 + line];
        float *const to = packed + line * stretches * 32;
        if (!fits) {
            *(float4 *)(to + 4 * access) = make_float4(own[0], own[1], own[2], own[3]);
            continue;
        }
        float high[2], low[2];
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            const float first = own[2 * i] * factor, second = own[2 * i + 1] * factor;
            const uint32_t both = gemel_two_halves(first, second);
            high[i] = as_float(both);
            low[i] = as_float(gemel_two_halves((first - gemel_first_half(both)) * 2048.0f, (second - gemel_second_half(both)) * 2048.0f));
        }
        float2 *const pair = (float2 *)(to + access / 8 * 32 + access % 8 * 2);
        pair[0] = make_float2(high[0], high[1]);
        pair[8] = make_float2(low[0], low[1]);
    }
}
