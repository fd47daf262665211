typedef struct {
    int extent[2];
    int x[2];  // steps, in elements
    int z[2];  // steps, in elements
} neighbours_layout;
int neighbours_x_at(neighbours_layout layout, int i) {
    int at = 0;
    at += i % layout.extent[1] * layout.x[1];
    i /= layout.extent[1];
    return at + i * layout.x[0];
}
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void neighbours(
        __global const float *x,
        __global float *z,
        __global int32_t *count,
        neighbours_layout layout,
        int n)
{
    int mine = 0;
    const int width = layout.extent[1], height = layout.extent[0];
    const int first_column = ((int)get_group_id(1)) * 64;
    const int first_row = ((int)get_group_id(0));
    const int z_base = 0, z_down = layout.z[0], z_step = layout.z[1];
    const int column = first_column + ((int)get_local_id(0));
#pragma unroll
    for (int u = 0; u < 1; ++u) {
        const int row = first_row + u * 1;
        if (column < width && row < height) {
            const int z_row = z_base + row * z_down;
            const int i = row * width + column;
            const int z_at = z_row + column * z_step;
            do {
                if (i == 0 || i == n - 1) continue;
                z[z_at] = x[neighbours_x_at(layout, i-1)] + x[neighbours_x_at(layout, i+1)];
                atomic_add(&count[0], 1);
            } while (0);
        }
    }
    if (mine) atomic_add(&count[1], mine);
}
