__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void convolution(
        __global const float *images,
        __global const float *filters,
        __global float *results,
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
        int64_t groups)
{
    __local float patch[1296];
    __local float weights[200];
    const int thread = ((int)get_local_id(0));
    const int64_t tile = ((int)get_group_id(0)) % (tiles_across * tiles_down);
    const int64_t rest = ((int)get_group_id(0)) / (tiles_across * tiles_down);
    const int64_t first_filter = rest % groups * 8, image = rest / groups;
    const int64_t tile_row = tile / tiles_across * 32, tile_column = tile % tiles_across * 32;
    const int own_filters = filter_count - first_filter < 8 ? (int)(filter_count - first_filter) : 8;
    images += image_begin + image * image_next;
    filters += filter_begin + first_filter * filter_next;
    results += result_begin + (image * filter_count + first_filter) * result_rows * result_columns;
    const int across = thread % 32, down = thread / 32;
    float sums[32];
#pragma unroll
    for (int k = 0; k < 32; ++k) sums[k] = 0;
    for (int64_t channel = 0; channel < channels; ++channel) {
        const int piece_row = 0, piece_column = 0;
        const int64_t top = tile_row + first_row + piece_row, left = tile_column + first_column + piece_column;
        for (int e = thread; e < 1296; e += 256) {
            const int r = e / 36, c = e % 36;
            const int64_t row = top + r, column = left + c;
            const int is_inside = row >= 0 && row < rows && column >= 0 && column < columns;
            patch[r * 36 + c] = is_inside ? images[channel * image_channel + row * image_row + column * image_column] : 0;
        }
        for (int e = thread; e < 200; e += 256) {
            const int f = e % 8, i = e / 8 / 5, j = e / 8 % 5;
            const int has_weight = f < own_filters && piece_row + i < 5 && piece_column + j < 5;
            weights[e] = has_weight ? filters[f * filter_next + channel * filter_channel + (piece_row + i) * filter_row + (piece_column + j) * filter_column] : 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int a = 0; a < 5; ++a) {
            float window[8];
#pragma unroll
            for (int m = 0; m < 8; ++m) {
                window[m] = patch[(down * 4 + m) * 36 + across + a];
            }
#pragma unroll
            for (int s = 0; s < 5; ++s) {
                const int tap = (s * 5 + a) * 8;
#pragma unroll
                for (int f = 0; f < 8; ++f) {
                    const float weight = weights[tap + f];
#pragma unroll
                    for (int p = 0; p < 4; ++p) {
                        sums[f * 4 + p] += window[p + s] * weight;
                    }
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#pragma unroll
    for (int f = 0; f < 8; ++f) {
#pragma unroll
        for (int p = 0; p < 4; ++p) {
            const int64_t row = tile_row + down * 4 + p, column = tile_column + across;
            if (f < own_filters && row < result_rows && column < result_columns)
                results[(f * result_rows + row) * result_columns + column] = sums[f * 4 + p];
        }
    }
}
