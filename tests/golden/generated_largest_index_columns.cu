typedef struct {
    float value;
    long long index;
} indexed_float;
typedef char indexed_float_has_size_as_on_the_host[sizeof(indexed_float) == 16 ? 1 : -1];
typedef char indexed_float_has_value_as_on_the_host[__INTADDR__(&((indexed_float *)0)->value) == 0 ? 1 : -1];
typedef char indexed_float_has_index_as_on_the_host[__INTADDR__(&((indexed_float *)0)->index) == 8 ? 1 : -1];
typedef union { uint32_t words[1]; float value[1]; } pack_float_x1;
typedef struct {
    int extent[2];
    int kept[1];
    int x[3];  // steps, in elements
    int y[3];  // steps, in elements
} largest_index_layout;
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
        largest_index_layout layout,
        int64_t *result,
        int n,
        int outputs,
        int splits)
{
    const int thread = ((int)threadIdx.x);
    const int along = thread / 256;
    const int across = thread % 256;
    const int group = ((int)blockIdx.x);
    const int split = 0;
    const int output = (group * 256 + across) * 1;
    indexed_float totals[1];
#pragma unroll
    for (int lane = 0; lane < 1; ++lane) {
        totals[lane] = new_indexed(-INFINITY, 0);
    }
    if (output < outputs) {
        const int x_base = output * layout.x[2];
        const int y_base = output * layout.y[2];
        const int positions = n;
        int first = split * 4 + along;
        while (first < positions) {
            indexed_float run[1];
#pragma unroll
            for (int neighbour = 0; neighbour < 1; ++neighbour) run[neighbour] = new_indexed(-INFINITY, 0);
            for (int turn = 0; turn < 16 && first < positions; ++turn) {
                pack_float_x1 x_pack[4];
                pack_float_x1 y_pack[4];
                // Many loads are under way together: there is no condition between them.
                if (first + 3 < positions) {
#pragma unroll
                    for (int u = 0; u < 4; ++u) {
                        const int k = first + u * 1;
                        int i_rest = k;
                        const int i_1 = i_rest % layout.extent[1];
                        i_rest /= layout.extent[1];
                        const int x_at = x_base + i_rest * layout.x[0] + i_1 * layout.x[1];
                        const int y_at = y_base + i_rest * layout.y[0] + i_1 * layout.y[1];
                        x_pack[u].value[0] = x[x_at];
                        y_pack[u].value[0] = y[y_at];
                    }
#pragma unroll
                    for (int u = 0; u < 4; ++u) {
                        const int k = first + u * 1;
                        int i_rest = k;
                        const int i_1 = i_rest % layout.extent[1];
                        i_rest /= layout.extent[1];
                        const int x_at = x_base + i_rest * layout.x[0] + i_1 * layout.x[1];
                        const int y_at = y_base + i_rest * layout.y[0] + i_1 * layout.y[1];
#pragma unroll
                        for (int neighbour = 0; neighbour < 1; ++neighbour) {
                            const int reduced_index = k;
                            const float x_i = x_pack[u].value[neighbour];
                            const float y_i = y_pack[u].value[neighbour];
                            run[neighbour] = largest_index_reduce(run[neighbour], new_indexed(x_i*y_i, reduced_index));
                        }
                    }
                }
                else {
#pragma unroll
                    for (int u = 0; u < 4; ++u) {
                        const int k = first + u * 1;
                        if (k < positions) {
                            int i_rest = k;
                            const int i_1 = i_rest % layout.extent[1];
                            i_rest /= layout.extent[1];
                            const int x_at = x_base + i_rest * layout.x[0] + i_1 * layout.x[1];
                            const int y_at = y_base + i_rest * layout.y[0] + i_1 * layout.y[1];
                            x_pack[u].value[0] = x[x_at];
                            y_pack[u].value[0] = y[y_at];
                        }
                    }
#pragma unroll
                    for (int u = 0; u < 4; ++u) {
                        const int k = first + u * 1;
                        if (k < positions) {
                            int i_rest = k;
                            const int i_1 = i_rest % layout.extent[1];
                            i_rest /= layout.extent[1];
                            const int x_at = x_base + i_rest * layout.x[0] + i_1 * layout.x[1];
                            const int y_at = y_base + i_rest * layout.y[0] + i_1 * layout.y[1];
#pragma unroll
                            for (int neighbour = 0; neighbour < 1; ++neighbour) {
                                const int reduced_index = k;
                                const float x_i = x_pack[u].value[neighbour];
                                const float y_i = y_pack[u].value[neighbour];
                                run[neighbour] = largest_index_reduce(run[neighbour], new_indexed(x_i*y_i, reduced_index));
                            }
                        }
                    }
                }
                first += 4;
            }
#pragma unroll
            for (int neighbour = 0; neighbour < 1; ++neighbour) {
                totals[neighbour] = largest_index_reduce(totals[neighbour], run[neighbour]);
            }
        }
    }
    if (along == 0 && output < outputs) {
#pragma unroll
        for (int neighbour = 0; neighbour < 1; ++neighbour) {
            result[output + neighbour] = largest_index_stored(totals[neighbour]);
        }
    }
}
