typedef union { uint4 words[2]; double value[4]; } pack_double_x4;
typedef union { uint32_t words[1]; uint32_t parts[1]; } pack_int8_t_x4;
int8_t pack_int8_t_x4_lane(uint32_t part, int at) {
    return (int8_t)(part >> 8 * at);
}
uint32_t pack_int8_t_x4_with(uint32_t part, int at, int8_t value) {
    return (part & ~(0xffu << 8 * at)) | (uint32_t)(uint8_t)value << 8 * at;
}
typedef struct { double value; int starts; } segments_item;
double segments_combine(double a, double b, int across_seg_boundary) {
    return across_seg_boundary ? b : (a+b);
}
segments_item segments_scan(segments_item a, segments_item b) {
    segments_item both;
    both.value = segments_combine(a.value, b.value, b.starts);
    both.starts = a.starts | b.starts;
    return both;
}
typedef union { segments_item item; uint32_t words[4]; } segments_words;
segments_item segments_shuffle_up(segments_item item, int delta) {
    segments_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 4; ++w) other.words[w] = gemel_shuffle_up(own.words[w], delta);
    return other.item;
}
segments_item segments_shuffle(segments_item item, int lane) {
    segments_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 4; ++w) other.words[w] = gemel_shuffle(own.words[w], lane);
    return other.item;
}
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void segments(
        __global const double *x,
        __global const int8_t *starts,
        __global double *out,
        __global double *before,
        volatile __global uint64_t *states,
        __global uint32_t *ticket,
        uint32_t first_ticket,
        uint32_t epoch,
        int n)
{
    __local segments_item warp_totals[8];
    __local int dealt[1];
    __local segments_item tile_prefix[1];
    const int thread = ((int)get_local_id(0));
    // Tiles are dealt in the order in which blocks begin, so that those waited for are running.
    if (thread == 0) dealt[0] = (int)(atomic_add(ticket, (uint32_t)1) - first_ticket);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int tile = dealt[0];
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
            x_pack[row].words[0] = ((__global const uint4 *)x)[(first + row * 128 + 0) / 4 * 2];
            x_pack[row].words[1] = ((__global const uint4 *)x)[(first + row * 128 + 0) / 4 * 2 + 1];
            starts_pack[row].words[0] = ((__global const uint32_t *)starts)[(first + row * 128 + 0) / 4];
            out_pack[row].words[0] = ((__global const uint4 *)out)[(first + row * 128 + 0) / 4 * 2];
            out_pack[row].words[1] = ((__global const uint4 *)out)[(first + row * 128 + 0) / 4 * 2 + 1];
            before_pack[row].words[0] = ((__global const uint4 *)before)[(first + row * 128 + 0) / 4 * 2];
            before_pack[row].words[1] = ((__global const uint4 *)before)[(first + row * 128 + 0) / 4 * 2 + 1];
        }
#pragma unroll
        for (int row = 0; row < 4; ++row) {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int i = first + row * 128 + e;
                const double x_i = x_pack[row].value[e];
                const int8_t starts_i = pack_int8_t_x4_lane(starts_pack[row].parts[e / 4], e % 4);
                double out_i = out_pack[row].value[e];
                double before_i = before_pack[row].value[e];
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
    barrier(CLK_LOCAL_MEM_FENCE);
    segments_item total = warp_totals[0];
    segments_item before_warp = total;
#pragma unroll
    for (int w = 1; w < 8; ++w) {
        total = segments_scan(total, warp_totals[w]);
        if (w < warp) before_warp = total;
    }
    if (warp == 0) {
        if (lane == 0) {
            {
                segments_words bits;
                bits.item = total;
#pragma unroll
                for (int w = 0; w < 4; ++w) {
                    states[tile * 4 + w] = (uint64_t)(epoch * 4 + (tile == 0 ? 2 : 1)) << 32 | bits.words[w];
                }
            }
        }
        if (tile > 0) {
            segments_item so_far;
            int any = 0;
            for (int base = tile - 1; ; base -= 32) {
                const int at = base - lane;
                uint32_t state = 2;  // before the first tile there is nothing to wait for
                segments_item theirs = total;
                if (at >= 0) {
                    uint64_t word[4];
                    int torn;  // words are written one by one: all must say the same
                    do {
#pragma unroll
                        for (int w = 0; w < 4; ++w) {
                            word[w] = states[at * 4 + w];
                        }
                        torn = (uint32_t)(word[0] >> 34) != epoch;
#pragma unroll
                        for (int w = 1; w < 4; ++w) torn |= word[w] >> 32 != word[0] >> 32;
                    } while (torn);
                    state = (uint32_t)(word[0] >> 32) & 3;
                    segments_words bits;
#pragma unroll
                    for (int w = 0; w < 4; ++w) {
                        bits.words[w] = (uint32_t)word[w];
                    }
                    theirs = bits.item;
                }
                const uint32_t known = gemel_ballot(state == 2);
                int nearest = 31;
                if (known) nearest = 31 - clz((int)(known & (~known + 1)));
                // Tiles up to the nearest that knows all before it, in order: farther ones come first.
#pragma unroll
                for (int delta = 1; delta < 32; delta *= 2) {
                    const segments_item other = segments_shuffle(theirs, (lane + delta) % 32);
                    if (lane + delta <= nearest) theirs = segments_scan(other, theirs);
                }
                so_far = any ? segments_scan(theirs, so_far) : theirs;  // in lane 0
                any = 1;
                if (known) break;
            }
            if (lane == 0) {
                {
                    segments_words bits;
                    bits.item = segments_scan(so_far, total);
#pragma unroll
                    for (int w = 0; w < 4; ++w) {
                        states[tile * 4 + w] = (uint64_t)(epoch * 4 + 2) << 32 | bits.words[w];
                    }
                }
                tile_prefix[0] = so_far;
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    // What comes before the warp, in this tile and in those before it.
    segments_item outer = before_warp;
    const int has_outer = (tile > 0) || warp > 0;
    if ((tile > 0)) outer = warp > 0 ? segments_scan(tile_prefix[0], before_warp) : tile_prefix[0];
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
                double out_i = out_pack[row].value[e];
                double before_i = before_pack[row].value[e];
                const double item = v[row * 4 + e].value;
                double prev_item = 0;
                if ((e > 0 || has_before) && !(own_starts[row] >> e & 1)) prev_item = (e > 0 ? v[row * 4 + (e > 0 ? e - 1 : 0)] : before_[row]).value;
                do {
                    if (i == 0) continue; out_i = item; before_i = prev_item;
                } while (0);
                out_pack[row].value[e] = out_i;
                before_pack[row].value[e] = before_i;
            }
            ((__global uint4 *)out)[(first + row * 128 + 0) / 4 * 2] = out_pack[row].words[0];
            ((__global uint4 *)out)[(first + row * 128 + 0) / 4 * 2 + 1] = out_pack[row].words[1];
            ((__global uint4 *)before)[(first + row * 128 + 0) / 4 * 2] = before_pack[row].words[0];
            ((__global uint4 *)before)[(first + row * 128 + 0) / 4 * 2 + 1] = before_pack[row].words[1];
        }
        else {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int i = first + row * 128 + e;
                if (i < n) {
                    const double item = v[row * 4 + e].value;
                    double prev_item = 0;
                    if ((e > 0 || has_before) && !(own_starts[row] >> e & 1)) prev_item = (e > 0 ? v[row * 4 + (e > 0 ? e - 1 : 0)] : before_[row]).value;
                    do {
                        if (i == 0) continue; out[i] = item; before[i] = prev_item;
                    } while (0);
                }
            }
        }
    }
}
