typedef union { uint4 words[1]; cdouble value[1]; } pack_cdouble_x1;
extern "C" __global__ __launch_bounds__(256) void turn_all(
        const cdouble *x,
        cdouble *y,
        cdouble a,
        int n,
        int head)
{
    const int packs = (n - head) / 1;
    const int first = ((int)blockIdx.x) * 512 + ((int)threadIdx.x);
    pack_cdouble_x1 x_pack[2];
    pack_cdouble_x1 y_pack[2];
#pragma unroll
    for (int u = 0; u < 2; ++u) {
        const int p = first + u * 256;
        if (p < packs) {
            x_pack[u].words[0] = ((const uint4 *)(x + head))[p];
        }
    }
#pragma unroll
    for (int u = 0; u < 2; ++u) {
        const int p = first + u * 256;
        if (p < packs) {
#pragma unroll
            for (int lane = 0; lane < 1; ++lane) {
                const cdouble x_i = x_pack[u].value[lane];
                cdouble y_i;
                y_i = c_mul(a, x_i);
                y_pack[u].value[lane] = y_i;
            }
            ((uint4 *)(y + head))[p] = y_pack[u].words[0];
        }
    }
    // Elements before the first whole pack and after the last.
    if (((int)blockIdx.x) == ((int)gridDim.x) - 1) {
        for (int r = ((int)threadIdx.x); r < n - packs * 1; r += 256) {
            const int i = r < head ? r : r + packs * 1;
            y[i] = c_mul(a, x[i]);
        }
    }
}
