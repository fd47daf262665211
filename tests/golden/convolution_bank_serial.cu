__device__ int64_t border_index(int64_t c, int64_t n)
{
    if (c >= 0 && c < n) return c;
    c %= 2 * n;
    if (c < 0) c += 2 * n;
    return c < n ? c : 2 * n - 1 - c;
}
extern "C" __global__ __launch_bounds__(1) void convolution(
        const float *images,
        const float *filters,
        float *results,
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
    float patch[816];
    float weights[75];
    const int64_t tile = ((int)blockIdx.x) % (tiles_across * tiles_down);
    const int64_t rest = ((int)blockIdx.x) / (tiles_across * tiles_down);
    const int64_t first_filter = rest % groups * 3, image = rest / groups;
    const int64_t tile_row = tile / tiles_across * 8, tile_column = tile % tiles_across * 64;
    const int own_filters = filter_count - first_filter < 3 ? (int)(filter_count - first_filter) : 3;
    images += image_begin + image * image_next;
    filters += filter_begin + first_filter * filter_next;
    results += result_begin + (image * filter_count + first_filter) * result_rows * result_columns;
    float sums[1536];
    for (int k = 0; k < 1536; ++k) sums[k] = 0;
    for (int64_t channel = 0; channel < channels; ++channel) {
        const int piece_row = 0, piece_column = 0;
        const int64_t top = tile_row + first_row + piece_row, left = tile_column + first_column + piece_column;
        if (top >= 0 && left >= 0 && top + 12 <= rows && left + 68 <= columns) {
            for (int r = 0; r < 12; ++r) {
                const float *line = images + channel * image_channel + (top + r) * image_row + left;
                for (int c = 0; c < 68; ++c) patch[r * 68 + c] = line[c];
            }
        } else {
            for (int r = 0; r < 12; ++r) {
                for (int c = 0; c < 68; ++c) {
                    const int64_t row = border_index(top + r, rows), column = border_index(left + c, columns);
                    patch[r * 68 + c] = images[channel * image_channel + row * image_row + column * image_column];
                }
            }
        }
        for (int f = 0; f < own_filters; ++f) {
            for (int i = 0; i < 5; ++i) {
                for (int j = 0; j < 5; ++j) {
                    const int has_weight = piece_row + i < 5 && piece_column + j < 5;
                    weights[(f * 5 + i) * 5 + j] = has_weight ? filters[f * filter_next + channel * filter_channel + (piece_row + i) * filter_row + (piece_column + j) * filter_column] : 0;
                }
            }
        }
        for (int f = 0; f < own_filters; ++f) {
            for (int r = 0; r < 8; ++r) {
                for (int first = 0; first < 64; first += 32) {
                    float line[32];
                    float *sum = sums + (f * 8 + r) * 64 + first;
#pragma unroll
                    for (int k = 0; k < 32; ++k) line[k] = sum[k];
                    for (int i = 0; i < 5; ++i) {
                        for (int j = 0; j < 5; ++j) {
                            const float weight = weights[(f * 5 + i) * 5 + j];
#pragma unroll
                            for (int k = 0; k < 32; ++k) {
                                line[k] += patch[(r + i) * 68 + first + k + j] * weight;
                            }
                        }
                    }
#pragma unroll
                    for (int k = 0; k < 32; ++k) sum[k] = line[k];
                }
            }
        }
    }
    const int own_rows = result_rows - tile_row < 8 ? (int)(result_rows - tile_row) : 8;
    const int own_columns = result_columns - tile_column < 64 ? (int)(result_columns - tile_column) : 64;
    for (int f = 0; f < own_filters; ++f) {
        for (int r = 0; r < own_rows; ++r) {
            float *to = results + (f * result_rows + tile_row + r) * result_columns + tile_column;
            for (int k = 0; k < own_columns; ++k) to[k] = sums[(f * 8 + r) * 64 + k];
        }
    }
}
