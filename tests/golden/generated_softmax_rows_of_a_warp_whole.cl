typedef union { uint4 words[1]; float value[4]; } pack_float_x4;
typedef struct {
    int extent[1];
    int kept[1];
    int x[2];  // steps, in elements
    int y[2];  // steps, in elements
} softmax_layout;
typedef union { float item; uint32_t words[1]; } softmax_value_0_words;
float softmax_value_0_shuffle_up(float item, int delta) {
    softmax_value_0_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle_up(own.words[w], delta);
    return other.item;
}
float softmax_value_0_shuffle(float item, int lane) {
    softmax_value_0_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle(own.words[w], lane);
    return other.item;
}
typedef union { float item; uint32_t words[1]; } softmax_value_1_words;
float softmax_value_1_shuffle_up(float item, int delta) {
    softmax_value_1_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle_up(own.words[w], delta);
    return other.item;
}
float softmax_value_1_shuffle(float item, int lane) {
    softmax_value_1_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle(own.words[w], lane);
    return other.item;
}
typedef union { float item; uint32_t words[1]; } softmax_value_2_words;
float softmax_value_2_shuffle_up(float item, int delta) {
    softmax_value_2_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle_up(own.words[w], delta);
    return other.item;
}
float softmax_value_2_shuffle(float item, int lane) {
    softmax_value_2_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle(own.words[w], lane);
    return other.item;
}
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
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void softmax(
        __global const float *x,
        __global float *y,
        softmax_layout layout,
        __global float *result_0,
        int n,
        int outputs)
{
    const int thread = ((int)get_local_id(0));
    const int along = thread % 32;
    const int across = thread / 32;
    const int lane = thread % 32;
    const int given = ((int)((int)get_group_id(0)) * 8 + across);
    const int is_there = given < outputs;
    const int output = is_there ? given : 0;
    const int x_base = output * layout.x[1];
    const int y_base = output * layout.y[1];
    const int extent = layout.extent[0];
    const int packs = extent / 4;
    const int positions = packs;
    pack_float_x4 x_pack[4];
    pack_float_x4 y_pack[4];
#pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int k = along + u * 32;
        {
            const int x_line = x_base;
            const int y_line = y_base;
            const int e = k * 4;
            const int x_at = x_line + e;
            const int y_at = y_line + e;
            x_pack[u].words[0] = ((__global const uint4 *)(x + x_at))[0];
        }
    }
    float totals_0[4];
    float totals_1[4];
#pragma unroll
    for (int lane = 0; lane < 4; ++lane) {
        totals_0[lane] = -INFINITY;
        totals_1[lane] = 0;
    }
#pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int k = along + u * 32;
        {
            const int x_line = x_base;
            const int y_line = y_base;
            const int e = k * 4;
            const int x_at = x_line + e;
            const int y_at = y_line + e;
#pragma unroll
            for (int neighbour = 0; neighbour < 4; ++neighbour) {
                const int reduced_index = e + neighbour;
                const float x_i = x_pack[u].value[neighbour];
                float y_i;
                totals_0[neighbour] = softmax_reduce_0(totals_0[neighbour], x_i);
                totals_1[neighbour] = softmax_reduce_1(totals_1[neighbour], (float)reduced_index);
            }
        }
    }
#pragma unroll
    for (int width = 2; width > 0; width /= 2) {
#pragma unroll
        for (int lane = 0; lane < width; ++lane) {
            totals_0[lane] = softmax_reduce_0(totals_0[lane], totals_0[lane + width]);
            totals_1[lane] = softmax_reduce_1(totals_1[lane], totals_1[lane + width]);
        }
    }
    float total_0 = totals_0[0];
    float total_1 = totals_1[0];
#pragma unroll
    for (int delta = 16; delta > 0; delta /= 2) {
        total_0 = softmax_reduce_0(total_0, softmax_value_0_shuffle(total_0, lane ^ delta));
        total_1 = softmax_reduce_1(total_1, softmax_value_1_shuffle(total_1, lane ^ delta));
    }
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
    float totals_2[4];
#pragma unroll
    for (int lane = 0; lane < 4; ++lane) {
        totals_2[lane] = 0;
    }
#pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int k = along + u * 32;
        {
            const int x_line = x_base;
            const int y_line = y_base;
            const int e = k * 4;
            const int x_at = x_line + e;
            const int y_at = y_line + e;
#pragma unroll
            for (int neighbour = 0; neighbour < 4; ++neighbour) {
                const float x_i = x_pack[u].value[neighbour];
                float y_i;
                const float row0 = found_0[0];
                const float row1 = found_1[0];
                const float t0 = exp(x_i - row0);
                totals_2[neighbour] = softmax_reduce_2(totals_2[neighbour], t0 * t0);
            }
        }
    }
#pragma unroll
    for (int width = 2; width > 0; width /= 2) {
#pragma unroll
        for (int lane = 0; lane < width; ++lane) {
            totals_2[lane] = softmax_reduce_2(totals_2[lane], totals_2[lane + width]);
        }
    }
    float total_2 = totals_2[0];
#pragma unroll
    for (int delta = 16; delta > 0; delta /= 2) {
        total_2 = softmax_reduce_2(total_2, softmax_value_2_shuffle(total_2, lane ^ delta));
    }
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
    if (is_there) {
#pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int k = along + u * 32;
        {
            const int x_line = x_base;
            const int y_line = y_base;
            const int e = k * 4;
            const int x_at = x_line + e;
            const int y_at = y_line + e;
#pragma unroll
            for (int neighbour = 0; neighbour < 4; ++neighbour) {
                const float x_i = x_pack[u].value[neighbour];
                float y_i;
                const float row0 = found_0[0];
                const float row1 = found_1[0];
                const float row2 = found_2[0];
                const float fixed0 = fixed0_values[0];
                y_i = exp(x_i - row0) * fixed0;
                y_pack[u].value[neighbour] = y_i;
            }
            ((__global uint4 *)(y + y_at))[0] = y_pack[u].words[0];
        }
    }
    }
    if (along == 0 && is_there) {
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
