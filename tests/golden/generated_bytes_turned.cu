typedef struct {
    int extent[2];
    int x[2];  // steps, in elements
    int y[2];  // steps, in elements
} bytes_layout;
typedef union {
    uint8_t value[8];
} bytes_x_pack;
typedef union {
    uint2 words[1];
    uint8_t value[8];
} bytes_y_pack;
typedef union {
    uint32_t word;
    uint8_t value[4];
} bytes_x_cell;
typedef union {
    uint4 words[1];
    bytes_x_cell cells[4];
    uint8_t value[16];
} bytes_x_line;

extern "C" __global__ __launch_bounds__(256) void bytes(
        const uint8_t *x,
        uint8_t *y,
        bytes_layout layout,
        int n)
{
    __shared__ __align__(128) bytes_x_cell x_tile[2179];
    const int width = layout.extent[1], height = layout.extent[0];
    const int across = (int)((width + 127) / 128), down = (int)((height + 63) / 64);
    const int first_column = (((int)blockIdx.x) % across) * 128;
    const int first_row = (((int)blockIdx.x) / across % down) * 64;
    const int x_base = 0, x_down = layout.x[0], x_step = layout.x[1];
    const int y_base = 0, y_down = layout.y[0];
    bytes_x_line x_line[2];
#pragma unroll
    for (int u = 0; u < 2; ++u) {
        const int k = ((int)threadIdx.x) + u * 256;
        const int c = k / 4, r = k % 4 * 16;
        if (first_column + c < width && first_row + r < height) {
            const int at = x_base + (first_row + r) + (first_column + c) * x_step;
            x_line[u].words[0] = ((const uint4 *)x)[at >> 4];
        }
    }
#pragma unroll
    for (int u = 0; u < 2; ++u) {
        const int k = ((int)threadIdx.x) + u * 256;
        const int c = k / 4, r = k % 4 * 16;
        const int at = c * 17 + c / 32;
        {
#pragma unroll
            for (int e = 0; e < 4; ++e) x_tile[at + r / 4 + e] = x_line[u].cells[e];
        }
    }
    __syncthreads();
    for (int u = 0; u < 1; ++u) {
        const int k = ((int)threadIdx.x) + u * 256;
        const int c = k % 16 * 8, r = k / 16 * 4;
        if (first_column + c < width && first_row + r < height) {
            bytes_x_pack x_pack[4];
            bytes_y_pack y_pack[4];
#pragma unroll
            for (int lane = 0; lane < 8; ++lane) {
                const int at = (c + lane) * 17 + (c + lane) / 32 + r / 4;
#pragma unroll
                for (int s = 0; s < 4; s += 4) {
                    const bytes_x_cell cell = x_tile[at + s / 4];
#pragma unroll
                    for (int e = 0; e < 4; ++e) x_pack[s + e].value[lane] = cell.value[e];
                }
            }
#pragma unroll
            for (int s = 0; s < 4; ++s) {
                const int row = first_row + r + s;
                if (row < height) {
#pragma unroll
                    for (int lane = 0; lane < 8; ++lane) {
                        const int column = first_column + c + lane;
                        const int i = row * width + column;
                        y_pack[s].value[lane] = x_pack[s].value[lane];
                    }
                    const int y_to = y_base + row * y_down + first_column + c;
                    ((uint2 *)y)[y_to >> 3] = y_pack[s].words[0];
                }
            }
        }
    }
}
