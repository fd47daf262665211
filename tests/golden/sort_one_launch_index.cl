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
typedef union { uint32_t item; uint32_t words[1]; } sort_total_words;
uint32_t sort_total_shuffle_up(uint32_t item, int delta) {
    sort_total_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle_up(own.words[w], delta);
    return other.item;
}
uint32_t sort_total_shuffle(uint32_t item, int lane) {
    sort_total_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle(own.words[w], lane);
    return other.item;
}
typedef uint4 sort_pack;
typedef union { sort_pack pack; uint32_t keys[4]; } sort_keys;
void wait_for_count(volatile __global uint32_t *count, uint32_t expected)
{
    if (((int)get_local_id(0)) == 0) {
        while (*count != expected);
        device_fence();
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

__kernel __attribute__((reqd_work_group_size(384, 1, 1))) RESIDENT_BLOCKS(384, 2) void sort(
        __global const uint32_t *key_in,
        __global uint32_t *key_to,
        __global uint32_t *key_spare,
        __global const uint32_t *value0_in,
        __global uint32_t *value0_to,
        __global uint32_t *value0_spare,
        __global uint32_t *index_to,
        __global uint32_t *index_spare,
        __global int64_t *index_out,
        __global uint32_t *control,
        __global uint32_t *next_control,
        volatile __global uint64_t *states,
        uint32_t first_epoch,
        int counting_blocks,
        int tiles,
        int n,
        int row_length)
{
    __local float4 arena[672];
    __local int digit_counts[3072];
    __local uint32_t first_of[256];
    __local int warp_totals[12];
    __local int is_needed[4];
    __local int dealt[1];
    __local int shared_position[1];
    __local int is_last[1];
    const int thread = ((int)get_local_id(0)), warp = thread / 32, lane = thread % 32, own = warp * 224 + lane;
    // Words that blocks poll are in cache lines of their own: the ticket, the blocks that have counted, whether passes are
    // planned, and the tiles of each pass that have moved.
    volatile __global uint32_t *const signals = (volatile __global uint32_t *)(control + 1032);
    __global uint32_t *const ticket = (__global uint32_t *)(control + 1032);
    const uint32_t first_ticket = 0;
    int number;
    {
        // Tiles are dealt in the order in which blocks begin, so that those waited for are running.
        if (thread == 0) dealt[0] = (int)(atomic_add(ticket, (uint32_t)1) - first_ticket);
        barrier(CLK_LOCAL_MEM_FENCE);
        const int tile = dealt[0];
        number = tile;
    }
    if (number < counting_blocks) {
        {
            __local uint32_t *const counts = (__local uint32_t *)arena;
            const int copy = thread % 2;
            for (int k = thread; k < 2048; k += 384) counts[k] = 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            // Sixteen bytes at a time; the rest by the first threads.
            const int packs = n / 4, step = (int)counting_blocks * 384, rest = n - packs * 4;
            __global const sort_pack *const packed = (__global const sort_pack *)key_in;
            int i = (int)number * 384 + thread;
            if (i < rest) {
                for (int position = 0; position < 4; ++position) {
                    atomic_add(&counts[(256 * position + sort_key_digit(key_in[packs * 4 + i], position)) * 2 + copy], (uint32_t)1);
                }
            }
            while (i < packs) {
                sort_keys both[2];
#pragma unroll
                for (int p = 0; p < 2; ++p) {
                    if (p * step < packs - i) both[p].pack = packed[i + p * step];
                }
#pragma unroll
                for (int p = 0; p < 2; ++p) {
                    if (p * step >= packs - i) continue;
#pragma unroll
                    for (int k = 0; k < 4; ++k) {
#pragma unroll
                        for (int position = 0; position < 4; ++position) {
                            atomic_add(&counts[(256 * position + sort_key_digit(both[p].keys[k], position)) * 2 + copy], (uint32_t)1);
                        }
                    }
                }
                if (2 * step >= packs - i) break;
                i += 2 * step;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int k = thread; k < 1024; k += 384) {
                uint32_t counted = 0;
#pragma unroll
                for (int c = 0; c < 2; ++c) counted += counts[k * 2 + c];
                if (counted != 0) atomic_add(&control[k], (uint32_t)counted);
            }
        }
        for (int k = number * 384 + thread; k < 1256; k += counting_blocks * 384) next_control[k] = 0;
        if (thread < 4) is_needed[thread] = 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (thread == 0) {
            device_fence();
            is_last[0] = atomic_add(&signals[32], (uint32_t)1) == (uint32_t)(counting_blocks - 1);
            device_fence();
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (!is_last[0]) return;
        // The digits of all passes are scanned together: those of the passes before sum up to a multiple of n.
        int v[4];
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            const int at = thread * 4 + e;
            v[e] = thread < 256 ? (int)control[at] : 0;
            if (thread < 256 && v[e] == (int)n) is_needed[at / 256] = 0;
        }
#pragma unroll
        for (int row = 0; row < 1; ++row) {
#pragma unroll
            for (int e = 1; e < 4; ++e) {
                v[row * 4 + e] = sort_sum_scan(v[row * 4 + (e - 1)], v[row * 4 + e]);
            }
        }
        // Runs are scanned across each warp, row by row, then warps in shared memory.
        int before[1];
        int carry;
#pragma unroll
        for (int row = 0; row < 1; ++row) {
            int run = v[row * 4 + 3];
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
        for (int w = 1; w < 12; ++w) {
            total = sort_sum_scan(total, warp_totals[w]);
            if (w < warp) before_warp = total;
        }
        int start = lane > 0 ? before[0] : 0;
        if (warp > 0) start += before_warp;
        if (thread < 256) {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int at = thread * 4 + e;
                control[at] = (uint32_t)((e > 0 ? start + v[e - 1] : start) - at / 256 * (int)n);
            }
        }
        if (thread == 0) {
            int left = 0;
            for (int position = 0; position < 4; ++position) left += is_needed[position];
            if (left == 0) left = is_needed[3] = 1;  // one pass moves all where they end
            int from = 0, previous = 0;
            for (int position = 0; position < 4; ++position) {
                if (!is_needed[position]) continue;
                --left;
                const int to = left % 2 == 0 ? 1 : 2;
                control[1024 + position] = (uint32_t)(from | to << 2 | (left == 0) << 4);
                from = to;
                control[1028 + position] = (uint32_t)previous;
                previous = position + 1;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (thread == 0) {
            device_fence();
            signals[64] = 1;
        }
        return;
    }
    const int position = (number - counting_blocks) / tiles, tile = (number - counting_blocks) % tiles;
    const uint32_t epoch = first_epoch + (uint32_t)position;
    for (int k = thread; k < 3072; k += 384) digit_counts[k] = 0;
    if (thread == 0) shared_position[0] = position;
    wait_for_count(&signals[64], 1);
    const int plan = (int)control[1024 + position];
    if (plan == 0) return;
    const int from = plan & 3, to = plan >> 2 & 3, last = plan >> 4;
    __global const uint32_t *const key_source = from == 0 ? key_in : from == 1 ? (__global const uint32_t *)key_to : (__global const uint32_t *)key_spare;
    __global uint32_t *const key_target = to == 1 ? key_to : key_spare;
    __global const uint32_t *const value0_source = from == 0 ? value0_in : from == 1 ? (__global const uint32_t *)value0_to : (__global const uint32_t *)value0_spare;
    __global uint32_t *const value0_target = to == 1 ? value0_to : value0_spare;
    __global const uint32_t *const index_source = from == 1 ? index_to : index_spare;
    __global uint32_t *const index_target = to == 1 ? index_to : index_spare;
    const int pass_before = (int)control[1028 + position];
    if (pass_before > 0) wait_for_count(&signals[64 + 32 * pass_before], (uint32_t)tiles);
    __local uint32_t *const staged_keys = (__local uint32_t *)arena;
    const int begin = (int)tile * 2688;
    const int count = n - begin < 2688 ? (int)(n - begin) : 2688;
    uint32_t key[7];
    __global const uint32_t *const own_keys = key_source + begin + own;
    if (count == 2688) {
#pragma unroll
        for (int k = 0; k < 7; ++k) key[k] = own_keys[32 * k];
    } else {
#pragma unroll
        for (int k = 0; k < 7; ++k) {
            if (own + 32 * k < count) key[k] = own_keys[32 * k];
        }
    }
    if (count == 2688) {
#pragma unroll
        for (int k = 0; k < 7; ++k) atomic_add(&digit_counts[256 * warp + sort_key_digit(key[k], position)], 1);
    } else {
#pragma unroll
        for (int k = 0; k < 7; ++k) atomic_add(&digit_counts[256 * warp + (own + 32 * k < count ? sort_key_digit(key[k], position) : 255)], 1);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int digit_total = 0;
    if (thread < 256) {
#pragma unroll
        for (int w = 0; w < 12; ++w) digit_total += digit_counts[256 * w + thread];
    }
    // Published before elements are ranked, so that later tiles need not wait.
    if (thread < 256) {
        const int column = thread;
        const uint32_t total = (uint32_t)digit_total;
        {
            sort_total_words bits;
            bits.item = total;
            states[tile * 256 + column] = (uint64_t)(epoch * 4 + (tile == 0 ? 2 : 1)) << 32 | bits.words[0];
        }
    }
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
    for (int w = 1; w < 12; ++w) {
        total = sort_sum_scan(total, warp_totals[w]);
        if (w < warp) before_warp = total;
    }
    int start = lane > 0 ? before[0] : 0;
    if (warp > 0) start += before_warp;
    // Read from shared memory: the compiler would keep all digits in registers, if it knew that they are the same again.
    const int same_position = shared_position[0];
    uint32_t index_of[4];  // two indices each
    if (thread < 256) {
        int next = start;
#pragma unroll
        for (int w = 0; w < 12; ++w) {
            const int counted = digit_counts[256 * w + thread];
            digit_counts[256 * w + thread] = next;
            next += counted;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    __local int *const warp_counts = digit_counts + 256 * warp;
    if (count == 2688) {
#pragma unroll
        for (int k = 0; k < 7; ++k) {
            const int own_digit = sort_key_digit(key[k], same_position);
            // Lanes with the same digit: those that agree with this one in every bit. The last of them counts them all.
            uint32_t peers = 0xffffffffu;
#pragma unroll
            for (int bit = 0; bit < 8; ++bit) peers &= gemel_lanes_alike((uint32_t)own_digit, (uint32_t)1 << bit);
            const int below = popcount((int)(peers & (((uint32_t)1 << lane) - 1)));
            const int found = warp_counts[own_digit] + below;
            gemel_warp_barrier();
            if (peers >> lane == 1) warp_counts[own_digit] = found + 1;
            gemel_warp_barrier();
            staged_keys[found] = key[k];
            index_of[k / 2] = k % 2 == 0 ? (uint32_t)found : index_of[k / 2] | (uint32_t)found << 16;
        }
    } else {
#pragma unroll
        for (int k = 0; k < 7; ++k) {
            const int own_digit = own + 32 * k < count ? sort_key_digit(key[k], same_position) : 255;
            // Lanes with the same digit: those that agree with this one in every bit. The last of them counts them all.
            uint32_t peers = 0xffffffffu;
#pragma unroll
            for (int bit = 0; bit < 8; ++bit) peers &= gemel_lanes_alike((uint32_t)own_digit, (uint32_t)1 << bit);
            const int below = popcount((int)(peers & (((uint32_t)1 << lane) - 1)));
            const int found = warp_counts[own_digit] + below;
            gemel_warp_barrier();
            if (peers >> lane == 1) warp_counts[own_digit] = found + 1;
            gemel_warp_barrier();
            staged_keys[found] = key[k];
            index_of[k / 2] = k % 2 == 0 ? (uint32_t)found : index_of[k / 2] | (uint32_t)found << 16;
        }
    }
    if (thread < 256) {
        const int column = thread;
        const uint32_t total = (uint32_t)digit_total;
        uint32_t so_far;
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
                    uint32_t theirs;
                    uint64_t word[1];
                    word[0] = first_word[a];
                    while ((uint32_t)(word[0] >> 34) != epoch) word[0] = states[at * 256 + column];
                    state = (uint32_t)(word[0] >> 32) & 3;
                    sort_total_words bits;
                    bits.words[0] = (uint32_t)word[0];
                    theirs = bits.item;
                    so_far = any ? sort_total_scan(theirs, so_far) : theirs;
                    any = (int)state;  // 2: it knew all before it
                }
            }
            {
                sort_total_words bits;
                bits.item = sort_total_scan(so_far, total);
                states[tile * 256 + column] = (uint64_t)(epoch * 4 + 2) << 32 | bits.words[0];
            }
        }
        first_of[thread] = control[256 * position + thread] - (uint32_t)start;
        if (tile > 0) first_of[thread] += so_far;
    }
    uint32_t digits[2];  // of those that the thread writes, four each
    barrier(CLK_LOCAL_MEM_FENCE);
    if (count == 2688) {
#pragma unroll
        for (int k = 0; k < 7; ++k) {
            const int j = thread + 384 * k;
            const uint32_t moved = staged_keys[j];
            const int d = sort_key_digit(moved, position);
            digits[k / 4] = k % 4 == 0 ? (uint32_t)d : digits[k / 4] | (uint32_t)d << 8 * (k % 4);
            if (!last) key_target[first_of[d] + (uint32_t)j] = moved;
        }
    }
    else {
#pragma unroll
        for (int k = 0; k < 7; ++k) {
            const int j = thread + 384 * k;
            if (j < count) {
                const uint32_t moved = staged_keys[j];
                const int d = sort_key_digit(moved, position);
                digits[k / 4] = k % 4 == 0 ? (uint32_t)d : digits[k / 4] | (uint32_t)d << 8 * (k % 4);
                if (!last) key_target[first_of[d] + (uint32_t)j] = moved;
            }
        }
    }
    {
        uint32_t value[7];
        if (count == 2688) {
#pragma unroll
            for (int k = 0; k < 7; ++k) value[k] = value0_source[begin + own + 32 * k];
        } else {
#pragma unroll
            for (int k = 0; k < 7; ++k) {
                if (own + 32 * k < count) value[k] = value0_source[begin + own + 32 * k];
            }
        }
        __local uint32_t *const staged = (__local uint32_t *)arena;
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int k = 0; k < 7; ++k) {
            staged[index_of[k / 2] >> 16 * (k % 2) & 0xffff] = value[k];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (count == 2688) {
#pragma unroll
            for (int k = 0; k < 7; ++k) {
                const int j = thread + 384 * k;
                const uint32_t moved = staged[j];
                value0_target[first_of[digits[k / 4] >> 8 * (k % 4) & 255] + (uint32_t)j] = moved;
            }
        }
        else {
#pragma unroll
            for (int k = 0; k < 7; ++k) {
                const int j = thread + 384 * k;
                if (j < count) {
                    const uint32_t moved = staged[j];
                    value0_target[first_of[digits[k / 4] >> 8 * (k % 4) & 255] + (uint32_t)j] = moved;
                }
            }
        }
    }
    {
        uint32_t value[7];
        if (count == 2688) {
#pragma unroll
            for (int k = 0; k < 7; ++k) value[k] = from == 0 ? (uint32_t)(begin + own + 32 * k) : index_source[begin + own + 32 * k];
        } else {
#pragma unroll
            for (int k = 0; k < 7; ++k) {
                if (own + 32 * k < count) value[k] = from == 0 ? (uint32_t)(begin + own + 32 * k) : index_source[begin + own + 32 * k];
            }
        }
        __local uint32_t *const staged = (__local uint32_t *)arena;
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int k = 0; k < 7; ++k) {
            staged[index_of[k / 2] >> 16 * (k % 2) & 0xffff] = value[k];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (count == 2688) {
#pragma unroll
            for (int k = 0; k < 7; ++k) {
                const int j = thread + 384 * k;
                const uint32_t moved = staged[j];
                if (last) index_out[first_of[digits[k / 4] >> 8 * (k % 4) & 255] + (uint32_t)j] = (int64_t)moved;
                else index_target[first_of[digits[k / 4] >> 8 * (k % 4) & 255] + (uint32_t)j] = moved;
            }
        }
        else {
#pragma unroll
            for (int k = 0; k < 7; ++k) {
                const int j = thread + 384 * k;
                if (j < count) {
                    const uint32_t moved = staged[j];
                    if (last) index_out[first_of[digits[k / 4] >> 8 * (k % 4) & 255] + (uint32_t)j] = (int64_t)moved;
                    else index_target[first_of[digits[k / 4] >> 8 * (k % 4) & 255] + (uint32_t)j] = moved;
                }
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread == 0) {
        device_fence();
        atomic_add(&signals[96 + 32 * position], (uint32_t)1);
    }
}
