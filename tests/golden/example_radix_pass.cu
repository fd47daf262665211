
extern "C" __global__ __launch_bounds__(256) void count_digits(const uint32_t *keys, int *totals, int shift, int n)
{
    __shared__ int counts[256];
    counts[((int)threadIdx.x)] = 0;
    __syncthreads();
    for (int i = ((int)blockIdx.x) * 2048 + ((int)threadIdx.x); i < n && i < (((int)blockIdx.x) + 1) * 2048; i += 256)
        atomic_add(&counts[keys[i] >> shift & 255], 1);
    __syncthreads();
    atomic_add(&totals[((int)threadIdx.x)], counts[((int)threadIdx.x)]);
}
__device__ int count_scan(int a, int b) { return a + b; }
typedef union { int item; uint32_t words[1]; } count_words;
__device__ int count_shuffle_up(int item, int delta) {
    count_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle_up(own.words[w], delta);
    return other.item;
}
__device__ int count_shuffle(int item, int lane) {
    count_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle(own.words[w], lane);
    return other.item;
}
extern "C" __global__ __launch_bounds__(256) void move(
        const uint32_t *keys, const uint32_t *values, uint32_t *to_keys,
        uint32_t *to_values, const int *totals, volatile uint64_t *states,
        uint32_t *ticket, uint32_t first_ticket, uint32_t epoch, int shift, int n)
{
    __shared__ int dealt[1], warp_totals[8], digit_counts[2048], target[256], places[2048];
    __shared__ uint32_t staged[2048];
    const int thread = ((int)threadIdx.x), warp = thread / 32, lane = thread % 32;
    // Tiles are dealt in the order in which blocks begin, so that those waited for are running.
    if (thread == 0) dealt[0] = (int)(atomic_add(ticket, (uint32_t)1) - first_ticket);
    __syncthreads();
    const int tile = dealt[0];
    const int first = tile * 2048 + warp * 256 + lane;
    const int count = n - tile * 2048 < 2048 ? n - tile * 2048 : 2048;
    uint32_t key[8], value[8];
    int digit[8], place[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        const int i = first + 32 * k < n ? first + 32 * k : n - 1;
        key[k] = keys[i];
        value[k] = values[i];
        digit[k] = first + 32 * k < n ? (int)(key[k] >> shift & 255) : 256;
    }
    for (int k = thread; k < 2048; k += 256) digit_counts[k] = 0;
    __syncthreads();
    int rank[8];
    int *const warp_counts = digit_counts + 256 * warp;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        const int own_digit = digit[k];
        // Lanes with the same digit: those that agree with this one in every bit. The last of them counts them all.
        uint32_t peers = 0xffffffffu;
#pragma unroll
        for (int bit = 0; bit < 9; ++bit) peers &= gemel_lanes_alike((uint32_t)own_digit, (uint32_t)1 << bit);
        const int below = popcount((int)(peers & (((uint32_t)1 << lane) - 1)));
        const int found = own_digit < 256 ? warp_counts[own_digit] + below : 0;
        gemel_warp_barrier();
        if (peers >> lane == 1 && own_digit < 256) warp_counts[own_digit] = found + 1;
        gemel_warp_barrier();
        rank[k] = found;
    }
    __syncthreads();
    int digit_total = 0;
    for (int d = thread; d < 256; d += 256) {
        digit_total = 0;
#pragma unroll
        for (int w = 0; w < 8; ++w) {
            const int count = digit_counts[256 * w + d];
            digit_counts[256 * w + d] = digit_total;
            digit_total += count;
        }
    }
    __syncthreads();
    // Where the thread's digit begins: in the tile's order, and in that of all keys.
    int in_tile, in_all;
    {
        int v[1];
        v[0] = digit_total;
        // Runs are scanned across each warp, row by row, then warps in shared memory.
        int before[1];
        int carry;
#pragma unroll
        for (int row = 0; row < 1; ++row) {
            int run = v[row * 1 + 0];
#pragma unroll
            for (int delta = 1; delta < 32; delta *= 2) {
                const int other = count_shuffle_up(run, delta);
                if (lane >= delta) run = count_scan(other, run);
            }
            const int row_total = count_shuffle(run, 31);
            run = count_shuffle_up(run, 1);
            before[row] = row == 0 ? run : lane > 0 ? count_scan(carry, run) : carry;
            carry = row == 0 ? row_total : count_scan(carry, row_total);
        }
        if (lane == 0) warp_totals[warp] = carry;
        __syncthreads();
        int total = warp_totals[0];
        int before_warp = total;
#pragma unroll
        for (int w = 1; w < 8; ++w) {
            total = count_scan(total, warp_totals[w]);
            if (w < warp) before_warp = total;
        }
        in_tile = (warp > 0 ? before_warp : 0) + (lane > 0 ? before[0] : 0);
    }
    __syncthreads();
    {
        int v[1];
        v[0] = totals[thread];
        // Runs are scanned across each warp, row by row, then warps in shared memory.
        int before[1];
        int carry;
#pragma unroll
        for (int row = 0; row < 1; ++row) {
            int run = v[row * 1 + 0];
#pragma unroll
            for (int delta = 1; delta < 32; delta *= 2) {
                const int other = count_shuffle_up(run, delta);
                if (lane >= delta) run = count_scan(other, run);
            }
            const int row_total = count_shuffle(run, 31);
            run = count_shuffle_up(run, 1);
            before[row] = row == 0 ? run : lane > 0 ? count_scan(carry, run) : carry;
            carry = row == 0 ? row_total : count_scan(carry, row_total);
        }
        if (lane == 0) warp_totals[warp] = carry;
        __syncthreads();
        int total = warp_totals[0];
        int before_warp = total;
#pragma unroll
        for (int w = 1; w < 8; ++w) {
            total = count_scan(total, warp_totals[w]);
            if (w < warp) before_warp = total;
        }
        in_all = (warp > 0 ? before_warp : 0) + (lane > 0 ? before[0] : 0);
    }
    const int column = thread, total = digit_total;
    {
        count_words bits;
        bits.item = total;
        states[tile * 256 + column] = (uint64_t)(epoch * 4 + (tile == 0 ? 2 : 1)) << 32 | bits.words[0];
    }
    int so_far;
    if (tile > 0) {
        int any = 0;
        // 4 tiles are read at a time: one by one each would cost the memory's latency.
        for (int nearest = tile - 1; any < 2; nearest -= 4) {
            uint64_t first_word[4];
#pragma unroll
            for (int a = 0; a < 4; ++a) {
                const int at = nearest > a ? nearest - a : 0;
                first_word[a] = states[at * 256 + column];
            }
#pragma unroll
            for (int a = 0; a < 4; ++a) {
                if (any == 2) continue;
                const int at = nearest - a;
                uint32_t state;
                int theirs;
                uint64_t word[1];
                word[0] = first_word[a];
                while ((uint32_t)(word[0] >> 34) != epoch) word[0] = states[at * 256 + column];
                state = (uint32_t)(word[0] >> 32) & 3;
                count_words bits;
                bits.words[0] = (uint32_t)word[0];
                theirs = bits.item;
                so_far = any ? count_scan(theirs, so_far) : theirs;
                any = (int)state;  // 2: it knew all before it
            }
        }
        {
            count_words bits;
            bits.item = count_scan(so_far, total);
            states[tile * 256 + column] = (uint64_t)(epoch * 4 + 2) << 32 | bits.words[0];
        }
    }
    target[thread] = in_all + (tile > 0 ? so_far : 0) - in_tile;
#pragma unroll
    for (int w = 0; w < 8; ++w) digit_counts[256 * w + thread] += in_tile;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; ++k) place[k] = digit[k] < 256 ? digit_counts[256 * warp + digit[k]] + rank[k] : -1;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        if (place[k] >= 0) staged[place[k]] = key[k];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        const int j = thread + 256 * k;
        if (j < count) {
            const uint32_t moved = staged[j];
            places[j] = target[moved >> shift & 255] + j;
            to_keys[places[j]] = moved;
        }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        if (place[k] >= 0) staged[place[k]] = value[k];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        const int j = thread + 256 * k;
        if (j < count) {
            const uint32_t moved = staged[j];
            to_values[places[j]] = moved;
        }
    }
}
