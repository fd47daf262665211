typedef union { uint4 words[1]; uint32_t parts[4]; } pack_unsigned_char_x16;
__device__ unsigned char pack_unsigned_char_x16_lane(uint32_t part, int at) {
    return (unsigned char)(part >> 8 * at);
}
__device__ uint32_t pack_unsigned_char_x16_with(uint32_t part, int at, unsigned char value) {
    return (part & ~(0xffu << 8 * at)) | (uint32_t)(uint8_t)value << 8 * at;
}
extern "C" __global__ __launch_bounds__(256) void update(
        const unsigned char *x,
        unsigned char *y,
        unsigned char a,
        int n,
        int head)
{
    const int packs = (n - head) / 16;
    const int first = ((int)blockIdx.x) * 512 + ((int)threadIdx.x);
    pack_unsigned_char_x16 x_pack[2];
    pack_unsigned_char_x16 y_pack[2];
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
            for (int lane = 0; lane < 16; ++lane) {
                const bool x_i = pack_unsigned_char_x16_lane(x_pack[u].parts[lane / 4], lane % 4) != 0;
                bool y_i = pack_unsigned_char_x16_lane(y_pack[u].parts[lane / 4], lane % 4) != 0;
                y_i = y_i + a * x_i; if (x_i > a) y_i = a;
                y_pack[u].parts[lane / 4] = pack_unsigned_char_x16_with(y_pack[u].parts[lane / 4], lane % 4, y_i);
            }
            ((uint4 *)(y + head))[p] = y_pack[u].words[0];
        }
    }
    // Elements before the first whole pack and after the last.
    if (((int)blockIdx.x) == ((int)gridDim.x) - 1) {
        for (int r = ((int)threadIdx.x); r < n - packs * 16; r += 256) {
            const int i = r < head ? r : r + packs * 16;
            const bool x_i = x[i] != 0;
            bool y_i = y[i] != 0;
            y_i = y_i + a * x_i; if (x_i > a) y_i = a;
            y[i] = y_i;
        }
    }
}
