typedef union { uint4 words[1]; float value[4]; } pack_float_x4;
__device__ float mean_reduce(float a, float b) {
    return a+b;
}
__device__ float mean_stored(float a, int n) {
    return a / n;
}
extern "C" __global__ __launch_bounds__(256) void mean(
        const float *x,
        const float *y,
        float *result,
        float *partial,
        int *counters,
        int n,
        int outputs,
        int splits,
        int head)
{
    __shared__ float shared[256];
    __shared__ int is_last[1];
    const int thread = ((int)threadIdx.x);
    const int output = ((int)blockIdx.x) / splits;
    const int split = ((int)blockIdx.x) % splits;
    const int packs = (n - head) / 4;
    float totals[4];
#pragma unroll
    for (int lane = 0; lane < 4; ++lane) {
        totals[lane] = 0;
    }
    for (int first = split * 512 + thread; first < packs; first += splits * 512) {
        pack_float_x4 x_pack[2];
        pack_float_x4 y_pack[2];
#pragma unroll
        for (int u = 0; u < 2; ++u) {
            const int p = first + u * 256;
            if (p < packs) {
                x_pack[u].words[0] = ((const uint4 *)(x + head))[p];
                y_pack[u].words[0] = ((const uint4 *)(y + head))[p];
            }
        }
#pragma unroll
        for (int u = 0; u < 2; ++u) {
            const int p = first + u * 256;
            if (p < packs) {
#pragma unroll
                for (int lane = 0; lane < 4; ++lane) {
                    const int i = head + p * 4 + lane;
                    const float x_i = x_pack[u].value[lane];
                    const float y_i = y_pack[u].value[lane];
                    totals[lane] = mean_reduce(totals[lane], x_i*y_i);
                }
            }
        }
    }
    // Elements before the first whole pack and after the last.
    if (split == 0) {
        for (int r = thread; r < n - packs * 4; r += 256) {
            const int i = (r < head ? r : r + packs * 4);
            totals[0] = mean_reduce(totals[0], x[i]*y[i]);
        }
    }
#pragma unroll
    for (int width = 2; width > 0; width /= 2) {
#pragma unroll
        for (int lane = 0; lane < width; ++lane) {
            totals[lane] = mean_reduce(totals[lane], totals[lane + width]);
        }
    }
    float total = totals[0];
    shared[thread] = total;
    __syncthreads();
    if (thread < 32) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            total = mean_reduce(total, shared[thread + part * 32]);
        }
        shared[thread] = total;
    }
    __syncthreads();
    if (thread < 4) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            total = mean_reduce(total, shared[thread + part * 4]);
        }
        shared[thread] = total;
    }
    __syncthreads();
    if (thread < 1) {
#pragma unroll
        for (int part = 1; part < 4; ++part) {
            total = mean_reduce(total, shared[thread + part * 1]);
        }
        shared[thread] = total;
    }
    __syncthreads();
    if (thread == 0) {
        partial[split * outputs + output] = shared[0];
        device_fence();
        is_last[0] = atomic_add(&counters[output], 1) == splits - 1;
    }
    __syncthreads();
    // The block that comes last combines what all have found, in the order of the splits.
    if (is_last[0]) {
        device_fence();
        float total = 0;
        for (int s = thread; s < splits; s += 256) {
            total = mean_reduce(total, partial[s * outputs + output]);
        }
        shared[thread] = total;
        __syncthreads();
        if (thread < 32) {
#pragma unroll
            for (int part = 1; part < 8; ++part) {
                total = mean_reduce(total, shared[thread + part * 32]);
            }
            shared[thread] = total;
        }
        __syncthreads();
        if (thread < 4) {
#pragma unroll
            for (int part = 1; part < 8; ++part) {
                total = mean_reduce(total, shared[thread + part * 4]);
            }
            shared[thread] = total;
        }
        __syncthreads();
        if (thread < 1) {
#pragma unroll
            for (int part = 1; part < 4; ++part) {
                total = mean_reduce(total, shared[thread + part * 1]);
            }
            shared[thread] = total;
        }
        __syncthreads();
        if (thread == 0) {
            result[output] = mean_stored(shared[0], n);
            counters[output] = 0;
        }
    }
}
