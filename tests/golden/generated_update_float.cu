typedef union { uint4 words[1]; float value[4]; } pack_float_x4;
extern "C" __global__ __launch_bounds__(256) void update(
        const float *x,
        float *y,
        float a,
        int n,
        int head)
{
    const int packs = (n - head) / 4;
    const int first = ((int)blockIdx.x) * 512 + ((int)threadIdx.x);
    pack_float_x4 x_pack[2];
    pack_float_x4 y_pack[2];
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
            for (int lane = 0; lane < 4; ++lane) {
                const float x_i = x_pack[u].value[lane];
                float y_i = y_pack[u].value[lane];
                y_i = y_i + a * x_i; if (x_i > a) y_i = a;
                y_pack[u].value[lane] = y_i;
            }
            ((uint4 *)(y + head))[p] = y_pack[u].words[0];
        }
    }
    // Elements before the first whole pack and after the last.
    if (((int)blockIdx.x) == ((int)gridDim.x) - 1) {
        for (int r = ((int)threadIdx.x); r < n - packs * 4; r += 256) {
            const int i = r < head ? r : r + packs * 4;
            y[i] = y[i] + a * x[i]; if (x[i] > a) y[i] = a;
        }
    }
}
