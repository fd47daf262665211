extern "C" __global__ __launch_bounds__(128) void matmul(
        const bfloat16_t *a,
        const bfloat16_t *b,
        bfloat16_t *c,
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
    const int64_t a_line = a_column, b_line = b_column;
    uint16_t *const slots = gemel_tile_aligned((uint16_t *)shared_arena);
    const int thread = ((int)threadIdx.x), warp = thread / 32, lane = thread % 32;
    const uint32_t tiles = (uint32_t)(tiles_across * tiles_down), tile = (uint32_t)((int)blockIdx.x) % tiles;
    const int64_t matrix = (uint32_t)((int)blockIdx.x) / tiles;
    const uint32_t band_tiles = 8 * (uint32_t)tiles_across, band = tile / band_tiles, in_band = tile % band_tiles;
    const uint32_t below = (uint32_t)tiles_down - band * 8, height = below < 8 ? below : 8;
    const int64_t first_row = (int64_t)(band * 8 + in_band % height) * 64;
    const int64_t first_column = (int64_t)(in_band / height) * 128;
    const int a_at = thread % 8 * 8, a_of = thread / 8;
    const uint16_t *a_from = (const uint16_t *)a + a_begin + matrix * a_matrix
        + first_row + a_of * a_line + a_at;
    uint16_t *const a_to = slots + a_of * 64 + a_at / 64 * 4096
        + (a_at % 64 / 8 ^ a_of % 8) * 8 + 0;
    const int64_t a_next = 16 * a_line;
    const int a_extent = (int)(rows - first_row < 64 ? rows - first_row : 64);
    const int b_at = thread % 8 * 8, b_of = thread / 8;
    const uint16_t *b_from = (const uint16_t *)b + b_begin + matrix * b_matrix
        + first_column * b_line + b_of * b_line + b_at;
    uint16_t *const b_to = slots + b_of * 64
        + (b_at % 64 / 8 ^ b_of % 8) * 8 + 4096;
    const int64_t b_next = 16 * b_line;
    const int b_extent = (int)(columns - first_column < 128 ? columns - first_column : 128);
    const int is_whole = a_extent == 64 && b_extent == 128;
    const int warp_row = warp / 1 * 16, warp_column = warp % 1 * 0;
    const int group = lane / 4, quad = lane % 4;
    float sums[1][16][4];
#pragma unroll
    for (int r = 0; r < 1; ++r) {
#pragma unroll
        for (int k = 0; k < 16; ++k) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                sums[r][k][i] = 0;
            }
        }
    }
    const int steps = (int)((inner + 63) / 64);
    const int whole_steps = (int)(inner / 64), last_depth = (int)(inner % 64);
    int slot = 0, next_slot = 0;
    int step = -3;
    do {
        if (step >= 0) {
            gemel_await_copies_2();
            gemel_show_copies_to_tiles();
            __syncthreads();
        }
        if (step < steps - 3) {
            const int own_depth = step + 3 < whole_steps ? 64 : last_depth;
            if (is_whole && own_depth == 64) {
                {
                    uint16_t *const to = a_to + next_slot * 12288;
#pragma unroll
                    for (int k = 0; k < 4; ++k)
                        gemel_copy_async_16(to + k * 1024, a_from + k * a_next, 16);
                }
                {
                    uint16_t *const to = b_to + next_slot * 12288;
#pragma unroll
                    for (int k = 0; k < 8; ++k)
                        gemel_copy_async_16(to + k * 1024, b_from + k * b_next, 16);
                }
            } else {
                {
                    uint16_t *const to = a_to + next_slot * 12288;
                    if (a_extent % 8 != 0) {
                        // The array may end within an access.
                        for (int k = 0; k < 4; ++k) {
                            const int inside = a_of + k * 16 < own_depth ? a_extent - a_at : 0;
                            if (inside <= 0 || inside >= 8) {
                                gemel_copy_async_16(to + k * 1024, a_from + k * a_next, inside > 0 ? 16 : 0);
                                continue;
                            }
                            for (int e = 0; e < 8; ++e)
                                to[k * 1024 + e] = e < inside ? a_from[k * a_next + e] : 0;
                        }
                    } else
                    for (int k = 0; k < 4; ++k) {
                        const int inside = a_of + k * 16 < own_depth ? a_extent - a_at : 0;
                        gemel_copy_async_16(to + k * 1024, a_from + k * a_next, inside > 0 ? 16 : 0);
                    }
                }
                {
                    uint16_t *const to = b_to + next_slot * 12288;
                    if (own_depth % 8 != 0) {
                        // The array may end within an access.
                        for (int k = 0; k < 8; ++k) {
                            const int inside = b_of + k * 16 < b_extent ? own_depth - b_at : 0;
                            if (inside <= 0 || inside >= 8) {
                                gemel_copy_async_16(to + k * 1024, b_from + k * b_next, inside > 0 ? 16 : 0);
                                continue;
                            }
                            for (int e = 0; e < 8; ++e)
                                to[k * 1024 + e] = e < inside ? b_from[k * b_next + e] : 0;
                        }
                    } else
                    for (int k = 0; k < 8; ++k) {
                        const int inside = b_of + k * 16 < b_extent ? own_depth - b_at : 0;
                        gemel_copy_async_16(to + k * 1024, b_from + k * b_next, inside > 0 ? 16 : 0);
                    }
                }
            }
            a_from += 64 * a_line;
            b_from += 64;
            next_slot = next_slot == 4 ? 0 : next_slot + 1;
        }
        gemel_commit_copies();
        if (step < 0) continue;
        const uint16_t *const a_slot = slots + slot * 12288;
        const uint16_t *const b_slot = a_slot + 4096;
        {
            const uint64_t b_tile = gemel_tile(b_slot, 0);
            const uint64_t a_tile = gemel_tile(a_slot + warp / 4 * 4096, 8192);
            gemel_begin_tiles();
#pragma unroll
            for (int d = 0; d < 4; ++d)
                gemel_multiply_tiles_bfloat16_128<1, 0>(sums[0][0], a_tile + d * 128, b_tile + d * 2);
            gemel_commit_tiles();
            gemel_await_tiles_1();
        }
        slot = slot == 4 ? 0 : slot + 1;
    } while (++step < steps);
    c += c_begin + matrix * c_matrix;
    gemel_await_tiles_0();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
#pragma unroll
        for (int i = 0; i < 4; ++i) gemel_after_tiles(&sums[0][k][i]);
    }
    __syncthreads();
    float *const staged = (float *)slots;
#pragma unroll
    for (int k = 0; k < 16; ++k) {
#pragma unroll
        for (int i = 0; i < 4; ++i)
            staged[(warp_row + group + i / 2 * 8) * 136 + 8 * k + 2 * quad + i % 2] = sums[0][k][i];
    }
    __syncthreads();
    for (int r = thread / 128; r < 64; r += 1) {
#pragma unroll
        for (int k = thread % 128; k < 128; k += 128) {
            const int64_t own_row = first_row + r, own_column = first_column + k;
            if (!is_whole && (own_row >= rows || own_column >= columns)) continue;
            const float sum = staged[r * 136 + k];
            c[own_row * c_row + own_column * c_column] = store_bfloat16(sum);
        }
    }
}
