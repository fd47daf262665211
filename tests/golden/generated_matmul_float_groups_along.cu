extern "C" __global__ __launch_bounds__(128) void matmul(
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
        int64_t tiles_down,
        SHARED_ARENA)
{
    const int64_t a_line = a_column, b_line = b_column;
    float *const slots = gemel_tile_aligned((float *)shared_arena);
    const int thread = ((int)threadIdx.x), warp = thread / 32, lane = thread % 32;
    const uint32_t tiles = (uint32_t)(tiles_across * tiles_down), tile = (uint32_t)((int)blockIdx.x) % tiles;
    const int64_t matrix = (uint32_t)((int)blockIdx.x) / tiles;
    const uint32_t band_tiles = 8 * (uint32_t)tiles_across, band = tile / band_tiles, in_band = tile % band_tiles;
    const uint32_t below = (uint32_t)tiles_down - band * 8, height = below < 8 ? below : 8;
    const int64_t first_row = (int64_t)(band * 8 + in_band % height) * 64;
    const int64_t first_column = (int64_t)(in_band / height) * 256;
    const int a_at = thread % 16 * 4, a_of = thread / 16;
    const float *a_from = (const float *)a + a_begin + matrix * a_matrix
        + first_row + a_of * a_line + a_at;
    float *const a_to = slots + a_of * 72 + a_at + 0;
    const int64_t a_next = 8 * a_line;
    const int a_extent = (int)(rows - first_row < 64 ? rows - first_row : 64);
    const int b_at = thread % 8 * 4, b_of = thread / 8;
    const float *b_from = (const float *)b + b_begin + matrix * b_matrix
        + first_column * b_line + b_of * b_line + b_at;
    float *const b_to = slots + b_of * 32
        + (b_at % 32 / 4 ^ b_of % 8) * 4 + 2304;
    const int64_t b_next = 16 * b_line;
    const int b_extent = (int)(columns - first_column < 256 ? columns - first_column : 256);
    const int is_whole = a_extent == 64 && b_extent == 256;
    const int warp_row = warp / 1 * 16, warp_column = warp % 1 * 0;
    const int group = lane / 4, quad = lane % 4;
    float sums[1][32][4];
#pragma unroll
    for (int r = 0; r < 1; ++r) {
#pragma unroll
        for (int k = 0; k < 32; ++k) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                sums[r][k][i] = 0;
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
            gemel_show_copies_to_tiles();
            __syncthreads();
        }
        if (step < steps - 1) {
            const int own_depth = step + 1 < whole_steps ? 32 : last_depth;
            if (is_whole && own_depth == 32) {
                {
                    float *const to = a_to + next_slot * 10496;
#pragma unroll
                    for (int k = 0; k < 4; ++k)
                        gemel_copy_async_16(to + k * 576, a_from + k * a_next, 16);
                }
                {
                    float *const to = b_to + next_slot * 10496;
#pragma unroll
                    for (int k = 0; k < 16; ++k)
                        gemel_copy_async_16(to + k * 512, b_from + k * b_next, 16);
                }
            } else {
                {
                    float *const to = a_to + next_slot * 10496;
                    if (a_extent % 4 != 0) {
                        // The array may end within an access.
                        for (int k = 0; k < 4; ++k) {
                            const int inside = a_of + k * 8 < own_depth ? a_extent - a_at : 0;
                            if (inside <= 0 || inside >= 4) {
                                gemel_copy_async_16(to + k * 576, a_from + k * a_next, inside > 0 ? 16 : 0);
                                continue;
                            }
                            for (int e = 0; e < 4; ++e)
                                to[k * 576 + e] = e < inside ? a_from[k * a_next + e] : 0;
                        }
                    } else
                    for (int k = 0; k < 4; ++k) {
                        const int inside = a_of + k * 8 < own_depth ? a_extent - a_at : 0;
                        gemel_copy_async_16(to + k * 576, a_from + k * a_next, inside > 0 ? 16 : 0);
                    }
                }
                {
                    float *const to = b_to + next_slot * 10496;
                    if (own_depth % 4 != 0) {
                        // The array may end within an access.
                        for (int k = 0; k < 16; ++k) {
                            const int inside = b_of + k * 16 < b_extent ? own_depth - b_at : 0;
                            if (inside <= 0 || inside >= 4) {
                                gemel_copy_async_16(to + k * 512, b_from + k * b_next, inside > 0 ? 16 : 0);
                                continue;
                            }
                            for (int e = 0; e < 4; ++e)
                                to[k * 512 + e] = e < inside ? b_from[k * b_next + e] : 0;
                        }
                    } else
                    for (int k = 0; k < 16; ++k) {
                        const int inside = b_of + k * 16 < b_extent ? own_depth - b_at : 0;
                        gemel_copy_async_16(to + k * 512, b_from + k * b_next, inside > 0 ? 16 : 0);
                    }
                }
            }
            a_from += 32 * a_line;
            b_from += 32;
            next_slot = next_slot == 2 ? 0 : next_slot + 1;
        }
        gemel_commit_copies();
        if (step < 0) continue;
        const float *const a_slot = slots + slot * 10496;
        const float *const b_slot = a_slot + 2304;
        {
            const uint64_t b_tile = gemel_tile(b_slot, 0);
            gemel_await_tiles_0();
            uint32_t part[4][4];
#pragma unroll
            for (int d = 0; d < 4; ++d) {
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    const int own_line = warp_row + group + i % 2 * 8, own_depth = 8 * d + quad + i / 2 * 4;
                    part[d][i] = gemel_tf32(as_uint(a_slot[own_depth * 72 + own_line]));
                }
            }
#pragma unroll
            for (int d = 0; d < 4; ++d) {
#pragma unroll
                for (int i = 0; i < 4; ++i) gemel_before_tiles(&part[d][i]);
            }
            gemel_begin_tiles();
#pragma unroll
            for (int d = 0; d < 4; ++d)
                gemel_multiply_tiles_tf32_256(sums[0][0], part[d], b_tile + 2 * d);
            gemel_commit_tiles();
        }
        slot = slot == 2 ? 0 : slot + 1;
    } while (++step < steps);
    c += c_begin + matrix * c_matrix;
    gemel_await_tiles_0();
#pragma unroll
    for (int k = 0; k < 32; ++k) {
#pragma unroll
        for (int i = 0; i < 4; ++i) gemel_after_tiles(&sums[0][k][i]);
    }
    __syncthreads();
    float *const staged = (float *)slots;
#pragma unroll
    for (int k = 0; k < 32; ++k) {
#pragma unroll
        for (int i = 0; i < 4; ++i)
            staged[(warp_row + group + i / 2 * 8) * 264 + 8 * k + 2 * quad + i % 2] = sums[0][k][i];
    }
    __syncthreads();
    for (int r = thread / 128; r < 64; r += 1) {
#pragma unroll
        for (int k = thread % 128; k < 256; k += 128) {
            const int64_t own_row = first_row + r, own_column = first_column + k;
            if (!is_whole && (own_row >= rows || own_column >= columns)) continue;
            const float sum = staged[r * 264 + k];
            c[own_row * c_row + own_column * c_column] = sum;
        }
    }
}
