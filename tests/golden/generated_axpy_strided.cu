typedef struct {
    int64_t extent[3];
    int64_t x[3];  // steps, in elements
    int64_t z[3];  // steps, in elements
} axpy_layout;
extern "C" __global__ __launch_bounds__(256) void axpy(
        float a,
        const float *x,
        const float *y,
        float *z,
        int64_t z_offset,
        axpy_layout layout,
        int64_t n)
{
    z = (float *)((char *)z + z_offset);
    const int64_t first = (int64_t)((int)blockIdx.x) * 512 + ((int)threadIdx.x);
#pragma unroll
    for (int u = 0; u < 2; ++u) {
        const int64_t k = first + u * 256;
        if (k < n) {
            const int64_t i = k;
            int64_t i_rest = i;
            const int64_t i_2 = i_rest % layout.extent[2];
            i_rest /= layout.extent[2];
            const int64_t i_1 = i_rest % layout.extent[1];
            i_rest /= layout.extent[1];
            const int64_t x_at = i_rest * layout.x[0] + i_1 * layout.x[1] + i_2 * layout.x[2];
            const int64_t z_at = i_rest * layout.z[0] + i_1 * layout.z[1] + i_2 * layout.z[2];
            z[z_at] = a*x[x_at] + y[i];
        }
    }
}
