typedef union { uint4 words[1]; float value[4]; } pack_float_x4;
typedef struct {
    int extent[2];
    int x[2];  // steps, in elements
    int z[2];  // steps, in elements
} neighbours_layout;
__device__ int neighbours_x_at(neighbours_layout layout, int i) {
    int at = 0;
    at += i % layout.extent[1] * layout.x[1];
    i /= layout.extent[1];
    return at + i * layout.x[0];
}
extern "C" __global__ __launch_bounds__(256) void neighbours(
        const float *x,
        float *z,
        int32_t *count,
        neighbours_layout layout,
        int n,
        int head)
{
    int mine = 0;
    const int packs = (n - head) / 4;
    const int first = ((int)blockIdx.x) * 512 + ((int)threadIdx.x);
    pack_float_x4 z_pack[2];
#pragma unroll
    for (int u = 0; u < 2; ++u) {
        const int p = first + u * 256;
        if (p < packs) {
            int i_0 = head + p * 4;
            int i_1 = i_0 % layout.extent[1];
            i_0 /= layout.extent[1];
            int z_at = i_0 * layout.z[0] + i_1;
            z_pack[u].words[0] = ((const uint4 *)(z + z_at))[0];
        }
    }
#pragma unroll
    for (int u = 0; u < 2; ++u) {
        const int p = first + u * 256;
        if (p < packs) {
            int i_0 = head + p * 4;
            int i_1 = i_0 % layout.extent[1];
            i_0 /= layout.extent[1];
            int z_at = i_0 * layout.z[0] + i_1;
#pragma unroll
            for (int lane = 0; lane < 4; ++lane) {
                const int i = head + p * 4 + lane;
                float z_i = z_pack[u].value[lane];
                do {
                    if (i == 0 || i == n - 1) continue;
                    z_i = x[neighbours_x_at(layout, i-1)] + x[neighbours_x_at(layout, i+1)];
                    atomic_add(&count[0], 1);
                } while (0);
                z_pack[u].value[lane] = z_i;
            }
            ((uint4 *)(z + z_at))[0] = z_pack[u].words[0];
        }
    }
    // Elements before the first whole pack and after the last.
    if (((int)blockIdx.x) == ((int)gridDim.x) - 1) {
        for (int r = ((int)threadIdx.x); r < n - packs * 4; r += 256) {
            const int i = r < head ? r : r + packs * 4;
            int i_rest = i;
            const int i_1 = i_rest % layout.extent[1];
            i_rest /= layout.extent[1];
            const int z_at = i_rest * layout.z[0] + i_1 * layout.z[1];
            do {
                if (i == 0 || i == n - 1) continue;
                z[z_at] = x[neighbours_x_at(layout, i-1)] + x[neighbours_x_at(layout, i+1)];
                atomic_add(&count[0], 1);
            } while (0);
        }
    }
    if (mine) atomic_add(&count[1], mine);
}
