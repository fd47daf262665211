typedef struct {
    int extent[1];
    int kept[1];
    int x[2];  // steps, in elements
    int y[2];  // steps, in elements
} softmax_layout;
float softmax_reduce_0(float a, float b) {
    return a > b || a != a ? a : b;
}
float softmax_reduce_1(float a, float b) {
    return a+b;
}
float softmax_stored_1(float a, int n) {
    return a / n;
}
float softmax_reduce_2(float a, float b) {
    return a+b;
}
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void softmax(
        __global const float *x,
        __global float *y,
        softmax_layout layout,
        __global float *result_0,
        int n,
        int outputs)
{
    const int extent = layout.kept[0];
    const int tiles = (extent + 63) / 64;
    const int from = ((int)get_group_id(0)) % tiles * 64;
    const int output = ((int)get_group_id(0)) / tiles * extent + from;
    const int width = (int)(extent - from < 64 ? extent - from : 64);
    const int x_base = output * layout.x[1];
    const int y_base = output * layout.y[1];
    float totals_0[64];
    for (int neighbour = 0; neighbour < 64; ++neighbour) totals_0[neighbour] = -INFINITY;
    float totals_1[64];
    for (int neighbour = 0; neighbour < 64; ++neighbour) totals_1[neighbour] = 0;
    for (int first = 0; first < n; first += 64) {
        const int stop = n - first < 64 ? n : first + 64;
        float run_0[64];
        for (int neighbour = 0; neighbour < width; ++neighbour) run_0[neighbour] = -INFINITY;
        float run_1[64];
        for (int neighbour = 0; neighbour < width; ++neighbour) run_1[neighbour] = 0;
        int k = first;
        for (; stop - k >= 4; k += 4) {
            const int four = k;
            for (int neighbour = 0; neighbour < width; ++neighbour) {
                {
                    const int k = four + 0;
                    const int x_column = x_base + k * layout.x[0];
                    const int y_column = y_base + k * layout.y[0];
                    const int reduced_index = k;
                    const int x_at = x_column + neighbour;
                    const int y_at = y_column + neighbour;
                    run_0[neighbour] = softmax_reduce_0(run_0[neighbour], x[x_at]);
                    run_1[neighbour] = softmax_reduce_1(run_1[neighbour], (float)reduced_index);
                }
                {
                    const int k = four + 1;
                    const int x_column = x_base + k * layout.x[0];
                    const int y_column = y_base + k * layout.y[0];
                    const int reduced_index = k;
                    const int x_at = x_column + neighbour;
                    const int y_at = y_column + neighbour;
                    run_0[neighbour] = softmax_reduce_0(run_0[neighbour], x[x_at]);
                    run_1[neighbour] = softmax_reduce_1(run_1[neighbour], (float)reduced_index);
                }
                {
                    const int k = four + 2;
                    const int x_column = x_base + k * layout.x[0];
                    const int y_column = y_base + k * layout.y[0];
                    const int reduced_index = k;
                    const int x_at = x_column + neighbour;
                    const int y_at = y_column + neighbour;
                    run_0[neighbour] = softmax_reduce_0(run_0[neighbour], x[x_at]);
                    run_1[neighbour] = softmax_reduce_1(run_1[neighbour], (float)reduced_index);
                }
                {
                    const int k = four + 3;
                    const int x_column = x_base + k * layout.x[0];
                    const int y_column = y_base + k * layout.y[0];
                    const int reduced_index = k;
                    const int x_at = x_column + neighbour;
                    const int y_at = y_column + neighbour;
                    run_0[neighbour] = softmax_reduce_0(run_0[neighbour], x[x_at]);
                    run_1[neighbour] = softmax_reduce_1(run_1[neighbour], (float)reduced_index);
                }
            }
        }
        for (; k < stop; ++k) {
            const int x_column = x_base + k * layout.x[0];
            const int y_column = y_base + k * layout.y[0];
            for (int neighbour = 0; neighbour < width; ++neighbour) {
                const int reduced_index = k;
                const int x_at = x_column + neighbour;
                const int y_at = y_column + neighbour;
                run_0[neighbour] = softmax_reduce_0(run_0[neighbour], x[x_at]);
                run_1[neighbour] = softmax_reduce_1(run_1[neighbour], (float)reduced_index);
            }
        }
        for (int neighbour = 0; neighbour < width; ++neighbour) {
            totals_0[neighbour] = softmax_reduce_0(totals_0[neighbour], run_0[neighbour]);
        }
        for (int neighbour = 0; neighbour < width; ++neighbour) {
            totals_1[neighbour] = softmax_reduce_1(totals_1[neighbour], run_1[neighbour]);
        }
    }
    float found_0[64];
#pragma unroll
    for (int neighbour = 0; neighbour < 64; ++neighbour) {
        found_0[neighbour] = totals_0[neighbour];
    }
    float found_1[64];
#pragma unroll
    for (int neighbour = 0; neighbour < 64; ++neighbour) {
        found_1[neighbour] = softmax_stored_1(totals_1[neighbour], n);
    }
    float totals_2[64];
    for (int neighbour = 0; neighbour < 64; ++neighbour) totals_2[neighbour] = 0;
    for (int first = 0; first < n; first += 64) {
        const int stop = n - first < 64 ? n : first + 64;
        float run_2[64];
        for (int neighbour = 0; neighbour < width; ++neighbour) run_2[neighbour] = 0;
        int k = first;
        for (; stop - k >= 4; k += 4) {
            const int four = k;
            for (int neighbour = 0; neighbour < width; ++neighbour) {
                {
                    const int k = four + 0;
                    const int x_column = x_base + k * layout.x[0];
                    const int y_column = y_base + k * layout.y[0];
                    const int x_at = x_column + neighbour;
                    const int y_at = y_column + neighbour;
                    const float row0 = found_0[neighbour];
                    const float row1 = found_1[neighbour];
                    const float t0 = exp(x[x_at] - row0);
                    run_2[neighbour] = softmax_reduce_2(run_2[neighbour], t0 * t0);
                }
                {
                    const int k = four + 1;
                    const int x_column = x_base + k * layout.x[0];
                    const int y_column = y_base + k * layout.y[0];
                    const int x_at = x_column + neighbour;
                    const int y_at = y_column + neighbour;
                    const float row0 = found_0[neighbour];
                    const float row1 = found_1[neighbour];
                    const float t0 = exp(x[x_at] - row0);
                    run_2[neighbour] = softmax_reduce_2(run_2[neighbour], t0 * t0);
                }
                {
                    const int k = four + 2;
                    const int x_column = x_base + k * layout.x[0];
                    const int y_column = y_base + k * layout.y[0];
                    const int x_at = x_column + neighbour;
                    const int y_at = y_column + neighbour;
                    const float row0 = found_0[neighbour];
                    const float row1 = found_1[neighbour];
                    const float t0 = exp(x[x_at] - row0);
                    run_2[neighbour] = softmax_reduce_2(run_2[neighbour], t0 * t0);
                }
                {
                    const int k = four + 3;
                    const int x_column = x_base + k * layout.x[0];
                    const int y_column = y_base + k * layout.y[0];
                    const int x_at = x_column + neighbour;
                    const int y_at = y_column + neighbour;
                    const float row0 = found_0[neighbour];
                    const float row1 = found_1[neighbour];
                    const float t0 = exp(x[x_at] - row0);
                    run_2[neighbour] = softmax_reduce_2(run_2[neighbour], t0 * t0);
                }
            }
        }
        for (; k < stop; ++k) {
            const int x_column = x_base + k * layout.x[0];
            const int y_column = y_base + k * layout.y[0];
            for (int neighbour = 0; neighbour < width; ++neighbour) {
                const int x_at = x_column + neighbour;
                const int y_at = y_column + neighbour;
                const float row0 = found_0[neighbour];
                const float row1 = found_1[neighbour];
                const float t0 = exp(x[x_at] - row0);
                run_2[neighbour] = softmax_reduce_2(run_2[neighbour], t0 * t0);
            }
        }
        for (int neighbour = 0; neighbour < width; ++neighbour) {
            totals_2[neighbour] = softmax_reduce_2(totals_2[neighbour], run_2[neighbour]);
        }
    }
    float found_2[64];
#pragma unroll
    for (int neighbour = 0; neighbour < 64; ++neighbour) {
        found_2[neighbour] = totals_2[neighbour];
    }
    float fixed0_values[64];
#pragma unroll
    for (int neighbour = 0; neighbour < 64; ++neighbour) {
        const float row0 = found_0[neighbour];
        const float row1 = found_1[neighbour];
        const float row2 = found_2[neighbour];
        const float fixed0 = 1 / row2;
        fixed0_values[neighbour] = fixed0;
    }
    for (int first = 0; first < n; first += 64) {
        const int stop = n - first < 64 ? n : first + 64;
        int k = first;
        for (; k < stop; ++k) {
            const int x_column = x_base + k * layout.x[0];
            const int y_column = y_base + k * layout.y[0];
            for (int neighbour = 0; neighbour < width; ++neighbour) {
                const int x_at = x_column + neighbour;
                const int y_at = y_column + neighbour;
                const float row0 = found_0[neighbour];
                const float row1 = found_1[neighbour];
                const float row2 = found_2[neighbour];
                const float fixed0 = fixed0_values[neighbour];
                y[y_at] = exp(x[x_at] - row0) * fixed0;
            }
        }
    }
    for (int neighbour = 0; neighbour < width; ++neighbour) {
        const int x_at = x_base + neighbour;
        const int y_at = y_base + neighbour;
        const float row0 = found_0[neighbour];
        const float row1 = found_1[neighbour];
        const float row2 = found_2[neighbour];
        const float fixed0 = fixed0_values[neighbour];
        result_0[output + neighbour] = row2 + row1;
    }
}
