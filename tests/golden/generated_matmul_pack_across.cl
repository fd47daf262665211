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
    packed += (int64_t)((int)get_group_id(0)) * 512;
    __local float tile[2080];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        const int e = ((int)get_local_id(0)) + k * 256, line = e % 64, depth = e / 64;
        tile[depth * 65 + line] = line < own_lines && depth < own_depth ? x[line + depth * depth_step] : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int k = 0; k < 2; ++k) {
        const int e = ((int)get_local_id(0)) + k * 256;
        const int line = e / 8, first = e % 8 * 4;
        float own[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) own[i] = tile[(first + i) * 65 + line];
        const int at = line * 8 + (e % 8 ^ line % 8);
#pragma unroll
        for (int i = 0; i < 4; ++i) own[i] = as_float(gemel_tf32(as_uint(own[i])) & 0xffffe000u);
        packed[at] = make_float4(own[0], own[1], own[2], own[3]);
    }
}
