typedef struct {
    int extent[2];
    int kept[1];
    int x[3];  // steps, in elements
    int y[3];  // steps, in elements
} dot_layout;
__device__ float dot_reduce(float a, float b) {
    return a+b;
}
extern "C" __global__ __launch_bounds__(1) void dot(
        const float *x,
        const float *y,
        dot_layout layout,
        float *result,
        int n,
        int outputs,
        int splits)
{
    const int thread = ((int)threadIdx.x);
    const int output = ((int)blockIdx.x) / splits;
    const int split = ((int)blockIdx.x) % splits;
    const int x_base = output * layout.x[2];
    const int y_base = output * layout.y[2];
    const int per_split = n / splits + 1;
    int k = split * per_split < n ? split * per_split : n;
    const int end = n - k < per_split ? n : k + per_split;
    // Sums of 1, 2, 4, ... runs: those whose bit is set in the number of runs.
    float kept[48][1];
    int runs = 0;
    while (end - k >= 1) {
        float run[1];
        for (int lane = 0; lane < 1; ++lane) {
            run[lane] = 0;
        }
        const int stop = end - k < 32 ? end : k + 32;
        for (; stop - k >= 1; k += 1) {
            for (int lane = 0; lane < 1; ++lane) {
                int i_rest = k;
                const int i_1 = i_rest % layout.extent[1];
                i_rest /= layout.extent[1];
                const int x_at = x_base + i_rest * layout.x[0] + i_1 * layout.x[1];
                const int y_at = y_base + i_rest * layout.y[0] + i_1 * layout.y[1];
                run[lane] = dot_reduce(run[lane], x[x_at]*y[y_at]);
            }
        }
        int level = 0;
        for (; runs >> level & 1; ++level) {
            for (int lane = 0; lane < 1; ++lane) {
                run[lane] = dot_reduce(kept[level][lane], run[lane]);
            }
        }
        for (int lane = 0; lane < 1; ++lane) {
            kept[level][lane] = run[lane];
        }
        ++runs;
    }
    float totals[1];
#pragma unroll
    for (int lane = 0; lane < 1; ++lane) {
        totals[lane] = 0;
    }
    for (int level = 0; runs >> level; ++level) {
        if (!(runs >> level & 1)) continue;
        for (int lane = 0; lane < 1; ++lane) {
            totals[lane] = dot_reduce(kept[level][lane], totals[lane]);
        }
    }
    float total = totals[0];
    if (thread == 0) {
        result[output] = total;
    }
}
