extern "C" __global__ RESIDENT_BLOCKS(256, 2) __launch_bounds__(256) void matmul(
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
    const int64_t a_line = a_column, b_line = b_column;
    uint16_t *const slots = gemel_tile_aligned((uint16_t *)shared_arena);
    const int thread = ((int)threadIdx.x), warp = thread / 32, lane = thread % 32;
    const uint32_t tiles = (uint32_t)(tiles_across * tiles_down), tile = (uint32_t)((int)blockIdx.x) % tiles;
    const int64_t matrix = (uint32_t)((int)blockIdx.x) / tiles;
    const uint32_t band_tiles = 8 * (uint32_t)tiles_across, band = tile / band_tiles, in_band = tile % band_tiles;
    const uint32_t below = (uint32_t)tiles_down - band * 8, height = below < 8 ? below : 8;
    const int64_t first_row = (int64_t)(band * 8 + in_band % height) * 128;
    const int64_t first_column = (int64_t)(in_band / height) * 192;
    const int a_at = thread % 8 * 8, a_of = thread / 8;
    const uint16_t *a_from = (const uint16_t *)a + a_begin + matrix * a_matrix
        + first_row + a_of * a_line + a_at;
    uint16_t *const a_to = slots + a_of * 64
        + (a_at / 8 ^ a_of % 8) * 8 + a_at % 8 + 0;
    const int64_t a_next = 64;
    const int a_extent = (int)(rows - first_row < 128 ? rows - first_row : 128);
    const int b_at = thread % 4 * 8, b_of = thread / 4;
    const uint16_t *b_from = (const uint16_t *)b + b_begin + matrix * b_matrix
        + first_column * b_line + b_of * b_line + b_at;
    uint16_t *const b_to = slots + b_of * 32
        + (b_at / 8 ^ b_of % 8 / 2) * 8 + b_at % 8 + 4096;
    const int64_t b_next = 64 * b_line;
    const int b_extent = (int)(columns - first_column < 192 ? columns - first_column : 192);
    const int is_whole = a_extent == 128 && b_extent == 192;
    const int group = lane / 4, quad = lane % 4;
    float sums[96];
#pragma unroll
    for (int i = 0; i < 96; ++i) sums[i] = 0;
    const int steps = (int)((inner + 31) / 32);
    const int whole_steps = (int)(inner / 32), last_depth = (int)(inner % 32);
    int slot = 0, next_slot = 0;
    int step = -1;
    for (; step < 0; ++step) {
        if (step < steps - 1) {
            const int own_depth = step + 1 < whole_steps ? 32 : last_depth;
            if (is_whole && own_depth == 32) {
                {
                    uint16_t *const to = a_to + next_slot * 10240;
#pragma unroll
                    for (int k = 0; k < 2; ++k)
                        gemel_copy_async_16(to + k * 2048, a_from + k * a_next, 16);
                }
                {
                    uint16_t *const to = b_to + next_slot * 10240;
#pragma unroll
                    for (int k = 0; k < 3; ++k)
                        gemel_copy_async_16(to + k * 2048, b_from + k * b_next, 16);
                }
            } else {
                {
                    uint16_t *const to = a_to + next_slot * 10240;
                    if (a_extent % 8 != 0) {
                        // The array may end within an access.
                        for (int k = 0; k < 2; ++k) {
                            const int inside = a_of < own_depth ? a_extent - a_at - k * 64 : 0;
                            if (inside <= 0 || inside >= 8) {
                                gemel_copy_async_16(to + k * 2048, a_from + k * a_next, inside > 0 ? 16 : 0);
                                continue;
                            }
                            for (int e = 0; e < 8; ++e)
                                to[k * 2048 + e] = e < inside ? a_from[k * a_next + e] : 0;
                        }
                    } else
                    for (int k = 0; k < 2; ++k) {
                        const int inside = a_of < own_depth ? a_extent - a_at - k * 64 : 0;
                        gemel_copy_async_16(to + k * 2048, a_from + k * a_next, inside > 0 ? 16 : 0);
                    }
                }
                {
                    uint16_t *const to = b_to + next_slot * 10240;
                    if (own_depth % 8 != 0) {
                        // The array may end within an access.
                        for (int k = 0; k < 3; ++k) {
                            const int inside = b_of + k * 64 < b_extent ? own_depth - b_at : 0;
                            if (inside <= 0 || inside >= 8) {
                                gemel_copy_async_16(to + k * 2048, b_from + k * b_next, inside > 0 ? 16 : 0);
                                continue;
                            }
                            for (int e = 0; e < 8; ++e)
                                to[k * 2048 + e] = e < inside ? b_from[k * b_next + e] : 0;
                        }
                    } else
                    for (int k = 0; k < 3; ++k) {
                        const int inside = b_of + k * 64 < b_extent ? own_depth - b_at : 0;
                        gemel_copy_async_16(to + k * 2048, b_from + k * b_next, inside > 0 ? 16 : 0);
                    }
                }
            }
            a_from += 32 * a_line;
            b_from += 32;
            next_slot = next_slot == 2 ? 0 : next_slot + 1;
        }
        gemel_commit_copies();
    }
    do {
        gemel_await_copies_0();
        gemel_show_copies_to_tiles();
        __syncthreads();
        const uint16_t *const a_slot = slots + slot * 10240, *const b_slot = a_slot + 4096;
        {
            const uint64_t a_tile = gemel_tile(a_slot + warp / 4 * 2048, 4096);
            const uint64_t b_tile = gemel_tile_64(b_slot);
            gemel_begin_tiles();
#pragma unroll
            for (int d = 0; d < 2; ++d) gemel_multiply_tiles_float16_192_mk(sums, a_tile + 128 * d, b_tile + 2 * d);
            gemel_commit_tiles();
        }
        if (step < steps - 1) {
            const int own_depth = step + 1 < whole_steps ? 32 : last_depth;
            if (is_whole && own_depth == 32) {
                {
                    uint16_t *const to = a_to + next_slot * 10240;
#pragma unroll
                    for (int k = 0; k < 2; ++k)
                        gemel_copy_async_16(to + k * 2048, a_from + k * a_next, 16);
                }
                {
                    uint16_t *const to = b_to + next_slot * 10240;
#pragma unroll
                    for (int k = 0; k < 3; ++k)
                        gemel_copy_async_16(to + k * 2048, b_from + k * b_next, 16);
                }
            } else {
                {
                    uint16_t *const to = a_to + next_slot * 10240;
                    if (a_extent % 8 != 0) {
                        // The array may end within an access.
                        for (int k = 0; k < 2; ++k) {
                            const int inside = a_of < own_depth ? a_extent - a_at - k * 64 : 0;
                            if (inside <= 0 || inside >= 8) {
                                gemel_copy_async_16(to + k * 2048, a_from + k * a_next, inside > 0 ? 16 : 0);
                                continue;
                            }
                            for (int e = 0; e < 8; ++e)
                                to[k * 2048 + e] = e < inside ? a_from[k * a_next + e] : 0;
                        }
                    } else
                    for (int k = 0; k < 2; ++k) {
                        const int inside = a_of < own_depth ? a_extent - a_at - k * 64 : 0;
                        gemel_copy_async_16(to + k * 2048, a_from + k * a_next, inside > 0 ? 16 : 0);
                    }
                }
                {
                    uint16_t *const to = b_to + next_slot * 10240;
                    if (own_depth % 8 != 0) {
                        // The array may end within an access.
                        for (int k = 0; k < 3; ++k) {
                            const int inside = b_of + k * 64 < b_extent ? own_depth - b_at : 0;
                            if (inside <= 0 || inside >= 8) {
                                gemel_copy_async_16(to + k * 2048, b_from + k * b_next, inside > 0 ? 16 : 0);
                                continue;
                            }
                            for (int e = 0; e < 8; ++e)
                                to[k * 2048 + e] = e < inside ? b_from[k * b_next + e] : 0;
                        }
                    } else
                    for (int k = 0; k < 3; ++k) {
                        const int inside = b_of + k * 64 < b_extent ? own_depth - b_at : 0;
                        gemel_copy_async_16(to + k * 2048, b_from + k * b_next, inside > 0 ? 16 : 0);
                    }
                }
            }
            a_from += 32 * a_line;
            b_from += 32;
            next_slot = next_slot == 2 ? 0 : next_slot + 1;
        }
        gemel_commit_copies();
        gemel_await_tiles_1();
        slot = slot == 2 ? 0 : slot + 1;
    } while (++step < steps);
    c += c_begin + matrix * c_matrix;
    gemel_await_tiles_0();
#pragma unroll
    for (int i = 0; i < 96; ++i) gemel_after_tiles(&sums[i]);
    __syncthreads();
    float *const staged = (float *)slots + warp * 640;
    const int64_t first_own_row = first_row + warp * 16, first_own_column = first_column;
    const int stores_pairs = c_column == 1 && c_row % 2 == 0 && (size_t)c % 4 == 0;
    const int pair = lane % 16 * 2, first_line = lane / 16;
#pragma unroll
    for (int k = 0; k < 6; ++k) {
        gemel_warp_barrier();
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            const float sum_0 = sums[16 * k + 2 * i + 0];
            const float sum_1 = sums[16 * k + 2 * i + 1];
            float *const to = staged + (group + i % 2 * 8) * 40 + i / 2 * 8 + 2 * quad;
            float2 both;
            both.x = sum_0;
            both.y = sum_1;
            *(float2 *)to = both;
        }
        gemel_warp_barrier();
        const int64_t begin_row = first_own_row, begin_column = first_own_column + 32 * k + pair;
        if (stores_pairs && begin_column + 1 < columns) {
            float16_t *to = c + (begin_row + first_line) * c_row + begin_column;
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                const int r = first_line + 2 * i;
                const int64_t own_row = begin_row + r;
                if (own_row >= rows) continue;
                const float2 both = *(const float2 *)(staged + r * 40 + pair);
                const float sum_0 = both.x, sum_1 = both.y;
                float16_t out[2];
#pragma unroll
                for (int e = 0; e < 2; ++e) {
                    const int64_t own_column = begin_column + e;
                    float sum = e ? sum_1 : sum_0;
                    out[e] = store_float16(sum);
                }
                *(uint32_t *)to = (uint32_t)out[0].bits | (uint32_t)out[1].bits << 16;
                to += 2 * c_row;
            }
            continue;
        }
#pragma unroll 1
        for (int r = first_line; r < 16; r += 2) {
            const int64_t own_row = begin_row + r;
            if (own_row >= rows) break;
#pragma unroll 1
            for (int e = 0; e < 2; ++e) {
                const int64_t own_column = begin_column + e;
                if (own_column >= columns) continue;
                float sum = staged[r * 40 + pair + e];
                c[own_row * c_row + own_column * c_column] = store_float16(sum);
            }
        }
    }
}
