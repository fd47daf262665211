extern "C" __global__ __launch_bounds__(1) void matmul(
        const float16_t *a,
        const float16_t *b,
        float16_t *c,
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
    const uint32_t tiles = (uint32_t)(tiles_across * tiles_down), tile = (uint32_t)((int)blockIdx.x) % tiles;
    const int64_t matrix = (uint32_t)((int)blockIdx.x) / tiles;
    const int64_t first_row = (int64_t)(tile % (uint32_t)tiles_down) * 96;
    const int64_t first_column = (int64_t)(tile / (uint32_t)tiles_down) * 32;
    a += a_begin + matrix * a_matrix + first_row * a_row;
    b += b_begin + matrix * b_matrix + first_column * b_column;
    c += c_begin + matrix * c_matrix;
    const int own_rows = rows - first_row < 96 ? (int)(rows - first_row) : 96;
    const int own_columns = columns - first_column < 32 ? (int)(columns - first_column) : 32;
    float sums[3072], packed[4096];
    for (int k = 0; k < 3072; ++k) sums[k] = 0;
    for (int64_t begin = 0; begin < inner; begin += 128) {
        const int own_depth = inner - begin < 128 ? (int)(inner - begin) : 128;
        for (int d = 0; d < own_depth; ++d) {
            if (own_columns == 32 && b_column == 1) {
                for (int k = 0; k < 32; ++k) packed[d * 32 + k] = load_float16(b[(begin + d) * b_row + k]);
            } else {
                for (int k = 0; k < own_columns; ++k) packed[d * 32 + k] = load_float16(b[(begin + d) * b_row + k * b_column]);
                for (int k = own_columns; k < 32; ++k) packed[d * 32 + k] = 0;
            }
        }
        for (int first = 0; first < own_rows; first += 6) {
            float part[192];
#pragma unroll
            for (int k = 0; k < 192; ++k) part[k] = sums[first * 32 + k];
            for (int d = 0; d < own_depth; ++d) {
#pragma unroll
                for (int r = 0; r < 6; ++r) {
                    const int row_of = first + r < own_rows ? first + r : own_rows - 1;
                    const float factor = load_float16(a[row_of * a_row + (begin + d) * a_column]);
#pragma unroll
                    for (int k = 0; k < 32; ++k) {
                        part[r * 32 + k] += factor * packed[d * 32 + k];
                    }
                }
            }
#pragma unroll
            for (int k = 0; k < 192; ++k) sums[first * 32 + k] = part[k];
        }
    }
    for (int r = 0; r < own_rows; ++r) {
        for (int k = 0; k < own_columns; ++k) {
            const int64_t own_row = first_row + r, own_column = first_column + k;
            c[own_row * c_row + own_column * c_column] = store_float16(sums[r * 32 + k]);
        }
    }
}
