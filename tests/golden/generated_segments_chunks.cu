typedef struct { double value; int starts; } segments_item;
__device__ double segments_combine(double a, double b, int across_seg_boundary) {
    return across_seg_boundary ? b : (a+b);
}
__device__ segments_item segments_scan(segments_item a, segments_item b) {
    segments_item both;
    both.value = segments_combine(a.value, b.value, b.starts);
    both.starts = a.starts | b.starts;
    return both;
}
extern "C" __global__ __launch_bounds__(1) void segments_totals(
        const double *x,
        const int8_t *starts,
        double *out,
        double *before,
        segments_item *totals,
        int n,
        int tile_size)
{
    const int tile = ((int)blockIdx.x);
    int k = tile * tile_size;
    const int end = n - k < tile_size ? n : k + tile_size;
    segments_item running;
    {
        const int i = k;
        segments_item next;
        next.value = x[i];
        next.starts = (starts[i]) != 0;
        running = next;
    }
    for (++k; k < end; ++k) {
        const int i = k;
        segments_item next;
        next.value = x[i];
        next.starts = (starts[i]) != 0;
        running = segments_scan(running, next);
    }
    totals[tile] = running;
}
extern "C" __global__ __launch_bounds__(1) void segments_prefixes(segments_item *totals, int tiles)
{
    for (int k = 1; k < tiles; ++k) {
        totals[k] = segments_scan(totals[k - 1], totals[k]);
    }
}
extern "C" __global__ __launch_bounds__(1) void segments(
        const double *x,
        const int8_t *starts,
        double *out,
        double *before,
        segments_item *totals,
        int tiles,
        int n,
        int tile_size)
{
    const int tile = ((int)blockIdx.x);
    int k = tile * tile_size;
    const int end = n - k < tile_size ? n : k + tile_size;
    segments_item running;
    int any = tile > 0;
    if (any) running = totals[tile - 1];
    for (; k < end; ++k) {
        const int i = k;
        segments_item next;
        next.value = x[i];
        next.starts = (starts[i]) != 0;
        const int starts_ = next.starts;
        const segments_item previous = running;
        const int has_previous = any;
        if (any) next = segments_scan(running, next);
        running = next;
        any = 1;
        const double item = running.value;
        double prev_item = 0;
        if (has_previous && !starts_) prev_item = previous.value;
        do {
            if (i == 0) continue; out[i] = item; before[i] = prev_item;
        } while (0);
    }
}
