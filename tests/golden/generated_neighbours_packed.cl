typedef union { uint4 words[1]; float value[4]; } pack_float_x4;
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void neighbours(
        __global const float *x,
        __global float *z,
        __global int32_t *count,
        int n,
        int head)
{
    int mine = 0;
    const int packs = (n - head) / 4;
    const int first = ((int)get_group_id(0)) * 512 + ((int)get_local_id(0));
    pack_float_x4 z_pack[2];
#pragma unroll
    for (int u = 0; u < 2; ++u) {
        const int p = first + u * 256;
        if (p < packs) {
            z_pack[u].words[0] = ((__global const uint4 *)(z + head))[p];
        }
    }
#pragma unroll
    for (int u = 0; u < 2; ++u) {
        const int p = first + u * 256;
        if (p < packs) {
#pragma unroll
            for (int lane = 0; lane < 4; ++lane) {
                const int i = head + p * 4 + lane;
                float z_i = z_pack[u].value[lane];
                do {
                    if (i == 0 || i == n - 1) continue;
                    z_i = x[i-1] + x[i+1];
                    atomic_add(&count[0], 1);
                } while (0);
                z_pack[u].value[lane] = z_i;
            }
            ((__global uint4 *)(z + head))[p] = z_pack[u].words[0];
        }
    }
    // Elements before the first whole pack and after the last.
    if (((int)get_group_id(0)) == ((int)get_num_groups(0)) - 1) {
        for (int r = ((int)get_local_id(0)); r < n - packs * 4; r += 256) {
            const int i = r < head ? r : r + packs * 4;
            do {
                if (i == 0 || i == n - 1) continue;
                z[i] = x[i-1] + x[i+1];
                atomic_add(&count[0], 1);
            } while (0);
        }
    }
    if (mine) atomic_add(&count[1], mine);
}
