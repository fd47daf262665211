extern "C" __global__ RESIDENT_BLOCKS(384, 1) __launch_bounds__(384) void matmul(
        const float *a,
        const float *b,
        float *c,
        const float *a_packed,
        const float *b_packed,
        const float *a_scales,
        const float *b_scales,
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
    uint64_t *const filled = (uint64_t *)(slots + 49152), *const emptied = filled + 2;
    const int thread = ((int)threadIdx.x), warp = thread / 32, lane = thread % 32;
    if (thread == 0) {
#pragma unroll
        for (int k = 0; k < 2; ++k) {
            gemel_barrier_make(filled + k, 1);
            gemel_barrier_make(emptied + k, 2);
        }
        gemel_barrier_show();
    }
    __syncthreads();
    const uint32_t tiles = (uint32_t)(tiles_across * tiles_down), band_tiles = 8 * (uint32_t)tiles_across;
    int slot = 0;
    if (thread >= 256) {
        gemel_registers_40();
        if (thread > 256) return;
        uint32_t phase = 1;
        for (uint32_t work = ((int)blockIdx.x); work < (uint32_t)all_tiles; work += ((int)gridDim.x)) {
            const uint32_t number = work < tiles ? 0 : work / tiles, tile = work - number * tiles;
            const int64_t matrix = number, own_inner = inner;
            const uint32_t band = tile < band_tiles ? 0 : tile / band_tiles, in_band = tile - band * band_tiles;
            const uint32_t below = (uint32_t)tiles_down - band * 8, height = below < 8 ? below : 8;
            const int tile_column = (int)(in_band / height), tile_row = (int)(band * 8 + in_band - (uint32_t)tile_column * height);
            const int steps = (int)((own_inner + 63) / 64);
            const int64_t unit_line = (int64_t)steps * 6144;
            const float *a_next = a_packed + (matrix * tiles_down + tile_row) * 2 * unit_line;
            const float *b_next = b_packed + (matrix * tiles_across + tile_column) * 2 * unit_line;
            for (int step = 0; step < steps; ++step) {
                float *const to = slots + slot * 24576;
                gemel_barrier_await(emptied + slot, phase);
                const int own_parts = a_scales[matrix * steps + step] > 0 ? 2 : 3;
                gemel_barrier_expect(filled + slot, own_parts * 32768);

                for (int part = 0; part < own_parts; ++part) {
#pragma unroll
                    for (int k = 0; k < 2; ++k)
                        gemel_copy_bulk(to + (part * 2 + k) * 2048, a_next + k * unit_line + part * 2048, 8192, filled + slot);
#pragma unroll
                    for (int k = 0; k < 2; ++k)
                        gemel_copy_bulk(to + (6 + part * 2 + k) * 2048, b_next + k * unit_line + part * 2048, 8192, filled + slot);
                }
                a_next += 6144;
                b_next += 6144;
                if (++slot == 2) slot = 0, phase ^= 1;
            }
        }
        return;
    }
    gemel_registers_232();
    float *const staged = (float *)(emptied + 2) + warp * 640;
    const int group = lane / 4, quad = lane % 4;
    float *const c_all = c;
    uint32_t phase = 0;
    if (warp >= 4) gemel_groups_arrive(1);
    for (uint32_t work = ((int)blockIdx.x); work < (uint32_t)all_tiles; work += ((int)gridDim.x)) {
        const uint32_t number = work < tiles ? 0 : work / tiles, tile = work - number * tiles;
        const int64_t matrix = number, own_inner = inner;
        const uint32_t band = tile < band_tiles ? 0 : tile / band_tiles, in_band = tile - band * band_tiles;
        const uint32_t below = (uint32_t)tiles_down - band * 8, height = below < 8 ? below : 8;
        const int tile_column = (int)(in_band / height), tile_row = (int)(band * 8 + in_band - (uint32_t)tile_column * height);
        const int steps = (int)((own_inner + 63) / 64);
        float sums[64];
        float rest[64], part[64], unit = 1;
#pragma unroll
        for (int i = 0; i < 64; ++i) sums[i] = rest[i] = 0;
        int step = 0;
        do {
            const float *const at = slots + slot * 24576;
            const uint64_t a_tile = gemel_tile(at + warp / 4 * 2048, 0), b_tile = gemel_tile(at + 12288, 0);
            gemel_barrier_await(filled + slot, phase);
            const float scale = a_scales[matrix * steps + step] * b_scales[matrix * steps + step];
            const int is_halves = a_scales[matrix * steps + step] > 0;
            const float wanted = scale * (is_halves ? 0.00048828125f : 0.00390625f);
            const float per_unit = as_float(0x7f000000u - as_uint(wanted));
            if (unit != wanted) {
                const float ratio = unit * per_unit;
                const int is_far = ratio > 1e18f || ratio < 1e-18f;
                const float moved = is_far ? unit : 0.0f, kept = is_far ? 0.0f : ratio;
#pragma unroll
                for (int i = 0; i < 64; ++i) {
                    sums[i] += rest[i] * moved;
                    rest[i] *= kept;
                }
                unit = wanted;
            }
#pragma unroll 1
            for (int d = 0; d < 4; d += 2)
            {
#pragma unroll
                for (int i = 0; i < 64; ++i) {
                    part[i] = 0;
                    gemel_after_tiles(&part[i]);
                }
                if (!is_halves) {
                    gemel_groups_await(1 + warp / 4);
                    gemel_begin_tiles();
#pragma unroll
                    for (int k = 0; k < 2; ++k) {
                        gemel_multiply_tiles_bfloat16_128_kk(part, a_tile + 1024 + 2 * (d + k), b_tile + 1024 + 2 * (d + k));
                        gemel_multiply_tiles_bfloat16_128_kk(part, a_tile + 2 * (d + k), b_tile + 2048 + 2 * (d + k));
                        gemel_multiply_tiles_bfloat16_128_kk(part, a_tile + 2048 + 2 * (d + k), b_tile + 2 * (d + k));
                    }
                    gemel_commit_tiles();
                    gemel_groups_arrive(2 - warp / 4);
                    gemel_await_tiles_0();
#pragma unroll
                    for (int i = 0; i < 64; ++i) gemel_after_tiles(&part[i]);
#pragma unroll
                    for (int i = 0; i < 64; ++i) {
                        rest[i] += part[i] * 0.00390625f;
                        part[i] *= 0.0f;
                        gemel_after_tiles(&part[i]);
                    }
                }
                gemel_groups_await(1 + warp / 4);
                gemel_begin_tiles();
                if (is_halves) {
#pragma unroll
                    for (int k = 0; k < 2; ++k) {
                        gemel_multiply_tiles_float16_128_kk(rest, a_tile + 2 * (d + k), b_tile + 1024 + 2 * (d + k));
                        gemel_multiply_tiles_float16_128_kk(rest, a_tile + 1024 + 2 * (d + k), b_tile + 2 * (d + k));
                        gemel_multiply_tiles_float16_128_kk(part, a_tile + 2 * (d + k), b_tile + 2 * (d + k));
                    }
                    gemel_commit_tiles();
                } else {
#pragma unroll
                    for (int k = 0; k < 2; ++k) {
                        gemel_multiply_tiles_bfloat16_128_kk(rest, a_tile + 2 * (d + k), b_tile + 1024 + 2 * (d + k));
                        gemel_multiply_tiles_bfloat16_128_kk(rest, a_tile + 1024 + 2 * (d + k), b_tile + 2 * (d + k));
                        gemel_multiply_tiles_bfloat16_128_kk(part, a_tile + 2 * (d + k), b_tile + 2 * (d + k));
                    }
                    gemel_commit_tiles();
                }
                gemel_groups_arrive(2 - warp / 4);
                gemel_await_tiles_0();
#pragma unroll
                for (int i = 0; i < 64; ++i) gemel_after_tiles(&rest[i]);
#pragma unroll
                for (int i = 0; i < 64; ++i) gemel_after_tiles(&part[i]);
                if (d == 2 && thread % 128 == 0) gemel_barrier_arrive(emptied + slot);
#pragma unroll
                for (int k = 0; k < 64; ++k) {
                    const int i = k % 64;
                    const float sum = sums[i] + part[k] * scale;
                    rest[i] += (part[k] * scale - (sum - sums[i])) * per_unit;
                    sums[i] = sum;
                }
            }
            if (++slot == 2) slot = 0, phase ^= 1;
        } while (++step < steps);
        float *const c = c_all + c_begin + matrix * c_matrix;
        const int64_t first_own_row = (int64_t)tile_row * 128 + warp * 16, first_own_column = (int64_t)tile_column * 128;
        const int stores_pairs = c_column == 1 && c_row % 2 == 0 && (size_t)c % 8 == 0;
        const int pair = lane % 16 * 2, first_line = lane / 16;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            gemel_warp_barrier();
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                const float sum_0 = sums[16 * k + 2 * i + 0] + rest[16 * k + 2 * i + 0] * unit;
                const float sum_1 = sums[16 * k + 2 * i + 1] + rest[16 * k + 2 * i + 1] * unit;
                float *const to = staged + (group + i % 2 * 8) * 40 + i / 2 * 8 + 2 * quad;
                float2 both;
                both.x = sum_0;
                both.y = sum_1;
                *(float2 *)to = both;
            }
            gemel_warp_barrier();
            const int64_t begin_row = first_own_row, begin_column = first_own_column + 32 * k + pair;
            if (stores_pairs && begin_column + 1 < columns) {
                float *to = c + (begin_row + first_line) * c_row + begin_column;

                for (int i = 0; i < 8; ++i) {
                    const int r = first_line + 2 * i;
                    const int64_t own_row = begin_row + r;
                    if (own_row >= rows) continue;
                    const float2 both = *(const float2 *)(staged + r * 40 + pair);
                    const float sum_0 = both.x, sum_1 = both.y;
                    float out[2];
#pragma unroll
                    for (int e = 0; e < 2; ++e) {
                        const int64_t own_column = begin_column + e;
                        float sum = e ? sum_1 : sum_0;
                        if ((as_uint(sum) & 0x7fffffffu) >= 0x7f800000u) {
                            sum = 0;
                            for (int64_t d = 0; d < inner; ++d)
                                sum += a[a_begin + matrix * a_matrix + own_row * a_row + d * a_column] * b[b_begin + matrix * b_matrix + d * b_row + own_column * b_column];
                        }
                        out[e] = sum;
                    }
                    float2 result;
                    result.x = out[0];
                    result.y = out[1];
                    *(float2 *)to = result;
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
                    if ((as_uint(sum) & 0x7fffffffu) >= 0x7f800000u) {
                        sum = 0;
                        for (int64_t d = 0; d < inner; ++d)
                            sum += a[a_begin + matrix * a_matrix + own_row * a_row + d * a_column] * b[b_begin + matrix * b_matrix + d * b_row + own_column * b_column];
                    }
                    c[own_row * c_row + own_column * c_column] = sum;
                }
            }
        }
    }
    if (warp < 4) gemel_groups_await(1);
}
