extern "C" __global__ __launch_bounds__(256) void matmul(
        const int8_t *a,
        const int8_t *b,
        int8_t *c,
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
    __shared__ int32_t a_tile[1040];
    __shared__ int32_t b_tile[1040];
    const uint32_t tiles = (uint32_t)(tiles_across * tiles_down), tile = (uint32_t)((int)blockIdx.x) % tiles;
    const int64_t matrix = (uint32_t)((int)blockIdx.x) / tiles;
    const int64_t first_row = (int64_t)(tile / (uint32_t)tiles_across) * 64;
    const int64_t first_column = (int64_t)(tile % (uint32_t)tiles_across) * 64;
    a += a_begin + matrix * a_matrix + first_row * a_row;
    b += b_begin + matrix * b_matrix + first_column * b_column;
    c += c_begin + matrix * c_matrix;
    const int thread = ((int)threadIdx.x);
    const int thread_row = thread / 16, thread_column = thread % 16;
    int32_t sums[16];
#pragma unroll
    for (int k = 0; k < 16; ++k) sums[k] = 0;
    for (int64_t begin = 0; begin < inner; begin += 16) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const int e = thread + k * 256;
            const int d = e % 16, s = e / 16;
            const int inside = first_row + s < rows && begin + d < inner;
            a_tile[d * 65 + s] = inside ? (int32_t)a[(begin + d) * a_column + s * a_row] : 0;
        }
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const int e = thread + k * 256;
            const int s = e % 64, d = e / 64;
            const int inside = first_column + s < columns && begin + d < inner;
            b_tile[d * 65 + s] = inside ? (int32_t)b[(begin + d) * b_row + s * b_column] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int d = 0; d < 16; ++d) {
            int32_t a_part[4], b_part[4];
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                a_part[k] = a_tile[d * 65 + thread_row + k * 16];
                b_part[k] = b_tile[d * 65 + thread_column + k * 16];
            }
#pragma unroll
            for (int r = 0; r < 4; ++r) {
#pragma unroll
                for (int k = 0; k < 4; ++k) {
                    sums[r * 4 + k] = (int32_t)((uint32_t)sums[r * 4 + k] + (uint32_t)a_part[r] * (uint32_t)b_part[k]);
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < 4; ++r) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const int64_t own_row = first_row + thread_row + r * 16, own_column = first_column + thread_column + k * 16;
            if (own_row < rows && own_column < columns) {
                c[own_row * c_row + own_column * c_column] = (int8_t)(sums[r * 4 + k]);
            }
        }
    }
}
