extern "C" __global__ RESIDENT_BLOCKS(256, 2) __launch_bounds__(256) void matmul(
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
    __shared__ __align__(128) float4 shared_slots[2176];
    float *const slots = (float *)shared_slots;
    const int thread = ((int)threadIdx.x), slice = thread / 64, warp = thread % 64 / 32, lane = thread % 32;
    const uint32_t tiles = (uint32_t)(tiles_across * tiles_down), tile = (uint32_t)((int)blockIdx.x) % tiles;
    const int64_t matrix = (uint32_t)((int)blockIdx.x) / tiles;
    const uint32_t band_tiles = 8 * (uint32_t)tiles_across, band = tile / band_tiles, in_band = tile % band_tiles;
    const uint32_t below = (uint32_t)tiles_down - band * 8, height = below < 8 ? below : 8;
    const int64_t first_row = (int64_t)(band * 8 + in_band % height) * 64;
    const int64_t first_column = (int64_t)(in_band / height) * 64;
    const int a_at = thread % 32, a_of = thread / 32;
    const float *a_from = (const float *)a + a_begin + matrix * a_matrix
        + first_row * a_line + a_of * a_line + a_at;
    float *const a_to = slots + a_at * 68 + a_of / 4 * 4 + (a_of + 1 * (a_at / 8)) % 4 + 0;
    const int64_t a_next = 8 * a_line;
    const int a_extent = (int)(rows - first_row < 64 ? rows - first_row : 64);
    const int b_at = thread % 16 * 4, b_of = thread / 16;
    const float *b_from = (const float *)b + b_begin + matrix * b_matrix
        + first_column + b_of * b_line + b_at;
    float *const b_to = slots + b_of * 68 + b_at + 2176;
    const int64_t b_next = 16 * b_line;
    const int b_extent = (int)(columns - first_column < 64 ? columns - first_column : 64);
    const int is_whole = a_extent == 64 && b_extent == 64;
    const int thread_row = warp / 1 * 16 + (lane / 16 * 2 + lane % 2) * 4, thread_column = warp % 1 * 32 + lane / 2 % 8 * 4;
    float sums[8][8];
#pragma unroll
    for (int r = 0; r < 8; ++r) {
#pragma unroll
        for (int k = 0; k < 8; ++k) sums[r][k] = 0;
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
                    float *const to = a_to + next_slot * 4352;
#pragma unroll
                    for (int k = 0; k < 8; ++k)
                        gemel_copy_async_4(to + k * 8, a_from + k * a_next, 4);
                }
                {
                    float *const to = b_to + next_slot * 4352;
#pragma unroll
                    for (int k = 0; k < 2; ++k)
                        gemel_copy_async_16(to + k * 1088, b_from + k * b_next, 16);
                }
            } else {
                {
                    float *const to = a_to + next_slot * 4352;
                    for (int k = 0; k < 8; ++k) {
                        const int inside = a_of + k * 8 < a_extent ? own_depth - a_at : 0;
                        gemel_copy_async_4(to + k * 8, a_from + k * a_next, inside > 0 ? 4 : 0);
                    }
                }
                {
                    float *const to = b_to + next_slot * 4352;
                    if (b_extent % 4 != 0) {
                        // The array may end within an access.
                        for (int k = 0; k < 2; ++k) {
                            const int inside = b_of + k * 16 < own_depth ? b_extent - b_at : 0;
                            if (inside <= 0 || inside >= 4) {
                                gemel_copy_async_16(to + k * 1088, b_from + k * b_next, inside > 0 ? 16 : 0);
                                continue;
                            }
                            for (int e = 0; e < 4; ++e)
                                to[k * 1088 + e] = e < inside ? b_from[k * b_next + e] : 0;
                        }
                    } else
                    for (int k = 0; k < 2; ++k) {
                        const int inside = b_of + k * 16 < own_depth ? b_extent - b_at : 0;
                        gemel_copy_async_16(to + k * 1088, b_from + k * b_next, inside > 0 ? 16 : 0);
                    }
                }
            }
            a_from += 32;
            b_from += 32 * b_line;
            next_slot = next_slot == 1 ? 0 : next_slot + 1;
        }
        gemel_commit_copies();
        if (step < 0) continue;
        const float *const a_slot = slots + slot * 4352 + slice * 136;
        const float *const b_slot = slots + slot * 4352 + 2176 + slice * 136;
#pragma unroll
        for (int d = 0; d < 8; ++d) {
            float a_line[8];
#pragma unroll
            for (int k = 0; k < 8; k += 4) {
                const float4 next = *(const float4 *)(a_slot + (d / 2 * 8 + d % 2) * 68 + thread_row + k / 4 * 32);
                const float rotated[4] = {next.x, next.y, next.z, next.w};
#pragma unroll
                for (int e = 0; e < 4; ++e) a_line[k + e] = rotated[(e + 1 * (d / 2)) % 4];
            }
            float b_line[8];
#pragma unroll
            for (int k = 0; k < 8; k += 4) {
                const float4 next = *(const float4 *)(b_slot + (d / 2 * 8 + d % 2) * 68 + thread_column + k / 4 * 32);
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
        slot = slot == 1 ? 0 : slot + 1;
    } while (++step < steps);
    c += c_begin + matrix * c_matrix;
    float *const staged = (float *)slots;
    for (int turn = 3; turn >= 0; --turn) {
        __syncthreads();
        if (turn == slice) {
#pragma unroll
            for (int r = 0; r < 8; ++r) {
#pragma unroll
                for (int k = 0; k < 8; k += 4) {
                    float4 *const at = (float4 *)(staged + (thread_row + r / 4 * 32 + r % 4) * 68 + thread_column + k / 4 * 32);
                    float4 sum = *at;
                    sum.x = turn == 3 ? sums[r][k] : sum.x + sums[r][k];
                    sum.y = turn == 3 ? sums[r][k + 1] : sum.y + sums[r][k + 1];
                    sum.z = turn == 3 ? sums[r][k + 2] : sum.z + sums[r][k + 2];
                    sum.w = turn == 3 ? sums[r][k + 3] : sum.w + sums[r][k + 3];
                    *at = sum;
                }
            }
        }
    }
    __syncthreads();
    for (int e = thread; e < 4096; e += 256) {
        const int64_t own_row = first_row + e / 64, own_column = first_column + e % 64;
        if (own_row >= rows || own_column >= columns) continue;
        const float sum = staged[e / 64 * 68 + e % 64];
        c[own_row * c_row + own_column * c_column] = sum;
    }
}
