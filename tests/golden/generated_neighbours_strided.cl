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
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void neighbours(
        __global const float *x,
        __global float *z,
        __global int32_t *count,
        neighbours_layout layout,
        int n)
{
    int mine = 0;
    const int first = ((int)get_group_id(0)) * 512 + ((int)get_local_id(0));
#pragma unroll
    for (int u = 0; u < 2; ++u) {
        const int k = first + u * 256;
        if (k < n) {
            const int i = k;
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
