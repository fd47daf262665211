typedef struct {
    int extent[1];
    int kept[2];
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
        float *partial,
        int n,
        int outputs,
        int splits)
{
    const int group = ((int)blockIdx.x) / splits;
    const int split = ((int)blockIdx.x) % splits;
    const int extent = layout.kept[1];
    const int tiles = (extent + 1023) / 1024;
    const int from = group % tiles * 1024;
    const int output = group / tiles * extent + from;
    const int width = (int)(extent - from < 1024 ? extent - from : 1024);
    int o_rest = output;
    const int o_1 = o_rest % layout.kept[1];
    o_rest /= layout.kept[1];
    const int x_base = o_rest * layout.x[1] + o_1 * layout.x[2];
    const int y_base = o_rest * layout.y[1] + o_1 * layout.y[2];
    const int per_split = n / splits + 1;
    int k = split * per_split < n ? split * per_split : n;
    const int end = n - k < per_split ? n : k + per_split;
    float totals[1024];
    float run[1024];
    float kept[32][1024];
    for (int lane = 0; lane < width; ++lane) totals[lane] = 0;
    int runs = 0;
    while (k < end) {
        for (int lane = 0; lane < width; ++lane) run[lane] = 0;
        const int stop = end - k < 32 ? end : k + 32;
        for (; stop - k >= 4; k += 4) {
            const int first = k;
            for (int lane = 0; lane < width; ++lane) {
                float so_far = run[lane];
                {
                    const int k = first + 0;
                    const int x_column = x_base + k * layout.x[0];
                    const int y_column = y_base + k * layout.y[0];
                    const int x_at = x_column + lane;
                    const int y_at = y_column + lane;
                    so_far = dot_reduce(so_far, x[x_at]*y[y_at]);
                }
                {
                    const int k = first + 1;
                    const int x_column = x_base + k * layout.x[0];
                    const int y_column = y_base + k * layout.y[0];
                    const int x_at = x_column + lane;
                    const int y_at = y_column + lane;
                    so_far = dot_reduce(so_far, x[x_at]*y[y_at]);
                }
                {
                    const int k = first + 2;
                    const int x_column = x_base + k * layout.x[0];
                    const int y_column = y_base + k * layout.y[0];
                    const int x_at = x_column + lane;
                    const int y_at = y_column + lane;
                    so_far = dot_reduce(so_far, x[x_at]*y[y_at]);
                }
                {
                    const int k = first + 3;
                    const int x_column = x_base + k * layout.x[0];
                    const int y_column = y_base + k * layout.y[0];
                    const int x_at = x_column + lane;
                    const int y_at = y_column + lane;
                    so_far = dot_reduce(so_far, x[x_at]*y[y_at]);
                }
                run[lane] = so_far;
            }
        }
        for (; k < stop; ++k) {
            const int x_column = x_base + k * layout.x[0];
            const int y_column = y_base + k * layout.y[0];
            for (int lane = 0; lane < width; ++lane) {
                const int x_at = x_column + lane;
                const int y_at = y_column + lane;
                run[lane] = dot_reduce(run[lane], x[x_at]*y[y_at]);
            }
        }
        int level = 0;
        for (; runs >> level & 1; ++level) {
            for (int lane = 0; lane < width; ++lane) {
                run[lane] = dot_reduce(kept[level][lane], run[lane]);
            }
        }
        for (int lane = 0; lane < width; ++lane) kept[level][lane] = run[lane];
        ++runs;
    }
    for (int level = 0; runs >> level; ++level) {
        if (!(runs >> level & 1)) continue;
        for (int lane = 0; lane < width; ++lane) {
            totals[lane] = dot_reduce(kept[level][lane], totals[lane]);
        }
    }
    for (int lane = 0; lane < width; ++lane) {
        partial[split * outputs + output + lane] = totals[lane];
    }
}
extern "C" __global__ void dot_finish(
        float *result,
        float *partial,
        int n,
        int outputs,
        int splits)
{
    const int output = (int)GLOBAL_ID_0;
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
}
