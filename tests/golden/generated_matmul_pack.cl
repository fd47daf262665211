void matmul_split(float first, float second, uint32_t *high, uint32_t *middle, uint32_t *low) {
    *high = gemel_two_bfloats(first, second);
    first = (first - as_float(*high << 16)) * 256.0f;
    second = (second - as_float(*high & 0xffff0000u)) * 256.0f;
    *middle = gemel_two_bfloats(first, second);
    first = (first - as_float(*middle << 16)) * 256.0f;
    second = (second - as_float(*middle & 0xffff0000u)) * 256.0f;
    *low = gemel_two_bfloats(first, second);
}
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void matmul_pack(
        __global const float *a,
        __global const float *b,
        __global float4 *a_packed,
        __global float4 *b_packed,
        __global float *a_scales,
        __global float *b_scales,
        __global const uint32_t *range,
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
    __local float tile[4160];
    const int is_b = ((int)get_group_id(0)) >= (int)b_blocks;
    const uint32_t block = (uint32_t)(is_b ? ((int)get_group_id(0)) - (int)b_blocks : ((int)get_group_id(0)));
    const int64_t matrix_step = is_b ? b_matrix : a_matrix, line_step = is_b ? b_line : a_line;
    const int64_t depth_step = is_b ? b_depth : a_depth, lines = is_b ? b_lines : a_lines;
    __global const float *x = is_b ? b + b_begin : a + a_begin;
    const int64_t units = is_b ? b_units : a_units;
    const uint32_t slot = block % (uint32_t)stretches, unit_of_all = block / (uint32_t)stretches;
    const uint32_t unit = unit_of_all % (uint32_t)units, matrix = unit_of_all / (uint32_t)units;
    const int64_t first_line = (int64_t)unit * 64, first_depth = (int64_t)slot * 64;
    const int own_lines = lines - first_line < 64 ? (int)(lines - first_line) : 64;
    const int own_depth = inner - first_depth < 64 ? (int)(inner - first_depth) : 64;
    const int64_t place = (int64_t)matrix * stretches + slot;
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
    const int shift = fits ? exponent - 127 - 14 : exponent < 64 && other_exponent >= 64 ? -64 : 0;
    const float scale = as_float((uint32_t)(127 + shift) << 23), factor = as_float((uint32_t)(127 - shift) << 23);
    if (unit == 0 && ((int)get_local_id(0)) == 0) (is_b ? b_scales : a_scales)[place] = fits ? scale : -scale;
    x += matrix * matrix_step + first_line * line_step + first_depth * depth_step;
    __global float4 *const packed = (is_b ? b_packed : a_packed) + (int64_t)block * 1536;
    if (!is_b) {
#pragma unroll
    for (int k = 0; k < 2; ++k) {
        const int e = ((int)get_local_id(0)) + k * 256;
        const int line = e / 8, first = e % 8 * 8;
        float own[8];
        if (line < own_lines && first + 8 <= own_depth) {
#pragma unroll
            for (int i = 0; i < 8; i += 4) {
                const float4 read = *(__global const float4 *)(x + line * line_step + first + i);
                own[i] = read.x; own[i + 1] = read.y; own[i + 2] = read.z; own[i + 3] = read.w;
            }
        } else
        {
#pragma unroll
            for (int i = 0; i < 8; ++i) own[i] = line < own_lines && first + i < own_depth ? x[line * line_step + first + i] : 0.0f;
        }
        __global float4 *const to = packed + line * 8 + (e % 8 ^ line % 8);
        uint32_t high[4], middle[4], low[4];
#pragma unroll
        for (int i = 0; i < 8; ++i) own[i] *= factor;
        if (fits) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                high[i] = gemel_two_halves(own[2 * i], own[2 * i + 1]);
                middle[i] = gemel_two_halves((own[2 * i] - gemel_first_half(high[i])) * 2048.0f, (own[2 * i + 1] - gemel_second_half(high[i])) * 2048.0f);
            }
        } else {
#pragma unroll
            for (int i = 0; i < 4; ++i) matmul_split(own[2 * i], own[2 * i + 1], &high[i], &middle[i], &low[i]);
            to[1024] = make_float4(as_float(low[0]), as_float(low[1]), as_float(low[2]), as_float(low[3]));
        }
        to[0] = make_float4(as_float(high[0]), as_float(high[1]), as_float(high[2]), as_float(high[3]));
        to[512] = make_float4(as_float(middle[0]), as_float(middle[1]), as_float(middle[2]), as_float(middle[3]));
    }
    } else {
#pragma unroll
    for (int k = 0; k < 16; ++k) {
        const int e = ((int)get_local_id(0)) + k * 256, line = e % 64, depth = e / 64;
        tile[depth * 65 + line] = line < own_lines && depth < own_depth ? x[line + depth * depth_step] : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int k = 0; k < 2; ++k) {
        const int e = ((int)get_local_id(0)) + k * 256;
        const int line = e / 8, first = e % 8 * 8;
        float own[8];
#pragma unroll
        for (int i = 0; i < 8; ++i) own[i] = tile[(first + i) * 65 + line];
        __global float4 *const to = packed + line * 8 + (e % 8 ^ line % 8);
        uint32_t high[4], middle[4], low[4];
#pragma unroll
        for (int i = 0; i < 8; ++i) own[i] *= factor;
        if (fits) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                high[i] = gemel_two_halves(own[2 * i], own[2 * i + 1]);
                middle[i] = gemel_two_halves((own[2 * i] - gemel_first_half(high[i])) * 2048.0f, (own[2 * i + 1] - gemel_second_half(high[i])) * 2048.0f);
            }
        } else {
#pragma unroll
            for (int i = 0; i < 4; ++i) matmul_split(own[2 * i], own[2 * i + 1], &high[i], &middle[i], &low[i]);
            to[1024] = make_float4(as_float(low[0]), as_float(low[1]), as_float(low[2]), as_float(low[3]));
        }
        to[0] = make_float4(as_float(high[0]), as_float(high[1]), as_float(high[2]), as_float(high[3]));
        to[512] = make_float4(as_float(middle[0]), as_float(middle[1]), as_float(middle[2]), as_float(middle[3]));
    }
    }
}
