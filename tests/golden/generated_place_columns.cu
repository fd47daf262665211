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
    int kept[1];
    int x[3];  // steps, in elements
    int y[3];  // steps, in elements
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
    const int groups = (outputs - 1) / 256 + 1;
    const int group = ((int)blockIdx.x) % groups;
    const int split = ((int)blockIdx.x) / groups;
    const int output = group * 256 + ((int)threadIdx.x);
    if (output < outputs) {
        const int x_base = output * layout.x[2];
        const int y_base = output * layout.y[2];
        const int per_split = n / splits + 1;
        int k = split * per_split < n ? split * per_split : n;
        const int end = n - k < per_split ? n : k + per_split;
        place_of_float kept0 = new_place(-INFINITY, 0);
        place_of_float kept1 = new_place(-INFINITY, 0);
        place_of_float kept2 = new_place(-INFINITY, 0);
        place_of_float kept3 = new_place(-INFINITY, 0);
        int runs = 0;
        while (k < end) {
            place_of_float run = new_place(-INFINITY, 0);
            const int stop = end - k < 16 ? end : k + 16;
            for (; k < stop; ++k) {
                const int reduced_index = k;
                int i_rest = k;
                const int i_1 = i_rest % layout.extent[1];
                i_rest /= layout.extent[1];
                const int x_at = x_base + i_rest * layout.x[0] + i_1 * layout.x[1];
                const int y_at = y_base + i_rest * layout.y[0] + i_1 * layout.y[1];
                run = place_reduce(run, new_place(x[x_at]*y[y_at], reduced_index));
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
