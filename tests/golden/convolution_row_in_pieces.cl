__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void convolution(
        __global const float16_t *images,
        __global const float16_t *filters,
        __global float16_t *results,
        int64_t image_begin,
        int64_t image_next,
        int64_t image_channel,
        int64_t image_row,
        int64_t image_column,
        int64_t filter_begin,
        int64_t filter_next,
        int64_t filter_channel,
        int64_t filter_row,
        int64_t filter_column,
        int64_t result_begin,
        int64_t channels,
        int64_t rows,
        int64_t columns,
        int64_t filter_count,
        int64_t result_rows,
        int64_t result_columns,
        int64_t first_row,
        int64_t first_column,
        int64_t tiles_across,
        int64_t tiles_down,
        int64_t groups,
        float outside)
{
    __local float patch[1295];
    __local float weights[16];
    const int thread = ((int)get_local_id(0));
    const int64_t tile = ((int)get_group_id(0)) % (tiles_across * tiles_down);
    const int64_t rest = ((int)get_group_id(0)) / (tiles_across * tiles_down);
    const int64_t first_filter = rest % groups * 1, image = rest / groups;
    const int64_t tile_row = tile / tiles_across * 1, tile_column = tile % tiles_across * 1280;
    const int own_filters = filter_count - first_filter < 1 ? (int)(filter_count - first_filter) : 1;
    images += image_begin + image * image_next;
    filters += filter_begin + first_filter * filter_next;
    results += result_begin + (image * filter_count + first_filter) * result_rows * result_columns;
    const int across = thread % 256, down = thread / 256;
    float sums[5];
#pragma unroll
    for (int k = 0; k < 5; ++k) sums[k] = 0;
    for (int64_t channel = 0; channel < channels; ++channel) {
        const int piece_row = 0;
        for (int piece_column = 0; piece_column < 37; piece_column += 16) {
            const int64_t top = tile_row + first_row + piece_row, left = tile_column + first_column + piece_column;
            for (int e = thread; e < 1295; e += 256) {
                const int r = e / 1295, c = e % 1295;
                const int64_t row = top + r, column = left + c;
                const int is_inside = row >= 0 && row < rows && column >= 0 && column < columns;
                patch[r * 1295 + c] = is_inside ? load_float16(images[channel * image_channel + row * image_row + column * image_column]) : outside;
            }
            for (int e = thread; e < 16; e += 256) {
                const int f = e % 1, i = e / 1 / 16, j = e / 1 % 16;
                const int has_weight = f < own_filters && piece_row + i < 1 && piece_column + j < 37;
                weights[e] = has_weight ? load_float16(filters[f * filter_next + channel * filter_channel + (piece_row + i) * filter_row + (piece_column + j) * filter_column]) : 0;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
            for (int a = 0; a < 1; ++a) {
                float window[20];
#pragma unroll
                for (int m = 0; m < 20; ++m) {
                    window[m] = patch[(down + a) * 1295 + across * 5 + m];
                }
#pragma unroll
                for (int s = 0; s < 16; ++s) {
                    if (piece_column + s >= 37) continue;
                    const int tap = (a * 16 + s) * 1;
#pragma unroll
                    for (int f = 0; f < 1; ++f) {
                        const float weight = weights[tap + f];
#pragma unroll
                        for (int p = 0; p < 5; ++p) {
                            sums[f * 5 + p] += window[p + s] * weight;
                        }
                    }
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
#pragma unroll
    for (int f = 0; f < 1; ++f) {
#pragma unroll
        for (int p = 0; p < 5; ++p) {
            const int64_t row = tile_row + down, column = tile_column + across * 5 + p;
            if (f < own_filters && row < result_rows && column < result_columns)
                results[(f * result_rows + row) * result_columns + column] = store_float16(sums[f * 5 + p]);
        }
    }
}
