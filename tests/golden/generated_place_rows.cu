typedef struct {
    float value;
    unsigned char gemel_padding_0[4];
    long long index;
} place_of_float;
typedef char place_of_float_has_size_as_on_the_host[sizeof(place_of_float) == 16 ? 1 : -1];
typedef char place_of_float_has_value_as_on_the_host[__INTADDR__(&((place_of_float *)0)->value) == 0 ? 1 : -1];
typedef char place_of_float_has_index_as_on_the_host[__INTADDR__(&((place_of_float *)0)->index) == 8 ? 1 : -1];
typedef struct {
    int extent[2];
    int kept[2];
    int x[4];  // steps, in elements
    int y[4];  // steps, in elements
} place_layout;
WITHIN_KERNEL place_of_float new_place(float value, int64_t index)
{
    place_of_float p;
    p.value = value;
    p.index = index;
    return p;
}
__device__ place_of_float place_reduce(place_of_float a, place_of_float b) {
    return a.value > b.value || (a.value == b.value && a.index < b.index) ? a : b;
}
__device__ int64_t place_stored(place_of_float a) {
    return a.index;
}
extern "C" __global__ __launch_bounds__(256) void place(
        const float *x,
        const float *y,
        place_layout layout,
        int64_t *result,
        int n,
        int outputs,
        int splits)
{
    __shared__ place_of_float shared[256];
    const int thread = ((int)threadIdx.x);
    const int output = ((int)blockIdx.x) / splits;
    const int split = ((int)blockIdx.x) % splits;
    int o_rest = output;
    const int o_1 = o_rest % layout.kept[1];
    o_rest /= layout.kept[1];
    const int x_base = o_rest * layout.x[2] + o_1 * layout.x[3];
    const int y_base = o_rest * layout.y[2] + o_1 * layout.y[3];
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
                const int reduced_index = k;
                int i_rest = k;
                const int i_1 = i_rest % layout.extent[1];
                i_rest /= layout.extent[1];
                const int x_at = x_base + i_rest * layout.x[0] + i_1 * layout.x[1];
                const int y_at = y_base + i_rest * layout.y[0] + i_1 * layout.y[1];
                totals[u] = place_reduce(totals[u], new_place(x[x_at]*y[y_at], reduced_index));
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
    __syncthreads();
    if (thread < 32) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            total = place_reduce(total, shared[thread + part * 32]);
        }
        shared[thread] = total;
    }
    __syncthreads();
    if (thread < 4) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            total = place_reduce(total, shared[thread + part * 4]);
        }
        shared[thread] = total;
    }
    __syncthreads();
    if (thread < 1) {
#pragma unroll
        for (int part = 1; part < 4; ++part) {
            total = place_reduce(total, shared[thread + part * 1]);
        }
        shared[thread] = total;
    }
    __syncthreads();
    if (thread == 0) {
        result[output] = place_stored(shared[0]);
    }
}
