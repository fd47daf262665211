typedef struct {
    int extent[3];
    int x[3];  // steps, in elements
    int y[3];  // steps, in elements
    int w[3];  // steps, in elements
    int z[3];  // steps, in elements
    int v[3];  // steps, in elements
    int d[3];  // steps, in elements
} mixed_layout;
int mixed_d_at(mixed_layout layout, int i) {
    int at = 0;
    at += i % layout.extent[2] * layout.d[2];
    i /= layout.extent[2];
    at += i % layout.extent[1] * layout.d[1];
    i /= layout.extent[1];
    return at + i * layout.d[0];
}
typedef union {
    float16_t value[1];
} mixed_x_pack;
typedef union {
    cdouble value[1];
} mixed_y_pack;
typedef union {
    float value[1];
} mixed_w_pack;
typedef union {
    cdouble value[1];
} mixed_z_pack;
typedef union {
    float16_t value[1];
} mixed_v_pack;
typedef union {
    uint32_t word;
    float16_t value[2];
} mixed_x_cell;
typedef union {
    uint4 words[1];
    mixed_x_cell cells[4];
    float16_t value[8];
} mixed_x_line;
typedef union {
    cdouble value[1];
} mixed_y_cell;
typedef union {
    mixed_y_cell cells[1];
    cdouble value[1];
} mixed_y_line;

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void mixed(
        __global const float16_t *x,
        __global const cdouble *y,
        __global const float *w,
        __global cdouble *z,
        __global float16_t *v,
        __global const int32_t *d,
        mixed_layout layout,
        int n)
{
    __local __attribute__((aligned(128))) mixed_x_cell x_tile[544];
    __local __attribute__((aligned(128))) mixed_y_cell y_tile[1059];
    const int width = layout.extent[2], height = layout.extent[1];
    const int across = (int)((width + 31) / 32), down = (int)((height + 31) / 32);
    const int first_column = (((int)get_group_id(0)) % across) * 32;
    const int first_row = (((int)get_group_id(0)) / across % down) * 32;
    const int outer = ((int)get_group_id(0)) / across / down;
    const int x_base = outer * layout.x[0], x_down = layout.x[1], x_step = layout.x[2];
    const int y_base = outer * layout.y[0], y_down = layout.y[1], y_step = layout.y[2];
    const int w_base = outer * layout.w[0], w_down = layout.w[1];
    const int z_base = outer * layout.z[0], z_down = layout.z[1];
    const int v_base = outer * layout.v[0], v_down = layout.v[1];
    mixed_x_line x_line[1];
#pragma unroll
    for (int u = 0; u < 1; ++u) {
        const int k = ((int)get_local_id(0)) + u * 256;
        const int c = k / 4, r = k % 4 * 8;
        if (c < 32 && first_column + c < width && first_row + r < height) {
            const int at = x_base + (first_row + r) + (first_column + c) * x_step;
            x_line[u].words[0] = ((__global const uint4 *)x)[at >> 3];
        }
    }
    mixed_y_line y_line[4];
#pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int k = ((int)get_local_id(0)) + u * 256;
        const int c = k / 32, r = k % 32;
        if (first_column + c < width && first_row + r < height) {
            const int at = y_base + (first_row + r) * y_down + (first_column + c) * y_step;
            y_line[u].value[0] = y[at];
        }
    }
    mixed_w_pack w_pack[4];
    mixed_z_pack z_pack[4];
    mixed_v_pack v_pack[4];
#pragma unroll
    for (int u = 0; u < 2; ++u) {
        const int k = ((int)get_local_id(0)) + u * 256;
        const int c = k % 32, r = k / 32 * 2;
        if (first_column + c < width && first_row + r < height) {
#pragma unroll
            for (int s = 0; s < 2; ++s) {
                if (first_row + r + s < height) {
                    const int w_at = w_base + (first_row + r + s) * w_down;
#pragma unroll
                    for (int lane = 0; lane < 1; ++lane) w_pack[u * 2 + s].value[lane] = w[w_at];
                    const int z_at = z_base + (first_row + r + s) * z_down + first_column + c;
#pragma unroll
                    for (int lane = 0; lane < 1; ++lane) z_pack[u * 2 + s].value[lane] = z[z_at + lane];
                    const int v_at = v_base + (first_row + r + s) * v_down + first_column + c;
#pragma unroll
                    for (int lane = 0; lane < 1; ++lane) v_pack[u * 2 + s].value[lane] = v[v_at + lane];
                }
            }
        }
    }
#pragma unroll
    for (int u = 0; u < 1; ++u) {
        const int k = ((int)get_local_id(0)) + u * 256;
        const int c = k / 4, r = k % 4 * 8;
        const int at = c * 17 + c / 32;
        if (c < 32) {
#pragma unroll
            for (int e = 0; e < 4; ++e) x_tile[at + r / 2 + e] = x_line[u].cells[e];
        }
    }
#pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int k = ((int)get_local_id(0)) + u * 256;
        const int c = k / 32, r = k % 32;
        const int at = c * 33 + c / 8;
        {
#pragma unroll
            for (int e = 0; e < 1; ++e) y_tile[at + r / 1 + e] = y_line[u].cells[e];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int u = 0; u < 2; ++u) {
        const int k = ((int)get_local_id(0)) + u * 256;
        const int c = k % 32, r = k / 32 * 2;
        if (first_column + c < width && first_row + r < height) {
            mixed_x_pack x_pack[2];
            mixed_y_pack y_pack[2];
#pragma unroll
            for (int lane = 0; lane < 1; ++lane) {
                const int at = (c + lane) * 17 + (c + lane) / 32 + r / 2;
#pragma unroll
                for (int s = 0; s < 2; s += 2) {
                    const mixed_x_cell cell = x_tile[at + s / 2];
#pragma unroll
                    for (int e = 0; e < 2; ++e) x_pack[s + e].value[lane] = cell.value[e];
                }
            }
#pragma unroll
            for (int lane = 0; lane < 1; ++lane) {
                const int at = (c + lane) * 33 + (c + lane) / 8 + r / 1;
#pragma unroll
                for (int s = 0; s < 2; s += 1) {
                    const mixed_y_cell cell = y_tile[at + s / 1];
#pragma unroll
                    for (int e = 0; e < 1; ++e) y_pack[s + e].value[lane] = cell.value[e];
                }
            }
#pragma unroll
            for (int s = 0; s < 2; ++s) {
                const int row = first_row + r + s;
                if (row < height) {
#pragma unroll
                    for (int lane = 0; lane < 1; ++lane) {
                        const int column = first_column + c;
                        const int i = (outer * height + row) * width + column;
                        const float x_i = load_float16(x_pack[s].value[lane]);
                        float v_i = load_float16(v_pack[u * 2 + s].value[lane]);
                        do {
                            if (w_pack[u * 2 + s].value[lane] < 0) continue;
                            z_pack[u * 2 + s].value[lane].re += y_pack[s].value[lane].im + x_i + d[mixed_d_at(layout, i - 1)];
                            v_i = x_i * i;
                        } while (0);
                        v_pack[u * 2 + s].value[lane] = store_float16(v_i);
                    }
                    const int z_to = z_base + row * z_down + first_column + c;
#pragma unroll
                    for (int lane = 0; lane < 1; ++lane) z[z_to + lane] = z_pack[u * 2 + s].value[lane];
                    const int v_to = v_base + row * v_down + first_column + c;
#pragma unroll
                    for (int lane = 0; lane < 1; ++lane) v[v_to + lane] = v_pack[u * 2 + s].value[lane];
                }
            }
        }
    }
}
