typedef struct {
    int extent[2];
    int x[2];  // steps, in elements
} neighbours_layout;
int neighbours_x_at(neighbours_layout layout, int i) {
    int at = 0;
    at += i % layout.extent[1] * layout.x[1];
    i /= layout.extent[1];
    return at + i * layout.x[0];
}
__global const float * neighbours_x_checked(__global const float *array, int64_t at, int64_t count, int64_t i, __global int64_t *report, neighbours_layout layout) {
    if (at >= 0 && at < count) return array + neighbours_x_at(layout, (int)at);
    if (atomic_cas((__global int *)report, 0, 1) == 0) {
        report[1] = at;
        report[2] = i;
    }
    return (__global const float *)(report + 4);
}
__global int32_t * neighbours_count_checked(__global int32_t *array, int64_t at, int64_t count, int64_t i, __global int64_t *report) {
    if (at >= 0 && at < count) return array + at;
    if (atomic_cas((__global int *)report, 0, 3) == 0) {
        report[1] = at;
        report[2] = i;
    }
    return (__global int32_t *)(report + 4);
}
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void neighbours(
        __global const float *x,
        __global float *z,
        __global int32_t *count,
        neighbours_layout layout,
        int64_t x_count,
        int64_t count_count,
        __global int64_t *out_of_bounds,
        int n)
{
    int mine = 0;
    const int k = ((int)get_group_id(0)) * 64 + ((int)get_local_id(0));
    if (k < n) {
        const int i = k;
        do {
            if (i == 0 || i == n - 1) continue;
            z[i] = (*neighbours_x_checked(x, i-1, x_count, i, out_of_bounds, layout)) + (*neighbours_x_checked(x, i+1, x_count, i, out_of_bounds, layout));
            atomic_add(&(*neighbours_count_checked(count, 0, count_count, i, out_of_bounds)), 1);
        } while (0);
    }
    if (mine) atomic_add(&(*neighbours_count_checked(count, 1, count_count, -1, out_of_bounds)), mine);
}
