typedef union { uint4 words[1]; uint32_t parts[4]; } pack_float16_t_x8;
float16_t pack_float16_t_x8_lane(uint32_t part, int at) {
    float16_t value;
    value.bits = (uint16_t)(part >> 16 * at);
    return value;
}
uint32_t pack_float16_t_x8_with(uint32_t part, int at, float16_t value) {
    return (part & ~(0xffffu << 16 * at)) | (uint32_t)(uint16_t)value.bits << 16 * at;
}
float sums_scan(float a, float b) {
    return a+b;
}
typedef union { float item; uint32_t words[1]; } sums_words;
float sums_shuffle_up(float item, int delta) {
    sums_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle_up(own.words[w], delta);
    return other.item;
}
float sums_shuffle(float item, int lane) {
    sums_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle(own.words[w], lane);
    return other.item;
}
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void sums(
        __global const float16_t *x,
        __global float16_t *out,
        volatile __global uint64_t *states,
        __global uint32_t *ticket,
        uint32_t first_ticket,
        uint32_t epoch,
        int n)
{
    __local float warp_totals[8];
    __local int dealt[1];
    __local float tile_prefix[1];
    const int thread = ((int)get_local_id(0));
    // Tiles are dealt in the order in which blocks begin, so that those waited for are running.
    if (thread == 0) dealt[0] = (int)(atomic_add(ticket, (uint32_t)1) - first_ticket);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int tile = dealt[0];
    const int warp = thread / 32, lane = thread % 32;
    const int first = tile * 4096 + warp * 512 + lane * 8;
    float v[16];
    pack_float16_t_x8 x_pack[2];
    pack_float16_t_x8 out_pack[2];
    if (tile < n / 4096) {
#pragma unroll
        for (int row = 0; row < 2; ++row) {
            x_pack[row].words[0] = ((__global const uint4 *)x)[(first + row * 256 + 0) / 8];
        }
#pragma unroll
        for (int row = 0; row < 2; ++row) {
#pragma unroll
            for (int e = 0; e < 8; ++e) {
                const int i = first + row * 256 + e;
                const float x_i = load_float16(pack_float16_t_x8_lane(x_pack[row].parts[e / 2], e % 2));
                float out_i;
                v[row * 8 + e] = x_i;
            }
        }
    }
    else {
#pragma unroll
        for (int row = 0; row < 2; ++row) {
#pragma unroll
            for (int e = 0; e < 8; ++e) {
                const int i = first + row * 256 + e < n ? first + row * 256 + e : n - 1;
                const float x_i = load_float16(x[i]);
                float out_i;
                v[row * 8 + e] = x_i;
            }
        }
    }
#pragma unroll
    for (int row = 0; row < 2; ++row) {
#pragma unroll
        for (int e = 1; e < 8; ++e) {
            v[row * 8 + e] = sums_scan(v[row * 8 + (e - 1)], v[row * 8 + e]);
        }
    }
    // Runs are scanned across each warp, row by row, then warps in shared memory.
    float before[2];
    float carry;
#pragma unroll
    for (int row = 0; row < 2; ++row) {
        float run = v[row * 8 + 7];
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
    barrier(CLK_LOCAL_MEM_FENCE);
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
    barrier(CLK_LOCAL_MEM_FENCE);
    // What comes before the warp, in this tile and in those before it.
    float outer = before_warp;
    const int has_outer = (tile > 0) || warp > 0;
    if ((tile > 0)) outer = warp > 0 ? sums_scan(tile_prefix[0], before_warp) : tile_prefix[0];
#pragma unroll
    for (int row = 0; row < 2; ++row) {
        const int has_before = has_outer || (row > 0 || lane > 0);
        if (has_outer) before[row] = (row > 0 || lane > 0) ? sums_scan(outer, before[row]) : outer;
        if (has_before) {
#pragma unroll
            for (int e = 0; e < 8; ++e) {
                v[row * 8 + e] = sums_scan(before[row], v[row * 8 + e]);
            }
        }
        if (tile < n / 4096) {
#pragma unroll
            for (int e = 0; e < 8; ++e) {
                const int i = first + row * 256 + e;
                const float x_i = load_float16(pack_float16_t_x8_lane(x_pack[row].parts[e / 2], e % 2));
                float out_i;
                const float item = v[row * 8 + e];
                float prev_item = 0;
                if ((e > 0 || has_before)) prev_item = (e > 0 ? v[row * 8 + (e > 0 ? e - 1 : 0)] : before[row]);
                out_i = prev_item;
                out_pack[row].parts[e / 2] = pack_float16_t_x8_with(out_pack[row].parts[e / 2], e % 2, store_float16(out_i));
            }
            ((__global uint4 *)out)[(first + row * 256 + 0) / 8] = out_pack[row].words[0];
        }
        else {
#pragma unroll
            for (int e = 0; e < 8; ++e) {
                const int i = first + row * 256 + e;
                if (i < n) {
                    const float x_i = load_float16(x[i]);
                    float out_i;
                    const float item = v[row * 8 + e];
                    float prev_item = 0;
                    if ((e > 0 || has_before)) prev_item = (e > 0 ? v[row * 8 + (e > 0 ? e - 1 : 0)] : before[row]);
                    out_i = prev_item;
                    out[i] = store_float16(out_i);
                }
            }
        }
    }
}
