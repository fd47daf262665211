typedef struct {
    int extent[2];
    int kept[1];
    int x[3];  // steps, in elements
    int y[3];  // steps, in elements
} dot_layout;
float dot_reduce(float a, float b) {
    return a+b;
}
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void dot(
        __global const float *x,
        __global const float *y,
        dot_layout layout,
        __global float *result,
        __global float *partial,
        __global int *counters,
        int n,
        int outputs,
        int splits)
{
    __local int is_last[1];
    const int groups = (outputs - 1) / 256 + 1;
    const int group = ((int)get_group_id(0)) % groups;
    const int split = ((int)get_group_id(0)) / groups;
    const int output = group * 256 + ((int)get_local_id(0));
    if (output < outputs) {
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
        partial[split * outputs + output] = total;
    }
    device_fence();
    barrier(CLK_LOCAL_MEM_FENCE);
    if (((int)get_local_id(0)) == 0) is_last[0] = atomic_add(&counters[group], 1) == splits - 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    // The block that comes last combines what all have found, in the order of the splits.
    if (is_last[0]) {
        device_fence();
        if (output < outputs) {
            float total = partial[output];
            for (int s = 1; s < splits; ++s) {
                total = dot_reduce(total, partial[s * outputs + output]);
            }
            result[output] = total;
        }
        if (((int)get_local_id(0)) == 0) counters[group] = 0;
    }
}
