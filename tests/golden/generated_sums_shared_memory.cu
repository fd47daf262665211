__device__ float sums_scan(float a, float b) {
    return a+b;
}
extern "C" __global__ __launch_bounds__(64) void sums_totals(
        const float *x,
        float *out,
        float *totals,
        int n,
        int tile_size)
{
    __shared__ float shared[64];
    const int thread = ((int)threadIdx.x);
    const int tile = ((int)blockIdx.x);
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
    __syncthreads();
    for (int delta = 1; delta < 64; delta *= 2) {
        float mine;
        const int takes = thread >= delta && thread < 64;
        if (takes) mine = sums_scan(shared[thread - delta], shared[thread]);
        __syncthreads();
        if (takes) shared[thread] = mine;
        __syncthreads();
    }
    float before[1];
    if (thread > 0) before[0] = shared[thread - 1];
    const float total = shared[63];
    if (thread == 0) totals[tile] = total;
}
extern "C" __global__ __launch_bounds__(64) void sums_prefixes(float *totals, int tiles)
{
    __shared__ float pieces[64];
    const int thread = ((int)threadIdx.x);
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
    __syncthreads();
    for (int delta = 1; delta < 64; delta *= 2) {
        float mine;
        const int takes = thread >= delta && thread < (tiles - 1) / per_thread + 1;
        if (takes) mine = sums_scan(pieces[thread - delta], pieces[thread]);
        __syncthreads();
        if (takes) pieces[thread] = mine;
        __syncthreads();
    }
    if (thread > 0 && begin < tiles) {
        for (int k = begin; k < end; ++k) {
            totals[k] = sums_scan(pieces[thread - 1], totals[k]);
        }
    }
}
extern "C" __global__ __launch_bounds__(64) void sums(
        const float *x,
        float *out,
        float *totals,
        int tiles,
        int n,
        int tile_size)
{
    __shared__ float shared[64];
    const int thread = ((int)threadIdx.x);
    const int tile = ((int)blockIdx.x);
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
    __syncthreads();
    for (int delta = 1; delta < 64; delta *= 2) {
        float mine;
        const int takes = thread >= delta && thread < 64;
        if (takes) mine = sums_scan(shared[thread - delta], shared[thread]);
        __syncthreads();
        if (takes) shared[thread] = mine;
        __syncthreads();
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
