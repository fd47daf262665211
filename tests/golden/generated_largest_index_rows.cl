typedef struct {
    float value;
    long index;
} indexed_float;
typedef char indexed_float_has_size_as_on_the_host[sizeof(indexed_float) == 16 ? 1 : -1];
typedef char indexed_float_has_value_as_on_the_host[__builtin_offsetof(indexed_float, value) == 0 ? 1 : -1];
typedef char indexed_float_has_index_as_on_the_host[__builtin_offsetof(indexed_float, index) == 8 ? 1 : -1];
typedef union { uint32_t words[1]; float value[1]; } pack_float_x1;
typedef struct {
    int extent[2];
    int kept[2];
    int x[4];  // steps, in elements
    int y[4];  // steps, in elements
} largest_index_layout;
WITHIN_KERNEL indexed_float new_indexed(float value, int64_t index)
{
    indexed_float p;
    p.value = value;
    p.index = index;
    return p;
}
typedef union { indexed_float item; uint32_t words[4]; } largest_index_value_words;
indexed_float largest_index_value_shuffle_up(indexed_float item, int delta) {
    largest_index_value_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 4; ++w) other.words[w] = gemel_shuffle_up(own.words[w], delta);
    return other.item;
}
indexed_float largest_index_value_shuffle(indexed_float item, int lane) {
    largest_index_value_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 4; ++w) other.words[w] = gemel_shuffle(own.words[w], lane);
    return other.item;
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
        largest_index_layout layout,
        __global int64_t *result,
        int n,
        int outputs,
        int splits)
{
    const int thread = ((int)get_local_id(0));
    const int along = thread % 16;
    const int across = thread / 16;
    const int lane = thread % 32;
    const int group = ((int)get_group_id(0));
    const int split = 0;
    const int output = (group * 16 + across);
    indexed_float totals[1];
#pragma unroll
    for (int lane = 0; lane < 1; ++lane) {
        totals[lane] = new_indexed(-INFINITY, 0);
    }
    if (output < outputs) {
        int o_rest = output;
        const int o_1 = o_rest % layout.kept[1];
        o_rest /= layout.kept[1];
        const int x_base = o_rest * layout.x[2] + o_1 * layout.x[3];
        const int y_base = o_rest * layout.y[2] + o_1 * layout.y[3];
        const int extent = layout.extent[1];
        const int packs = extent;
        const int positions = n / extent * packs;
        int first = split * 64 + along;
        while (first < positions) {
            indexed_float run[1];
#pragma unroll
            for (int neighbour = 0; neighbour < 1; ++neighbour) run[neighbour] = new_indexed(-INFINITY, 0);
            for (int turn = 0; turn < 16 && first < positions; ++turn) {
                pack_float_x1 x_pack[4];
                pack_float_x1 y_pack[4];
#pragma unroll
                for (int u = 0; u < 4; ++u) {
                    const int k = first + u * 16;
                    if (k < positions) {
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
                    if (k < positions) {
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
                            run[neighbour] = largest_index_reduce(run[neighbour], new_indexed(x_i*y_i, reduced_index));
                        }
                    }
                }
                first += 64;
            }
#pragma unroll
            for (int neighbour = 0; neighbour < 1; ++neighbour) {
                totals[neighbour] = largest_index_reduce(totals[neighbour], run[neighbour]);
            }
        }
    }
    indexed_float total = totals[0];
#pragma unroll
    for (int delta = 8; delta > 0; delta /= 2) {
        total = largest_index_reduce(total, largest_index_value_shuffle(total, lane ^ delta));
    }
    if (along == 0 && output < outputs) {
        result[output] = largest_index_stored(total);
    }
}
