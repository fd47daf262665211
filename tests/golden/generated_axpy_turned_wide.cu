typedef struct {
    int64_t extent[3];
    int64_t x[3];  // steps, in elements
    int64_t y[3];  // steps, in elements
    int64_t z[3];  // steps, in elements
} axpy_layout;
typedef union {
    float value[4];
} axpy_x_pack;
typedef union {
    uint4 words[1];
    float value[4];
} axpy_y_pack;
typedef union {
    uint4 words[1];
    float value[4];
} axpy_z_pack;
typedef union {
    float value[1];
} axpy_x_cell;
typedef union {
    uint4 words[1];
    axpy_x_cell cells[4];
    float value[4];
} axpy_x_line;

extern "C" __global__ __launch_bounds__(256) void axpy(
        float a,
        const float *x,
        const float *y,
        float *z,
        int64_t x_offset,
        axpy_layout layout,
        int64_t n)
{
    x = (const float *)((const char *)x + x_offset);
    __shared__ __align__(128) axpy_x_cell x_tile[4161];
    const int64_t width = layout.extent[2], height = layout.extent[1];
    const int across = (int)((width + 63) / 64), down = (int)((height + 63) / 64);
    const int64_t first_column = (int64_t)(((int)blockIdx.x) % across) * 64;
    const int64_t first_row = (int64_t)(((int)blockIdx.x) / across % down) * 64;
    const int64_t outer = ((int)blockIdx.x) / across / down;
    const int64_t x_base = outer * layout.x[0], x_down = layout.x[1], x_step = layout.x[2];
    const int64_t y_base = outer * layout.y[0], y_down = layout.y[1];
    const int64_t z_base = outer * layout.z[0], z_down = layout.z[1];
    axpy_x_line x_line[4];
#pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int k = ((int)threadIdx.x) + u * 256;
        const int c = k / 16, r = k % 16 * 4;
        if (first_column + c < width && first_row + r < height) {
            const int64_t at = x_base + (first_row + r) + (first_column + c) * x_step;
            x_line[u].words[0] = ((const uint4 *)x)[at >> 2];
        }
    }
    axpy_y_pack y_pack[4];
#pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int k = ((int)threadIdx.x) + u * 256;
        const int c = k % 16 * 4, r = k / 16;
        if (first_column + c < width && first_row + r < height) {
            const int64_t y_at = y_base + (first_row + r) * y_down + first_column + c;
            y_pack[u].words[0] = ((const uint4 *)y)[y_at >> 2];
        }
    }
#pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int k = ((int)threadIdx.x) + u * 256;
        const int c = k / 16, r = k % 16 * 4;
        const int at = c * 65 + c / 32;
        {
#pragma unroll
            for (int e = 0; e < 4; ++e) x_tile[at + r / 1 + e] = x_line[u].cells[e];
        }
    }
    __syncthreads();
#pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int k = ((int)threadIdx.x) + u * 256;
        const int c = k % 16 * 4, r = k / 16;
        if (first_column + c < width && first_row + r < height) {
            axpy_x_pack x_pack[1];
            axpy_z_pack z_pack[1];
#pragma unroll
            for (int lane = 0; lane < 4; ++lane) {
                const int at = (c + lane) * 65 + (c + lane) / 32 + r / 1;
                x_pack[0].value[lane] = x_tile[at].value[0];
            }
            const int64_t row = first_row + r;
#pragma unroll
            for (int lane = 0; lane < 4; ++lane) {
                const int64_t column = first_column + c + lane;
                const int64_t i = (outer * height + row) * width + column;
                z_pack[0].value[lane] = a*x_pack[0].value[lane] + y_pack[u].value[lane];
            }
            const int64_t z_to = z_base + row * z_down + first_column + c;
            ((uint4 *)z)[z_to >> 2] = z_pack[0].words[0];
        }
    }
}
