typedef struct {
    int extent[3];
    int x[3];  // steps, in elements
    int y[3];  // steps, in elements
    int z[3];  // steps, in elements
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

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void axpy(
        float a,
        __global const float *x,
        __global const float *y,
        __global float *z,
        int64_t x_offset,
        axpy_layout layout,
        int n)
{
    x = (__global const float *)((__global const char *)x + x_offset);
    __local __attribute__((aligned(128))) axpy_x_cell x_tile[4161];
    const int width = layout.extent[2], height = layout.extent[1];
    const int across = (int)((width + 63) / 64), down = (int)((height + 63) / 64);
    const int first_column = (((int)get_group_id(0)) % across) * 64;
    const int first_row = (((int)get_group_id(0)) / across % down) * 64;
    const int outer = ((int)get_group_id(0)) / across / down;
    const int x_base = outer * layout.x[0], x_down = layout.x[1], x_step = layout.x[2];
    const int y_base = outer * layout.y[0], y_down = layout.y[1];
    const int z_base = outer * layout.z[0], z_down = layout.z[1];
    axpy_x_line x_line[4];
#pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int k = ((int)get_local_id(0)) + u * 256;
        const int c = k / 16, r = k % 16 * 4;
        if (first_column + c < width && first_row + r < height) {
            const int at = x_base + (first_row + r) + (first_column + c) * x_step;
            x_line[u].words[0] = ((__global const uint4 *)x)[at >> 2];
        }
    }
    axpy_y_pack y_pack[4];
#pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int k = ((int)get_local_id(0)) + u * 256;
        const int c = k % 16 * 4, r = k / 16;
        if (first_column + c < width && first_row + r < height) {
            const int y_at = y_base + (first_row + r) * y_down + first_column + c;
            y_pack[u].words[0] = ((__global const uint4 *)y)[y_at >> 2];
        }
    }
#pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int k = ((int)get_local_id(0)) + u * 256;
        const int c = k / 16, r = k % 16 * 4;
        const int at = c * 65 + c / 32;
        {
#pragma unroll
            for (int e = 0; e < 4; ++e) x_tile[at + r / 1 + e] = x_line[u].cells[e];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int k = ((int)get_local_id(0)) + u * 256;
        const int c = k % 16 * 4, r = k / 16;
        if (first_column + c < width && first_row + r < height) {
            axpy_x_pack x_pack[1];
            axpy_z_pack z_pack[1];
#pragma unroll
            for (int lane = 0; lane < 4; ++lane) {
                const int at = (c + lane) * 65 + (c + lane) / 32 + r / 1;
                x_pack[0].value[lane] = x_tile[at].value[0];
            }
            const int row = first_row + r;
#pragma unroll
            for (int lane = 0; lane < 4; ++lane) {
                const int column = first_column + c + lane;
                const int i = (outer * height + row) * width + column;
                z_pack[0].value[lane] = a*x_pack[0].value[lane] + y_pack[u].value[lane];
            }
            const int z_to = z_base + row * z_down + first_column + c;
            ((__global uint4 *)z)[z_to >> 2] = z_pack[0].words[0];
        }
    }
}
