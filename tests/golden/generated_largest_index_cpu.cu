typedef struct {
    float value;
    long long index;
} indexed_float;
typedef char indexed_float_has_size_as_on_the_host[sizeof(indexed_float) == 16 ? 1 : -1];
typedef char indexed_float_has_value_as_on_the_host[__INTADDR__(&((indexed_float *)0)->value) == 0 ? 1 : -1];
typedef char indexed_float_has_index_as_on_the_host[__INTADDR__(&((indexed_float *)0)->index) == 8 ? 1 : -1];
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
__device__ int largest_index_replaces(indexed_float a, indexed_float b) {
    return (b.value > a.value) != 0;
}
__device__ int64_t largest_index_stored(indexed_float a) {
    return a.index;
}
__device__ float largest_index_part(indexed_float b) {
    return b.value;
}
__device__ float largest_index_extreme(float a, float b) {
    return gemel_max_nan(a, b);
}
extern "C" __global__ __launch_bounds__(1) void largest_index(
        const float *x,
        const float *y,
        int64_t *result,
        indexed_float *partial,
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
    indexed_float total = new_indexed(-INFINITY, 0);
    float best = -INFINITY;
    const int begin = k;
    int from = k, to = k;
    while (k < end) {
        const int begin_block = k;
        const int stop = end - k < 4096 ? end : k + 4096;
        float run[16];
        for (int lane = 0; lane < 16; ++lane) run[lane] = -INFINITY;
        for (; stop - k >= 32; k += 32) {
            for (int lane = 0; lane < 16; ++lane) {
                float both = run[lane];
                {
                    const int i = k + lane;
                    const int reduced_index = i;
                    both = largest_index_extreme(both, largest_index_part(new_indexed(x[i]*y[i], reduced_index)));
                }
                {
                    const int i = k + lane + 16;
                    const int reduced_index = i;
                    both = largest_index_extreme(both, largest_index_part(new_indexed(x[i]*y[i], reduced_index)));
                }
                run[lane] = both;
            }
        }
        while (k < stop && stop - begin >= 16) {
            if (stop - k < 16) k = stop - 16;  // some elements a second time
            for (int lane = 0; lane < 16; ++lane) {
                const int i = k + lane;
                const int reduced_index = i;
                run[lane] = largest_index_extreme(run[lane], largest_index_part(new_indexed(x[i]*y[i], reduced_index)));
            }
            k += 16;
        }
        for (; k < stop; ++k) {
            const int i = k;
            const int reduced_index = i;
            run[0] = largest_index_extreme(run[0], largest_index_part(new_indexed(x[i]*y[i], reduced_index)));
        }
#pragma unroll
        for (int width = 8; width > 0; width /= 2) {
#pragma unroll
            for (int lane = 0; lane < width; ++lane) run[lane] = largest_index_extreme(run[lane], run[lane + width]);
        }
        const float better = largest_index_extreme(best, run[0]);
        if (better == best || best != best) continue;
        best = better;
        from = begin_block;
        to = stop;
    }
    for (k = from; k < to; k += 256) {
        const int length = to - k < 256 ? (int)(to - k) : 256;
        int first = length;
        for (int j = 0; j < length; ++j) {
            const int i = k + j;
            const int reduced_index = i;
            const float part = largest_index_part(new_indexed(x[i]*y[i], reduced_index));
            const int here = part == best || (best != best && part != part) ? j : length;
            first = here < first ? here : first;
        }
        if (first < length) {
            from = k + first;
            to = from + 1;
        }
    }
    // The element that was found; or the whole block, if an expression gives another result without vectors.
    for (k = from; k < to; ++k) {
        const int i = k;
        const int reduced_index = i;
        const indexed_float later = new_indexed(x[i]*y[i], reduced_index);
        if (largest_index_replaces(total, later)) total = later;
    }
    if (thread == 0) {
        partial[split * outputs + output] = total;
    }
}
extern "C" __global__ void largest_index_finish(
        int64_t *result,
        indexed_float *partial,
        int n,
        int outputs,
        int splits)
{
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
