__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void matmul_pack(
        __global const float *a,
        __global const float *b,
        __global float4 *a_packed,
        __global float4 *b_packed,
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
        int64_t b_units)
{
    __local float tile[2080];
    const int is_b = ((int)get_group_id(0)) >= (int)b_blocks;
    const uint32_t block = (uint32_t)(is_b ? ((int)get_group_id(0)) - (int)b_blocks : ((int)get_group_id(0)));
    const int64_t matrix_step = is_b ? b_matrix : a_matrix, line_step = is_b ? b_line : a_line;
    const int64_t depth_step = is_b ? b_depth : a_depth, lines = is_b ? b_lines : a_lines;
    __global const float *x = is_b ? b + b_begin : a + a_begin;
    const int64_t units = is_b ? b_units : a_units;
    const uint32_t slot = block % (uint32_t)stretches, unit_of_all = block / (uint32_t)stretches;
    const uint32_t unit = unit_of_all % (uint32_t)units, matrix = unit_of_all / (uint32_t)units;
    const int64_t first_line = (int64_t)unit * 64, first_depth = (int64_t)slot * 32;
    const int own_lines = lines - first_line < 64 ? (int)(lines - first_line) : 64;
    const int own_depth = inner - first_depth < 32 ? (int)(inner - first_depth) : 32;
    x += matrix * matrix_step + first_line * line_step + first_depth * depth_step;
    __global float4 *const packed = (is_b ? b_packed : a_packed) + (int64_t)block * 512;
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
        __global float4 *const to = packed + line * 8 + (e % 8 ^ line % 8);
#pragma unroll
        for (int i = 0; i < 4; ++i) own[i] = as_float(gemel_tf32(as_uint(own[i])) & 0xffffe000u);
        to[0] = make_float4(own[0], own[1], own[2], own[3]);
    }
}
