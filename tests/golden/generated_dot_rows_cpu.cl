typedef struct {
    int extent[2];
    int kept[1];
    int x[3];  // steps, in elements
    int y[3];  // steps, in elements
} dot_layout;
float dot_reduce(float a, float b) {
    return a+b;
}
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void dot(
        __global const float *x,
        __global const float *y,
        dot_layout layout,
        __global float *result,
        int n,
        int outputs,
        int splits,
        int span)
{
    const int group = ((int)get_group_id(0));
    const int split = 0;
    const int begin = group * span;
    const int stop_output = outputs - begin < span ? outputs : begin + span;
    const int extent = layout.extent[1];
    for (int output = begin; output < stop_output; ++output) {
        const int x_base = output * layout.x[2];
        const int y_base = output * layout.y[2];
        const int lines = n / extent;
        const int lines_per_split = lines / splits + 1;
        const int first_line = split * lines_per_split < lines ? split * lines_per_split : lines;
        const int stop_line = lines - first_line < lines_per_split ? lines : first_line + lines_per_split;
        float all = 0;
        for (int line = first_line; line < stop_line; ++line) {
            const int x_line = x_base + line * layout.x[0];
            const int y_line = y_base + line * layout.y[0];
            int k = 0;
            const int end = extent;
            // Sums of 1, 2, 4, ... runs: those whose bit is set in the number of runs.
            float kept[48][16];
            int runs = 0;
            while (end - k >= 16) {
                float run[16];
                for (int lane = 0; lane < 16; ++lane) {
                    run[lane] = 0;
                }
                const int stop = end - k < 512 ? end : k + 512;
                for (; stop - k >= 32; k += 32) {
                    for (int lane = 0; lane < 16; ++lane) {
                        float both = run[lane];
                        {
                            const int e = k + lane;
                            const int x_at = x_line + e;
                            const int y_at = y_line;
                            both = dot_reduce(both, x[x_at]*y[y_at]);
                        }
                        {
                            const int e = k + lane + 16;
                            const int x_at = x_line + e;
                            const int y_at = y_line;
                            both = dot_reduce(both, x[x_at]*y[y_at]);
                        }
                        run[lane] = both;
                    }
                }
                for (; stop - k >= 16; k += 16) {
                    for (int lane = 0; lane < 16; ++lane) {
                        const int e = k + lane;
                        const int x_at = x_line + e;
                        const int y_at = y_line;
                        run[lane] = dot_reduce(run[lane], x[x_at]*y[y_at]);
                    }
                }
                int level = 0;
                for (; runs >> level & 1; ++level) {
                    for (int lane = 0; lane < 16; ++lane) {
                        run[lane] = dot_reduce(kept[level][lane], run[lane]);
                    }
                }
                for (int lane = 0; lane < 16; ++lane) {
                    kept[level][lane] = run[lane];
                }
                ++runs;
            }
            float totals[16];
#pragma unroll
            for (int lane = 0; lane < 16; ++lane) {
                totals[lane] = 0;
            }
            for (int level = 0; runs >> level; ++level) {
                if (!(runs >> level & 1)) continue;
                for (int lane = 0; lane < 16; ++lane) {
                    totals[lane] = dot_reduce(kept[level][lane], totals[lane]);
                }
            }
            for (; k < end; ++k) {
                const int e = k;
                const int x_at = x_line + e;
                const int y_at = y_line;
                totals[0] = dot_reduce(totals[0], x[x_at]*y[y_at]);
            }
#pragma unroll
            for (int width = 8; width > 0; width /= 2) {
#pragma unroll
                for (int lane = 0; lane < width; ++lane) {
                    totals[lane] = dot_reduce(totals[lane], totals[lane + width]);
                }
            }
            float total = totals[0];
            all = dot_reduce(all, total);
        }
        result[output] = all;
    }
}
