__device__ void matmul_split(float first, float second, uint32_t *high, uint32_t *middle, uint32_t *low) {
    *high = gemel_two_bfloats(first, second);
    first = (first - as_float(*high << 16)) * 256.0f;
    second = (second - as_float(*high & 0xffff0000u)) * 256.0f;
    *middle = gemel_two_bfloats(first, second);
    first = (first - as_float(*middle << 16)) * 256.0f;
    second = (second - as_float(*middle & 0xffff0000u)) * 256.0f;
    *low = gemel_two_bfloats(first, second);
}
extern "C" __global__ RESIDENT_BLOCKS(128, 3) __launch_bounds__(128) void matmul(
        const float *a,
        const float *b,
        float *c,
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
    const int64_t a_line = a_row, b_line = b_column;
    __shared__ __align__(128) float4 shared_slots[2048];
    float *const slots = (float *)shared_slots;
    const int thread = ((int)threadIdx.x), warp = thread / 32, lane = thread % 32;
    const uint32_t tiles = (uint32_t)(tiles_across * tiles_down), tile = (uint32_t)((int)blockIdx.x) % tiles;
    const int64_t matrix = (uint32_t)((int)blockIdx.x) / tiles;
    const uint32_t band_tiles = 8 * (uint32_t)tiles_across, band = tile / band_tiles, in_band = tile % band_tiles;
    const uint32_t below = (uint32_t)tiles_down - band * 8, height = below < 8 ? below : 8;
    const int64_t first_row = (int64_t)(band * 8 + in_band % height) * 64;
    const int64_t first_column = (int64_t)(in_band / height) * 64;
    const int a_at = thread % 8 * 4, a_of = thread / 8;
    const float *a_from = (const float *)a + a_begin + matrix * a_matrix
        + first_row * a_line + a_of * a_line + a_at;
    float *const a_to = slots + a_of * 32
        + (a_at / 4 ^ a_of % 8) * 4 + a_at % 4 + 0;
    const int64_t a_next = 16 * a_line;
    const int a_extent = (int)(rows - first_row < 64 ? rows - first_row : 64);
    const int b_at = thread % 8 * 4, b_of = thread / 8;
    const float *b_from = (const float *)b + b_begin + matrix * b_matrix
        + first_column * b_line + b_of * b_line + b_at;
    float *const b_to = slots + b_of * 32
        + (b_at / 4 ^ b_of % 8) * 4 + b_at % 4 + 2048;
    const int64_t b_next = 16 * b_line;
    const int b_extent = (int)(columns - first_column < 64 ? columns - first_column : 64);
    const int is_whole = a_extent == 64 && b_extent == 64;
    const int warp_row = warp / 2 * 32, warp_column = warp % 2 * 32;
    const int group = lane / 4, quad = lane % 4;
    const int a_group = lane / 16 ^ lane % 8;
    const int b_group = lane / 8 % 2 ^ lane % 8;
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
            __syncthreads();
        }
        if (step < steps - 1) {
            const int own_depth = step + 1 < whole_steps ? 32 : last_depth;
            if (is_whole && own_depth == 32) {
                {
                    float *const to = a_to + next_slot * 4096;
#pragma unroll
                    for (int k = 0; k < 4; ++k)
                        gemel_copy_async_16(to + k * 512, a_from + k * a_next, 16);
                }
                {
                    float *const to = b_to + next_slot * 4096;
#pragma unroll
                    for (int k = 0; k < 4; ++k)
                        gemel_copy_async_16(to + k * 512, b_from + k * b_next, 16);
                }
            } else {
                {
                    float *const to = a_to + next_slot * 4096;
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
                    float *const to = b_to + next_slot * 4096;
                    if (own_depth % 4 != 0) {
                        // The array may end within an access.
                        for (int k = 0; k < 4; ++k) {
                            const int inside = b_of + k * 16 < b_extent ? own_depth - b_at : 0;
                            if (inside <= 0 || inside >= 4) {
                                gemel_copy_async_16(to + k * 512, b_from + k * b_next, inside > 0 ? 16 : 0);
                                continue;
                            }
                            for (int e = 0; e < 4; ++e)
                                to[k * 512 + e] = e < inside ? b_from[k * b_next + e] : 0;
                        }
                    } else
                    for (int k = 0; k < 4; ++k) {
                        const int inside = b_of + k * 16 < b_extent ? own_depth - b_at : 0;
                        gemel_copy_async_16(to + k * 512, b_from + k * b_next, inside > 0 ? 16 : 0);
                    }
                }
            }
            a_from += 32;
            b_from += 32;
            next_slot = next_slot == 1 ? 0 : next_slot + 1;
        }
        gemel_commit_copies();
        if (step < 0) continue;
        const float *const a_slot = slots + slot * 4096;
        const float *const b_slot = a_slot + 2048;
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
                for (int k = 0; k < 4; k += 2) {
                    gemel_load_matrices(b_part[k], b_slot + (warp_column + 8 * k + lane % 8 + lane / 16 * 8) * 32 + (b_group ^ d / 4) * 4);
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
    const int stores_wide = c_column == 1 && c_row % 2 == 0 && (size_t)c % 8 == 0;
#pragma unroll
    for (int r = 0; r < 2; ++r) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
#pragma unroll
            for (int i = 0; i < 4; i += 2) {
                const int64_t own_row = first_row + warp_row + 16 * r + group + i / 2 * 8;
                const int64_t begin_column = first_column + warp_column + 8 * k + 2 * quad;
                if (own_row >= rows || begin_column >= columns) continue;
                float out[2];
                int skipped = 0;
#pragma unroll
                for (int e = 0; e < 2; ++e) {
                    const int64_t own_column = begin_column + e;
                    if (own_column >= columns) continue;
                    const float sum = sums[r][k][i + e] + rest[r][k][i + e];
                    if ((as_uint(sum) & 0x7fffffffu) >= 0x7f800000u) {
                        const int place = ((r * 4 + k) * 4 + i + e);
                            unknown |= (uint64_t)1 << place;
                        skipped |= 1 << e;
                        continue;
                    }
                    out[e] = sum;
                }
                float *const to = c + own_row * c_row + begin_column * c_column;
                if (stores_wide && begin_column + 2 <= columns && skipped == 0) {
                    float2 all;
                    all.x = out[0];
                    all.y = out[1];
                    *(float2 *)to = all;
                    continue;
                }
#pragma unroll
                for (int e = 0; e < 2; ++e) {
                    if (begin_column + e < columns && (skipped >> e & 1) == 0) to[e * c_column] = out[e];
                }
            }
        }
    }
    for (int e = 0; unknown >> e != 0 && e < 32; ++e) {
        if ((unknown >> e & 1) == 0) continue;
        const int64_t own_row = first_row + warp_row + e / 16 * 16 + group + e / 2 % 2 * 8;
        const int64_t own_column = first_column + warp_column + e / 4 % 4 * 8 + 2 * quad + e % 2;
        float sum = 0;
        for (int64_t d = 0; d < inner; ++d)
            sum += a[a_begin + matrix * a_matrix + own_row * a_row + d * a_column] * b[b_begin + matrix * b_matrix + d * b_row + own_column * b_column];
        c[own_row * c_row + own_column * c_column] = sum;
    }
}
