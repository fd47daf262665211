__device__ float largest_reduce(float a, float b) {
    return a > b ? a : b;
}
__device__ int largest_replaces(float a, float b) {
    return (b > a) != 0;
}
extern "C" __global__ __launch_bounds__(1) void largest(
        const float *x,
        const float *y,
        float *result,
        float *partial,
        int n,
        int outputs,
        int splits)
{
    const int thread = ((int)threadIdx.x);
    const int output = ((int)blockIdx.x) / splits;
    const int split = ((int)blockIdx.x) % splits;
    const int per_split = n / splits + 1;
    int k = split * per_split < n ? split * per_split : n;
    const int end = n - k < per_split ? n : k + per_split;
    float total = -INFINITY;
    while (k < end) {
        const int stop = end - k < 256 ? end : k + 256;
        int found = 0;
        for (int j = k; j < stop; ++j) {
            const int i = j;
            found |= largest_replaces(total, x[i]*y[i]);
        }
        if (!found) k = stop;
        while (k < stop) {
            const int stop_group = stop - k < 8 ? stop : k + 8;
            found = 0;
            for (int j = k; j < stop_group; ++j) {
                const int i = j;
                found |= largest_replaces(total, x[i]*y[i]);
            }
            if (found) {
                for (int j = k; j < stop_group; ++j) {
                    const int i = j;
                    const float later = x[i]*y[i];
                    if (largest_replaces(total, later)) total = later;
                }
            }
            k = stop_group;
        }
    }
    if (thread == 0) {
        partial[split * outputs + output] = total;
    }
}
extern "C" __global__ void largest_finish(
        float *result,
        float *partial,
        int n,
        int outputs,
        int splits)
{
    const int output = (int)GLOBAL_ID_0;
    if (output < outputs) {
        int s = 0;
        float kept0 = -INFINITY;
        float kept1 = -INFINITY;
        float kept2 = -INFINITY;
        float kept3 = -INFINITY;
        int runs = 0;
        while (s < splits) {
            float run = -INFINITY;
            const int stop = splits - s < 16 ? splits : s + 16;
            for (; s < stop; ++s) {
                run = largest_reduce(run, partial[s * outputs + output]);
            }
            kept0 = largest_reduce(kept0, run);
            ++runs;
            if (runs % 16 == 0) {
                kept1 = largest_reduce(kept1, kept0);
                kept0 = -INFINITY;
            }
            if (runs % 256 == 0) {
                kept2 = largest_reduce(kept2, kept1);
                kept1 = -INFINITY;
            }
            if (runs % 4096 == 0) {
                kept3 = largest_reduce(kept3, kept2);
                kept2 = -INFINITY;
            }
        }
        float total = kept3;
        total = largest_reduce(total, kept2);
        total = largest_reduce(total, kept1);
        total = largest_reduce(total, kept0);
        result[output] = total;
    }
}
