typedef union { uint4 words[1]; float value[4]; } pack_float_x4;
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
        __global const float *x,
        __global float *out,
        int n,
        int outputs)
{
    __local float warp_totals[16];
    const int thread = ((int)get_local_id(0));
    const int lane = thread % 32;
    const int warp = thread / 32;
    const int given = ((int)get_group_id(0));
    const int is_there = given < outputs;
    const int begin = (is_there ? given : 0) * n;
    const int end = begin + n;
    const int base = begin / 4 * 4;
    const int by_elements = end == n * outputs && end % 4 != 0;  // the array ends within a pack
    pack_float_x4 x_pack[4];
    pack_float_x4 out_pack[4];
    int first = base + warp * 512 + lane * 4;
#pragma unroll
    for (int row = 0; row < 4; ++row) {
        // Beyond the end is the last pack again, whose results are not stored.
        const int wanted = first + row * 128 < end ? first + row * 128 : (end - 1) / 4 * 4;
        if (!by_elements) {
            x_pack[row].words[0] = ((__global const uint4 *)x)[wanted / 4];
        }
    }
    float reached;  // by the tiles before
    int turn = 0;
    for (int from = base; from < end; from += 4096) {
        float v[16];
        if (by_elements) {
#pragma unroll
            for (int row = 0; row < 4; ++row) {
#pragma unroll
                for (int e = 0; e < 4; ++e) {
                    const int wanted = first + row * 128 + e;
                    const int i = wanted < end ? wanted : end - 1;
                    v[row * 4 + e] = x[i];
                }
            }
        }
        else {
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
        if (from + 4096 < end) {
#pragma unroll
            for (int row = 0; row < 4; ++row) {
                const int next = first + 4096 + row * 128;
                const int wanted = next < end ? next : (end - 1) / 4 * 4;
                if (!by_elements) {
                    x_pack[row].words[0] = ((__global const uint4 *)x)[wanted / 4];
                }
            }
        }
        float before[4];
        float carry;
#pragma unroll
        for (int row = 0; row < 4; ++row) {
#pragma unroll
            for (int e = 1; e < 4; ++e) {
                if (row > 0 || first + e > begin) v[row * 4 + e] = sums_scan(v[row * 4 + (e - 1)], v[row * 4 + e]);
            }
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
        if (lane == 0) warp_totals[turn * 8 + warp] = carry;
        barrier(CLK_LOCAL_MEM_FENCE);
        float total = warp_totals[turn * 8 + 0];
        float before_warp = total;
#pragma unroll
        for (int w = 1; w < 8; ++w) {
            total = sums_scan(total, warp_totals[turn * 8 + w]);
            if (w < warp) before_warp = total;
        }
        // What comes before the warp, in this tile and in those before it.
        float outer = before_warp;
        const int has_outer = (from > begin) || warp > 0;
        if ((from > begin)) outer = warp > 0 ? sums_scan(reached, before_warp) : reached;
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
            if (is_there && first + row * 128 < end) {
                if (!by_elements && first + row * 128 >= begin && first + row * 128 + 4 <= end) {
#pragma unroll
                    for (int e = 0; e < 4; ++e) {
                        const int i = first + row * 128 + e;
                        const float x_i = x_pack[row].value[e];
                        float out_i;
                        const float item = v[row * 4 + e];
                        out_i = item;
                        out_pack[row].value[e] = out_i;
                    }
                    ((__global uint4 *)out)[(first + row * 128 + 0) / 4] = out_pack[row].words[0];
                }
                else {
#pragma unroll
                    for (int e = 0; e < 4; ++e) {
                        const int i = first + row * 128 + e;
                        if (i >= begin && i < end) {
                            const float item = v[row * 4 + e];
                            out[i] = item;
                        }
                    }
                }
            }
        }
        reached = from > begin ? sums_scan(reached, total) : total;
        turn ^= 1;
        first += 4096;
    }
}
