typedef struct {
    float value;
    long long index;
} indexed_float;
typedef char indexed_float_has_size_as_on_the_host[sizeof(indexed_float) == 16 ? 1 : -1];
typedef char indexed_float_has_value_as_on_the_host[__INTADDR__(&((indexed_float *)0)->value) == 0 ? 1 : -1];
typedef char indexed_float_has_index_as_on_the_host[__INTADDR__(&((indexed_float *)0)->index) == 8 ? 1 : -1];
typedef union { uint4 words[1]; float value[4]; } pack_float_x4;
WITHIN_KERNEL indexed_float new_indexed(float value, int64_t index)
{
    indexed_float p;
    p.value = value;
    p.index = index;
    return p;
}
__device__ indexed_float largest_index_reduce(indexed_float a, indexed_float b) {
    return a.value > b.value || (a.value == b.value && a.index < b.index) ? a : b;
}
__device__ int64_t largest_index_stored(indexed_float a) {
    return a.index;
}
extern "C" __global__ __launch_bounds__(256) void largest_index(
        const float *x,
        const float *y,
        int64_t *result,
        indexed_float *partial,
        int *counters,
        int n,
        int outputs,
        int splits,
        int head)
{
    __shared__ indexed_float shared[256];
    __shared__ int is_last[1];
    const int thread = ((int)threadIdx.x);
    const int output = ((int)blockIdx.x) / splits;
    const int split = ((int)blockIdx.x) % splits;
    const int packs = (n - head) / 4;
    indexed_float totals[4];
#pragma unroll
    for (int lane = 0; lane < 4; ++lane) {
        totals[lane] = new_indexed(-INFINITY, 0);
    }
    for (int first = split * 512 + thread; first < packs; first += splits * 512) {
        pack_float_x4 x_pack[2];
        pack_float_x4 y_pack[2];
#pragma unroll
        for (int u = 0; u < 2; ++u) {
            const int p_ = first + u * 256;
            if (p_ < packs) {
                x_pack[u].words[0] = ((const uint4 *)(x + head))[p_];
                y_pack[u].words[0] = ((const uint4 *)(y + head))[p_];
            }
        }
#pragma unroll
        for (int u = 0; u < 2; ++u) {
            const int p_ = first + u * 256;
            if (p_ < packs) {
#pragma unroll
                for (int lane = 0; lane < 4; ++lane) {
                    const int i = head + p_ * 4 + lane;
                    const int reduced_index = i;
                    const float x_i = x_pack[u].value[lane];
                    const float y_i = y_pack[u].value[lane];
                    totals[lane] = largest_index_reduce(totals[lane], new_indexed(x_i*y_i, reduced_index));
                }
            }
        }
    }
    // Elements before the first whole pack and after the last.
    if (split == 0) {
        for (int r = thread; r < n - packs * 4; r += 256) {
            const int i = (r < head ? r : r + packs * 4);
            const int reduced_index = i;
            totals[0] = largest_index_reduce(totals[0], new_indexed(x[i]*y[i], reduced_index));
        }
    }
#pragma unroll
    for (int width = 2; width > 0; width /= 2) {
#pragma unroll
        for (int lane = 0; lane < width; ++lane) {
            totals[lane] = largest_index_reduce(totals[lane], totals[lane + width]);
        }
    }
    indexed_float total = totals[0];
    shared[thread] = total;
    __syncthreads();
    if (thread < 32) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            total = largest_index_reduce(total, shared[thread + part * 32]);
        }
        shared[thread] = total;
    }
    __syncthreads();
    if (thread < 4) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            total = largest_index_reduce(total, shared[thread + part * 4]);
        }
        shared[thread] = total;
    }
    __syncthreads();
    if (thread < 1) {
#pragma unroll
        for (int part = 1; part < 4; ++part) {
            total = largest_index_reduce(total, shared[thread + part * 1]);
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
        indexed_float total = new_indexed(-INFINITY, 0);
        for (int s = thread; s < splits; s += 256) {
            total = largest_index_reduce(total, partial[s * outputs + output]);
        }
        shared[thread] = total;
        __syncthreads();
        if (thread < 32) {
#pragma unroll
            for (int part = 1; part < 8; ++part) {
                total = largest_index_reduce(total, shared[thread + part * 32]);
            }
            shared[thread] = total;
        }
        __syncthreads();
        if (thread < 4) {
#pragma unroll
            for (int part = 1; part < 8; ++part) {
                total = largest_index_reduce(total, shared[thread + part * 4]);
            }
            shared[thread] = total;
        }
        __syncthreads();
        if (thread < 1) {
#pragma unroll
            for (int part = 1; part < 4; ++part) {
                total = largest_index_reduce(total, shared[thread + part * 1]);
            }
            shared[thread] = total;
        }
        __syncthreads();
        if (thread == 0) {
            result[output] = largest_index_stored(shared[0]);
            counters[output] = 0;
        }
    }
}
