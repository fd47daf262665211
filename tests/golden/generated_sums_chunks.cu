typedef struct {
    int64_t extent[2];
    int64_t x[2];  // steps, in elements
} sums_layout;
__device__ float sums_scan(float a, float b) {
    return a+b;
}
extern "C" __global__ __launch_bounds__(1) void sums_totals(
        const float *x,
        float *out,
        int64_t out_offset,
        sums_layout layout,
        float *totals,
        int64_t n,
        int64_t tile_size)
{
    out = (float *)((char *)out + out_offset);
    const int64_t tile = ((int)blockIdx.x);
    int64_t k = tile * tile_size;
    const int64_t end = n - k < tile_size ? n : k + tile_size;
    float running;
    {
        const int64_t i = k;
        float next;
        int64_t i_rest = i;
        const int64_t i_1 = i_rest % layout.extent[1];
        i_rest /= layout.extent[1];
        const int64_t x_at = i_rest * layout.x[0] + i_1 * layout.x[1];
        next = x[x_at];
        running = next;
    }
    for (++k; k < end; ++k) {
        const int64_t i = k;
        float next;
        int64_t i_rest = i;
        const int64_t i_1 = i_rest % layout.extent[1];
        i_rest /= layout.extent[1];
        const int64_t x_at = i_rest * layout.x[0] + i_1 * layout.x[1];
        next = x[x_at];
        running = sums_scan(running, next);
    }
    totals[tile] = running;
}
extern "C" __global__ __launch_bounds__(1) void sums_prefixes(float *totals, int64_t tiles)
{
    for (int64_t k = 1; k < tiles; ++k) {
        totals[k] = sums_scan(totals[k - 1], totals[k]);
    }
}
extern "C" __global__ __launch_bounds__(1) void sums(
        const float *x,
        float *out,
        int64_t out_offset,
        sums_layout layout,
        float *totals,
        int64_t tiles,
        int64_t n,
        int64_t tile_size)
{
    out = (float *)((char *)out + out_offset);
    const int64_t tile = ((int)blockIdx.x);
    int64_t k = tile * tile_size;
    const int64_t end = n - k < tile_size ? n : k + tile_size;
    float running;
    int any = tile > 0;
    if (any) running = totals[tile - 1];
    for (; k < end; ++k) {
        const int64_t i = k;
        float next;
        int64_t i_rest = i;
        const int64_t i_1 = i_rest % layout.extent[1];
        i_rest /= layout.extent[1];
        const int64_t x_at = i_rest * layout.x[0] + i_1 * layout.x[1];
        next = x[x_at];
        if (any) next = sums_scan(running, next);
        running = next;
        any = 1;
        const float item = running;
        out[i] = item;
    }
}
