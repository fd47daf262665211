__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void matmul(
        __global const float *a,
        __global const float *b,
        __global float *c,
        __global const float *bias,
        const float least,
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
    __local __attribute__((aligned(128))) float4 shared_slots[1632];
    __local float *const slots = (__local float *)shared_slots;
    const int thread = ((int)get_local_id(0)), warp = thread / 32, lane = thread % 32;
    const uint32_t tiles = (uint32_t)(tiles_across * tiles_down), tile = (uint32_t)((int)get_group_id(0)) % tiles;
    const int64_t matrix = (uint32_t)((int)get_group_id(0)) / tiles;
    const uint32_t band_tiles = 8 * (uint32_t)tiles_across, band = tile / band_tiles, in_band = tile % band_tiles;
    const uint32_t below = (uint32_t)tiles_down - band * 8, height = below < 8 ? below : 8;
    const int64_t first_row = (int64_t)(band * 8 + in_band % height) * 32;
    const int64_t first_column = (int64_t)(in_band / height) * 32;
    const int a_at = thread % 32, a_of = thread / 32;
    __global const float *a_from = (__global const float *)a + a_begin + matrix * a_matrix
        + first_row * a_line + a_of * a_line + a_at;
    __local float *const a_to = slots + a_of * 36 + a_at + 0;
    const int64_t a_next = 4 * a_line;
    const int a_extent = (int)(rows - first_row < 32 ? rows - first_row : 32);
    const int b_at = thread % 32, b_of = thread / 32;
    __global const float *b_from = (__global const float *)b + b_begin + matrix * b_matrix
        + first_column + b_of * b_line + b_at;
    __local float *const b_to = slots + b_of * 32
        + (b_at / 8 ^ b_of % 4) * 8 + b_at % 8 + 1152;
    const int64_t b_next = 4 * b_line;
    const int b_extent = (int)(columns - first_column < 32 ? columns - first_column : 32);
    const int is_whole = a_extent == 32 && b_extent == 32;
    const int warp_row = warp / 2 * 16, warp_column = warp % 2 * 16;
    const int group = lane / 4, quad = lane % 4;
    float sums[1][2][4];
#pragma unroll
    for (int r = 0; r < 1; ++r) {
#pragma unroll
        for (int k = 0; k < 2; ++k) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                sums[r][k][i] = 0;
            }
        }
    }
    const int steps = (int)((inner + 31) / 32);
    const int whole_steps = (int)(inner / 32), last_depth = (int)(inner % 32);
    int slot = 0, next_slot = 0;
    int step = -2;
    do {
        if (step >= 0) {
            gemel_await_copies_1();
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (step < steps - 2) {
            const int own_depth = step + 2 < whole_steps ? 32 : last_depth;
            if (is_whole && own_depth == 32) {
                {
                    __local float *const to = a_to + next_slot * 2176;
#pragma unroll
                    for (int k = 0; k < 8; ++k)
                        gemel_copy_async_4(to + k * 144, a_from + k * a_next, 4);
                }
                {
                    __local float *const to = b_to + next_slot * 2176;
#pragma unroll
                    for (int k = 0; k < 8; ++k)
                        gemel_copy_async_4(to + k * 128, b_from + k * b_next, 4);
                }
            } else {
                {
                    __local float *const to = a_to + next_slot * 2176;
                    for (int k = 0; k < 8; ++k) {
                        const int inside = a_of + k * 4 < a_extent ? own_depth - a_at : 0;
                        gemel_copy_async_4(to + k * 144, a_from + k * a_next, inside > 0 ? 4 : 0);
                    }
                }
                {
                    __local float *const to = b_to + next_slot * 2176;
                    for (int k = 0; k < 8; ++k) {
                        const int inside = b_of + k * 4 < own_depth ? b_extent - b_at : 0;
                        gemel_copy_async_4(to + k * 128, b_from + k * b_next, inside > 0 ? 4 : 0);
                    }
                }
            }
            a_from += 32;
            b_from += 32 * b_line;
            next_slot = next_slot == 2 ? 0 : next_slot + 1;
        }
        gemel_commit_copies();
        if (step < 0) continue;
        __local const float *const a_slot = slots + slot * 2176;
        __local const float *const b_slot = a_slot + 1152;
#pragma unroll
        for (int d = 0; d < 32; d += 8) {
            uint32_t a_part[1][4], b_part[2][2];
#pragma unroll
            for (int r = 0; r < 1; ++r) {
                gemel_load_matrices(a_part[r], a_slot + (warp_row + 16 * r + lane % 16) * 36 + d + lane / 16 * 4);
            }
#pragma unroll
            for (int k = 0; k < 2; ++k) {
#pragma unroll
                for (int i = 0; i < 2; ++i) {
                    const int own_column = (warp_column + 8 * k ^ quad * 8) + group, own_depth = d + quad + i * 4;
                    b_part[k][i] = as_uint(b_slot[own_depth * 32 + own_column]);
                }
            }
#pragma unroll
            for (int r = 0; r < 1; ++r) {
#pragma unroll
                for (int i = 0; i < 4; ++i) a_part[r][i] = as_uint(as_float(a_part[r][i]) * 1.000345f);
            }
#pragma unroll
            for (int k = 0; k < 2; ++k) {
#pragma unroll
                for (int i = 0; i < 2; ++i) b_part[k][i] = as_uint(as_float(b_part[k][i]) * 1.000345f);
            }
#pragma unroll
            for (int r = 0; r < 1; ++r) {
#pragma unroll
                for (int k = 0; k < 2; ++k) {
                    gemel_multiply_tf32(sums[r][k], a_part[r], b_part[k]);
                }
            }
        }
        slot = slot == 2 ? 0 : slot + 1;
    } while (++step < steps);
    c += c_begin + matrix * c_matrix;
    const int stores_wide = c_column == 1 && c_row % 2 == 0 && (size_t)c % 8 == 0;
#pragma unroll
    for (int r = 0; r < 1; ++r) {
#pragma unroll
        for (int k = 0; k < 2; ++k) {
#pragma unroll
            for (int i = 0; i < 4; i += 2) {
                const int64_t own_row = first_row + warp_row + 16 * r + group + i / 2 * 8;
                const int64_t begin_column = first_column + warp_column + 8 * k + 2 * quad;
                if (own_row >= rows || begin_column >= columns) continue;
                float out[2];
#pragma unroll
                for (int e = 0; e < 2; ++e) {
                    const int64_t own_column = begin_column + e;
                    if (own_column >= columns) continue;
                    const float sum = sums[r][k][i + e];
                    const float value = sum;
                    const int64_t column = own_column;
                    const float before = c[own_row * c_row + own_column * c_column];
                    out[e] = (fmax(value + bias[column], least) + before);
                }
                __global float *const to = c + own_row * c_row + begin_column * c_column;
                if (stores_wide && begin_column + 2 <= columns) {
                    float2 all;
                    all.x = out[0];
                    all.y = out[1];
                    *(__global float2 *)to = all;
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
