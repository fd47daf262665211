typedef union { uint4 words[1]; float value[4]; } pack_float_x4;
typedef struct {
    int extent[1];
    int kept[1];
    int x[2];  // steps, in elements
    int y[2];  // steps, in elements
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
    const int along = thread % 4;
    const int across = thread / 4;
    const int lane = thread % 32;
    const int begin = ((int)((int)get_group_id(0)) * 2) * 64 + across;
    pack_float_x4 x_pack[4];
    pack_float_x4 y_pack[4];
#pragma unroll
    for (int row = 0; row < 2; ++row) {
        const int output = begin + row * 64;
        if (output < outputs) {
            const int x_base = output * layout.x[1];
            const int y_base = output * layout.y[1];
            const int extent = layout.extent[0];
            const int packs = extent / 4;
            const int positions = packs;
#pragma unroll
            for (int u = 0; u < 2; ++u) {
                const int k = along + u * 4;
                if (k < positions) {
                    const int x_line = x_base;
                    const int y_line = y_base;
                    const int e = k * 4;
                    const int x_at = x_line + e;
                    const int y_at = y_line + e;
                    x_pack[row * 2 + u].words[0] = ((__global const uint4 *)(x + x_at))[0];
                    y_pack[row * 2 + u].words[0] = ((__global const uint4 *)(y + y_at))[0];
                }
            }
        }
    }
#pragma unroll
    for (int row = 0; row < 2; ++row) {
        const int output = begin + row * 64;
        float totals[4];
#pragma unroll
        for (int lane = 0; lane < 4; ++lane) {
            totals[lane] = 0;
        }
        if (output < outputs) {
            const int x_base = output * layout.x[1];
            const int y_base = output * layout.y[1];
            const int extent = layout.extent[0];
            const int packs = extent / 4;
            const int positions = packs;
#pragma unroll
            for (int u = 0; u < 2; ++u) {
                const int k = along + u * 4;
                if (k < positions) {
                    const int x_line = x_base;
                    const int y_line = y_base;
                    const int e = k * 4;
                    const int x_at = x_line + e;
                    const int y_at = y_line + e;
#pragma unroll
                    for (int neighbour = 0; neighbour < 4; ++neighbour) {
                        const float x_i = x_pack[row * 2 + u].value[neighbour];
                        const float y_i = y_pack[row * 2 + u].value[neighbour];
                        totals[neighbour] = dot_reduce(totals[neighbour], x_i*y_i);
                    }
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
        for (int delta = 2; delta > 0; delta /= 2) {
            total = dot_reduce(total, dot_value_shuffle(total, lane ^ delta));
        }
        if (along == 0 && output < outputs) {
            result[output] = total;
        }
    }
}
