__device__ float mean_reduce(float a, float b) {
    return a+b;
}
__device__ float mean_stored(float a, int n) {
    return a / n;
}
extern "C" __global__ __launch_bounds__(1) void mean(
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
    // Sums of 1, 2, 4, ... runs: those whose bit is set in the number of runs.
    float kept[48][16];
    int runs = 0;
    while (end - k >= 16) {
        float run[16];
        for (int lane = 0; lane < 16; ++lane) {
            run[lane] = 0;
        }
        const int stop = end - k < 512 ? end : k + 512;
        for (; stop - k >= 32; k += 32) {
            for (int lane = 0; lane < 16; ++lane) {
                float both = run[lane];
                {
                    const int i = k + lane;
                    both = mean_reduce(both, x[i]*y[i]);
                }
                {
                    const int i = k + lane + 16;
                    both = mean_reduce(both, x[i]*y[i]);
                }
                run[lane] = both;
            }
        }
        for (; stop - k >= 16; k += 16) {
            for (int lane = 0; lane < 16; ++lane) {
                const int i = k + lane;
                run[lane] = mean_reduce(run[lane], x[i]*y[i]);
            }
        }
        int level = 0;
        for (; runs >> level & 1; ++level) {
            for (int lane = 0; lane < 16; ++lane) {
                run[lane] = mean_reduce(kept[level][lane], run[lane]);
            }
        }
        for (int lane = 0; lane < 16; ++lane) {
            kept[level][lane] = run[lane];
        }
        ++runs;
    }
    float totals[16];
#pragma unroll
    for (int lane = 0; lane < 16; ++lane) {
        totals[lane] = 0;
    }
    for (int level = 0; runs >> level; ++level) {
        if (!(runs >> level & 1)) continue;
        for (int lane = 0; lane < 16; ++lane) {
            totals[lane] = mean_reduce(kept[level][lane], totals[lane]);
        }
    }
    for (; k < end; ++k) {
        const int i = k;
        totals[0] = mean_reduce(totals[0], x[i]*y[i]);
    }
#pragma unroll
    for (int width = 8; width > 0; width /= 2) {
#pragma unroll
        for (int lane = 0; lane < width; ++lane) {
            totals[lane] = mean_reduce(totals[lane], totals[lane + width]);
        }
    }
    float total = totals[0];
    if (thread == 0) {
        partial[split * outputs + output] = total;
    }
}
extern "C" __global__ void mean_finish(
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
                run = mean_reduce(run, partial[s * outputs + output]);
            }
            kept0 = mean_reduce(kept0, run);
            ++runs;
            if (runs % 16 == 0) {
                kept1 = mean_reduce(kept1, kept0);
                kept0 = 0;
            }
            if (runs % 256 == 0) {
                kept2 = mean_reduce(kept2, kept1);
                kept1 = 0;
            }
            if (runs % 4096 == 0) {
                kept3 = mean_reduce(kept3, kept2);
                kept2 = 0;
            }
        }
        float total = kept3;
        total = mean_reduce(total, kept2);
        total = mean_reduce(total, kept1);
        total = mean_reduce(total, kept0);
        result[output] = mean_stored(total, n);
    }
}
