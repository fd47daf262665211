typedef struct {
    int extent[2];
    int x[2];  // steps, in elements
    int y[2];  // steps, in elements
} bytes_layout;
typedef union {
    uint8_t value[1];
} bytes_x_pack;
typedef union {
    uint8_t value[1];
} bytes_y_pack;
typedef union {
    uint32_t word;
    uint8_t value[4];
} bytes_x_cell;
typedef union {
    uint8_t value[1];
} bytes_x_line;

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void bytes(
        __global const uint8_t *x,
        __global uint8_t *y,
        bytes_layout layout,
        int n)
{
    __local __attribute__((aligned(128))) bytes_x_cell x_tile[2179];
    const int width = layout.extent[1], height = layout.extent[0];
    const int across = (int)((width + 127) / 128), down = (int)((height + 63) / 64);
    const int first_column = (((int)get_group_id(0)) % across) * 128;
    const int first_row = (((int)get_group_id(0)) / across % down) * 64;
    const int x_base = 0, x_down = layout.x[0], x_step = layout.x[1];
    const int y_base = 0, y_down = layout.y[0];
    bytes_x_line x_line[32];
#pragma unroll
    for (int u = 0; u < 32; ++u) {
        const int k = ((int)get_local_id(0)) + u * 256;
        const int c = k / 64, r = k % 64;
        if (first_column + c < width && first_row + r < height) {
            const int at = x_base + (first_row + r) * x_down + (first_column + c) * x_step;
            x_line[u].value[0] = x[at];
        }
    }
#pragma unroll
    for (int u = 0; u < 32; ++u) {
        const int k = ((int)get_local_id(0)) + u * 256;
        const int c = k / 64, r = k % 64;
        const int at = c * 17 + c / 32;
        {
#pragma unroll
            for (int e = 0; e < 1; ++e) x_tile[at + (r + e) / 4].value[(r + e) % 4] = x_line[u].value[e];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int u = 0; u < 8; ++u) {
        const int k = ((int)get_local_id(0)) + u * 256;
        const int c = k % 128, r = k / 128 * 4;
        if (first_column + c < width && first_row + r < height) {
            bytes_x_pack x_pack[4];
            bytes_y_pack y_pack[4];
#pragma unroll
            for (int lane = 0; lane < 1; ++lane) {
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
                    for (int lane = 0; lane < 1; ++lane) {
                        const int column = first_column + c;
                        const int i = row * width + column;
                        y_pack[s].value[lane] = x_pack[s].value[lane];
                    }
                    const int y_to = y_base + row * y_down + first_column + c;
#pragma unroll
                    for (int lane = 0; lane < 1; ++lane) y[y_to + lane] = y_pack[s].value[lane];
                }
            }
        }
    }
}
