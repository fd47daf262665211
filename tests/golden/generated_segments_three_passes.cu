typedef union { uint4 words[2]; double value[4]; } pack_double_x4;
typedef union { uint32_t words[1]; uint32_t parts[1]; } pack_int8_t_x4;
__device__ int8_t pack_int8_t_x4_lane(uint32_t part, int at) {
    return (int8_t)(part >> 8 * at);
}
__device__ uint32_t pack_int8_t_x4_with(uint32_t part, int at, int8_t value) {
    return (part & ~(0xffu << 8 * at)) | (uint32_t)(uint8_t)value << 8 * at;
}
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
typedef union { segments_item item; uint32_t words[4]; } segments_words;
__device__ segments_item segments_shuffle_up(segments_item item, int delta) {
    segments_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 4; ++w) other.words[w] = gemel_shuffle_up(own.words[w], delta);
    return other.item;
}
__device__ segments_item segments_shuffle(segments_item item, int lane) {
    segments_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 4; ++w) other.words[w] = gemel_shuffle(own.words[w], lane);
    return other.item;
}
extern "C" __global__ __launch_bounds__(256) void segments_totals(
        const double *x,
        const int8_t *starts,
        double *out,
        double *before,
        segments_item *totals,
        int n,
        int tile_size)
{
    __shared__ segments_item warp_totals[8];
    const int thread = ((int)threadIdx.x);
    const int tile = ((int)blockIdx.x);
    const int warp = thread / 32, lane = thread % 32;
    const int first = tile * 4096 + warp * 512 + lane * 4;
    segments_item v[16];
    uint32_t own_starts[4];  // one bit per element
#pragma unroll
    for (int row = 0; row < 4; ++row) {
        own_starts[row] = 0;
    }
    pack_double_x4 x_pack[4];
    pack_int8_t_x4 starts_pack[4];
    pack_double_x4 out_pack[4];
    pack_double_x4 before_pack[4];
    if (tile < n / 4096) {
#pragma unroll
        for (int row = 0; row < 4; ++row) {
            x_pack[row].words[0] = ((const uint4 *)x)[(first + row * 128 + 0) / 4 * 2];
            x_pack[row].words[1] = ((const uint4 *)x)[(first + row * 128 + 0) / 4 * 2 + 1];
            starts_pack[row].words[0] = ((const uint32_t *)starts)[(first + row * 128 + 0) / 4];
        }
#pragma unroll
        for (int row = 0; row < 4; ++row) {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int i = first + row * 128 + e;
                const double x_i = x_pack[row].value[e];
                const int8_t starts_i = pack_int8_t_x4_lane(starts_pack[row].parts[e / 4], e % 4);
                double out_i;
                double before_i;
                v[row * 4 + e].value = x_i;
                v[row * 4 + e].starts = (starts_i) != 0;
                own_starts[row] |= (uint32_t)v[row * 4 + e].starts << e;
            }
        }
    }
    else {
#pragma unroll
        for (int row = 0; row < 4; ++row) {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int i = first + row * 128 + e < n ? first + row * 128 + e : n - 1;
                v[row * 4 + e].value = x[i];
                v[row * 4 + e].starts = (starts[i]) != 0;
                own_starts[row] |= (uint32_t)v[row * 4 + e].starts << e;
            }
        }
    }
#pragma unroll
    for (int row = 0; row < 4; ++row) {
#pragma unroll
        for (int e = 1; e < 4; ++e) {
            v[row * 4 + e] = segments_scan(v[row * 4 + (e - 1)], v[row * 4 + e]);
        }
    }
    // Runs are scanned across each warp, row by row, then warps in shared memory.
    segments_item before_[4];
    segments_item carry;
#pragma unroll
    for (int row = 0; row < 4; ++row) {
        segments_item run = v[row * 4 + 3];
#pragma unroll
        for (int delta = 1; delta < 32; delta *= 2) {
            const segments_item other = segments_shuffle_up(run, delta);
            if (lane >= delta) run = segments_scan(other, run);
        }
        const segments_item row_total = segments_shuffle(run, 31);
        run = segments_shuffle_up(run, 1);
        before_[row] = row == 0 ? run : lane > 0 ? segments_scan(carry, run) : carry;
        carry = row == 0 ? row_total : segments_scan(carry, row_total);
    }
    if (lane == 0) warp_totals[warp] = carry;
    __syncthreads();
    segments_item total = warp_totals[0];
    segments_item before_warp = total;
#pragma unroll
    for (int w = 1; w < 8; ++w) {
        total = segments_scan(total, warp_totals[w]);
        if (w < warp) before_warp = total;
    }
    // A tile that the end cuts off: who has the last element says what is reached there.
    if (n - tile * 4096 < 4096) {
        // What comes before the warp, in this tile and in those before it.
        segments_item outer = before_warp;
        const int has_outer = warp > 0;
#pragma unroll
        for (int row = 0; row < 4; ++row) {
            const int has_before = has_outer || (row > 0 || lane > 0);
            if (has_outer) before_[row] = (row > 0 || lane > 0) ? segments_scan(outer, before_[row]) : outer;
            if (has_before) {
#pragma unroll
                for (int e = 0; e < 4; ++e) {
                    v[row * 4 + e] = segments_scan(before_[row], v[row * 4 + e]);
                }
            }
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                if (first + row * 128 + e == n - 1) totals[tile] = v[row * 4 + e];
            }
        }
    }
    else if (thread == 0) totals[tile] = total;
}
extern "C" __global__ __launch_bounds__(256) void segments_prefixes(segments_item *totals, int tiles)
{
    __shared__ segments_item pieces[256];
    const int thread = ((int)threadIdx.x);
    const int per_thread = (tiles - 1) / 256 + 1;
    const int begin = thread * per_thread;
    const int end = tiles - begin < per_thread ? tiles : begin + per_thread;
    if (begin < tiles) {
        segments_item running = totals[begin];
        for (int k = begin + 1; k < end; ++k) {
            running = segments_scan(running, totals[k]);
            totals[k] = running;
        }
        pieces[thread] = running;
    }
    __syncthreads();
    for (int delta = 1; delta < 256; delta *= 2) {
        segments_item mine;
        const int takes = thread >= delta && thread < (tiles - 1) / per_thread + 1;
        if (takes) mine = segments_scan(pieces[thread - delta], pieces[thread]);
        __syncthreads();
        if (takes) pieces[thread] = mine;
        __syncthreads();
    }
    if (thread > 0 && begin < tiles) {
        for (int k = begin; k < end; ++k) {
            totals[k] = segments_scan(pieces[thread - 1], totals[k]);
        }
    }
}
extern "C" __global__ __launch_bounds__(256) void segments(
        const double *x,
        const int8_t *starts,
        double *out,
        double *before,
        segments_item *totals,
        int tiles,
        int n,
        int tile_size)
{
    __shared__ segments_item warp_totals[8];
    const int thread = ((int)threadIdx.x);
    const int tile = ((int)blockIdx.x);
    const double last_item = totals[tiles - 1].value;
    const int warp = thread / 32, lane = thread % 32;
    const int first = tile * 4096 + warp * 512 + lane * 4;
    segments_item v[16];
    uint32_t own_starts[4];  // one bit per element
#pragma unroll
    for (int row = 0; row < 4; ++row) {
        own_starts[row] = 0;
    }
    pack_double_x4 x_pack[4];
    pack_int8_t_x4 starts_pack[4];
    pack_double_x4 out_pack[4];
    pack_double_x4 before_pack[4];
    if (tile < n / 4096) {
#pragma unroll
        for (int row = 0; row < 4; ++row) {
            x_pack[row].words[0] = ((const uint4 *)x)[(first + row * 128 + 0) / 4 * 2];
            x_pack[row].words[1] = ((const uint4 *)x)[(first + row * 128 + 0) / 4 * 2 + 1];
            starts_pack[row].words[0] = ((const uint32_t *)starts)[(first + row * 128 + 0) / 4];
        }
#pragma unroll
        for (int row = 0; row < 4; ++row) {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int i = first + row * 128 + e;
                const double x_i = x_pack[row].value[e];
                const int8_t starts_i = pack_int8_t_x4_lane(starts_pack[row].parts[e / 4], e % 4);
                double out_i;
                double before_i;
                v[row * 4 + e].value = x_i;
                v[row * 4 + e].starts = (starts_i) != 0;
                own_starts[row] |= (uint32_t)v[row * 4 + e].starts << e;
            }
        }
    }
    else {
#pragma unroll
        for (int row = 0; row < 4; ++row) {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int i = first + row * 128 + e < n ? first + row * 128 + e : n - 1;
                v[row * 4 + e].value = x[i];
                v[row * 4 + e].starts = (starts[i]) != 0;
                own_starts[row] |= (uint32_t)v[row * 4 + e].starts << e;
            }
        }
    }
#pragma unroll
    for (int row = 0; row < 4; ++row) {
#pragma unroll
        for (int e = 1; e < 4; ++e) {
            v[row * 4 + e] = segments_scan(v[row * 4 + (e - 1)], v[row * 4 + e]);
        }
    }
    // Runs are scanned across each warp, row by row, then warps in shared memory.
    segments_item before_[4];
    segments_item carry;
#pragma unroll
    for (int row = 0; row < 4; ++row) {
        segments_item run = v[row * 4 + 3];
#pragma unroll
        for (int delta = 1; delta < 32; delta *= 2) {
            const segments_item other = segments_shuffle_up(run, delta);
            if (lane >= delta) run = segments_scan(other, run);
        }
        const segments_item row_total = segments_shuffle(run, 31);
        run = segments_shuffle_up(run, 1);
        before_[row] = row == 0 ? run : lane > 0 ? segments_scan(carry, run) : carry;
        carry = row == 0 ? row_total : segments_scan(carry, row_total);
    }
    if (lane == 0) warp_totals[warp] = carry;
    __syncthreads();
    segments_item total = warp_totals[0];
    segments_item before_warp = total;
#pragma unroll
    for (int w = 1; w < 8; ++w) {
        total = segments_scan(total, warp_totals[w]);
        if (w < warp) before_warp = total;
    }
    // What comes before the warp, in this tile and in those before it.
    segments_item outer = before_warp;
    const int has_outer = (tile > 0) || warp > 0;
    if ((tile > 0)) outer = warp > 0 ? segments_scan(totals[tile - 1], before_warp) : totals[tile - 1];
#pragma unroll
    for (int row = 0; row < 4; ++row) {
        const int has_before = has_outer || (row > 0 || lane > 0);
        if (has_outer) before_[row] = (row > 0 || lane > 0) ? segments_scan(outer, before_[row]) : outer;
        if (has_before) {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                v[row * 4 + e] = segments_scan(before_[row], v[row * 4 + e]);
            }
        }
        if (tile < n / 4096) {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int i = first + row * 128 + e;
                const double x_i = x_pack[row].value[e];
                const int8_t starts_i = pack_int8_t_x4_lane(starts_pack[row].parts[e / 4], e % 4);
                double out_i;
                double before_i;
                const double item = v[row * 4 + e].value;
                double prev_item = 0;
                if ((e > 0 || has_before) && !(own_starts[row] >> e & 1)) prev_item = (e > 0 ? v[row * 4 + (e > 0 ? e - 1 : 0)] : before_[row]).value;
                out_i = last_item; before_i = prev_item;
                out_pack[row].value[e] = out_i;
                before_pack[row].value[e] = before_i;
            }
            ((uint4 *)out)[(first + row * 128 + 0) / 4 * 2] = out_pack[row].words[0];
            ((uint4 *)out)[(first + row * 128 + 0) / 4 * 2 + 1] = out_pack[row].words[1];
            ((uint4 *)before)[(first + row * 128 + 0) / 4 * 2] = before_pack[row].words[0];
            ((uint4 *)before)[(first + row * 128 + 0) / 4 * 2 + 1] = before_pack[row].words[1];
        }
        else {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int i = first + row * 128 + e;
                if (i < n) {
                    const double item = v[row * 4 + e].value;
                    double prev_item = 0;
                    if ((e > 0 || has_before) && !(own_starts[row] >> e & 1)) prev_item = (e > 0 ? v[row * 4 + (e > 0 ? e - 1 : 0)] : before_[row]).value;
                    out[i] = last_item; before[i] = prev_item;
                }
            }
        }
    }
}
