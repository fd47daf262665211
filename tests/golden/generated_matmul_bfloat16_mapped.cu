extern "C" __global__ RESIDENT_BLOCKS(256, 1) __launch_bounds__(256) void matmul(
        GEMEL_TENSOR_MAP(a_map),
        GEMEL_TENSOR_MAP(b_map),
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
        int64_t parts,
        int64_t part_depth,
        int64_t all_tiles,
        SHARED_ARENA)
{
    float *const slots = gemel_tile_aligned((float *)shared_arena);
    uint64_t *const filled = (uint64_t *)(slots + 40960), *const emptied = filled + 5;
    const int thread = ((int)threadIdx.x), warp = thread / 32, lane = thread % 32;
    if (thread == 0) {
#pragma unroll
        for (int k = 0; k < 5; ++k) {
            gemel_barrier_make(filled + k, 1);
            gemel_barrier_make(emptied + k, 1);
        }
        gemel_barrier_show();
    }
    if (thread == 128) {
        gemel_prepare_map(&a_map);
        gemel_prepare_map(&b_map);
    }
    __syncthreads();
    const uint32_t tiles = (uint32_t)(tiles_across * tiles_down), band_tiles = 8 * (uint32_t)tiles_across;
    int slot = 0;
    if (thread >= 128) {
        if (thread > 128) return;
        uint32_t phase = 1;
        for (uint32_t work = ((int)blockIdx.x); work < (uint32_t)all_tiles; work += ((int)gridDim.x)) {
            const uint32_t number = work < tiles ? 0 : work / tiles, tile = work - number * tiles;
            const int64_t matrix = number, own_inner = inner;
            const uint32_t band = tile < band_tiles ? 0 : tile / band_tiles, in_band = tile - band * band_tiles;
            const uint32_t below = (uint32_t)tiles_down - band * 8, height = below < 8 ? below : 8;
            const int tile_column = (int)(in_band / height), tile_row = (int)(band * 8 + in_band - (uint32_t)tile_column * height);
            const int steps = (int)((own_inner + 63) / 64);
            const int first_depth = 0;
            const int first_row = tile_row * 64, first_column = tile_column * 192;
            const int a_number = a_matrix == 0 ? 0 : (int)matrix, b_number = b_matrix == 0 ? 0 : (int)matrix;
            for (int step = 0; step < steps; ++step) {
                float *const to = slots + slot * 8192;
                gemel_barrier_await(emptied + slot, phase);
                gemel_barrier_expect(filled + slot, 32768);
                const int depth = first_depth + step * 64;
#pragma unroll
                for (int k = 0; k < 1; ++k)
                    gemel_copy_box(to + k * 2048, &a_map, first_row + 64 * k, depth, a_number, filled + slot);
                gemel_copy_box(to + 2048, &b_map, depth, first_column, b_number, filled + slot);
                if (++slot == 5) slot = 0, phase ^= 1;
            }
        }
        return;
    }
    float *const staged = (float *)(emptied + 5) + warp * 640;
    const int group = lane / 4, quad = lane % 4;
    bfloat16_t *const c_all = c;
    uint32_t phase = 0;
    for (uint32_t work = ((int)blockIdx.x); work < (uint32_t)all_tiles; work += ((int)gridDim.x)) {
        const uint32_t number = work < tiles ? 0 : work / tiles, tile = work - number * tiles;
        const int64_t matrix = number, own_inner = inner;
        const uint32_t band = tile < band_tiles ? 0 : tile / band_tiles, in_band = tile - band * band_tiles;
        const uint32_t below = (uint32_t)tiles_down - band * 8, height = below < 8 ? below : 8;
        const int tile_column = (int)(in_band / height), tile_row = (int)(band * 8 + in_band - (uint32_t)tile_column * height);
        const int steps = (int)((own_inner + 63) / 64);
        float sums[96];
#pragma unroll
        for (int i = 0; i < 96; ++i) sums[i] = 0;
        int previous = 0, step = 0;
        do {
            const float *const at = slots + slot * 8192;
            const uint64_t a_tile = gemel_tile(at + warp / 4 * 2048, 8192), b_tile = gemel_tile(at + 2048, 0);
            gemel_barrier_await(filled + slot, phase);
            gemel_begin_tiles();
#pragma unroll
            for (int d = 0; d < 4; ++d) gemel_multiply_tiles_bfloat16_192_mk(sums, a_tile + 128 * d, b_tile + 2 * d);
            gemel_commit_tiles();
            gemel_await_tiles_1();
            if (step > 0 && thread % 128 == 0) gemel_barrier_arrive(emptied + previous);
            previous = slot;
            if (++slot == 5) slot = 0, phase ^= 1;
        } while (++step < steps);
        gemel_await_tiles_0();
        if (thread % 128 == 0) gemel_barrier_arrive(emptied + previous);
#pragma unroll
        for (int i = 0; i < 96; ++i) gemel_after_tiles(&sums[i]);
        bfloat16_t *const c = c_all + c_begin + matrix * c_matrix;
        const int64_t first_own_row = (int64_t)tile_row * 64 + warp * 16, first_own_column = (int64_t)tile_column * 192;
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
                bfloat16_t *to = c + (begin_row + first_line) * c_row + begin_column;
#pragma unroll
                for (int i = 0; i < 8; ++i) {
                    const int r = first_line + 2 * i;
                    const int64_t own_row = begin_row + r;
                    if (own_row >= rows) continue;
                    const float2 both = *(const float2 *)(staged + r * 40 + pair);
                    const float sum_0 = both.x, sum_1 = both.y;
                    bfloat16_t out[2];
#pragma unroll
                    for (int e = 0; e < 2; ++e) {
                        const int64_t own_column = begin_column + e;
                        float sum = e ? sum_1 : sum_0;
                        out[e] = store_bfloat16(sum);
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
                    c[own_row * c_row + own_column * c_column] = store_bfloat16(sum);
                }
            }
        }
    }
}
