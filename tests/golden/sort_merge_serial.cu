typedef struct {
    float x;
    float y;
    int number;
} Cell;
typedef char Cell_has_size_as_on_the_host[sizeof(Cell) == 12 ? 1 : -1];
typedef char Cell_has_x_as_on_the_host[__INTADDR__(&((Cell *)0)->x) == 0 ? 1 : -1];
typedef char Cell_has_y_as_on_the_host[__INTADDR__(&((Cell *)0)->y) == 4 ? 1 : -1];
typedef char Cell_has_number_as_on_the_host[__INTADDR__(&((Cell *)0)->number) == 8 ? 1 : -1];
__device__ int merge_sort_less(Cell first_element, Cell second_element) {
    const Cell a = first_element;
    const Cell b = second_element;
    return (a.x * a.x + a.y * a.y < b.x * b.x + b.y * b.y) ? 1 : 0;
}
extern "C" __global__ __launch_bounds__(1) void merge_sort_tiles(
        const Cell *in, Cell *out, Cell *spare, int tiles, int n)
{
    const int row = ((int)blockIdx.x) / tiles, tile = ((int)blockIdx.x) % tiles, begin = row * n + tile * 4096;
    const int count = n - tile * 4096 < 4096 ? (int)(n - tile * 4096) : 4096;
    for (int k = 0; k < count; ++k) {
        const Cell inserted = in[begin + k];
        int at = k;
        for (; at % 16 > 0 && merge_sort_less(inserted, out[begin + at - 1]); --at) out[begin + at] = out[begin + at - 1];
        out[begin + at] = inserted;
    }
    int is_spare = 0;
    for (int width = 16; width < 4096; width *= 2) {
        const Cell *const source = (is_spare ? (const Cell *)spare : (const Cell *)out) + begin;
        Cell *const target = (is_spare ? out : spare) + begin;
        for (int a_begin = 0; a_begin < count; a_begin += 2 * width) {
            const int a_end = a_begin + width < count ? a_begin + width : count, b_begin = a_end;
            const int b_end = a_begin + 2 * width < count ? a_begin + 2 * width : count;
            int a = a_begin, b = b_begin;
            for (int k = 0; k < a_end - a_begin + (b_end - b_begin); ++k) {
                if (a >= a_end || (b < b_end && merge_sort_less(source[b], source[a]))) target[k + a_begin] = source[b++];
                else target[k + a_begin] = source[a++];
            }
        }
        is_spare = !is_spare;
    }
}

extern "C" __global__ __launch_bounds__(1) void merge_sort_merge(
        const Cell *in, Cell *out, int width, int tiles, int n)
{
    const int row = ((int)blockIdx.x) / tiles, tile = ((int)blockIdx.x) % tiles, base = row * n, begin = base + tile * 4096;
    const int count = n - tile * 4096 < 4096 ? n - tile * 4096 : 4096;
    const int pair = tile * 4096 / (2 * width) * (2 * width), offset = tile * 4096 - pair;
    const int run_begin = base + pair;
    const int run_length = n - pair < width ? n - pair : width, other_length = n - pair - run_length < width ? n - pair - run_length : width;
    const int reached = offset, other_begin = run_begin + run_length, other_end = other_begin + other_length;
    int split = reached > other_length ? reached - other_length : 0;
    {
        int high = reached < run_length ? reached : run_length;
        while (split < high) {
            const int middle = split + (high - split) / 2;
            if (merge_sort_less(in[(run_begin + run_length) + (reached - 1 - middle)], in[run_begin + middle])) high = middle;
            else split = middle + 1;
        }
    }
    int a = run_begin + split, b = other_begin + (offset - split);
    for (int k = 0; k < count; ++k) {
        if (a >= other_begin || (b < other_end && merge_sort_less(in[b], in[a]))) out[begin + k] = in[b++];
        else out[begin + k] = in[a++];
    }
}
