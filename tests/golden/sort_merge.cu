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
extern "C" __global__ __launch_bounds__(128) void merge_sort_tiles(
        const Cell *in, Cell *out, int tiles, int n)
{
    __shared__ Cell shared[512];
    const int thread = ((int)threadIdx.x), first = thread * 4;
    const int row = ((int)blockIdx.x) / tiles, tile = ((int)blockIdx.x) % tiles, begin = row * n + tile * 512;
    const int count = n - tile * 512 < 512 ? (int)(n - tile * 512) : 512;
    for (int j = thread; j < count; j += 128) shared[j] = in[begin + j];
    __syncthreads();
    const int mine = count - first < 4 ? count - first : 4;
    Cell own[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        if (k < mine) own[k] = shared[first + k];
    }
#pragma unroll
    for (int round = 0; round < 4; ++round) {
#pragma unroll
        for (int k = round % 2; k + 1 < 4; k += 2) {
            if (k + 1 < mine && merge_sort_less(own[k + 1], own[k])) {
                const Cell other = own[k];
                own[k] = own[k + 1];
                own[k + 1] = other;
            }
        }
    }
    for (int width = 4; width < 512; width *= 2) {
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            if (k < mine) shared[first + k] = own[k];
        }
        __syncthreads();
        if (mine > 0) {
            const int a_begin = first / (2 * width) * (2 * width), diagonal = first - a_begin;
            const int a_end = a_begin + width < count ? a_begin + width : count;
            const int b_end = a_begin + 2 * width < count ? a_begin + 2 * width : count;
            int split = diagonal > (b_end - a_end) ? diagonal - (b_end - a_end) : 0;
            {
                int high = diagonal < (a_end - a_begin) ? diagonal : (a_end - a_begin);
                while (split < high) {
                    const int middle = split + (high - split) / 2;
                    if (merge_sort_less(shared[a_end + (diagonal - 1 - middle)], shared[a_begin + middle])) high = middle;
                    else split = middle + 1;
                }
            }
            int a = a_begin + split, b = a_end + (diagonal - split);
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                if (k < mine) {
                    const int is_second = a >= a_end || (b < b_end && merge_sort_less(shared[b], shared[a]));
                    own[k] = shared[is_second ? b : a];
                    if (is_second) ++b;
                    else ++a;
                }
            }
        }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        if (k < mine) shared[first + k] = own[k];
    }
    __syncthreads();
    for (int j = thread; j < count; j += 128) out[begin + j] = shared[j];
}

extern "C" __global__ __launch_bounds__(128) void merge_sort_merge(
        const Cell *in, Cell *out, int width, int tiles, int n)
{
    __shared__ Cell shared[512];
    __shared__ int splits[2];
    const int thread = ((int)threadIdx.x), first = thread * 4;
    const int row = ((int)blockIdx.x) / tiles, tile = ((int)blockIdx.x) % tiles, base = row * n, begin = base + tile * 512;
    const int count = n - tile * 512 < 512 ? (int)(n - tile * 512) : 512;
    const int pair = tile * 512 / (2 * width) * (2 * width), offset = tile * 512 - pair;
    const int run_begin = base + pair;
    const int run_length = n - pair < width ? n - pair : width, other_length = n - pair - run_length < width ? n - pair - run_length : width;
    if (thread < 2) {
        const int reached = offset + (thread == 0 ? 0 : count);
        int split = reached > other_length ? reached - other_length : 0;
        {
            int high = reached < run_length ? reached : run_length;
            while (split < high) {
                const int middle = split + (high - split) / 2;
                if (merge_sort_less(in[(run_begin + run_length) + (reached - 1 - middle)], in[run_begin + middle])) high = middle;
                else split = middle + 1;
            }
        }
        splits[thread] = split;
    }
    __syncthreads();
    const int run = run_begin + splits[0], other = run_begin + run_length + (offset - splits[0]);
    const int a_begin = 0, a_end = (int)(splits[1] - splits[0]), b_end = count;
    for (int j = thread; j < count; j += 128) shared[j] = j < a_end ? in[run + j] : in[other + (j - a_end)];
    __syncthreads();
    const int mine = count - first < 4 ? count - first : 4;
    Cell own[4];
    if (mine > 0) {
        const int diagonal = first;
        int split = diagonal > (b_end - a_end) ? diagonal - (b_end - a_end) : 0;
        {
            int high = diagonal < (a_end - a_begin) ? diagonal : (a_end - a_begin);
            while (split < high) {
                const int middle = split + (high - split) / 2;
                if (merge_sort_less(shared[a_end + (diagonal - 1 - middle)], shared[a_begin + middle])) high = middle;
                else split = middle + 1;
            }
        }
        int a = split, b = a_end + (diagonal - split);
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            if (k < mine) {
                const int is_second = a >= a_end || (b < b_end && merge_sort_less(shared[b], shared[a]));
                own[k] = shared[is_second ? b : a];
                if (is_second) ++b;
                else ++a;
            }
        }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        if (k < mine) shared[first + k] = own[k];
    }
    __syncthreads();
    for (int j = thread; j < count; j += 128) out[begin + j] = shared[j];
}
