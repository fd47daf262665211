typedef struct {
    float value;
    long index;
} indexed_float;
typedef char indexed_float_has_size_as_on_the_host[sizeof(indexed_float) == 16 ? 1 : -1];
typedef char indexed_float_has_value_as_on_the_host[__builtin_offsetof(indexed_float, value) == 0 ? 1 : -1];
typedef char indexed_float_has_index_as_on_the_host[__builtin_offsetof(indexed_float, index) == 8 ? 1 : -1];
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
        int64_t result_offset,
        __global indexed_float *partial,
        int n,
        int outputs,
        int splits)
{
    __local indexed_float shared[256];
    result = (__global int64_t *)((__global char *)result + result_offset);
    const int thread = ((int)get_local_id(0));
    const int output = ((int)get_group_id(0)) / splits;
    const int split = ((int)get_group_id(0)) % splits;
    indexed_float totals[4];
#pragma unroll
    for (int lane = 0; lane < 4; ++lane) {
        totals[lane] = new_indexed(-INFINITY, 0);
    }
    for (int first = split * 1024 + thread; first < n; first += splits * 1024) {
#pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int k = first + u * 256;
            if (k < n) {
                const int i = k;
                const int reduced_index = i;
                totals[u] = largest_index_reduce(totals[u], new_indexed(x[i]*y[i], reduced_index));
            }
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
    }
}
__kernel void largest_index_finish(
        __global int64_t *result,
        int64_t result_offset,
        __global indexed_float *partial,
        int n,
        int outputs,
        int splits)
{
    result = (__global int64_t *)((__global char *)result + result_offset);
    const int output = (int)GLOBAL_ID_0;
    if (output < outputs) {
        int s = 0;
        indexed_float kept0 = new_indexed(-INFINITY, 0);
        indexed_float kept1 = new_indexed(-INFINITY, 0);
        indexed_float kept2 = new_indexed(-INFINITY, 0);
        indexed_float kept3 = new_indexed(-INFINITY, 0);
        int runs = 0;
        while (s < splits) {
            indexed_float run = new_indexed(-INFINITY, 0);
            const int stop = splits - s < 16 ? splits : s + 16;
            for (; s < stop; ++s) {
                run = largest_index_reduce(run, partial[s * outputs + output]);
            }
            kept0 = largest_index_reduce(kept0, run);
            ++runs;
            if (runs % 16 == 0) {
                kept1 = largest_index_reduce(kept1, kept0);
                kept0 = new_indexed(-INFINITY, 0);
            }
            if (runs % 256 == 0) {
                kept2 = largest_index_reduce(kept2, kept1);
                kept1 = new_indexed(-INFINITY, 0);
            }
            if (runs % 4096 == 0) {
                kept3 = largest_index_reduce(kept3, kept2);
                kept2 = new_indexed(-INFINITY, 0);
            }
        }
        indexed_float total = kept3;
        total = largest_index_reduce(total, kept2);
        total = largest_index_reduce(total, kept1);
        total = largest_index_reduce(total, kept0);
        result[output] = largest_index_stored(total);
    }
}
