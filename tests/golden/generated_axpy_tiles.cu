typedef struct {
    int extent[3];
    int x[3];  // steps, in elements
    int z[3];  // steps, in elements
} axpy_layout;
extern "C" __global__ __launch_bounds__(256) void axpy(
        float a,
        const float *x,
        const float *y,
        float *z,
        int64_t z_offset,
        axpy_layout layout,
        int n)
{
    z = (float *)((char *)z + z_offset);
    const int width = layout.extent[2], height = layout.extent[1];
    const int first_column = ((int)blockIdx.x) * 32;
    const int first_row = ((int)blockIdx.y) * 32;
    const int outer = ((int)blockIdx.z);
    const int x_base = outer * layout.x[0], x_down = layout.x[1], x_step = layout.x[2];
    const int z_base = outer * layout.z[0], z_down = layout.z[1];
    const int column = first_column + ((int)threadIdx.x) % 32;
#pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int row = first_row + ((int)threadIdx.x) / 32 + u * 8;
        if (column < width && row < height) {
            const int x_row = x_base + row * x_down;
            const int z_row = z_base + row * z_down;
            const int i = (outer * height + row) * width + column;
            const int x_at = x_row + column * x_step;
            const int z_at = z_row + column;
            z[z_at] = a*x[x_at] + y[i];
        }
    }
}
