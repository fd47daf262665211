typedef struct {
    int extent[2];
    int kept[1];
    int x[3];  // steps, in elements
    int y[3];  // steps, in elements
} softmax_layout;
__device__ float softmax_reduce_0(float a, float b) {
    return a > b || a != a ? a : b;
}
__device__ float softmax_reduce_1(float a, float b) {
    return a+b;
}
__device__ float softmax_stored_1(float a, int n) {
    return a / n;
}
__device__ float softmax_reduce_2(float a, float b) {
    return a+b;
}
extern "C" __global__ __launch_bounds__(1) void softmax(
        const float *x,
        float *y,
        softmax_layout layout,
        float *result_0,
        int64_t result_offset_0,
        int n,
        int outputs,
        int span)
{
    result_0 = (float *)((char *)result_0 + result_offset_0);
    const int begin = ((int)blockIdx.x) * span;
    const int stop_output = outputs - begin < span ? outputs : begin + span;
    const int extent = layout.extent[1];
    const int lines = n / extent;
    for (int output = begin; output < stop_output; ++output) {
        const int x_base = output * layout.x[2];
        const int y_base = output * layout.y[2];
        float totals_0[8];
        for (int neighbour = 0; neighbour < 8; ++neighbour) totals_0[neighbour] = -INFINITY;
        float totals_1[8];
        for (int neighbour = 0; neighbour < 8; ++neighbour) totals_1[neighbour] = 0;
        for (int line = 0; line < lines; ++line) {
            const int x_line = x_base + line * layout.x[0];
            const int y_line = y_base + line * layout.y[0];
            const int whole = extent / 8;
            for (int k = 0; k < whole; ++k) {
                for (int neighbour = 0; neighbour < 8; ++neighbour) {
                    const int e = k * 8 + neighbour;
                    const int reduced_index = line * extent + e;
                    const int x_at = x_line + e;
                    const int y_at = y_line + e;
                    totals_0[neighbour] = softmax_reduce_0(totals_0[neighbour], x[x_at]);
                    totals_1[neighbour] = softmax_reduce_1(totals_1[neighbour], (float)reduced_index);
                }
            }
            const int again = (int)((whole + 1) * 8 - extent);
            if (again < 8) {
                for (int neighbour = 0; neighbour < 8; ++neighbour) {
                    const int e = extent - 8 + neighbour;
                    const int reduced_index = line * extent + e;
                    const int x_at = x_line + e;
                    const int y_at = y_line + e;
                    totals_0[neighbour] = neighbour < again ? totals_0[neighbour] : softmax_reduce_0(totals_0[neighbour], x[x_at]);
                    totals_1[neighbour] = neighbour < again ? totals_1[neighbour] : softmax_reduce_1(totals_1[neighbour], (float)reduced_index);
                }
            }
        }
#pragma unroll
        for (int width = 4; width > 0; width /= 2) {
#pragma unroll
            for (int lane = 0; lane < width; ++lane) {
                totals_0[lane] = softmax_reduce_0(totals_0[lane], totals_0[lane + width]);
                totals_1[lane] = softmax_reduce_1(totals_1[lane], totals_1[lane + width]);
            }
        }
        float total_0 = totals_0[0];
        float total_1 = totals_1[0];
        float found_0[1];
#pragma unroll
        for (int neighbour = 0; neighbour < 1; ++neighbour) {
            found_0[neighbour] = total_0;
        }
        float found_1[1];
#pragma unroll
        for (int neighbour = 0; neighbour < 1; ++neighbour) {
            found_1[neighbour] = softmax_stored_1(total_1, n);
        }
        float totals_2[8];
        for (int neighbour = 0; neighbour < 8; ++neighbour) totals_2[neighbour] = 0;
        for (int line = 0; line < lines; ++line) {
            const int x_line = x_base + line * layout.x[0];
            const int y_line = y_base + line * layout.y[0];
            const int whole = extent / 8;
            for (int k = 0; k < whole; ++k) {
                for (int neighbour = 0; neighbour < 8; ++neighbour) {
                    const int e = k * 8 + neighbour;
                    const int x_at = x_line + e;
                    const int y_at = y_line + e;
                    const float row0 = found_0[0];
                    const float row1 = found_1[0];
                    const float t0 = exp(x[x_at] - row0);
                    totals_2[neighbour] = softmax_reduce_2(totals_2[neighbour], t0 * t0);
                }
            }
            const int again = (int)((whole + 1) * 8 - extent);
            if (again < 8) {
                for (int neighbour = 0; neighbour < 8; ++neighbour) {
                    const int e = extent - 8 + neighbour;
                    const int x_at = x_line + e;
                    const int y_at = y_line + e;
                    const float row0 = found_0[0];
                    const float row1 = found_1[0];
                    const float t0 = exp(x[x_at] - row0);
                    totals_2[neighbour] = neighbour < again ? totals_2[neighbour] : softmax_reduce_2(totals_2[neighbour], t0 * t0);
                }
            }
        }
#pragma unroll
        for (int width = 4; width > 0; width /= 2) {
#pragma unroll
            for (int lane = 0; lane < width; ++lane) {
                totals_2[lane] = softmax_reduce_2(totals_2[lane], totals_2[lane + width]);
            }
        }
        float total_2 = totals_2[0];
        float found_2[1];
#pragma unroll
        for (int neighbour = 0; neighbour < 1; ++neighbour) {
            found_2[neighbour] = total_2;
        }
        float fixed0_values[1];
#pragma unroll
        for (int neighbour = 0; neighbour < 1; ++neighbour) {
            const float row0 = found_0[neighbour];
            const float row1 = found_1[neighbour];
            const float row2 = found_2[neighbour];
            const float fixed0 = 1 / row2;
            fixed0_values[neighbour] = fixed0;
        }
        for (int line = 0; line < lines; ++line) {
            const int x_line = x_base + line * layout.x[0];
            const int y_line = y_base + line * layout.y[0];
            for (int e = 0; e < extent; ++e) {
                const int neighbour = 0;
                const int x_at = x_line + e;
                const int y_at = y_line + e;
                const float row0 = found_0[0];
                const float row1 = found_1[0];
                const float row2 = found_2[0];
                const float fixed0 = fixed0_values[0];
                y[y_at] = exp(x[x_at] - row0) * fixed0;
            }
        }
        for (int neighbour = 0; neighbour < 1; ++neighbour) {
            const int x_at = x_base;
            const int y_at = y_base;
            const float row0 = found_0[0];
            const float row1 = found_1[0];
            const float row2 = found_2[0];
            const float fixed0 = fixed0_values[0];
            result_0[output + neighbour] = row2 + row1;
        }
    }
}
