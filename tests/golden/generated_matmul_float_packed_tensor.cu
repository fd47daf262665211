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
    uint64_t *const filled = (uint64_t *)(slots + 49152), *const emptied = filled + 4;
    const int thread = ((int)threadIdx.x), warp = thread / 32, lane = thread % 32;
    const uint32_t tiles = (uint32_t)(tiles_across * tiles_down), tile = (uint32_t)((int)blockIdx.x) % tiles;
    const int64_t matrix = (uint32_t)((int)blockIdx.x) / tiles;
    const uint32_t band_tiles = 8 * (uint32_t)tiles_across, band = tile / band_tiles, in_band = tile % band_tiles;
    const uint32_t below = (uint32_t)tiles_down - band * 8, height = below < 8 ? below : 8;
    const int64_t tile_row = band * 8 + in_band % height, tile_column = in_band / height;
    const int steps = (int)((inner + 31) / 32);
    if (thread == 0) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            gemel_barrier_make(filled + k, 1);
            gemel_barrier_make(emptied + k, 2);
        }
        gemel_barrier_show();
    }
    __syncthreads();
    if (thread >= 256) {
        gemel_registers_40();
        if (thread > 256) return;
        const int64_t a_unit = (int64_t)steps * 2048, b_unit = a_unit;
        a_packed += (matrix * tiles_down + tile_row) * 2 * a_unit;
        b_packed += (matrix * tiles_across + tile_column) * 4 * b_unit;
        int slot = 0;
        uint32_t phase = 1;
        for (int step = 0; step < steps; ++step) {
            float *const to = slots + slot * 12288;
            gemel_barrier_await(emptied + slot, phase);
            gemel_barrier_expect(filled + slot, 49152);
#pragma unroll
            for (int part = 0; part < 1; ++part) {
#pragma unroll
                for (int k = 0; k < 2; ++k)
                    gemel_copy_bulk(to + (part * 2 + k) * 2048, a_packed + k * a_unit + part * 2048, 8192, filled + slot);
#pragma unroll
                for (int k = 0; k < 4; ++k)
                    gemel_copy_bulk(to + (2 + part * 4 + k) * 2048, b_packed + k * b_unit + part * 2048, 8192, filled + slot);
            }
            a_packed += 2048;
            b_packed += 2048;
            if (++slot == 4) slot = 0, phase ^= 1;
        }
        return;
    }
    gemel_registers_232();
    float sums[128];
#pragma unroll
    for (int i = 0; i < 128; ++i) sums[i] = 0;
    int slot = 0, previous = 0;
    uint32_t phase = 0;
    int step = 0;
    do {
        const float *const at = slots + slot * 12288;
        const uint64_t a_tile = gemel_tile(at + warp / 4 * 2048, 0), b_tile = gemel_tile(at + 4096, 0);
        gemel_barrier_await(filled + slot, phase);
        gemel_begin_tiles();
#pragma unroll
        for (int d = 0; d < 4; ++d) gemel_multiply_two_tiles_tf32_256(sums, a_tile + 2 * d, b_tile + 2 * d);
        gemel_commit_tiles();
        gemel_await_tiles_1();
        if (step > 0 && thread % 128 == 0) gemel_barrier_arrive(emptied + previous);
        previous = slot;
        if (++slot == 4) slot = 0, phase ^= 1;
    } while (++step < steps);
    gemel_await_tiles_0();
#pragma unroll
    for (int i = 0; i < 128; ++i) gemel_after_tiles(&sums[i]);
    c += c_begin + matrix * c_matrix;
    gemel_groups_barrier(256);
    const int group = lane / 4, quad = lane % 4;
#pragma unroll
    for (int i = 0; i < 128; ++i)
        slots[(warp * 16 + group + i / 2 % 2 * 8) * 264 + i / 4 * 8 + 2 * quad + i % 2] = sums[i];
    gemel_groups_barrier(256);
    const int64_t first_row = tile_row * 128, first_column = tile_column * 256;
    const int is_whole = rows - first_row >= 128 && columns - first_column >= 256;
    for (int r = thread / 256; r < 128; r += 1) {
        const int k = thread % 256;
        const int64_t own_row = first_row + r, own_column = first_column + k;
        if (!is_whole && (own_row >= rows || own_column >= columns)) continue;
        float sum = slots[r * 264 + k];
        c[own_row * c_row + own_column * c_column] = sum;
    }
}
