__kernel RESIDENT_BLOCKS(128, 4) __attribute__((reqd_work_group_size(128, 1, 1))) void matmul(
        __global const double *a,
        __global const double *b,
        __global double *c,
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
    const int64_t a_line = a_column, b_line = b_row;
    __local double *const slots = (__local double *)shared_arena;
    const int thread = ((int)get_local_id(0)), warp = thread / 32, lane = thread % 32;
    const uint32_t tiles = (uint32_t)(tiles_across * tiles_down), tile = (uint32_t)((int)get_group_id(0)) % tiles;
    const int64_t matrix = (uint32_t)((int)get_group_id(0)) / tiles;
    const uint32_t band_tiles = 8 * (uint32_t)tiles_across, band = tile / band_tiles, in_band = tile % band_tiles;
    const uint32_t below = (uint32_t)tiles_down - band * 8, height = below < 8 ? below : 8;
    const int64_t first_row = (int64_t)(band * 8 + in_band % height) * 64;
    const int64_t first_column = (int64_t)(in_band / height) * 64;
    const int a_at = thread % 32 * 2, a_of = thread / 32;
    __global const double *a_from = (__global const double *)a + a_begin + matrix * a_matrix
        + first_row + a_of * a_line + a_at;
    __local double *const a_to = slots + a_of * 68 + a_at + 0;
    const int64_t a_next = 4 * a_line;
    const int a_extent = (int)(rows - first_row < 64 ? rows - first_row : 64);
    const int b_at = thread % 32 * 2, b_of = thread / 32;
    __global const double *b_from = (__global const double *)b + b_begin + matrix * b_matrix
        + first_column + b_of * b_line + b_at;
    __local double *const b_to = slots + b_of * 68 + b_at + 1088;
    const int64_t b_next = 4 * b_line;
    const int b_extent = (int)(columns - first_column < 64 ? columns - first_column : 64);
    const int is_whole = a_extent == 64 && b_extent == 64;
    const int warp_row = warp / 2 * 32, warp_column = warp % 2 * 32;
    const int group = lane / 4, quad = lane % 4;
    double sums[2][4][4];
#pragma unroll
    for (int r = 0; r < 2; ++r) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                sums[r][k][i] = 0;
            }
        }
    }
    const int steps = (int)((inner + 15) / 16);
    const int whole_steps = (int)(inner / 16), last_depth = (int)(inner % 16);
    int slot = 0, next_slot = 0;
    int step = -2;
    do {
        if (step >= 0) {
            gemel_await_copies_1();
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (step < steps - 2) {
            const int own_depth = step + 2 < whole_steps ? 16 : last_depth;
            if (is_whole && own_depth == 16) {
                {
                    __local double *const to = a_to + next_slot * 2176;
#pragma unroll
                    for (int k = 0; k < 4; ++k)
                        gemel_copy_async_16(to + k * 272, a_from + k * a_next, 16);
                }
                {
                    __local double *const to = b_to + next_slot * 2176;
#pragma unroll
                    for (int k = 0; k < 4; ++k)
                        gemel_copy_async_16(to + k * 272, b_from + k * b_next, 16);
                }
            } else {
                {
                    __local double *const to = a_to + next_slot * 2176;
                    if (a_extent % 2 != 0) {
                        // The array may end within an access.
                        for (int k = 0; k < 4; ++k) {
                            const int inside = a_of + k * 4 < own_depth ? a_extent - a_at : 0;
                            if (inside <= 0 || inside >= 2) {
                                gemel_copy_async_16(to + k * 272, a_from + k * a_next, inside > 0 ? 16 : 0);
                                continue;
                            }
                            for (int e = 0; e < 2; ++e)
                                to[k * 272 + e] = e < inside ? a_from[k * a_next + e] : 0;
                        }
                    } else
                    for (int k = 0; k < 4; ++k) {
                        const int inside = a_of + k * 4 < own_depth ? a_extent - a_at : 0;
                        gemel_copy_async_16(to + k * 272, a_from + k * a_next, inside > 0 ? 16 : 0);
                    }
                }
                {
                    __local double *const to = b_to + next_slot * 2176;
                    if (b_extent % 2 != 0) {
                        // The array may end within an access.
                        for (int k = 0; k < 4; ++k) {
                            const int inside = b_of + k * 4 < own_depth ? b_extent - b_at : 0;
                            if (inside <= 0 || inside >= 2) {
                                gemel_copy_async_16(to + k * 272, b_from + k * b_next, inside > 0 ? 16 : 0);
                                continue;
                            }
                            for (int e = 0; e < 2; ++e)
                                to[k * 272 + e] = e < inside ? b_from[k * b_next + e] : 0;
                        }
                    } else
                    for (int k = 0; k < 4; ++k) {
                        const int inside = b_of + k * 4 < own_depth ? b_extent - b_at : 0;
                        gemel_copy_async_16(to + k * 272, b_from + k * b_next, inside > 0 ? 16 : 0);
                    }
                }
            }
            a_from += 16 * a_line;
            b_from += 16 * b_line;
            next_slot = next_slot == 2 ? 0 : next_slot + 1;
        }
        gemel_commit_copies();
        if (step < 0) continue;
        __local const double *const a_slot = slots + slot * 2176;
        __local const double *const b_slot = a_slot + 1088;
#pragma unroll
        for (int d = 0; d < 16; d += 8) {
            double a_part[2][4], b_part[4][2];
#pragma unroll
            for (int r = 0; r < 2; ++r) {
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    const int own_row = warp_row + 16 * r + group + i % 2 * 8, own_depth = d + quad + i / 2 * 4;
                    a_part[r][i] = (a_slot[own_depth * 68 + own_row]);
                }
            }
#pragma unroll
            for (int k = 0; k < 4; ++k) {
#pragma unroll
                for (int i = 0; i < 2; ++i) {
                    const int own_column = warp_column + 8 * k + group, own_depth = d + quad + i * 4;
                    b_part[k][i] = (b_slot[own_depth * 68 + own_column]);
                }
            }
#pragma unroll
            for (int r = 0; r < 2; ++r) {
#pragma unroll
                for (int k = 0; k < 4; ++k) {
                    gemel_multiply_double_8(sums[r][k], a_part[r], b_part[k]);
                }
            }
        }
        slot = slot == 2 ? 0 : slot + 1;
    } while (++step < steps);
    c += c_begin + matrix * c_matrix;
    const int stores_wide = c_column == 1 && c_row % 2 == 0 && (size_t)c % 16 == 0;
#pragma unroll
    for (int r = 0; r < 2; ++r) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
#pragma unroll
            for (int i = 0; i < 4; i += 2) {
                const int64_t own_row = first_row + warp_row + 16 * r + group + i / 2 * 8;
                const int64_t begin_column = first_column + warp_column + 8 * k + 2 * quad;
                if (own_row >= rows || begin_column >= columns) continue;
                double out[2];
#pragma unroll
                for (int e = 0; e < 2; ++e) {
                    const int64_t own_column = begin_column + e;
                    if (own_column >= columns) continue;
                    const double sum = sums[r][k][i + e];
                    out[e] = sum;
                }
                __global double *const to = c + own_row * c_row + begin_column * c_column;
                if (stores_wide && begin_column + 2 <= columns) {
                    double2 all;
                    all.x = out[0];
                    all.y = out[1];
                    *(__global double2 *)to = all;
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
