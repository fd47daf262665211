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
extern "C" __global__ __launch_bounds__(256) void sums(
        const float *x,
        float *out,
        volatile uint64_t *states,
        uint32_t *ticket,
        uint32_t first_ticket,
        uint32_t epoch,
        int n)
{
    __shared__ float warp_totals[8];
    __shared__ int dealt[1];
    __shared__ float tile_prefix[1];
    const int thread = ((int)threadIdx.x);
    // Tiles are dealt in the order in which blocks begin, so that those waited for are running.
    if (thread == 0) dealt[0] = (int)(atomic_add(ticket, (uint32_t)1) - first_ticket);
    __syncthreads();
    const int tile = dealt[0];
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
    if (warp == 0) {
        if (lane == 0) {
            {
                sums_words bits;
                bits.item = total;
                states[tile] = (uint64_t)(epoch * 4 + (tile == 0 ? 2 : 1)) << 32 | bits.words[0];
            }
        }
        if (tile > 0) {
            float so_far;
            int any = 0;
            for (int base = tile - 1; ; base -= 32) {
                const int at = base - lane;
                uint32_t state = 2;  // before the first tile there is nothing to wait for
                float theirs = total;
                if (at >= 0) {
                    uint64_t word[1];
                    do word[0] = states[at]; while ((uint32_t)(word[0] >> 34) != epoch);
                    state = (uint32_t)(word[0] >> 32) & 3;
                    sums_words bits;
                    bits.words[0] = (uint32_t)word[0];
                    theirs = bits.item;
                }
                const uint32_t known = gemel_ballot(state == 2);
                int nearest = 31;
                if (known) nearest = 31 - clz((int)(known & (~known + 1)));
                // Tiles up to the nearest that knows all before it, in order: farther ones come first.
#pragma unroll
                for (int delta = 1; delta < 32; delta *= 2) {
                    const float other = sums_shuffle(theirs, (lane + delta) % 32);
                    if (lane + delta <= nearest) theirs = sums_scan(other, theirs);
                }
                so_far = any ? sums_scan(theirs, so_far) : theirs;  // in lane 0
                any = 1;
                if (known) break;
            }
            if (lane == 0) {
                {
                    sums_words bits;
                    bits.item = sums_scan(so_far, total);
                    states[tile] = (uint64_t)(epoch * 4 + 2) << 32 | bits.words[0];
                }
                tile_prefix[0] = so_far;
            }
        }
    }
    __syncthreads();
    // What comes before the warp, in this tile and in those before it.
    float outer = before_warp;
    const int has_outer = (tile > 0) || warp > 0;
    if ((tile > 0)) outer = warp > 0 ? sums_scan(tile_prefix[0], before_warp) : tile_prefix[0];
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
