__device__ float dot_reduce(float a, float b) {
    return a+b;
}
extern "C" __global__ __launch_bounds__(256) void dot(
        const float *x,
        const float *y,
        float *result,
        int64_t result_offset,
        float *partial,
        int n,
        int outputs,
        int splits)
{
    __shared__ float shared[256];
    result = (float *)((char *)result + result_offset);
    const int thread = ((int)threadIdx.x);
    const int output = ((int)blockIdx.x) / splits;
    const int split = ((int)blockIdx.x) % splits;
    float totals[4];
#pragma unroll
    for (int lane = 0; lane < 4; ++lane) {
        totals[lane] = 0;
    }
    for (int first = split * 1024 + thread; first < n; first += splits * 1024) {
#pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int k = first + u * 256;
            if (k < n) {
                const int i = k;
                totals[u] = dot_reduce(totals[u], x[i]*y[i]);
            }
        }
    }
#pragma unroll
    for (int width = 2; width > 0; width /= 2) {
#pragma unroll
        for (int lane = 0; lane < width; ++lane) {
            totals[lane] = dot_reduce(totals[lane], totals[lane + width]);
        }
    }
    float total = totals[0];
    shared[thread] = total;
    __syncthreads();
    if (thread < 32) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            total = dot_reduce(total, shared[thread + part * 32]);
        }
        shared[thread] = total;
    }
    __syncthreads();
    if (thread < 4) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            total = dot_reduce(total, shared[thread + part * 4]);
        }
        shared[thread] = total;
    }
    __syncthreads();
    if (thread < 1) {
#pragma unroll
        for (int part = 1; part < 4; ++part) {
            total = dot_reduce(total, shared[thread + part * 1]);
        }
        shared[thread] = total;
    }
    __syncthreads();
    if (thread == 0) {
        partial[split * outputs + output] = shared[0];
    }
}
extern "C" __global__ void dot_finish(
        float *result,
        int64_t result_offset,
        float *partial,
        int n,
        int outputs,
        int splits)
{
    result = (float *)((char *)result + result_offset);
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
