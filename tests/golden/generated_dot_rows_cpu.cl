typedef struct {
    int extent[2];
    int kept[1];
    int x[3];  // steps, in elements
    int y[3];  // steps, in elements
} dot_layout;
float dot_reduce(float a, float b) {
    return a+b;
}
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void dot(
        __global const float *x,
        __global const float *y,
        dot_layout layout,
        __global float *result,
        int n,
        int outputs,
        int splits)
{
    const int thread = ((int)get_local_id(0));
    const int output = ((int)get_group_id(0)) / splits;
    const int split = ((int)get_group_id(0)) % splits;
    const int x_base = output * layout.x[2];
    const int y_base = output * layout.y[2];
    const int per_split = n / splits + 1;
    int k = split * per_split < n ? split * per_split : n;
    const int end = n - k < per_split ? n : k + per_split;
    float total = 0;
    while (k < end) {
        float run = 0;
        const int stop = end - k < 128 ? end : k + 128;
        for (; k < stop; ++k) {
            int i_rest = k;
            const int i_1 = i_rest % layout.extent[1];
            i_rest /= layout.extent[1];
            const int x_at = x_base + i_rest * layout.x[0] + i_1 * layout.x[1];
            const int y_at = y_base + i_rest * layout.y[0] + i_1 * layout.y[1];
            run = dot_reduce(run, x[x_at]*y[y_at]);
        }
        total = dot_reduce(total, run);
    }
    if (thread == 0) {
        result[output] = total;
    }
}
