typedef union { uint4 words[1]; uint32_t parts[4]; } pack_float16_t_x8;
float16_t pack_float16_t_x8_lane(uint32_t part, int at) {
    float16_t value;
    value.bits = (uint16_t)(part >> 16 * at);
    return value;
}
uint32_t pack_float16_t_x8_with(uint32_t part, int at, float16_t value) {
    return (part & ~(0xffffu << 16 * at)) | (uint32_t)(uint16_t)value.bits << 16 * at;
}
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void update(
        __global const float16_t *x,
        __global float16_t *y,
        float a,
        int n,
        int head)
{
    const int packs = (n - head) / 8;
    const int first = ((int)get_group_id(0)) * 512 + ((int)get_local_id(0));
    pack_float16_t_x8 x_pack[2];
    pack_float16_t_x8 y_pack[2];
#pragma unroll
    for (int u = 0; u < 2; ++u) {
        const int p = first + u * 256;
        if (p < packs) {
            x_pack[u].words[0] = ((__global const uint4 *)(x + head))[p];
            y_pack[u].words[0] = ((__global const uint4 *)(y + head))[p];
        }
    }
#pragma unroll
    for (int u = 0; u < 2; ++u) {
        const int p = first + u * 256;
        if (p < packs) {
#pragma unroll
            for (int lane = 0; lane < 8; ++lane) {
                const float x_i = load_float16(pack_float16_t_x8_lane(x_pack[u].parts[lane / 2], lane % 2));
                float y_i = load_float16(pack_float16_t_x8_lane(y_pack[u].parts[lane / 2], lane % 2));
                y_i = y_i + a * x_i; if (x_i > a) y_i = a;
                y_pack[u].parts[lane / 2] = pack_float16_t_x8_with(y_pack[u].parts[lane / 2], lane % 2, store_float16(y_i));
            }
            ((__global uint4 *)(y + head))[p] = y_pack[u].words[0];
        }
    }
    // Elements before the first whole pack and after the last.
    if (((int)get_group_id(0)) == ((int)get_num_groups(0)) - 1) {
        for (int r = ((int)get_local_id(0)); r < n - packs * 8; r += 256) {
            const int i = r < head ? r : r + packs * 8;
            const float x_i = load_float16(x[i]);
            float y_i = load_float16(y[i]);
            y_i = y_i + a * x_i; if (x_i > a) y_i = a;
            y[i] = store_float16(y_i);
        }
    }
}
