void matmul_split(float first, float second, uint32_t *high, uint32_t *middle, uint32_t *low) {
    *high = gemel_two_bfloats(first, second);
    first = (first - as_float(*high << 16)) * 256.0f;
    second = (second - as_float(*high & 0xffff0000u)) * 256.0f;
    *middle = gemel_two_bfloats(first, second);
    first = (first - as_float(*middle << 16)) * 256.0f;
    second = (second - as_float(*middle & 0xffff0000u)) * 256.0f;
    *low = gemel_two_bfloats(first, second);
}
__kernel RESIDENT_BLOCKS(128, 3) __attribute__((reqd_work_group_size(128, 1, 1))) void matmul(
        __global const float *a,
        __global const float *b,
        __global float *c,
        int64_t a_begin,
        int64_t a_matrix,
        int64_t a_row,
        int64_t a_column,
        int64_t b_begin,
        int64_t b_matrix,
        int64_t b_row,
        int64_t b_column,
        int64_t c_begin,
        int64_t c_matrix,
        int64_t c_row,
        int64_t c_column,
        int64_t rows,
        int64_t columns,
        int64_t inner,
        int64_t tiles_across,
        int64_t tiles_down)
{
    const int64_t a_line = a_row, b_line = b_row;
    __local __attribute__((aligned(128))) float4 shared_slots[2048];
    __local float *const slots = (__local float *)shared_slots;
    const int thread = ((int)get_local_id(0)), warp = thread / 32, lane = thread % 32;
    const uint32_t tiles = (uint32_t)(tiles_across * tiles_down), tile = (uint32_t)((int)get_group_id(0)) % tiles;
    const int64_t matrix = (uint32_t)((int)get_group_id(0)) / tiles;
    const uint32_t band_tiles = 8 * (uint32_t)tiles_across, band = tile / band_tiles, in_band = tile % band_tiles;
    const uint32_t below = (uint32_t)tiles_down - band * 8, height = below < 8 ? below : 8;
    const int64_t first_row = (int64_t)(band * 8 + in_band % height) * 64;
    const int64_t first_column = (int64_t)(in_band / height) * 64;
    const int a_at = thread % 8 * 4, a_of = thread / 8;
    __global const float *a_from = (__global const float *)a + a_begin + matrix * a_matrix
        + first_row * a_line + a_of * a_line + a_at;
    __local float *const a_to = slots + a_of * 32
        + (a_at / 4 ^ a_of % 8) * 4 + a_at % 4 + 0;
    const int64_t a_next = 16 * a_line;
    const int a_extent = (int)(rows - first_row < 64 ? rows - first_row : 64);
    const int b_at = thread % 16 * 4, b_of = thread / 16;
    __global const float *b_from = (__global const float *)b + b_begin + matrix * b_matrix
        + first_column + b_of * b_line + b_at;
    __local float *const b_to = slots + b_of * 64
        + (b_at / 8 ^ b_of % 4) * 8 + b_at % 8 + 2048;
    const int64_t b_next = 8 * b_line;
    const int b_extent = (int)(columns - first_column < 64 ? columns - first_column : 64);
    const int is_whole = a_extent == 64 && b_extent == 64;
    const int warp_row = warp / 2 * 32, warp_column = warp % 2 * 32;
    const int group = lane / 4, quad = lane % 4;
    const int a_group = lane / 16 ^ lane % 8;
    float sums[2][4][4];
    float rest[2][4][4];
#pragma unroll
    for (int r = 0; r < 2; ++r) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                sums[r][k][i] = 0;
                rest[r][k][i] = 0;
            }
        }
    }
    const int steps = (int)((inner + 31) / 32);
    const int whole_steps = (int)(inner / 32), last_depth = (int)(inner % 32);
    int slot = 0, next_slot = 0;
    int step = -1;
    do {
        if (step >= 0) {
            gemel_await_copies_0();
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (step < steps - 1) {
            const int own_depth = step + 1 < whole_steps ? 32 : last_depth;
            if (is_whole && own_depth == 32) {
                {
                    __local float *const to = a_to + next_slot * 4096;
#pragma unroll
                    for (int k = 0; k < 4; ++k)
                        gemel_copy_async_16(to + k * 512, a_from + k * a_next, 16);
                }
                {
                    __local float *const to = b_to + next_slot * 4096;
#pragma unroll
                    for (int k = 0; k < 4; ++k)
                        gemel_copy_async_16(to + k * 512, b_from + k * b_next, 16);
                }
            } else {
                {
                    __local float *const to = a_to + next_slot * 4096;
                    if (own_depth % 4 != 0) {
                        // The array may end within an access.
                        for (int k = 0; k < 4; ++k) {
                            const int inside = a_of + k * 16 < a_extent ? own_depth - a_at : 0;
                            if (inside <= 0 || inside >= 4) {
                                gemel_copy_async_16(to + k * 512, a_from + k * a_next, inside > 0 ? 16 : 0);
                                continue;
                            }
                            for (int e = 0; e < 4; ++e)
                                to[k * 512 + e] = e < inside ? a_from[k * a_next + e] : 0;
                        }
                    } else
                    for (int k = 0; k < 4; ++k) {
                        const int inside = a_of + k * 16 < a_extent ? own_depth - a_at : 0;
                        gemel_copy_async_16(to + k * 512, a_from + k * a_next, inside > 0 ? 16 : 0);
                    }
                }
                {
                    __local float *const to = b_to + next_slot * 4096;
                    if (b_extent % 4 != 0) {
                        // The array may end within an access.
                        for (int k = 0; k < 4; ++k) {
                            const int inside = b_of + k * 8 < own_depth ? b_extent - b_at : 0;
                            if (inside <= 0 || inside >= 4) {
                                gemel_copy_async_16(to + k * 512, b_from + k * b_next, inside > 0 ? 16 : 0);
                                continue;
                            }
                            for (int e = 0; e < 4; ++e)
                                to[k * 512 + e] = e < inside ? b_from[k * b_next + e] : 0;
                        }
                    } else
                    for (int k = 0; k < 4; ++k) {
                        const int inside = b_of + k * 8 < own_depth ? b_extent - b_at : 0;
                        gemel_copy_async_16(to + k * 512, b_from + k * b_next, inside > 0 ? 16 : 0);
                    }
                }
            }
            a_from += 32;
            b_from += 32 * b_line;
            next_slot = next_slot == 1 ? 0 : next_slot + 1;
        }
        gemel_commit_copies();
        if (step < 0) continue;
        __local const float *const a_slot = slots + slot * 4096;
        __local const float *const b_slot = a_slot + 2048;
#pragma unroll
        for (int d_16 = 0; d_16 < 32; d_16 += 16) {
            uint32_t a_high[2][4], a_middle[2][4], a_low[2][4];
            uint32_t b_high[4][2], b_middle[4][2], b_low[4][2];
#pragma unroll
            for (int pass = 0; pass < 2; ++pass) {
                const int d = d_16 + 8 * pass;
                uint32_t a_part[2][4], b_part[4][2];
#pragma unroll
                for (int r = 0; r < 2; ++r) {
                    gemel_load_matrices(a_part[r], a_slot + (warp_row + 16 * r + lane % 16) * 32 + (a_group ^ d / 4) * 4);
                }
#pragma unroll
                for (int k = 0; k < 4; k += 4) {
#pragma unroll
                    for (int i = 0; i < 2; ++i) {
                        const float4 next = *(__local const float4 *)(b_slot + (d + quad + i * 4) * 64 + warp_column + 8 * k + (4 * group ^ quad * 8));
                        b_part[k][i] = as_uint(next.x);
                        b_part[k + 1][i] = as_uint(next.y);
                        b_part[k + 2][i] = as_uint(next.z);
                        b_part[k + 3][i] = as_uint(next.w);
                    }
                }
#pragma unroll
                for (int r = 0; r < 2; ++r) {
#pragma unroll
                    for (int i = 0; i < 2; ++i)
                        matmul_split(as_float(a_part[r][i]), as_float(a_part[r][i + 2]), &a_high[r][2 * pass + i], &a_middle[r][2 * pass + i], &a_low[r][2 * pass + i]);
                }
#pragma unroll
                for (int k = 0; k < 4; ++k)
                    matmul_split(as_float(b_part[k][0]), as_float(b_part[k][1]), &b_high[k][pass], &b_middle[k][pass], &b_low[k][pass]);
            }
#pragma unroll
            for (int r = 0; r < 2; ++r) {
#pragma unroll
                for (int k = 0; k < 4; ++k) {
                    float small[4] = {0, 0, 0, 0}, large[4] = {0, 0, 0, 0};
                    gemel_multiply_bfloat16(small, a_middle[r], b_middle[k]);
                    gemel_multiply_bfloat16(small, a_high[r], b_low[k]);
                    gemel_multiply_bfloat16(small, a_low[r], b_high[k]);
#pragma unroll
                    for (int i = 0; i < 4; ++i) small[i] *= 0.00390625f;
                    gemel_multiply_bfloat16(small, a_high[r], b_middle[k]);
                    gemel_multiply_bfloat16(small, a_middle[r], b_high[k]);
                    gemel_multiply_bfloat16(large, a_high[r], b_high[k]);
#pragma unroll
                    for (int i = 0; i < 4; ++i) {
                        const float sum = sums[r][k][i] + large[i];
                        rest[r][k][i] += large[i] - (sum - sums[r][k][i]);
                        rest[r][k][i] += small[i] * 0.00390625f;
                        sums[r][k][i] = sum;
                    }
                }
            }
        }
        slot = slot == 1 ? 0 : slot + 1;
    } while (++step < steps);
    c += c_begin + matrix * c_matrix;
    uint64_t unknown = 0;
    const int stores_wide = c_column == 1 && c_row % 4 == 0 && (size_t)c % 16 == 0;
#pragma unroll
    for (int r = 0; r < 2; ++r) {
#pragma unroll
        for (int k = 0; k < 4; k += 4) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const int64_t own_row = first_row + warp_row + 16 * r + group + i / 2 * 8;
                const int64_t begin_column = first_column + warp_column + 8 * k + 4 * (2 * quad + i % 2);
                if (own_row >= rows || begin_column >= columns) continue;
                float out[4];
                int skipped = 0;
#pragma unroll
                for (int e = 0; e < 4; ++e) {
                    const int64_t own_column = begin_column + e;
                    if (own_column >= columns) continue;
                    const float sum = sums[r][k + e][i] + rest[r][k + e][i];
                    if ((as_uint(sum) & 0x7fffffffu) >= 0x7f800000u) {
                        const int place = ((r * 4 + k + e) * 4 + i);
                            unknown |= (uint64_t)1 << place;
                        skipped |= 1 << e;
                        continue;
                    }
                    out[e] = sum;
                }
                __global float *const to = c + own_row * c_row + begin_column * c_column;
                if (stores_wide && begin_column + 4 <= columns && skipped == 0) {
                    float4 all;
                    all.x = out[0];
                    all.y = out[1];
                    all.z = out[2];
                    all.w = out[3];
                    *(__global float4 *)to = all;
                    continue;
                }
#pragma unroll
                for (int e = 0; e < 4; ++e) {
                    if (begin_column + e < columns && (skipped >> e & 1) == 0) to[e * c_column] = out[e];
                }
            }
        }
    }
    for (int e = 0; unknown >> e != 0 && e < 32; ++e) {
        if ((unknown >> e & 1) == 0) continue;
        const int64_t own_row = first_row + warp_row + e / 16 * 16 + group + e / 2 % 2 * 8;
        const int tile = e / 4 % 4;
        const int64_t own_column = first_column + warp_column + tile / 4 * 32 + 4 * (2 * quad + e % 2) + tile % 4;
        float sum = 0;
        for (int64_t d = 0; d < inner; ++d)
            sum += a[a_begin + matrix * a_matrix + own_row * a_row + d * a_column] * b[b_begin + matrix * b_matrix + d * b_row + own_column * b_column];
        c[own_row * c_row + own_column * c_column] = sum;
    }
}
