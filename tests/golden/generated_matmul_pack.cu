__device__ void matmul_split(float first, float second, uint32_t *high, uint32_t *middle, uint32_t *low) {
    *high = gemel_two_bfloats(first, second);
    first = (first - as_float(*high << 16)) * 256.0f;
    second = (second - as_float(*high & 0xffff0000u)) * 256.0f;
    *middle = gemel_two_bfloats(first, second);
    first = (first - as_float(*middle << 16)) * 256.0f;
    second = (second - as_float(*middle & 0xffff0000u)) * 256.0f;
    *low = gemel_two_bfloats(first, second);
}
extern "C" __global__ __launch_bounds__(256) void matmul_pack(
        const float *x,
        float4 *packed,
        int64_t begin,
        int64_t matrix_step,
        int64_t line_step,
        int64_t depth_step,
        int64_t lines,
        int64_t inner,
        int64_t units,
        int64_t slots)
{
    const uint32_t slot = (uint32_t)((int)blockIdx.x) % (uint32_t)slots, unit_of_all = (uint32_t)((int)blockIdx.x) / (uint32_t)slots;
    const uint32_t unit = unit_of_all % (uint32_t)units, matrix = unit_of_all / (uint32_t)units;
    const int64_t first_line = (int64_t)unit * 64, first_depth = (int64_t)slot * 64;
    const int own_lines = lines - first_line < 64 ? (int)(lines - first_line) : 64;
    const int own_depth = inner - first_depth < 64 ? (int)(inner - first_depth) : 64;
    x += begin + matrix * matrix_step + first_line * line_step + first_depth * depth_step;
    packed += (int64_t)((int)blockIdx.x) * 1536;
#pragma unroll
    for (int k = 0; k < 2; ++k) {
        const int e = ((int)threadIdx.x) + k * 256;
        const int line = e / 8, first = e % 8 * 8;
        float own[8];
        if (line < own_lines && first + 8 <= own_depth) {
#pragma unroll
            for (int i = 0; i < 8; i += 4) {
                const float4 read = *(const float4 *)(x + line * line_step + first + i);
                own[i] = read.x; own[i + 1] = read.y; own[i + 2] = read.z; own[i + 3] = read.w;
            }
        } else
        {
#pragma unroll
            for (int i = 0; i < 8; ++i) own[i] = line < own_lines && first + i < own_depth ? x[line * line_step + first + i] : 0.0f;
        }
        const int at = line * 8 + (e % 8 ^ line % 8);
        uint32_t high[4], middle[4], low[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) matmul_split(own[2 * i], own[2 * i + 1], &high[i], &middle[i], &low[i]);
        packed[at + 0] = make_float4(as_float(high[0]), as_float(high[1]), as_float(high[2]), as_float(high[3]));
        packed[at + 512] = make_float4(as_float(middle[0]), as_float(middle[1]), as_float(middle[2]), as_float(middle[3]));
        packed[at + 1024] = make_float4(as_float(low[0]), as_float(low[1]), as_float(low[2]), as_float(low[3]));
    }
}
