typedef struct {
    float value;
    long index;
} indexed_float;
typedef char indexed_float_has_size_as_on_the_host[sizeof(indexed_float) == 16 ? 1 : -1];
typedef char indexed_float_has_value_as_on_the_host[__builtin_offsetof(indexed_float, value) == 0 ? 1 : -1];
typedef char indexed_float_has_index_as_on_the_host[__builtin_offsetof(indexed_float, index) == 8 ? 1 : -1];
typedef union { uint4 words[1]; float value[4]; } pack_float_x4;
WITHIN_KERNEL indexed_float new_indexed(float value, int64_t index)
{
    indexed_float p;
    p.value = value;
    p.index = index;
    return p;
}
indexed_float largest_index_reduce(indexed_float a, indexed_float b) {
    return a.value > b.value || (a.value == b.value && a.index < b.index) ? a : b;
}
int64_t largest_index_stored(indexed_float a) {
    return a.index;
}
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void largest_index(
        __global const float *x,
        __global const float *y,
        __global int64_t *result,
        __global indexed_float *partial,
        __global int *counters,
        int n,
        int outputs,
        int splits,
        int head)
{
    __local indexed_float shared[256];
    __local int is_last[1];
    const int thread = ((int)get_local_id(0));
    const int output = ((int)get_group_id(0)) / splits;
    const int split = ((int)get_group_id(0)) % splits;
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
                x_pack[u].words[0] = ((__global const uint4 *)(x + head))[p_];
                y_pack[u].words[0] = ((__global const uint4 *)(y + head))[p_];
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
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < 32) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            total = largest_index_reduce(total, shared[thread + part * 32]);
        }
        shared[thread] = total;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < 4) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            total = largest_index_reduce(total, shared[thread + part * 4]);
        }
        shared[thread] = total;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < 1) {
#pragma unroll
        for (int part = 1; part < 4; ++part) {
            total = largest_index_reduce(total, shared[thread + part * 1]);
        }
        shared[thread] = total;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread == 0) {
        partial[split * outputs + output] = shared[0];
        device_fence();
        is_last[0] = atomic_add(&counters[output], 1) == splits - 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    // The block that comes last combines what all have found, in the order of the splits.
    if (is_last[0]) {
        device_fence();
        indexed_float total = new_indexed(-INFINITY, 0);
        for (int s = thread; s < splits; s += 256) {
            total = largest_index_reduce(total, partial[s * outputs + output]);
        }
        shared[thread] = total;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (thread < 32) {
#pragma unroll
            for (int part = 1; part < 8; ++part) {
                total = largest_index_reduce(total, shared[thread + part * 32]);
            }
            shared[thread] = total;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (thread < 4) {
#pragma unroll
            for (int part = 1; part < 8; ++part) {
                total = largest_index_reduce(total, shared[thread + part * 4]);
            }
            shared[thread] = total;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (thread < 1) {
#pragma unroll
            for (int part = 1; part < 4; ++part) {
                total = largest_index_reduce(total, shared[thread + part * 1]);
            }
            shared[thread] = total;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (thread == 0) {
            result[output] = largest_index_stored(shared[0]);
            counters[output] = 0;
        }
    }
}
