typedef union { uint4 words[1]; float value[4]; } pack_float_x4;
extern "C" __global__ __launch_bounds__(256) void axpy(
        float a,
        const float *x,
        const float *y,
        float *z,
        int64_t x_offset,
        int n,
        int head)
{
    x = (const float *)((const char *)x + x_offset);
    const int packs = (n - head) / 4;
    const int first = ((int)blockIdx.x) * 512 + ((int)threadIdx.x);
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
                const float y_i = y_pack[u].value[lane];
                float z_i;
                z_i = a*x_i + y_i;
                z_pack[u].value[lane] = z_i;
            }
            ((uint4 *)(z + head))[p] = z_pack[u].words[0];
        }
    }
    // Elements before the first whole pack and after the last.
    if (((int)blockIdx.x) == ((int)gridDim.x) - 1) {
        for (int r = ((int)threadIdx.x); r < n - packs * 4; r += 256) {
            const int i = r < head ? r : r + packs * 4;
            z[i] = a*x[i] + y[i];
        }
    }
}
