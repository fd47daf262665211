extern "C" __global__ RESIDENT_BLOCKS(128, 2) __launch_bounds__(128) void matmul(
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
    const int64_t a_line = a_row, b_line = b_row;
    __shared__ __align__(128) float4 shared_slots[2048];
    float *const slots = (float *)shared_slots;
    const int thread = ((int)threadIdx.x), warp = thread / 32, lane = thread % 32;
    const uint32_t tiles = (uint32_t)(tiles_across * tiles_down), tile = (uint32_t)((int)blockIdx.x) % tiles;
    const int64_t matrix = (uint32_t)((int)blockIdx.x) / tiles;
    const uint32_t band_tiles = 8 * (uint32_t)tiles_across, band = tile / band_tiles, in_band = tile % band_tiles;
    const uint32_t below = (uint32_t)tiles_down - band * 8, height = below < 8 ? below : 8;
    const int64_t first_row = (int64_t)(band * 8 + in_band % height) * 128;
    const int64_t first_column = (int64_t)(in_band / height) * 128;
    const int a_at = thread % 4 * 4, a_of = thread / 4;
    const float *a_from = (const float *)a + a_begin + matrix * a_matrix
        + first_row * a_line + a_of * a_line + a_at;
    float *const a_to = slots + a_of * 16
        + (a_at / 4 ^ a_of % 8 / 2) * 4 + a_at % 4 + 0;
    const int64_t a_next = 32 * a_line;
    const int a_extent = (int)(rows - first_row < 128 ? rows - first_row : 128);
    const int b_at = thread % 32 * 4, b_of = thread / 32;
    const float *b_from = (const float *)b + b_begin + matrix * b_matrix
        + first_column + b_of * b_line + b_at;
    float *const b_to = slots + b_of * 128
        + (b_at / 8 ^ b_of % 4) * 8 + b_at % 8 + 2048;
    const int64_t b_next = 4 * b_line;
    const int b_extent = (int)(columns - first_column < 128 ? columns - first_column : 128);
    const int is_whole = a_extent == 128 && b_extent == 128;
    const int warp_row = warp / 2 * 64, warp_column = warp % 2 * 64;
    const int group = lane / 4, quad = lane % 4;
    const int a_group = lane / 16 ^ lane % 8 / 2;
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
    const int steps = (int)((inner + 15) / 16);
    const int whole_steps = (int)(inner / 16), last_depth = (int)(inner % 16);
    int slot = 0, next_slot = 0;
    int step = -1;
    do {
        if (step >= 0) {
            gemel_await_copies_0();
            __syncthreads();
        }
        if (step < steps - 1) {
            const int own_depth = step + 1 < whole_steps ? 16 : last_depth;
            if (is_whole && own_depth == 16) {
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
                            const int inside = a_of + k * 32 < a_extent ? own_depth - a_at : 0;
                            if (inside <= 0 || inside >= 4) {
                                gemel_copy_async_16(to + k * 512, a_from + k * a_next, inside > 0 ? 16 : 0);
                                continue;
                            }
                            for (int e = 0; e < 4; ++e)
                                to[k * 512 + e] = e < inside ? a_from[k * a_next + e] : 0;
                        }
                    } else
                    for (int k = 0; k < 4; ++k) {
                        const int inside = a_of + k * 32 < a_extent ? own_depth - a_at : 0;
                        gemel_copy_async_16(to + k * 512, a_from + k * a_next, inside > 0 ? 16 : 0);
                    }
                }
                {
                    float *const to = b_to + next_slot * 4096;
                    if (b_extent % 4 != 0) {
                        // The array may end within an access.
                        for (int k = 0; k < 4; ++k) {
                            const int inside = b_of + k * 4 < own_depth ? b_extent - b_at : 0;
                            if (inside <= 0 || inside >= 4) {
                                gemel_copy_async_16(to + k * 512, b_from + k * b_next, inside > 0 ? 16 : 0);
                                continue;
                            }
                            for (int e = 0; e < 4; ++e)
                                to[k * 512 + e] = e < inside ? b_from[k * b_next + e] : 0;
                        }
                    } else
                    for (int k = 0; k < 4; ++k) {
                        const int inside = b_of + k * 4 < own_depth ? b_extent - b_at : 0;
                        gemel_copy_async_16(to + k * 512, b_from + k * b_next, inside > 0 ? 16 : 0);
                    }
                }
            }
            a_from += 16;
            b_from += 16 * b_line;
            next_slot = next_slot == 1 ? 0 : next_slot + 1;
        }
        gemel_commit_copies();
        if (step < 0) continue;
        const float *const a_slot = slots + slot * 4096;
        const float *const b_slot = a_slot + 2048;
#pragma unroll
        for (int d = 0; d < 16; d += 8) {
            uint32_t a_part[4][4], b_part[8][2];
#pragma unroll
            for (int r = 0; r < 4; ++r) {
                gemel_load_matrices(a_part[r], a_slot + (warp_row + 16 * r + lane % 16) * 16 + (a_group ^ d / 4) * 4);
            }
#pragma unroll
            for (int k = 0; k < 8; k += 4) {
#pragma unroll
                for (int i = 0; i < 2; ++i) {
                    const float4 next = *(const float4 *)(b_slot + (d + quad + i * 4) * 128 + warp_column + 8 * k + (4 * group ^ quad * 8));
                    b_part[k][i] = as_uint(next.x);
                    b_part[k + 1][i] = as_uint(next.y);
                    b_part[k + 2][i] = as_uint(next.z);
                    b_part[k + 3][i] = as_uint(next.w);
                }
            }
#pragma unroll
            for (int r = 0; r < 4; ++r) {
#pragma unroll
                for (int i = 0; i < 4; ++i) a_part[r][i] = as_uint(as_float(a_part[r][i]) * 1.000345f);
            }
#pragma unroll
            for (int k = 0; k < 8; ++k) {
#pragma unroll
                for (int i = 0; i < 2; ++i) b_part[k][i] = as_uint(as_float(b_part[k][i]) * 1.000345f);
            }
#pragma unroll
            for (int r = 0; r < 4; ++r) {
#pragma unroll
                for (int k = 0; k < 8; ++k) {
                    gemel_multiply_tf32(sums[r][k], a_part[r], b_part[k]);
                }
            }
        }
        slot = slot == 1 ? 0 : slot + 1;
    } while (++step < steps);
    c += c_begin + matrix * c_matrix;
    const int stores_wide = c_column == 1 && c_row % 4 == 0 && (size_t)c % 16 == 0;
#pragma unroll
    for (int r = 0; r < 4; ++r) {
#pragma unroll
        for (int k = 0; k < 8; k += 4) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const int64_t own_row = first_row + warp_row + 16 * r + group + i / 2 * 8;
                const int64_t begin_column = first_column + warp_column + 8 * k + 4 * (2 * quad + i % 2);
                if (own_row >= rows || begin_column >= columns) continue;
                float out[4];
#pragma unroll
                for (int e = 0; e < 4; ++e) {
                    const int64_t own_column = begin_column + e;
                    if (own_column >= columns) continue;
                    const float sum = sums[r][k + e][i];
                    out[e] = sum;
                }
                float *const to = c + own_row * c_row + begin_column * c_column;
                if (stores_wide && begin_column + 4 <= columns) {
                    float4 all;
                    all.x = out[0];
                    all.y = out[1];
                    all.z = out[2];
                    all.w = out[3];
                    *(float4 *)to = all;
                    continue;
                }
#pragma unroll
                for (int e = 0; e < 4; ++e) {
                    if (begin_column + e < columns) to[e * c_column] = out[e];
                }
            }
        }
    }
}
