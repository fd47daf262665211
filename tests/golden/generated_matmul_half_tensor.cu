extern "C" __global__ RESIDENT_BLOCKS(128, 2) __launch_bounds__(128) void matmul(
        const float16_t *a,
        const float16_t *b,
        float16_t *c,
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
        int64_t tiles_down,
        SHARED_ARENA)
{
    const int64_t a_line = a_row, b_line = b_row;
    uint16_t *const slots = (uint16_t *)shared_arena;
    const int thread = ((int)threadIdx.x), warp = thread / 32, lane = thread % 32;
    const uint32_t tiles = (uint32_t)(tiles_across * tiles_down), tile = (uint32_t)((int)blockIdx.x) % tiles;
    const int64_t matrix = (uint32_t)((int)blockIdx.x) / tiles;
    const uint32_t band_tiles = 8 * (uint32_t)tiles_across, band = tile / band_tiles, in_band = tile % band_tiles;
    const uint32_t below = (uint32_t)tiles_down - band * 8, height = below < 8 ? below : 8;
    const int64_t first_row = (int64_t)(band * 8 + in_band % height) * 128;
    const int64_t first_column = (int64_t)(in_band / height) * 128;
    const int a_at = thread % 8 * 8, a_of = thread / 8;
    const uint16_t *a_from = (const uint16_t *)a + a_begin + matrix * a_matrix
        + first_row * a_line + a_of * a_line + a_at;
    uint16_t *const a_to = slots + a_of * 64
        + (a_at / 8 ^ a_of % 8) * 8 + a_at % 8 + 0;
    const int64_t a_next = 16 * a_line;
    const int a_extent = (int)(rows - first_row < 128 ? rows - first_row : 128);
    const int b_at = thread % 16 * 8, b_of = thread / 16;
    const uint16_t *b_from = (const uint16_t *)b + b_begin + matrix * b_matrix
        + first_column + b_of * b_line + b_at;
    uint16_t *const b_to = slots + b_of * 128
        + (b_at / 8 ^ b_of % 8) * 8 + b_at % 8 + 8192;
    const int64_t b_next = 8 * b_line;
    const int b_extent = (int)(columns - first_column < 128 ? columns - first_column : 128);
    const int is_whole = a_extent == 128 && b_extent == 128;
    const int warp_row = warp / 2 * 64, warp_column = warp % 2 * 64;
    const int group = lane / 4, quad = lane % 4;
    const int a_group = lane / 16 ^ lane % 8;
    const int b_group = (warp_column / 8 + lane / 16) ^ lane % 8;
    float sums[4][8][4];
#pragma unroll
    for (int r = 0; r < 4; ++r) {
#pragma unroll
        for (int k = 0; k < 8; ++k) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                sums[r][k][i] = 0;
            }
        }
    }
    const int steps = (int)((inner + 63) / 64);
    const int whole_steps = (int)(inner / 64), last_depth = (int)(inner % 64);
    int slot = 0, next_slot = 0;
    int step = -2;
    do {
        if (step >= 0) {
            gemel_await_copies_1();
            __syncthreads();
        }
        if (step < steps - 2) {
            const int own_depth = step + 2 < whole_steps ? 64 : last_depth;
            if (is_whole && own_depth == 64) {
                {
                    uint16_t *const to = a_to + next_slot * 16384;
#pragma unroll
                    for (int k = 0; k < 8; ++k)
                        gemel_copy_async_16(to + k * 1024, a_from + k * a_next, 16);
                }
                {
                    uint16_t *const to = b_to + next_slot * 16384;
#pragma unroll
                    for (int k = 0; k < 8; ++k)
                        gemel_copy_async_16(to + k * 1024, b_from + k * b_next, 16);
                }
            } else {
                {
                    uint16_t *const to = a_to + next_slot * 16384;
                    if (own_depth % 8 != 0) {
                        // The array may end within an access.
                        for (int k = 0; k < 8; ++k) {
                            const int inside = a_of + k * 16 < a_extent ? own_depth - a_at : 0;
                            if (inside <= 0 || inside >= 8) {
                                gemel_copy_async_16(to + k * 1024, a_from + k * a_next, inside > 0 ? 16 : 0);
                                continue;
                            }
                            for (int e = 0; e < 8; ++e)
                                to[k * 1024 + e] = e < inside ? a_from[k * a_next + e] : 0;
                        }
                    } else
                    for (int k = 0; k < 8; ++k) {
                        const int inside = a_of + k * 16 < a_extent ? own_depth - a_at : 0;
                        gemel_copy_async_16(to + k * 1024, a_from + k * a_next, inside > 0 ? 16 : 0);
                    }
                }
                {
                    uint16_t *const to = b_to + next_slot * 16384;
                    if (b_extent % 8 != 0) {
                        // The array may end within an access.
                        for (int k = 0; k < 8; ++k) {
                            const int inside = b_of + k * 8 < own_depth ? b_extent - b_at : 0;
                            if (inside <= 0 || inside >= 8) {
                                gemel_copy_async_16(to + k * 1024, b_from + k * b_next, inside > 0 ? 16 : 0);
                                continue;
                            }
                            for (int e = 0; e < 8; ++e)
                                to[k * 1024 + e] = e < inside ? b_from[k * b_next + e] : 0;
                        }
                    } else
                    for (int k = 0; k < 8; ++k) {
                        const int inside = b_of + k * 8 < own_depth ? b_extent - b_at : 0;
                        gemel_copy_async_16(to + k * 1024, b_from + k * b_next, inside > 0 ? 16 : 0);
                    }
                }
            }
            a_from += 64;
            b_from += 64 * b_line;
            next_slot = next_slot == 2 ? 0 : next_slot + 1;
        }
        gemel_commit_copies();
        if (step < 0) continue;
        const uint16_t *const a_slot = slots + slot * 16384;
        const uint16_t *const b_slot = a_slot + 8192;
#pragma unroll
        for (int d = 0; d < 64; d += 16) {
            uint32_t a_part[4][4], b_part[8][2];
#pragma unroll
            for (int r = 0; r < 4; ++r) {
                gemel_load_matrices(a_part[r], a_slot + (warp_row + 16 * r + lane % 16) * 64 + (a_group ^ d / 8) * 8);
            }
#pragma unroll
            for (int k = 0; k < 8; k += 2) {
                gemel_load_matrices_turned(b_part[k], b_slot + (d + lane % 16) * 128 + (b_group ^ k) * 8);
            }
#pragma unroll
            for (int r = 0; r < 4; ++r) {
#pragma unroll
                for (int k = 0; k < 8; ++k) {
                    gemel_multiply_float16(sums[r][k], a_part[r], b_part[k]);
                }
            }
        }
        slot = slot == 2 ? 0 : slot + 1;
    } while (++step < steps);
    c += c_begin + matrix * c_matrix;
    const int stores_wide = c_column == 1 && c_row % 2 == 0 && (size_t)c % 4 == 0;
#pragma unroll
    for (int r = 0; r < 4; ++r) {
#pragma unroll
        for (int k = 0; k < 8; ++k) {
#pragma unroll
            for (int i = 0; i < 4; i += 2) {
                const int64_t own_row = first_row + warp_row + 16 * r + group + i / 2 * 8;
                const int64_t begin_column = first_column + warp_column + 8 * k + 2 * quad;
                if (own_row >= rows || begin_column >= columns) continue;
                float16_t out[2];
#pragma unroll
                for (int e = 0; e < 2; ++e) {
                    const int64_t own_column = begin_column + e;
                    if (own_column >= columns) continue;
                    const float sum = sums[r][k][i + e];
                    out[e] = store_float16(sum);
                }
                float16_t *const to = c + own_row * c_row + begin_column * c_column;
                if (stores_wide && begin_column + 2 <= columns) {
                    *(uint32_t *)to = (uint32_t)out[0].bits | (uint32_t)out[1].bits << 16;
                    continue;
                }
#pragma unroll
                for (int e = 0; e < 2; ++e) {
                    if (begin_column + e < columns) to[e * c_column] = out[e];
                }
            }
        }
    }
}
