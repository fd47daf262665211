uint32_t sort_order(uint32_t bits) {
    bits = gemel_plain_float(bits);
    bits ^= ((0 - (bits >> 31)) & 0x7fffffffu) ^ 0x80000000u;
    return bits;
}
int sort_key_digit(uint32_t key, int position) {
    return (int)(sort_order((uint32_t)key) >> 8 * position) & 255;
}
int sort_sum_scan(int a, int b) { return a + b; }
uint32_t sort_total_scan(uint32_t a, uint32_t b) { return a + b; }
typedef union { int item; uint32_t words[1]; } sort_sum_words;
int sort_sum_shuffle_up(int item, int delta) {
    sort_sum_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle_up(own.words[w], delta);
    return other.item;
}
int sort_sum_shuffle(int item, int lane) {
    sort_sum_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle(own.words[w], lane);
    return other.item;
}
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void sort(
        __global const uint32_t *key_in,
        __global uint32_t *key_to,
        __global uint32_t *key_spare,
        int rows,
        int row_length,
        int rows_per_tile)
{
    __local float4 arena[512];
    __local int start_of[256];
    __local int warp_totals[8];
    __local int is_needed[1];
    __local int *const digit_counts = (__local int *)arena;
    const int thread = ((int)get_local_id(0)), warp = thread / 32, lane = thread % 32, own = warp * 128 + lane;
    const int first_row = (int)((int)get_group_id(0)) * rows_per_tile;
    const int begin = first_row * row_length;
    const int count = (int)((rows - first_row < rows_per_tile ? rows - first_row : rows_per_tile) * row_length);
    const int positions = rows_per_tile > 1 ? 5 : 4;
    uint32_t key[4];
    int origin[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) origin[k] = own + 32 * k;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        if (own + 32 * k < count) key[k] = key_in[begin + own + 32 * k];
    }
    for (int position = 0; position < positions; ++position) {
        int digit[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            digit[k] = 255;  // behind the end: these stay there
            if (own + 32 * k < count) digit[k] = position < 4 ? sort_key_digit(key[k], position) : origin[k] / (int)row_length;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (thread == 0) is_needed[0] = 1;
        for (int k = thread; k < 2048; k += 256) digit_counts[k] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        int rank[4];
        __local int *const warp_counts = digit_counts + 256 * warp;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const int own_digit = digit[k];
            // Lanes with the same digit: those that agree with this one in every bit. The last of them counts them all.
            uint32_t peers = 0xffffffffu;
#pragma unroll
            for (int bit = 0; bit < 8; ++bit) peers &= gemel_lanes_alike((uint32_t)own_digit, (uint32_t)1 << bit);
            const int below = popcount((int)(peers & (((uint32_t)1 << lane) - 1)));
            const int found = warp_counts[own_digit] + below;
            gemel_warp_barrier();
            if (peers >> lane == 1) warp_counts[own_digit] = found + 1;
            gemel_warp_barrier();
            rank[k] = found | own_digit << 16;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
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
        barrier(CLK_LOCAL_MEM_FENCE);
        if (thread < 256 && digit_total - (thread == 255 ? 1024 - count : 0) == count) is_needed[0] = 0;
        int v[1];
        v[0] = thread < 256 ? digit_total : 0;
        // Runs are scanned across each warp, row by row, then warps in shared memory.
        int before[1];
        int carry;
#pragma unroll
        for (int row = 0; row < 1; ++row) {
            int run = v[row * 1 + 0];
#pragma unroll
            for (int delta = 1; delta < 32; delta *= 2) {
                const int other = sort_sum_shuffle_up(run, delta);
                if (lane >= delta) run = sort_sum_scan(other, run);
            }
            const int row_total = sort_sum_shuffle(run, 31);
            run = sort_sum_shuffle_up(run, 1);
            before[row] = row == 0 ? run : lane > 0 ? sort_sum_scan(carry, run) : carry;
            carry = row == 0 ? row_total : sort_sum_scan(carry, row_total);
        }
        if (lane == 0) warp_totals[warp] = carry;
        barrier(CLK_LOCAL_MEM_FENCE);
        int total = warp_totals[0];
        int before_warp = total;
#pragma unroll
        for (int w = 1; w < 8; ++w) {
            total = sort_sum_scan(total, warp_totals[w]);
            if (w < warp) before_warp = total;
        }
        int start = lane > 0 ? before[0] : 0;
        if (warp > 0) start += before_warp;
        if (thread < 256) start_of[thread] = start;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (is_needed[0] == 0) continue;
        int place_of[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            place_of[k] = -1;
            if (own + 32 * k < count) {
                const int d = rank[k] >> 16;
                place_of[k] = start_of[d] + digit_counts[256 * warp + d] + (rank[k] & 0xffff);
            }
        }
        __local uint32_t *const staged_keys = (__local uint32_t *)arena;
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            if (own + 32 * k < count) staged_keys[place_of[k]] = key[k];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            if (own + 32 * k < count) key[k] = staged_keys[own + 32 * k];
        }
        __local int *const staged_origins = (__local int *)arena;
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            if (own + 32 * k < count) staged_origins[place_of[k]] = origin[k];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            if (own + 32 * k < count) origin[k] = staged_origins[own + 32 * k];
        }
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const int at = own + 32 * k;
        if (at < count) {
            key_to[begin + at] = key[k];
        }
    }
}
