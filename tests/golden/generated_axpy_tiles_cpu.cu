typedef struct {
    int64_t extent[3];
    int64_t x[3];  // steps, in elements
    int64_t z[3];  // steps, in elements
} axpy_layout;
extern "C" __global__ __launch_bounds__(1) void axpy(
        float a,
        const float *x,
        const float *y,
        float *z,
        int64_t z_offset,
        axpy_layout layout,
        int64_t n)
{
    z = (float *)((char *)z + z_offset);
    const int64_t width = layout.extent[2], height = layout.extent[1];
    const int64_t first_column = (int64_t)((int)blockIdx.x) * 32;
    const int64_t first_row = (int64_t)((int)blockIdx.y) * 256;
    const int64_t outer = ((int)blockIdx.z);
    const int64_t x_base = outer * layout.x[0], x_down = layout.x[1];
    const int64_t z_base = outer * layout.z[0], z_down = layout.z[1];
    const int64_t end_row = height - first_row < 256 ? height : first_row + 256;
    const int64_t end_column = width - first_column < 32 ? width : first_column + 32;
    for (int64_t row = first_row; row < end_row; ++row) {
        const int64_t x_row = x_base + row * x_down;
        const int64_t z_row = z_base + row * z_down;
        for (int64_t column = first_column; column < end_column; ++column) {
            const int64_t i = (outer * height + row) * width + column;
            const int64_t x_at = x_row;
            const int64_t z_at = z_row + column;
            z[z_at] = a*x[x_at] + y[i];
        }
    }
}
