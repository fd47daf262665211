typedef union { uint4 words[1]; float value[4]; } pack_float_x4;
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void axpy(
        float a,
        __global const float *x,
        __global const float *y,
        __global float *z,
        int64_t x_offset,
        int n,
        int head)
{
    x = (__global const float *)((__global const char *)x + x_offset);
    const int packs = (n - head) / 4;
    const int first = ((int)get_group_id(0)) * 512 + ((int)get_local_id(0));
    pack_float_x4 x_pack[2];
    pack_float_x4 y_pack[2];
    pack_float_x4 z_pack[2];
#pragma unroll
    for (int u = 0; u < 2; ++u) {
        const int p = first + u * 256;
        if (p < packs) {
            x_pack[u].value[0] = x[head + p * 4 + 0];
            x_pack[u].value[1] = x[head + p * 4 + 1];
            x_pack[u].value[2] = x[head + p * 4 + 2];
            x_pack[u].value[3] = x[head + p * 4 + 3];
            y_pack[u].words[0] = ((__global const uint4 *)(y + head))[p];
        }
    }
#pragma unroll
    for (int u = 0; u < 2; ++u) {
        const int p = first + u * 256;
        if (p < packs) {
#pragma unroll
            for (int lane = 0; lane < 4; ++lane) {
                const float x_i = x_pack[u].value[lane];
                const float y_i = y_pack[u].value[lane];
                float z_i;
                z_i = a*x_i + y_i;
                z_pack[u].value[lane] = z_i;
            }
            ((__global uint4 *)(z + head))[p] = z_pack[u].words[0];
        }
    }
    // Elements before the first whole pack and after the last.
    if (((int)get_group_id(0)) == ((int)get_num_groups(0)) - 1) {
        for (int r = ((int)get_local_id(0)); r < n - packs * 4; r += 256) {
            const int i = r < head ? r : r + packs * 4;
            z[i] = a*x[i] + y[i];
        }
    }
}
