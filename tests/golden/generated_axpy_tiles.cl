typedef struct {
    int extent[3];
    int x[3];  // steps, in elements
    int z[3];  // steps, in elements
} axpy_layout;
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void axpy(
        float a,
        __global const float *x,
        __global const float *y,
        __global float *z,
        int64_t z_offset,
        axpy_layout layout,
        int n)
{
    z = (__global float *)((__global char *)z + z_offset);
    const int width = layout.extent[2], height = layout.extent[1];
    const int first_column = ((int)get_group_id(0)) * 32;
    const int first_row = ((int)get_group_id(1)) * 32;
    const int outer = ((int)get_group_id(2));
    const int x_base = outer * layout.x[0], x_down = layout.x[1], x_step = layout.x[2];
    const int z_base = outer * layout.z[0], z_down = layout.z[1];
    const int column = first_column + ((int)get_local_id(0)) % 32;
#pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int row = first_row + ((int)get_local_id(0)) / 32 + u * 8;
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
