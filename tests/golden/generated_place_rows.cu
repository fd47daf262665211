typedef struct {
    float value;
    unsigned char gemel_padding_0[4];
    long long index;
} place_of_float;
typedef char place_of_float_has_size_as_on_the_host[sizeof(place_of_float) == 16 ? 1 : -1];
typedef char place_of_float_has_value_as_on_the_host[__INTADDR__(&((place_of_float *)0)->value) == 0 ? 1 : -1];
typedef char place_of_float_has_index_as_on_the_host[__INTADDR__(&((place_of_float *)0)->index) == 8 ? 1 : -1];
typedef union { uint32_t words[1]; float value[1]; } pack_float_x1;
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
typedef union { place_of_float item; uint32_t words[4]; } place_value_words;
__device__ place_of_float place_value_shuffle_up(place_of_float item, int delta) {
    place_value_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 4; ++w) other.words[w] = gemel_shuffle_up(own.words[w], delta);
    return other.item;
}
__device__ place_of_float place_value_shuffle(place_of_float item, int lane) {
    place_value_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 4; ++w) other.words[w] = gemel_shuffle(own.words[w], lane);
    return other.item;
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
    const int thread = ((int)threadIdx.x);
    const int along = thread % 16;
    const int across = thread / 16;
    const int lane = thread % 32;
    const int group = ((int)blockIdx.x);
    const int split = 0;
    const int output = (group * 16 + across);
    place_of_float totals[1];
#pragma unroll
    for (int lane = 0; lane < 1; ++lane) {
        totals[lane] = new_place(-INFINITY, 0);
    }
    if (output < outputs) {
        int o_rest = output;
        const int o_1 = o_rest % layout.kept[1];
        o_rest /= layout.kept[1];
        const int x_base = o_rest * layout.x[2] + o_1 * layout.x[3];
        const int y_base = o_rest * layout.y[2] + o_1 * layout.y[3];
        const int extent = layout.extent[1];
        const int packs = extent;
        const int places = n / extent * packs;
        int first = split * 64 + along;
        while (first < places) {
            place_of_float run[1];
#pragma unroll
            for (int neighbour = 0; neighbour < 1; ++neighbour) run[neighbour] = new_place(-INFINITY, 0);
            for (int turn = 0; turn < 16 && first < places; ++turn) {
                pack_float_x1 x_pack[4];
                pack_float_x1 y_pack[4];
#pragma unroll
                for (int u = 0; u < 4; ++u) {
                    const int k = first + u * 16;
                    if (k < places) {
                        const int line = k / packs;
                        const int x_line = x_base + line * layout.x[0];
                        const int y_line = y_base + line * layout.y[0];
                        const int e = k % packs;
                        const int x_at = x_line + e * layout.x[1];
                        const int y_at = y_line + e * layout.y[1];
                        x_pack[u].value[0] = x[x_at];
                        y_pack[u].value[0] = y[y_at];
                    }
                }
#pragma unroll
                for (int u = 0; u < 4; ++u) {
                    const int k = first + u * 16;
                    if (k < places) {
                        const int line = k / packs;
                        const int x_line = x_base + line * layout.x[0];
                        const int y_line = y_base + line * layout.y[0];
                        const int e = k % packs;
                        const int x_at = x_line + e * layout.x[1];
                        const int y_at = y_line + e * layout.y[1];
#pragma unroll
                        for (int neighbour = 0; neighbour < 1; ++neighbour) {
                            const int reduced_index = line * extent + e + neighbour;
                            const float x_i = x_pack[u].value[neighbour];
                            const float y_i = y_pack[u].value[neighbour];
                            run[neighbour] = place_reduce(run[neighbour], new_place(x_i*y_i, reduced_index));
                        }
                    }
                }
                first += 64;
            }
#pragma unroll
            for (int neighbour = 0; neighbour < 1; ++neighbour) {
                totals[neighbour] = place_reduce(totals[neighbour], run[neighbour]);
            }
        }
    }
    place_of_float total = totals[0];
#pragma unroll
    for (int delta = 8; delta > 0; delta /= 2) {
        total = place_reduce(total, place_value_shuffle(total, lane ^ delta));
    }
    if (along == 0 && output < outputs) {
        result[output] = place_stored(total);
    }
}
