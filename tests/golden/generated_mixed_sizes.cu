typedef union { uint4 words[1]; float value[4]; } pack_float_x4;
typedef union { uint4 words[2]; double value[4]; } pack_double_x4;
typedef union { uint32_t words[1]; uint32_t parts[1]; } pack_int8_t_x4;
__device__ int8_t pack_int8_t_x4_lane(uint32_t part, int at) {
    return (int8_t)(part >> 8 * at);
}
__device__ uint32_t pack_int8_t_x4_with(uint32_t part, int at, int8_t value) {
    return (part & ~(0xffu << 8 * at)) | (uint32_t)(uint8_t)value << 8 * at;
}
extern "C" __global__ __launch_bounds__(256) void mixed(
        const float *x,
        const double *y,
        int8_t *z,
        int n,
        int head)
{
    const int packs = (n - head) / 4;
    const int first = ((int)blockIdx.x) * 512 + ((int)threadIdx.x);
    pack_float_x4 x_pack[2];
    pack_double_x4 y_pack[2];
    pack_int8_t_x4 z_pack[2];
#pragma unroll
    for (int u = 0; u < 2; ++u) {
        const int p = first + u * 256;
        if (p < packs) {
            x_pack[u].words[0] = ((const uint4 *)(x + head))[p];
            y_pack[u].words[0] = ((const uint4 *)(y + head))[p * 2];
            y_pack[u].words[1] = ((const uint4 *)(y + head))[p * 2 + 1];
        }
    }
#pragma unroll
    for (int u = 0; u < 2; ++u) {
        const int p = first + u * 256;
        if (p < packs) {
#pragma unroll
            for (int lane = 0; lane < 4; ++lane) {
                const float x_i = x_pack[u].value[lane];
                const double y_i = y_pack[u].value[lane];
                int8_t z_i;
                z_i = x_i < y_i;
                z_pack[u].parts[lane / 4] = pack_int8_t_x4_with(z_pack[u].parts[lane / 4], lane % 4, z_i);
            }
            ((uint32_t *)(z + head))[p] = z_pack[u].words[0];
        }
    }
    // Elements before the first whole pack and after the last.
    if (((int)blockIdx.x) == ((int)gridDim.x) - 1) {
        for (int r = ((int)threadIdx.x); r < n - packs * 4; r += 256) {
            const int i = r < head ? r : r + packs * 4;
            z[i] = x[i] < y[i];
        }
    }
}
