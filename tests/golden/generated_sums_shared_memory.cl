float sums_scan(float a, float b) {
    return a+b;
}
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void sums_totals(
        __global const float *x,
        __global float *out,
        __global float *totals,
        int n,
        int tile_size)
{
    __local float shared[64];
    const int thread = ((int)get_local_id(0));
    const int tile = ((int)get_group_id(0));
    const int first = tile * 256 + thread * 4;
    float v[4];
#pragma unroll
    for (int row = 0; row < 1; ++row) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            const int i = first + row * 256 + e < n ? first + row * 256 + e : n - 1;
            v[row * 4 + e] = x[i];
        }
    }
#pragma unroll
    for (int e = 1; e < 4; ++e) {
        v[e] = sums_scan(v[(e - 1)], v[e]);
    }
    shared[thread] = v[3];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int delta = 1; delta < 64; delta *= 2) {
        float mine;
        const int takes = thread >= delta && thread < 64;
        if (takes) mine = sums_scan(shared[thread - delta], shared[thread]);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (takes) shared[thread] = mine;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float before[1];
    if (thread > 0) before[0] = shared[thread - 1];
    const float total = shared[63];
    if (thread == 0) totals[tile] = total;
}
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void sums_prefixes(__global float *totals, int tiles)
{
    __local float pieces[64];
    const int thread = ((int)get_local_id(0));
    const int per_thread = (tiles - 1) / 64 + 1;
    const int begin = thread * per_thread;
    const int end = tiles - begin < per_thread ? tiles : begin + per_thread;
    if (begin < tiles) {
        float running = totals[begin];
        for (int k = begin + 1; k < end; ++k) {
            running = sums_scan(running, totals[k]);
            totals[k] = running;
        }
        pieces[thread] = running;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int delta = 1; delta < 64; delta *= 2) {
        float mine;
        const int takes = thread >= delta && thread < (tiles - 1) / per_thread + 1;
        if (takes) mine = sums_scan(pieces[thread - delta], pieces[thread]);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (takes) pieces[thread] = mine;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (thread > 0 && begin < tiles) {
        for (int k = begin; k < end; ++k) {
            totals[k] = sums_scan(pieces[thread - 1], totals[k]);
        }
    }
}
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void sums(
        __global const float *x,
        __global float *out,
        __global float *totals,
        int tiles,
        int n,
        int tile_size)
{
    __local float shared[64];
    const int thread = ((int)get_local_id(0));
    const int tile = ((int)get_group_id(0));
    const int first = tile * 256 + thread * 4;
    float v[4];
#pragma unroll
    for (int row = 0; row < 1; ++row) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            const int i = first + row * 256 + e < n ? first + row * 256 + e : n - 1;
            v[row * 4 + e] = x[i];
        }
    }
#pragma unroll
    for (int e = 1; e < 4; ++e) {
        v[e] = sums_scan(v[(e - 1)], v[e]);
    }
    shared[thread] = v[3];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int delta = 1; delta < 64; delta *= 2) {
        float mine;
        const int takes = thread >= delta && thread < 64;
        if (takes) mine = sums_scan(shared[thread - delta], shared[thread]);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (takes) shared[thread] = mine;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float before[1];
    if (thread > 0) before[0] = shared[thread - 1];
    const float total = shared[63];
    const int has_outer = (tile > 0);
    float outer;
    if (has_outer) outer = totals[tile - 1];
#pragma unroll
    for (int row = 0; row < 1; ++row) {
        const int has_before = has_outer || thread > 0;
        if (has_outer) before[row] = thread > 0 ? sums_scan(outer, before[row]) : outer;
        if (has_before) {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                v[row * 4 + e] = sums_scan(before[row], v[row * 4 + e]);
            }
        }
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            const int i = first + row * 256 + e;
            if (i < n) {
                const float item = v[row * 4 + e];
                out[i] = item;
            }
        }
    }
}
