typedef struct {
    float value;
    unsigned char gemel_padding_0[4];
    long index;
} place_of_float;
typedef char place_of_float_has_size_as_on_the_host[sizeof(place_of_float) == 16 ? 1 : -1];
typedef char place_of_float_has_value_as_on_the_host[__builtin_offsetof(place_of_float, value) == 0 ? 1 : -1];
typedef char place_of_float_has_index_as_on_the_host[__builtin_offsetof(place_of_float, index) == 8 ? 1 : -1];
WITHIN_KERNEL place_of_float new_place(float value, int64_t index)
{
    place_of_float p;
    p.value = value;
    p.index = index;
    return p;
}
place_of_float place_reduce(place_of_float a, place_of_float b) {
    return a.value > b.value || (a.value == b.value && a.index < b.index) ? a : b;
}
int64_t place_stored(place_of_float a) {
    return a.index;
}
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void place(
        __global const float *x,
        __global const float *y,
        __global int64_t *result,
        int64_t result_offset,
        __global place_of_float *partial,
        int n,
        int outputs,
        int splits)
{
    __local place_of_float shared[256];
    result = (__global int64_t *)((__global char *)result + result_offset);
    const int thread = ((int)get_local_id(0));
    const int output = ((int)get_group_id(0)) / splits;
    const int split = ((int)get_group_id(0)) % splits;
    place_of_float totals[4];
#pragma unroll
    for (int lane = 0; lane < 4; ++lane) {
        totals[lane] = new_place(-INFINITY, 0);
    }
    for (int first = split * 1024 + thread; first < n; first += splits * 1024) {
#pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int k = first + u * 256;
            if (k < n) {
                const int i = k;
                const int reduced_index = i;
                totals[u] = place_reduce(totals[u], new_place(x[i]*y[i], reduced_index));
            }
        }
    }
#pragma unroll
    for (int width = 2; width > 0; width /= 2) {
#pragma unroll
        for (int lane = 0; lane < width; ++lane) {
            totals[lane] = place_reduce(totals[lane], totals[lane + width]);
        }
    }
    place_of_float total = totals[0];
    shared[thread] = total;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < 32) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            total = place_reduce(total, shared[thread + part * 32]);
        }
        shared[thread] = total;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < 4) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            total = place_reduce(total, shared[thread + part * 4]);
        }
        shared[thread] = total;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < 1) {
#pragma unroll
        for (int part = 1; part < 4; ++part) {
            total = place_reduce(total, shared[thread + part * 1]);
        }
        shared[thread] = total;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread == 0) {
        partial[split * outputs + output] = shared[0];
    }
}
__kernel void place_finish(
        __global int64_t *result,
        int64_t result_offset,
        __global place_of_float *partial,
        int outputs,
        int splits)
{
    result = (__global int64_t *)((__global char *)result + result_offset);
    const int output = (int)GLOBAL_ID_0;
    if (output < outputs) {
        int s = 0;
        place_of_float kept0 = new_place(-INFINITY, 0);
        place_of_float kept1 = new_place(-INFINITY, 0);
        place_of_float kept2 = new_place(-INFINITY, 0);
        place_of_float kept3 = new_place(-INFINITY, 0);
        int runs = 0;
        while (s < splits) {
            place_of_float run = new_place(-INFINITY, 0);
            const int stop = splits - s < 16 ? splits : s + 16;
            for (; s < stop; ++s) {
                run = place_reduce(run, partial[s * outputs + output]);
            }
            kept0 = place_reduce(kept0, run);
            ++runs;
            if (runs % 16 == 0) {
                kept1 = place_reduce(kept1, kept0);
                kept0 = new_place(-INFINITY, 0);
            }
            if (runs % 256 == 0) {
                kept2 = place_reduce(kept2, kept1);
                kept1 = new_place(-INFINITY, 0);
            }
            if (runs % 4096 == 0) {
                kept3 = place_reduce(kept3, kept2);
                kept2 = new_place(-INFINITY, 0);
            }
        }
        place_of_float total = kept3;
        total = place_reduce(total, kept2);
        total = place_reduce(total, kept1);
        total = place_reduce(total, kept0);
        result[output] = place_stored(total);
    }
}
