typedef union { uint4 words[1]; float value[4]; } pack_float_x4;
typedef struct {
    int extent[3];
    int x[3];  // steps, in elements
} axpy_layout;
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void axpy(
        float a,
        __global const float *x,
        __global const float *y,
        __global float *z,
        axpy_layout layout,
        int n,
        int head)
{
    const int packs = (n - head) / 4;
    const int first = ((int)get_group_id(0)) * 512 + ((int)get_local_id(0));
    pack_float_x4 y_pack[2];
    pack_float_x4 z_pack[2];
#pragma unroll
    for (int u = 0; u < 2; ++u) {
        const int p = first + u * 256;
        if (p < packs) {
            y_pack[u].words[0] = ((__global const uint4 *)(y + head))[p];
        }
    }
#pragma unroll
    for (int u = 0; u < 2; ++u) {
        const int p = first + u * 256;
        if (p < packs) {
            int i_0 = head + p * 4;
            int i_2 = i_0 % layout.extent[2];
            i_0 /= layout.extent[2];
            int i_1 = i_0 % layout.extent[1];
            i_0 /= layout.extent[1];
            int x_at = i_0 * layout.x[0] + i_1 * layout.x[1];
#pragma unroll
            for (int lane = 0; lane < 4; ++lane) {
                const float y_i = y_pack[u].value[lane];
                float z_i;
                z_i = a*x[x_at] + y_i;
                z_pack[u].value[lane] = z_i;
                if (++i_2 == layout.extent[2]) {
                    i_2 = 0;
                    x_at += layout.x[1];
                    if (++i_1 == layout.extent[1]) {
                        i_1 = 0;
                        x_at += layout.x[0] - layout.extent[1] * layout.x[1];
                    }
                }
            }
            ((__global uint4 *)(z + head))[p] = z_pack[u].words[0];
        }
    }
    // Elements before the first whole pack and after the last.
    if (((int)get_group_id(0)) == ((int)get_num_groups(0)) - 1) {
        for (int r = ((int)get_local_id(0)); r < n - packs * 4; r += 256) {
            const int i = r < head ? r : r + packs * 4;
            int i_rest = i;
            const int i_2 = i_rest % layout.extent[2];
            i_rest /= layout.extent[2];
            const int i_1 = i_rest % layout.extent[1];
            i_rest /= layout.extent[1];
            const int x_at = i_rest * layout.x[0] + i_1 * layout.x[1] + i_2 * layout.x[2];
            z[i] = a*x[x_at] + y[i];
        }
    }
}
