typedef union { uint32_t words[1]; float value[1]; } pack_float_x1;
typedef struct {
    int extent[1];
    int kept[1];
    int x[2];  // steps, in elements
    int y[2];  // steps, in elements
} dot_layout;
typedef union { float item; uint32_t words[1]; } dot_value_words;
__device__ float dot_value_shuffle_up(float item, int delta) {
    dot_value_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle_up(own.words[w], delta);
    return other.item;
}
__device__ float dot_value_shuffle(float item, int lane) {
    dot_value_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle(own.words[w], lane);
    return other.item;
}
__device__ float dot_reduce(float a, float b) {
    return a+b;
}
extern "C" __global__ __launch_bounds__(256) void dot(
        const float *x,
        const float *y,
        dot_layout layout,
        float *result,
        int n,
        int outputs,
        int splits)
{
    __shared__ __align__(128) uint4 x_stage[1026];
    int x_shift;
    const int thread = ((int)threadIdx.x);
    const int along = thread % 8;
    const int across = thread / 8;
    const int lane = thread % 32;
    const int extent = layout.extent[0];
    const int begin = (int)((int)blockIdx.x) * 64;
    const int lines = outputs - begin < 64 ? (int)(outputs - begin) : 64;
    const int piece = lines * extent;
    {
        const int x_base = begin * layout.x[1];
        const int y_base = begin * layout.y[1];
        const int x_line = x_base;
        const int y_line = y_base;
        x_shift = (int)((size_t)(x + x_line) / sizeof(float) % 4);
        for (int x_access = thread; x_access * 4 - x_shift < piece; x_access += 256) {
            const int x_first = x_access * 4 - x_shift;
            if (x_first >= 0 && x_first + 4 <= piece) {
                gemel_copy_async_16(&x_stage[x_access], &((const uint4 *)(x + x_line + x_first))[0], 16);
            }
            else {
                for (int x_lane = 0; x_lane < 4; ++x_lane) {
                    if (x_first + x_lane >= 0 && x_first + x_lane < piece) ((LOCAL_MEM_ARG float *)x_stage)[x_access * 4 + x_lane] = x[x_line + x_first + x_lane];
                }
            }
        }
    }
    gemel_commit_copies();
    gemel_await_copies_0();
    __syncthreads();
#pragma unroll
    for (int row = 0; row < 2; ++row) {
        const int at = row * 32 + across;
        const int output = begin + at;
        float total = 0;
        if (at < lines) {
            const int x_base = x_shift + at * (int)extent;
            const int y_base = output * layout.y[1];
            const int x_line = x_base;
            const int y_line = y_base;
            int first = along;
            for (; first + 24 < extent; first += 32) {
#pragma unroll
                for (int u = 0; u < 4; ++u) {
                    const int e = first + u * 8;
                    const int x_at = x_line + e;
                    const int y_at = y_line + e;
                    total = dot_reduce(total, ((LOCAL_MEM_ARG float *)x_stage)[x_at]*y[y_at]);
                }
            }
            for (; first < extent; first += 8) {
                const int e = first;
                const int x_at = x_line + e;
                const int y_at = y_line + e;
                total = dot_reduce(total, ((LOCAL_MEM_ARG float *)x_stage)[x_at]*y[y_at]);
            }
        }
#pragma unroll
        for (int delta = 4; delta > 0; delta /= 2) {
            total = dot_reduce(total, dot_value_shuffle(total, lane ^ delta));
        }
        if (along == 0 && at < lines) {
            result[output] = total;
        }
    }
}
