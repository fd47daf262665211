typedef struct { double value; int starts; } segments_item;
double segments_combine(double a, double b, int across_seg_boundary) {
    return across_seg_boundary ? b : (a+b);
}
segments_item segments_scan(segments_item a, segments_item b) {
    segments_item both;
    both.value = segments_combine(a.value, b.value, b.starts);
    both.starts = a.starts | b.starts;
    return both;
}
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void segments_totals(
        __global const double *x,
        __global const int8_t *starts,
        __global double *out,
        __global double *before,
        __global segments_item *totals,
        int n,
        int tile_size)
{
    const int tile = ((int)get_group_id(0));
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
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void segments_prefixes(__global segments_item *totals, int tiles)
{
    for (int k = 1; k < tiles; ++k) {
        totals[k] = segments_scan(totals[k - 1], totals[k]);
    }
}
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void segments(
        __global const double *x,
        __global const int8_t *starts,
        __global double *out,
        __global double *before,
        __global segments_item *totals,
        int tiles,
        int n,
        int tile_size)
{
    const int tile = ((int)get_group_id(0));
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
