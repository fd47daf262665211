typedef union { uint4 words[1]; uint32_t parts[4]; } pack_bfloat16_t_x8;
__device__ bfloat16_t pack_bfloat16_t_x8_lane(uint32_t part, int at) {
    bfloat16_t value;
    value.bits = (uint16_t)(part >> 16 * at);
    return value;
}
__device__ uint32_t pack_bfloat16_t_x8_with(uint32_t part, int at, bfloat16_t value) {
    return (part & ~(0xffffu << 16 * at)) | (uint32_t)(uint16_t)value.bits << 16 * at;
}
extern "C" __global__ __launch_bounds__(256) void update(
        const bfloat16_t *x,
        bfloat16_t *y,
        float a,
        int n,
        int head)
{
    const int packs = (n - head) / 8;
    const int first = ((int)blockIdx.x) * 512 + ((int)threadIdx.x);
    pack_bfloat16_t_x8 x_pack[2];
    pack_bfloat16_t_x8 y_pack[2];
#pragma unroll
    for (int u = 0; u < 2; ++u) {
        const int p = first + u * 256;
        if (p < packs) {
            x_pack[u].words[0] = ((const uint4 *)(x + head))[p];
            y_pack[u].words[0] = ((const uint4 *)(y + head))[p];
        }
    }
#pragma unroll
    for (int u = 0; u < 2; ++u) {
        const int p = first + u * 256;
        if (p < packs) {
#pragma unroll
            for (int lane = 0; lane < 8; ++lane) {
                const float x_i = load_bfloat16(pack_bfloat16_t_x8_lane(x_pack[u].parts[lane / 2], lane % 2));
                float y_i = load_bfloat16(pack_bfloat16_t_x8_lane(y_pack[u].parts[lane / 2], lane % 2));
                y_i = y_i + a * x_i; if (x_i > a) y_i = a;
                y_pack[u].parts[lane / 2] = pack_bfloat16_t_x8_with(y_pack[u].parts[lane / 2], lane % 2, store_bfloat16(y_i));
            }
            ((uint4 *)(y + head))[p] = y_pack[u].words[0];
        }
    }
    // Elements before the first whole pack and after the last.
    if (((int)blockIdx.x) == ((int)gridDim.x) - 1) {
        for (int r = ((int)threadIdx.x); r < n - packs * 8; r += 256) {
            const int i = r < head ? r : r + packs * 8;
            const float x_i = load_bfloat16(x[i]);
            float y_i = load_bfloat16(y[i]);
            y_i = y_i + a * x_i; if (x_i > a) y_i = a;
            y[i] = store_bfloat16(y_i);
        }
    }
}
