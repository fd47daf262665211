extern "C" __global__ RESIDENT_BLOCKS(384, 1) __launch_bounds__(384) void matmul(
        const float *a,
        const float *b,
        float *c,
        const float *a_packed,
        const float *b_packed,
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
    float *const slots = gemel_tile_aligned((float *)shared_arena);
    uint64_t *const filled = (uint64_t *)(slots + 49152), *const emptied = filled + 3;
    const int thread = ((int)threadIdx.x), warp = thread / 32, lane = thread % 32;
    const uint32_t tiles = (uint32_t)(tiles_across * tiles_down), tile = (uint32_t)((int)blockIdx.x) % tiles;
    const int64_t matrix = (uint32_t)((int)blockIdx.x) / tiles;
    const uint32_t band_tiles = 8 * (uint32_t)tiles_across, band = tile / band_tiles, in_band = tile % band_tiles;
    const uint32_t below = (uint32_t)tiles_down - band * 8, height = below < 8 ? below : 8;
    const int64_t tile_row = band * 8 + in_band % height, tile_column = in_band / height;
    const int steps = (int)((inner + 31) / 32);
    if (thread == 0) {
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            gemel_barrier_make(filled + k, 1);
            gemel_barrier_make(emptied + k, 2);
        }
        gemel_barrier_show();
    }
    __syncthreads();
    if (thread >= 256) {
        gemel_registers_40();
        if (thread > 256) return;
        const int64_t a_unit = (int64_t)steps * 4096, b_unit = a_unit;
        a_packed += (matrix * tiles_down + tile_row) * 2 * a_unit;
        b_packed += (matrix * tiles_across + tile_column) * 2 * b_unit;
        int slot = 0;
        uint32_t phase = 1;
        for (int step = 0; step < steps; ++step) {
            float *const to = slots + slot * 16384;
            gemel_barrier_await(emptied + slot, phase);
            gemel_barrier_expect(filled + slot, 65536);
#pragma unroll
            for (int part = 0; part < 2; ++part) {
#pragma unroll
                for (int k = 0; k < 2; ++k)
                    gemel_copy_bulk(to + (part * 2 + k) * 2048, a_packed + k * a_unit + part * 2048, 8192, filled + slot);
#pragma unroll
                for (int k = 0; k < 2; ++k)
                    gemel_copy_bulk(to + (4 + part * 2 + k) * 2048, b_packed + k * b_unit + part * 2048, 8192, filled + slot);
            }
            a_packed += 4096;
            b_packed += 4096;
            if (++slot == 3) slot = 0, phase ^= 1;
        }
        return;
    }
    gemel_registers_232();
    float sums[64];
    float high[64], low[64];
#pragma unroll
    for (int i = 0; i < 64; ++i) sums[i] = high[i] = low[i] = 0;
    int slot = 0, previous = 0;
    uint32_t phase = 0;
    int step = 0;
    do {
        const float *const at = slots + slot * 16384;
        const uint64_t a_tile = gemel_tile(at + warp / 4 * 2048, 0), b_tile = gemel_tile(at + 8192, 0);
        gemel_barrier_await(filled + slot, phase);
        gemel_begin_tiles();
        gemel_multiply_two_tiles_tf32_128_anew(high, a_tile, b_tile);
#pragma unroll
        for (int d = 1; d < 4; ++d) gemel_multiply_two_tiles_tf32_128(high, a_tile + 2 * d, b_tile + 2 * d);
        gemel_commit_tiles();
#pragma unroll
        for (int d = 0; d < 4; ++d) {
            gemel_multiply_two_tiles_tf32_128(low, a_tile + 1024 + 2 * d, b_tile + 2 * d);
            gemel_multiply_two_tiles_tf32_128(low, a_tile + 2 * d, b_tile + 1024 + 2 * d);
        }
        gemel_commit_tiles();
        gemel_await_tiles_1();
        if (step > 0 && thread % 128 == 0) gemel_barrier_arrive(emptied + previous);
#pragma unroll
        for (int i = 0; i < 64; ++i) gemel_after_tiles(&high[i]);
#pragma unroll
        for (int i = 0; i < 64; ++i) sums[i] += high[i];
        previous = slot;
        if (++slot == 3) slot = 0, phase ^= 1;
    } while (++step < steps);
    gemel_await_tiles_0();
#pragma unroll
    for (int i = 0; i < 64; ++i) gemel_after_tiles(&low[i]);
    c += c_begin + matrix * c_matrix;
    gemel_groups_barrier(256);
    const int group = lane / 4, quad = lane % 4;
#pragma unroll
    for (int i = 0; i < 64; ++i)
        slots[(warp * 16 + group + i / 2 % 2 * 8) * 136 + i / 4 * 8 + 2 * quad + i % 2] = sums[i] + low[i] * 0.00048828125f;
    gemel_groups_barrier(256);
    const int64_t first_row = tile_row * 128, first_column = tile_column * 128;
    const int is_whole = rows - first_row >= 128 && columns - first_column >= 128;
    for (int r = thread / 128; r < 128; r += 2) {
        const int k = thread % 128;
        const int64_t own_row = first_row + r, own_column = first_column + k;
        if (!is_whole && (own_row >= rows || own_column >= columns)) continue;
        float sum = slots[r * 136 + k];
        if ((as_uint(sum) & 0x7fffffffu) >= 0x7f800000u) {
            sum = 0;
            for (int64_t d = 0; d < inner; ++d)
                sum += a[a_begin + matrix * a_matrix + own_row * a_row + d * a_column] * b[b_begin + matrix * b_matrix + d * b_row + own_column * b_column];
        }
        c[own_row * c_row + own_column * c_column] = sum;
    }
}
