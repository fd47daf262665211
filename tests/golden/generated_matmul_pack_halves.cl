__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void matmul_pack_halves(
        __global const float *x,
        __global float *packed,
        __global float *scales,
        __global const uint32_t *range,
        __global const uint32_t *other_range,
        int64_t begin,
        int64_t matrix_step,
        int64_t line_step,
        int64_t depth_step,
        int64_t lines,
        int64_t inner,
        int64_t units,
        int64_t stretches,
        int64_t shares,
        int64_t other_shares)
{
    const uint32_t stretch = (uint32_t)((int)get_group_id(0)) % (uint32_t)stretches, unit_of_all = (uint32_t)((int)get_group_id(0)) / (uint32_t)stretches;
    const uint32_t unit = unit_of_all % (uint32_t)units, matrix = unit_of_all / (uint32_t)units;
    const int64_t first_line = (int64_t)unit * 64, first_depth = (int64_t)stretch * 32;
    const int own_lines = lines - first_line < 64 ? (int)(lines - first_line) : 64;
    const int own_depth = inner - first_depth < 32 ? (int)(inner - first_depth) : 32;
    const int64_t place = (int64_t)matrix * stretches + stretch;
    int fits = 1, exponent = 0;
    {
        uint32_t largest = 0, smallest = 0xffffffffu;
        for (int64_t k = place * other_shares; k < (place + 1) * other_shares; ++k) {
            if (other_range[2 * k] > largest) largest = other_range[2 * k];
            if (other_range[2 * k + 1] < smallest) smallest = other_range[2 * k + 1];
        }
        exponent = largest == 0 ? 127 : (int)(largest >> 23);
        if (exponent < 127 - 44 || exponent > 127 + 44) fits = 0;
        if (largest != 0 && (int)((smallest + 1) >> 23) < exponent - 28) fits = 0;
    }
    {
        uint32_t largest = 0, smallest = 0xffffffffu;
        for (int64_t k = place * shares; k < (place + 1) * shares; ++k) {
            if (range[2 * k] > largest) largest = range[2 * k];
            if (range[2 * k + 1] < smallest) smallest = range[2 * k + 1];
        }
        exponent = largest == 0 ? 127 : (int)(largest >> 23);
        if (exponent < 127 - 44 || exponent > 127 + 44) fits = 0;
        if (largest != 0 && (int)((smallest + 1) >> 23) < exponent - 28) fits = 0;
    }
    if (unit == 0 && ((int)get_local_id(0)) == 0) scales[place] = fits ? as_float((uint32_t)(exponent - 14) << 23) : 0.0f;
    x += begin + matrix * matrix_step + first_line * line_step + first_depth * depth_step;
    packed += ((matrix * lines + first_line) * stretches + stretch) * 32;
    const float factor = as_float((uint32_t)(127 + 14 + 127 - exponent) << 23);
#pragma unroll
    for (int k = 0; k < 2; ++k) {
        const int e = ((int)get_local_id(0)) + k * 256;
        const int line = e / 8, access = e % 8;
        if (line >= own_lines) continue;
        float own[4];
        if (4 * access + 4 <= own_depth) {
            const float4 read = *(__global const float4 *)(x + line * line_step + 4 * access);
            own[0] = read.x; own[1] = read.y; own[2] = read.z; own[3] = read.w;
        } else
        {
#pragma unroll
            for (int i = 0; i < 4; ++i) own[i] = 4 * access + i < own_depth ? x[line * line_step + 4 * access + i] : 0.0f;
        }
        __global float *const to = packed + line * stretches * 32;
        if (!fits) {
            *(__global float4 *)(to + 4 * access) = make_float4(own[0], own[1], own[2], own[3]);
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
        __global float2 *const pair = (__global float2 *)(to + access / 4 * 16 + access % 4 * 2);
        pair[0] = make_float2(high[0], high[1]);
        pair[4] = make_float2(low[0], low[1]);
    }
}
