__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void matmul_pack(
        __global const float *x,
        __global float4 *packed,
        int64_t begin,
        int64_t matrix_step,
        int64_t line_step,
        int64_t depth_step,
        int64_t lines,
        int64_t inner,
        int64_t units,
        int64_t slots)
{
    const uint32_t slot = (uint32_t)((int)get_group_id(0)) % (uint32_t)slots, unit_of_all = (uint32_t)((int)get_group_id(0)) / (uint32_t)slots;
    const uint32_t unit = unit_of_all % (uint32_t)units, matrix = unit_of_all / (uint32_t)units;
    const int64_t first_line = (int64_t)unit * 64, first_depth = (int64_t)slot * 32;
    const int own_lines = lines - first_line < 64 ? (int)(lines - first_line) : 64;
    const int own_depth = inner - first_depth < 32 ? (int)(inner - first_depth) : 32;
    x += begin + matrix * matrix_step + first_line * line_step + first_depth * depth_step;
    packed += (int64_t)((int)get_group_id(0)) * 1024;
#pragma unroll
    for (int k = 0; k < 2; ++k) {
        const int e = ((int)get_local_id(0)) + k * 256;
        const int line = e / 8, access = e % 8;
        float own[4];
        if (line < own_lines && 4 * access + 4 <= own_depth) {
            const float4 read = *(__global const float4 *)(x + line * line_step + 4 * access);
            own[0] = read.x; own[1] = read.y; own[2] = read.z; own[3] = read.w;
        } else
        {
#pragma unroll
            for (int i = 0; i < 4; ++i) own[i] = line < own_lines && 4 * access + i < own_depth ? x[line * line_step + 4 * access + i] : 0.0f;
        }
        float low[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const float high = as_float((as_uint(own[i]) + 0x1000u) & 0xffffe000u);
            low[i] = as_float((as_uint((own[i] - high) * 2048.0f) + 0x1000u) & 0xffffe000u);
            own[i] = high;
        }
        const int at = line * 8 + (access ^ line % 8);
        packed[at] = make_float4(own[0], own[1], own[2], own[3]);
        packed[at + 512] = make_float4(low[0], low[1], low[2], low[3]);
    }
}
