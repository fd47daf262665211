extern "C" __global__ __launch_bounds__(1) void matmul(
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
    const int64_t tile = ((int)blockIdx.x) % (tiles_across * tiles_down);
    const int64_t matrix = ((int)blockIdx.x) / (tiles_across * tiles_down);
    const int64_t first_row = tile % tiles_down * 4;
    const int64_t first_column = tile / tiles_down * 64;
    a += a_begin + matrix * a_matrix + first_row * a_row;
    b += b_begin + matrix * b_matrix + first_column * b_column;
    c += c_begin + matrix * c_matrix;
    const int own_rows = rows - first_row < 4 ? (int)(rows - first_row) : 4;
    const int own_columns = columns - first_column < 64 ? (int)(columns - first_column) : 64;
    float sums[256];
    for (int k = 0; k < 256; ++k) sums[k] = 0;
    if (own_rows == 4 && own_columns == 64 && b_column == 1) {
        for (int64_t d = 0; d < inner; ++d) {
            float line[64];
            for (int k = 0; k < 64; ++k) line[k] = b[d * b_row + k];
            for (int r = 0; r < 4; ++r) {
                const float factor = a[r * a_row + d * a_column];
                for (int k = 0; k < 64; ++k) sums[r * 64 + k] += factor * line[k];
            }
        }
    }
    else {
        for (int64_t d = 0; d < inner; ++d) {
            float line[64];
            for (int k = 0; k < own_columns; ++k) line[k] = b[d * b_row + k * b_column];
            for (int r = 0; r < own_rows; ++r) {
                const float factor = a[r * a_row + d * a_column];
                for (int k = 0; k < own_columns; ++k) sums[r * 64 + k] += factor * line[k];
            }
        }
    }
    for (int r = 0; r < own_rows; ++r) {
        for (int k = 0; k < own_columns; ++k) {
            const int64_t own_row = first_row + r, own_column = first_column + k;
            c[own_row * c_row + own_column * c_column] = sums[r * 64 + k];
        }
    }
}
