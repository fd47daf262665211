extern "C" __global__ RESIDENT_BLOCKS(288, 1) __launch_bounds__(288) void matmul(
        GEMEL_TENSOR_MAP(a_map),
        GEMEL_TENSOR_MAP(b_map),
        double *c,
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
    uint64_t *const filled = (uint64_t *)(slots + 49152), *const emptied = filled + 8;
    const int thread = ((int)threadIdx.x), warp = thread / 32, lane = thread % 32;
    if (thread == 0) {
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            gemel_barrier_make(filled + k, 1);
            gemel_barrier_make(emptied + k, 8);
        }
        gemel_barrier_show();
    }
    if (thread == 256) {
        gemel_prepare_map(&a_map);
        gemel_prepare_map(&b_map);
    }
    __syncthreads();
    const uint32_t tiles = (uint32_t)(tiles_across * tiles_down), band_tiles = 8 * (uint32_t)tiles_across;
    int slot = 0;
    if (thread >= 256) {
        if (thread > 256) return;
        uint32_t phase = 1;
        for (uint32_t work = ((int)blockIdx.x); work < (uint32_t)all_tiles; work += ((int)gridDim.x)) {
            const uint32_t number = work < tiles ? 0 : work / tiles, tile = work - number * tiles;
            const int64_t matrix = number, own_inner = inner;
            const uint32_t band = tile < band_tiles ? 0 : tile / band_tiles, in_band = tile - band * band_tiles;
            const uint32_t below = (uint32_t)tiles_down - band * 8, height = below < 8 ? below : 8;
            const int tile_column = (int)(in_band / height), tile_row = (int)(band * 8 + in_band - (uint32_t)tile_column * height);
            const int steps = (int)((own_inner + 15) / 16);
            const int first_depth = 0;
            const int first_row = tile_row * 128, first_column = tile_column * 64;
            const int a_number = a_matrix == 0 ? 0 : (int)matrix, b_number = b_matrix == 0 ? 0 : (int)matrix;
            for (int step = 0; step < steps; ++step) {
                float *const to = slots + slot * 6144;
                gemel_barrier_await(emptied + slot, phase);
                gemel_barrier_expect(filled + slot, 24576);
                const int depth = first_depth + step * 16;
                gemel_copy_box(to, &a_map, depth, first_row, a_number, filled + slot);
#pragma unroll
                for (int k = 0; k < 4; ++k)
                    gemel_copy_box(to + 4096 + k * 512, &b_map, first_column + 16 * k, depth, b_number, filled + slot);
                if (++slot == 8) slot = 0, phase ^= 1;
            }
        }
        return;
    }
    const int group = lane / 4, quad = lane % 4, spread = group % 2 * 4 + group / 2;
    const int warp_column = warp / 4 * 32, warp_row = warp % 4 * 32;
    const int m_line = warp_column, n_line = warp_row;
    double *const c_all = c;
    uint32_t phase = 0;
    for (uint32_t work = ((int)blockIdx.x); work < (uint32_t)all_tiles; work += ((int)gridDim.x)) {
        const uint32_t number = work < tiles ? 0 : work / tiles, tile = work - number * tiles;
        const int64_t matrix = number, own_inner = inner;
        const uint32_t band = tile < band_tiles ? 0 : tile / band_tiles, in_band = tile - band * band_tiles;
        const uint32_t below = (uint32_t)tiles_down - band * 8, height = below < 8 ? below : 8;
        const int tile_column = (int)(in_band / height), tile_row = (int)(band * 8 + in_band - (uint32_t)tile_column * height);
        const int steps = (int)((own_inner + 15) / 16);
        double sums[2][4][4];
#pragma unroll
        for (int r = 0; r < 2; ++r) {
#pragma unroll
            for (int k = 0; k < 4; ++k) sums[r][k][0] = sums[r][k][1] = sums[r][k][2] = sums[r][k][3] = 0;
        }
        for (int step = 0; step < steps; ++step) {
            const double *const m_slot = (const double *)(slots + slot * 6144) + 2048;
            const double *const n_slot = (const double *)(slots + slot * 6144);
            gemel_barrier_await(filled + slot, phase);
            double m_part[2][8], n_part[4][4];
#pragma unroll
            for (int r = 0; r < 2; ++r) {
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    const int line = 2 * quad + i % 2 + i / 2 * 8;
                    const double2 two = *(const double2 *)(m_slot + (m_line / 16 + r) * 256 + line * 16 + (group ^ line % 8) * 2);
                    m_part[r][2 * i] = two.x;
                    m_part[r][2 * i + 1] = two.y;
                }
            }
#pragma unroll
            for (int k = 0; k < 4; ++k) {
#pragma unroll
                for (int i = 0; i < 2; ++i) {
                    const double2 two = *(const double2 *)(n_slot + (n_line + 8 * k + spread) * 16 + (quad + i * 4 ^ spread) * 2);
                    n_part[k][2 * i] = two.x;
                    n_part[k][2 * i + 1] = two.y;
                }
            }
            gemel_warp_barrier();
            if (lane == 0) gemel_barrier_arrive(emptied + slot);
#pragma unroll
            for (int r = 0; r < 2; ++r) {
#pragma unroll
                for (int k = 0; k < 4; ++k) gemel_multiply_double_16(sums[r][k], m_part[r], n_part[k]);
            }
            if (++slot == 8) slot = 0, phase ^= 1;
        }
        double *const c = c_all + c_begin + matrix * c_matrix;
        const int64_t first_row = (int64_t)tile_row * 128 + warp_row, first_column = (int64_t)tile_column * 64 + warp_column;
        const int stores_pairs = c_column == 1 && c_row % 2 == 0 && (size_t)c % 16 == 0;
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            const int64_t begin_column = first_column + 16 * r + 2 * group;
            if (begin_column >= columns) continue;
#pragma unroll
            for (int k = 0; k < 4; ++k) {
#pragma unroll
                for (int e = 0; e < 2; ++e) {
                    const int64_t own_row = first_row + 8 * k + quad + 4 * e;
                    if (own_row >= rows) continue;
                    double out[2];
#pragma unroll
                    for (int i = 0; i < 2; ++i) {
                        const int64_t own_column = begin_column + i;
                        if (own_column >= columns) continue;
                        const double sum = sums[r][k][2 * i + e];
                        out[i] = sum;
                    }
                    double *const to = c + own_row * c_row + begin_column * c_column;
                    if (stores_pairs && begin_column + 1 < columns) {
                        *(double2 *)to = make_double2(out[0], out[1]);
                    } else {
                        to[0] = out[0];
                        if (begin_column + 1 < columns) to[c_column] = out[1];
                    }
                }
            }
        }
    }
}
