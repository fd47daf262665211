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
    const int64_t a_line = a_row, b_line = b_row;
    __shared__ __align__(128) float4 shared_slots[2400];
    float *const slots = (float *)shared_slots;
    const int thread = ((int)threadIdx.x), warp = thread / 32, lane = thread % 32;
    const uint32_t tiles = (uint32_t)(tiles_across * tiles_down), tile = (uint32_t)((int)blockIdx.x) % tiles;
    const int64_t matrix = (uint32_t)((int)blockIdx.x) / tiles;
    const uint32_t band_tiles = 8 * (uint32_t)tiles_across, band = tile / band_tiles, in_band = tile % band_tiles;
    const uint32_t below = (uint32_t)tiles_down - band * 8, height = below < 8 ? below : 8;
    const int64_t first_row = (int64_t)(band * 8 + in_band % height) * 64;
    const int64_t first_column = (int64_t)(in_band / height) * 128;
    const int a_at = thread % 16, a_of = thread / 16;
    const float *a_from = (const float *)a + a_begin + matrix * a_matrix
        + first_row * a_line + a_of * a_line + a_at;
    float *const a_to = slots + a_at * 68 + a_of / 4 * 4 + (a_of + 2 * (a_at / 8)) % 4 + 0;
    const int64_t a_next = 8 * a_line;
    const int a_extent = (int)(rows - first_row < 64 ? rows - first_row : 64);
    const int b_at = thread % 32 * 4, b_of = thread / 32;
    const float *b_from = (const float *)b + b_begin + matrix * b_matrix
        + first_column + b_of * b_line + b_at;
    float *const b_to = slots + b_of * 132 + b_at + 1088;
    const int64_t b_next = 4 * b_line;
    const int b_extent = (int)(columns - first_column < 128 ? columns - first_column : 128);
    const int is_whole = a_extent == 64 && b_extent == 128;
    const int thread_row = warp / 2 * 16 + (lane / 16 * 2 + lane % 2) * 4, thread_column = warp % 2 * 32 + lane / 2 % 8 * 4;
    float sums[8][8];
#pragma unroll
    for (int r = 0; r < 8; ++r) {
#pragma unroll
        for (int k = 0; k < 8; ++k) sums[r][k] = 0;
    }
    const int steps = (int)((inner + 15) / 16);
    const int whole_steps = (int)(inner / 16), last_depth = (int)(inner % 16);
    int slot = 0, next_slot = 0;
    int step = -2;
    do {
        if (step >= 0) {
            gemel_await_copies_1();
            __syncthreads();
        }
        if (step < steps - 2) {
            const int own_depth = step + 2 < whole_steps ? 16 : last_depth;
            if (is_whole && own_depth == 16) {
                {
                    float *const to = a_to + next_slot * 3200;
#pragma unroll
                    for (int k = 0; k < 8; ++k)
                        gemel_copy_async_4(to + k * 8, a_from + k * a_next, 4);
                }
                {
                    float *const to = b_to + next_slot * 3200;
#pragma unroll
                    for (int k = 0; k < 4; ++k)
                        gemel_copy_async_16(to + k * 528, b_from + k * b_next, 16);
                }
            } else {
                {
                    float *const to = a_to + next_slot * 3200;
                    for (int k = 0; k < 8; ++k) {
                        const int inside = a_of + k * 8 < a_extent ? own_depth - a_at : 0;
                        gemel_copy_async_4(to + k * 8, a_from + k * a_next, inside > 0 ? 4 : 0);
                    }
                }
                {
                    float *const to = b_to + next_slot * 3200;
                    if (b_extent % 4 != 0) {
                        // The array may end within an access.
                        for (int k = 0; k < 4; ++k) {
                            const int inside = b_of + k * 4 < own_depth ? b_extent - b_at : 0;
                            if (inside <= 0 || inside >= 4) {
                                gemel_copy_async_16(to + k * 528, b_from + k * b_next, inside > 0 ? 16 : 0);
                                continue;
                            }
                            for (int e = 0; e < 4; ++e)
                                to[k * 528 + e] = e < inside ? b_from[k * b_next + e] : 0;
                        }
                    } else
                    for (int k = 0; k < 4; ++k) {
                        const int inside = b_of + k * 4 < own_depth ? b_extent - b_at : 0;
                        gemel_copy_async_16(to + k * 528, b_from + k * b_next, inside > 0 ? 16 : 0);
                    }
                }
            }
            a_from += 16;
            b_from += 16 * b_line;
            next_slot = next_slot == 2 ? 0 : next_slot + 1;
        }
        gemel_commit_copies();
        if (step < 0) continue;
        const float *const a_slot = slots + slot * 3200;
        const float *const b_slot = a_slot + 1088;
#pragma unroll
        for (int d = 0; d < 16; ++d) {
            float a_line[8];
#pragma unroll
            for (int k = 0; k < 8; k += 4) {
                const float4 next = *(const float4 *)(a_slot + d * 68 + thread_row + k / 4 * 32);
                const float rotated[4] = {next.x, next.y, next.z, next.w};
#pragma unroll
                for (int e = 0; e < 4; ++e) a_line[k + e] = rotated[(e + 2 * (d / 8)) % 4];
            }
            float b_line[8];
#pragma unroll
            for (int k = 0; k < 8; k += 4) {
                const float4 next = *(const float4 *)(b_slot + d * 132 + thread_column + k / 4 * 64);
                b_line[k] = next.x; b_line[k + 1] = next.y; b_line[k + 2] = next.z; b_line[k + 3] = next.w;
            }
#pragma unroll
            for (int r = 0; r < 8; ++r) {
#pragma unroll
                for (int k = 0; k < 8; ++k) {
                    const int turn = r % 2 ? 7 - k : k;
                    sums[r][turn] += a_line[r] * b_line[turn];
                }
            }
        }
        slot = slot == 2 ? 0 : slot + 1;
    } while (++step < steps);
    c += c_begin + matrix * c_matrix;
    const int stores_wide = c_column == 1 && c_row % 4 == 0 && (size_t)c % 16 == 0;
#pragma unroll
    for (int r = 0; r < 8; ++r) {
        const int64_t own_row = first_row + thread_row + r / 4 * 32 + r % 4;
        if (own_row >= rows) continue;
#pragma unroll
        for (int k = 0; k < 8; k += 4) {
            const int64_t begin_column = first_column + thread_column + k / 4 * 64;
            float out[4];
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int64_t own_column = begin_column + e;
                if (own_column >= columns) continue;
                const float sum = sums[r][k + e];
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
