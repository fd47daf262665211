typedef struct {
    int extent[2];
    int kept[1];
    int x[3];  // steps, in elements
    int y[3];  // steps, in elements
} dot_layout;
__device__ float dot_reduce(float a, float b) {
    return a+b;
}
extern "C" __global__ __launch_bounds__(256) void dot(
        const float *x,
        const float *y,
        dot_layout layout,
        float *result,
        float *partial,
        int *counters,
        int n,
        int outputs,
        int splits)
{
    __shared__ int is_last[1];
    const int groups = (outputs - 1) / 256 + 1;
    const int group = ((int)blockIdx.x) % groups;
    const int split = ((int)blockIdx.x) / groups;
    const int output = group * 256 + ((int)threadIdx.x);
    if (output < outputs) {
        const int x_base = output * layout.x[2];
        const int y_base = output * layout.y[2];
        const int per_split = n / splits + 1;
        int k = split * per_split < n ? split * per_split : n;
        const int end = n - k < per_split ? n : k + per_split;
        float kept0 = 0;
        float kept1 = 0;
        float kept2 = 0;
        float kept3 = 0;
        int runs = 0;
        while (k < end) {
            float run = 0;
            const int stop = end - k < 16 ? end : k + 16;
            for (; k < stop; ++k) {
                int i_rest = k;
                const int i_1 = i_rest % layout.extent[1];
                i_rest /= layout.extent[1];
                const int x_at = x_base + i_rest * layout.x[0] + i_1 * layout.x[1];
                const int y_at = y_base + i_rest * layout.y[0] + i_1 * layout.y[1];
                run = dot_reduce(run, x[x_at]*y[y_at]);
            }
            kept0 = dot_reduce(kept0, run);
            ++runs;
            if (runs % 16 == 0) {
                kept1 = dot_reduce(kept1, kept0);
                kept0 = 0;
            }
            if (runs % 256 == 0) {
                kept2 = dot_reduce(kept2, kept1);
                kept1 = 0;
            }
            if (runs % 4096 == 0) {
                kept3 = dot_reduce(kept3, kept2);
                kept2 = 0;
            }
        }
        float total = kept3;
        total = dot_reduce(total, kept2);
        total = dot_reduce(total, kept1);
        total = dot_reduce(total, kept0);
        partial[split * outputs + output] = total;
    }
    device_fence();
    __syncthreads();
    if (((int)threadIdx.x) == 0) is_last[0] = atomic_add(&counters[group], 1) == splits - 1;
    __syncthreads();
    // The block that comes last combines what all have found, in the order of the splits.
    if (is_last[0]) {
        device_fence();
        if (output < outputs) {
            int s = 0;
            float kept0 = 0;
            float kept1 = 0;
            float kept2 = 0;
            float kept3 = 0;
            int runs = 0;
            while (s < splits) {
                float run = 0;
                const int stop = splits - s < 16 ? splits : s + 16;
                for (; s < stop; ++s) {
                    run = dot_reduce(run, partial[s * outputs + output]);
                }
                kept0 = dot_reduce(kept0, run);
                ++runs;
                if (runs % 16 == 0) {
                    kept1 = dot_reduce(kept1, kept0);
                    kept0 = 0;
                }
                if (runs % 256 == 0) {
                    kept2 = dot_reduce(kept2, kept1);
                    kept1 = 0;
                }
                if (runs % 4096 == 0) {
                    kept3 = dot_reduce(kept3, kept2);
                    kept2 = 0;
                }
            }
            float total = kept3;
            total = dot_reduce(total, kept2);
            total = dot_reduce(total, kept1);
            total = dot_reduce(total, kept0);
            result[output] = total;
        }
        if (((int)threadIdx.x) == 0) counters[group] = 0;
    }
}
