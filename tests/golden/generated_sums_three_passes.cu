typedef union { uint4 words[1]; float value[4]; } pack_float_x4;
__device__ float sums_scan(float a, float b) {
    return a+b;
}
typedef union { float item; uint32_t words[1]; } sums_words;
__device__ float sums_shuffle_up(float item, int delta) {
    sums_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle_up(own.words[w], delta);
    return other.item;
}
__device__ float sums_shuffle(float item, int lane) {
    sums_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle(own.words[w], lane);
    return other.item;
}
extern "C" __global__ __launch_bounds__(256) void sums_totals(
        const float *x,
        float *out,
        float *totals,
        int n,
        int tile_size)
{
    __shared__ float warp_totals[8];
    const int thread = ((int)threadIdx.x);
    const int tile = ((int)blockIdx.x);
    const int warp = thread / 32, lane = thread % 32;
    const int first = tile * 4096 + warp * 512 + lane * 4;
    float v[16];
    pack_float_x4 x_pack[4];
    pack_float_x4 out_pack[4];
    if (tile < n / 4096) {
#pragma unroll
        for (int row = 0; row < 4; ++row) {
            x_pack[row].words[0] = ((const uint4 *)x)[(first + row * 128 + 0) / 4];
        }
#pragma unroll
        for (int row = 0; row < 4; ++row) {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int i = first + row * 128 + e;
                const float x_i = x_pack[row].value[e];
                float out_i;
                v[row * 4 + e] = x_i;
            }
        }
    }
    else {
#pragma unroll
        for (int row = 0; row < 4; ++row) {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int i = first + row * 128 + e < n ? first + row * 128 + e : n - 1;
                v[row * 4 + e] = x[i];
            }
        }
    }
#pragma unroll
    for (int row = 0; row < 4; ++row) {
#pragma unroll
        for (int e = 1; e < 4; ++e) {
            v[row * 4 + e] = sums_scan(v[row * 4 + (e - 1)], v[row * 4 + e]);
        }
    }
    // Runs are scanned across each warp, row by row, then warps in shared memory.
    float before[4];
    float carry;
#pragma unroll
    for (int row = 0; row < 4; ++row) {
        float run = v[row * 4 + 3];
#pragma unroll
        for (int delta = 1; delta < 32; delta *= 2) {
            const float other = sums_shuffle_up(run, delta);
            if (lane >= delta) run = sums_scan(other, run);
        }
        const float row_total = sums_shuffle(run, 31);
        run = sums_shuffle_up(run, 1);
        before[row] = row == 0 ? run : lane > 0 ? sums_scan(carry, run) : carry;
        carry = row == 0 ? row_total : sums_scan(carry, row_total);
    }
    if (lane == 0) warp_totals[warp] = carry;
    __syncthreads();
    float total = warp_totals[0];
    float before_warp = total;
#pragma unroll
    for (int w = 1; w < 8; ++w) {
        total = sums_scan(total, warp_totals[w]);
        if (w < warp) before_warp = total;
    }
    if (thread == 0) totals[tile] = total;
}
extern "C" __global__ __launch_bounds__(256) void sums_prefixes(float *totals, int tiles)
{
    __shared__ float pieces[256];
    const int thread = ((int)threadIdx.x);
    const int per_thread = (tiles - 1) / 256 + 1;
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
    for (int delta = 1; delta < 256; delta *= 2) {
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
extern "C" __global__ __launch_bounds__(256) void sums(
        const float *x,
        float *out,
        float *totals,
        int tiles,
        int n,
        int tile_size)
{
    __shared__ float warp_totals[8];
    const int thread = ((int)threadIdx.x);
    const int tile = ((int)blockIdx.x);
    const int warp = thread / 32, lane = thread % 32;
    const int first = tile * 4096 + warp * 512 + lane * 4;
    float v[16];
    pack_float_x4 x_pack[4];
    pack_float_x4 out_pack[4];
    if (tile < n / 4096) {
#pragma unroll
        for (int row = 0; row < 4; ++row) {
            x_pack[row].words[0] = ((const uint4 *)x)[(first + row * 128 + 0) / 4];
        }
#pragma unroll
        for (int row = 0; row < 4; ++row) {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int i = first + row * 128 + e;
                const float x_i = x_pack[row].value[e];
                float out_i;
                v[row * 4 + e] = x_i;
            }
        }
    }
    else {
#pragma unroll
        for (int row = 0; row < 4; ++row) {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int i = first + row * 128 + e < n ? first + row * 128 + e : n - 1;
                v[row * 4 + e] = x[i];
            }
        }
    }
#pragma unroll
    for (int row = 0; row < 4; ++row) {
#pragma unroll
        for (int e = 1; e < 4; ++e) {
            v[row * 4 + e] = sums_scan(v[row * 4 + (e - 1)], v[row * 4 + e]);
        }
    }
    // Runs are scanned across each warp, row by row, then warps in shared memory.
    float before[4];
    float carry;
#pragma unroll
    for (int row = 0; row < 4; ++row) {
        float run = v[row * 4 + 3];
#pragma unroll
        for (int delta = 1; delta < 32; delta *= 2) {
            const float other = sums_shuffle_up(run, delta);
            if (lane >= delta) run = sums_scan(other, run);
        }
        const float row_total = sums_shuffle(run, 31);
        run = sums_shuffle_up(run, 1);
        before[row] = row == 0 ? run : lane > 0 ? sums_scan(carry, run) : carry;
        carry = row == 0 ? row_total : sums_scan(carry, row_total);
    }
    if (lane == 0) warp_totals[warp] = carry;
    __syncthreads();
    float total = warp_totals[0];
    float before_warp = total;
#pragma unroll
    for (int w = 1; w < 8; ++w) {
        total = sums_scan(total, warp_totals[w]);
        if (w < warp) before_warp = total;
    }
    // What comes before the warp, in this tile and in those before it.
    float outer = before_warp;
    const int has_outer = (tile > 0) || warp > 0;
    if ((tile > 0)) outer = warp > 0 ? sums_scan(totals[tile - 1], before_warp) : totals[tile - 1];
#pragma unroll
    for (int row = 0; row < 4; ++row) {
        const int has_before = has_outer || (row > 0 || lane > 0);
        if (has_outer) before[row] = (row > 0 || lane > 0) ? sums_scan(outer, before[row]) : outer;
        if (has_before) {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                v[row * 4 + e] = sums_scan(before[row], v[row * 4 + e]);
            }
        }
        if (tile < n / 4096) {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int i = first + row * 128 + e;
                const float x_i = x_pack[row].value[e];
                float out_i;
                const float item = v[row * 4 + e];
                out_i = item;
                out_pack[row].value[e] = out_i;
            }
            ((uint4 *)out)[(first + row * 128 + 0) / 4] = out_pack[row].words[0];
        }
        else {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int i = first + row * 128 + e;
                if (i < n) {
                    const float item = v[row * 4 + e];
                    out[i] = item;
                }
            }
        }
    }
}
