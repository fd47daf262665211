typedef union { uint4 words[1]; float value[4]; } pack_float_x4;
typedef struct {
    int extent[1];
    int kept[2];
    int x[3];  // steps, in elements
    int y[3];  // steps, in elements
} dot_layout;
typedef union { float item; uint32_t words[1]; } dot_value_words;
float dot_value_shuffle_up(float item, int delta) {
    dot_value_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle_up(own.words[w], delta);
    return other.item;
}
float dot_value_shuffle(float item, int lane) {
    dot_value_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle(own.words[w], lane);
    return other.item;
}
float dot_reduce(float a, float b) {
    return a+b;
}
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void dot(
        __global const float *x,
        __global const float *y,
        dot_layout layout,
        __global float *result,
        int n,
        int outputs,
        int splits)
{
    const int thread = ((int)get_local_id(0));
    const int along = thread % 32;
    const int across = thread / 32;
    const int lane = thread % 32;
    const int group = ((int)get_group_id(0));
    const int split = 0;
    const int output = (group * 8 + across);
    float totals[4];
#pragma unroll
    for (int lane = 0; lane < 4; ++lane) {
        totals[lane] = 0;
    }
    if (output < outputs) {
        int o_rest = output;
        const int o_1 = o_rest % layout.kept[1];
        o_rest /= layout.kept[1];
        const int x_base = o_rest * layout.x[1] + o_1 * layout.x[2];
        const int y_base = o_rest * layout.y[1] + o_1 * layout.y[2];
        const int extent = layout.extent[0];
        const int packs = extent / 4;
        const int positions = packs;
        int first = split * 128 + along;
        // Runs of runs and so on, whose totals are combined: a counter with digits of 16.
        float kept[4][4];
#pragma unroll
        for (int neighbour = 0; neighbour < 4; ++neighbour) {
#pragma unroll
            for (int level = 0; level < 4; ++level) kept[level][neighbour] = 0;
        }
        int runs = 0;
        while (first < positions) {
            float run[4];
#pragma unroll
            for (int neighbour = 0; neighbour < 4; ++neighbour) run[neighbour] = 0;
            for (int turn = 0; turn < 4 && first < positions; ++turn) {
                pack_float_x4 x_pack[4];
                pack_float_x4 y_pack[4];
#pragma unroll
                for (int u = 0; u < 4; ++u) {
                    const int k = first + u * 32;
                    if (k < positions) {
                        const int x_line = x_base;
                        const int y_line = y_base;
                        const int e = k * 4;
                        const int x_at = x_line + e;
                        const int y_at = y_line;
                        x_pack[u].words[0] = ((__global const uint4 *)(x + x_at))[0];
                        y_pack[u].value[0] = y[y_at];
                        y_pack[u].value[1] = y[y_at];
                        y_pack[u].value[2] = y[y_at];
                        y_pack[u].value[3] = y[y_at];
                    }
                }
#pragma unroll
                for (int u = 0; u < 4; ++u) {
                    const int k = first + u * 32;
                    if (k < positions) {
                        const int x_line = x_base;
                        const int y_line = y_base;
                        const int e = k * 4;
                        const int x_at = x_line + e;
                        const int y_at = y_line;
#pragma unroll
                        for (int neighbour = 0; neighbour < 4; ++neighbour) {
                            const float x_i = x_pack[u].value[neighbour];
                            const float y_i = y_pack[u].value[neighbour];
                            run[neighbour] = dot_reduce(run[neighbour], x_i*y_i);
                        }
                    }
                }
                first += 128;
            }
            ++runs;
#pragma unroll
            for (int neighbour = 0; neighbour < 4; ++neighbour) {
                kept[0][neighbour] = dot_reduce(kept[0][neighbour], run[neighbour]);
                if (runs % 16 == 0) {
                    kept[1][neighbour] = dot_reduce(kept[1][neighbour], kept[0][neighbour]);
                    kept[0][neighbour] = 0;
                }
                if (runs % 256 == 0) {
                    kept[2][neighbour] = dot_reduce(kept[2][neighbour], kept[1][neighbour]);
                    kept[1][neighbour] = 0;
                }
                if (runs % 4096 == 0) {
                    kept[3][neighbour] = dot_reduce(kept[3][neighbour], kept[2][neighbour]);
                    kept[2][neighbour] = 0;
                }
            }
        }
#pragma unroll
        for (int neighbour = 0; neighbour < 4; ++neighbour) {
#pragma unroll
            for (int level = 3; level >= 0; --level) {
                totals[neighbour] = dot_reduce(totals[neighbour], kept[level][neighbour]);
            }
        }
    }
#pragma unroll
    for (int width = 2; width > 0; width /= 2) {
#pragma unroll
        for (int lane = 0; lane < width; ++lane) {
            totals[lane] = dot_reduce(totals[lane], totals[lane + width]);
        }
    }
    float total = totals[0];
#pragma unroll
    for (int delta = 16; delta > 0; delta /= 2) {
        total = dot_reduce(total, dot_value_shuffle(total, lane ^ delta));
    }
    if (along == 0 && output < outputs) {
        result[output] = total;
    }
}
