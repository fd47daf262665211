typedef union { uint4 words[1]; double value[2]; } pack_double_x2;
__device__ int32_t peaks_scan(int32_t a, int32_t b) {
    return a + b;
}
typedef union { int32_t item; uint32_t words[1]; } peaks_words;
__device__ int32_t peaks_shuffle_up(int32_t item, int delta) {
    peaks_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle_up(own.words[w], delta);
    return other.item;
}
__device__ int32_t peaks_shuffle(int32_t item, int lane) {
    peaks_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle(own.words[w], lane);
    return other.item;
}
extern "C" __global__ __launch_bounds__(256) void peaks(
        const double *x,
        double *out,
        int64_t *count,
        volatile uint64_t *states,
        uint32_t *ticket,
        uint32_t first_ticket,
        uint32_t epoch,
        int n)
{
    __shared__ int32_t warp_totals[8];
    __shared__ int dealt[1];
    __shared__ int32_t tile_prefix[1];
    __shared__ __align__(128) uint4 packs[2048];
    const int thread = ((int)threadIdx.x);
    // Tiles are dealt in the order in which blocks begin, so that those waited for are running.
    if (thread == 0) dealt[0] = (int)(atomic_add(ticket, (uint32_t)1) - first_ticket);
    __syncthreads();
    const int tile = dealt[0];
    const int warp = thread / 32, lane = thread % 32;
    const int first = tile * 4096 + warp * 512 + lane * 2;
    // A warp's part of the tile: first its elements, then those that it has selected.
    uint4 *const own_packs = packs + warp * 256 + lane;
    const double *const own_elements = (const double *)own_packs;
    double *const staged = (double *)(packs + warp * 256);
    uint32_t flags = 0;  // one bit per element
    if (tile < n / 4096) {
#pragma unroll
        for (int row = 0; row < 8; ++row) {
            gemel_copy_async_16(own_packs + 32 * row, &((const uint4 *)x)[(first + row * 64 + 0) / 2], 16);
        }
        gemel_commit_copies();
        gemel_await_copies_0();
        gemel_warp_barrier();
#pragma unroll
        for (int row = 0; row < 8; ++row) {
            pack_double_x2 x_pack[1];
            x_pack[0].words[0] = own_packs[32 * row];
#pragma unroll
            for (int e = 0; e < 2; ++e) {
                const int i = first + row * 64 + e;
                const double x_i = x_pack[0].value[e];
                flags |= (uint32_t)((x_i > (e != 0 ? x_pack[0].value[e != 0 ? e - 1 : 0] : row + lane != 0 ? own_elements[64 * row - 1] : x[i - 1]) && x_i > (e != 1 ? x_pack[0].value[e != 1 ? e + 1 : 0] : row != 7 || lane != 31 ? own_elements[64 * row + 2] : x[i + 1])) != 0) << (row * 2 + e);
            }
        }
    }
    else {
#pragma unroll
        for (int row = 0; row < 8; ++row) {
#pragma unroll
            for (int e = 0; e < 2; ++e) {
                const int i = first + row * 64 + e;
                if (i >= n) continue;
                flags |= (uint32_t)((x[i] > x[i - 1] && x[i] > x[i + 1]) != 0) << (row * 2 + e);
            }
        }
    }
    int32_t before[8];
    int32_t carry = 0;
#pragma unroll
    for (int first_row = 0; first_row < 8; first_row += 4) {
        uint32_t own = 0;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            if (first_row + k < 8) own |= popcount(flags >> (first_row + k) * 2 & 3u) << k * 8;
        }
        uint32_t run = own;
#pragma unroll
        for (int delta = 1; delta < 32; delta *= 2) {
            const uint32_t other = gemel_shuffle_up(run, delta);
            if (lane >= delta) run += other;
        }
        const uint32_t all = gemel_shuffle(run, 31);
        run -= own;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            if (first_row + k < 8) {
                before[first_row + k] = carry + (int32_t)(run >> k * 8 & 255u);
                carry += (int32_t)(all >> k * 8 & 255u);
            }
        }
    }
    if (lane == 0) warp_totals[warp] = carry;
    __syncthreads();
    int32_t total = 0, before_warp = 0;
#pragma unroll
    for (int w = 0; w < 8; ++w) {
        if (w == warp) before_warp = total;
        total += warp_totals[w];
    }
    // What others wait for comes first, and what waits for others last.
    if (warp == 0) {
        if (lane == 0) {
            {
                peaks_words bits;
                bits.item = total;
                states[tile] = (uint64_t)(epoch * 4 + (tile == 0 ? 2 : 1)) << 32 | bits.words[0];
            }
        }
    }
    const int tile_room = 4096;
    const int tile_begin = tile * 4096;
    const int tile_length = n - tile_begin < tile_room ? (int)(n - tile_begin) : tile_room;
    {
        const int32_t tile_first = 0;
        int32_t outer = 0;  // a warp's results are counted from its first
#pragma unroll
        for (int row = 0; row < 8; ++row) {
            before[row] += outer;
            int32_t running = before[row];
            if (tile < n / 4096) {
                // All lanes have their pack before results overwrite it; they lie before the next row's.
                pack_double_x2 x_pack[1];
                x_pack[0].words[0] = own_packs[32 * row];
                gemel_warp_barrier();
#pragma unroll
                for (int e = 0; e < 2; ++e) {
                    const int i = first + row * 64 + e;
                    const double x_i = x_pack[0].value[e];
                    const int32_t counted = flags >> (row * 2 + e) & 1;
                    running += counted;
                    const int32_t item = running;
                    const int32_t prev_item = running - counted;
                    if (item != prev_item) staged[item - 1] = x_i;
                }
                gemel_warp_barrier();
            }
            else {
#pragma unroll
                for (int e = 0; e < 2; ++e) {
                    const int i = first + row * 64 + e;
                    if (i < n) {
                        const int32_t counted = flags >> (row * 2 + e) & 1;
                        running += counted;
                        const int32_t item = running;
                        const int32_t prev_item = running - counted;
                        if (item != prev_item) staged[item - 1] = x[i];
                    }
                }
            }
        }
    }
    if (warp == 0) {
        if (tile > 0) {
            int32_t so_far;
            int any = 0;
            for (int base = tile - 1; ; base -= 32) {
                const int at = base - lane;
                uint32_t state = 2;  // before the first tile there is nothing to wait for
                int32_t theirs = total;
                if (at >= 0) {
                    uint64_t word[1];
                    do word[0] = states[at]; while ((uint32_t)(word[0] >> 34) != epoch);
                    state = (uint32_t)(word[0] >> 32) & 3;
                    peaks_words bits;
                    bits.words[0] = (uint32_t)word[0];
                    theirs = bits.item;
                }
                const uint32_t known = gemel_ballot(state == 2);
                int nearest = 31;
                if (known) nearest = 31 - clz((int)(known & (~known + 1)));
                // Tiles up to the nearest that knows all before it, in order: farther ones come first.
#pragma unroll
                for (int delta = 1; delta < 32; delta *= 2) {
                    const int32_t other = peaks_shuffle(theirs, (lane + delta) % 32);
                    if (lane + delta <= nearest) theirs = peaks_scan(other, theirs);
                }
                so_far = any ? peaks_scan(theirs, so_far) : theirs;  // in lane 0
                any = 1;
                if (known) break;
            }
            if (lane == 0) {
                {
                    peaks_words bits;
                    bits.item = peaks_scan(so_far, total);
                    states[tile] = (uint64_t)(epoch * 4 + 2) << 32 | bits.words[0];
                }
                tile_prefix[0] = so_far;
            }
        }
    }
    __syncthreads();
    const int32_t tile_first = tile > 0 ? tile_prefix[0] : 0;
    const int tile_count = (int)total;
    const int32_t run_first = tile_first + before_warp;
    const int run_count = (int)carry;
    for (int j = LID_0 & 31; j < run_count; j += 32) out[run_first + j] = staged[j]; count[0] = tile_first;
}
