typedef union { uint16_t words[1]; float16_t value[1]; } pack_float16_t_x1;
typedef struct {
    int extent[1];
    int kept[1];
    int x[2];  // steps, in elements
    int i[2];
} several_layout;
typedef union { float item; uint32_t words[1]; } several_value_0_words;
float several_value_0_shuffle_up(float item, int delta) {
    several_value_0_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle_up(own.words[w], delta);
    return other.item;
}
float several_value_0_shuffle(float item, int lane) {
    several_value_0_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle(own.words[w], lane);
    return other.item;
}
typedef union { int64_t item; uint32_t words[2]; } several_value_1_words;
int64_t several_value_1_shuffle_up(int64_t item, int delta) {
    several_value_1_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 2; ++w) other.words[w] = gemel_shuffle_up(own.words[w], delta);
    return other.item;
}
int64_t several_value_1_shuffle(int64_t item, int lane) {
    several_value_1_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 2; ++w) other.words[w] = gemel_shuffle(own.words[w], lane);
    return other.item;
}
typedef union { unsigned char item; uint32_t words[1]; } several_value_2_words;
unsigned char several_value_2_shuffle_up(unsigned char item, int delta) {
    several_value_2_words own, other;
    own.words[0] = 0;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle_up(own.words[w], delta);
    return other.item;
}
unsigned char several_value_2_shuffle(unsigned char item, int lane) {
    several_value_2_words own, other;
    own.words[0] = 0;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle(own.words[w], lane);
    return other.item;
}
typedef union { double item; uint32_t words[2]; } several_value_3_words;
double several_value_3_shuffle_up(double item, int delta) {
    several_value_3_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 2; ++w) other.words[w] = gemel_shuffle_up(own.words[w], delta);
    return other.item;
}
double several_value_3_shuffle(double item, int lane) {
    several_value_3_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 2; ++w) other.words[w] = gemel_shuffle(own.words[w], lane);
    return other.item;
}
float several_reduce_0(float a, float b) {
    return fmin(a, b);
}
int64_t several_reduce_1(int64_t a, int64_t b) {
    return max(a, b);
}
unsigned char several_reduce_2(unsigned char a, unsigned char b) {
    return (a || b) != 0;
}
double several_reduce_3(double a, double b) {
    return a+b;
}
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void several(
        __global const float16_t *x,
        several_layout layout,
        __global float16_t *result_0,
        __global int64_t *result_1,
        __global unsigned char *result_2,
        __global float *result_3,
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
    float totals_0[1];
    int64_t totals_1[1];
    unsigned char totals_2[1];
    double totals_3[1];
#pragma unroll
    for (int lane = 0; lane < 1; ++lane) {
        totals_0[lane] = INFINITY;
        totals_1[lane] = 0;
        totals_2[lane] = 0;
        totals_3[lane] = 0;
    }
    if (output < outputs) {
        const int x_base = output * layout.x[1];
        const int i_base = output * layout.i[1];
        const int extent = layout.extent[0];
        const int packs = extent;
        const int positions = packs;
        int first = split * 64 + along;
        while (first < positions) {
            float run_0[1];
#pragma unroll
            for (int neighbour = 0; neighbour < 1; ++neighbour) run_0[neighbour] = INFINITY;
            int64_t run_1[1];
#pragma unroll
            for (int neighbour = 0; neighbour < 1; ++neighbour) run_1[neighbour] = 0;
            unsigned char run_2[1];
#pragma unroll
            for (int neighbour = 0; neighbour < 1; ++neighbour) run_2[neighbour] = 0;
            double run_3[1];
#pragma unroll
            for (int neighbour = 0; neighbour < 1; ++neighbour) run_3[neighbour] = 0;
            for (int turn = 0; turn < 16 && first < positions; ++turn) {
                pack_float16_t_x1 x_pack[2];
#pragma unroll
                for (int u = 0; u < 2; ++u) {
                    const int k = first + u * 32;
                    if (k < positions) {
                        const int x_line = x_base;
                        const int i_line = i_base;
                        const int e = k;
                        const int x_at = x_line + e * layout.x[0];
                        const int i_at = i_line + e * layout.i[0];
                        x_pack[u].value[0] = x[x_at];
                    }
                }
#pragma unroll
                for (int u = 0; u < 2; ++u) {
                    const int k = first + u * 32;
                    if (k < positions) {
                        const int x_line = x_base;
                        const int i_line = i_base;
                        const int e = k;
                        const int x_at = x_line + e * layout.x[0];
                        const int i_at = i_line + e * layout.i[0];
#pragma unroll
                        for (int neighbour = 0; neighbour < 1; ++neighbour) {
                            const int reduced_index = e + neighbour;
                            const int i = i_at + neighbour * layout.i[0];
                            const float x_i = load_float16(x_pack[u].value[neighbour]);
                            run_0[neighbour] = several_reduce_0(run_0[neighbour], x_i);
                            run_1[neighbour] = several_reduce_1(run_1[neighbour], reduced_index);
                            run_2[neighbour] = several_reduce_2(run_2[neighbour], (x_i > i) != 0);
                            run_3[neighbour] = several_reduce_3(run_3[neighbour], x_i);
                        }
                    }
                }
                first += 64;
            }
#pragma unroll
            for (int neighbour = 0; neighbour < 1; ++neighbour) {
                totals_0[neighbour] = several_reduce_0(totals_0[neighbour], run_0[neighbour]);
            }
#pragma unroll
            for (int neighbour = 0; neighbour < 1; ++neighbour) {
                totals_1[neighbour] = several_reduce_1(totals_1[neighbour], run_1[neighbour]);
            }
#pragma unroll
            for (int neighbour = 0; neighbour < 1; ++neighbour) {
                totals_2[neighbour] = several_reduce_2(totals_2[neighbour], run_2[neighbour]);
            }
#pragma unroll
            for (int neighbour = 0; neighbour < 1; ++neighbour) {
                totals_3[neighbour] = several_reduce_3(totals_3[neighbour], run_3[neighbour]);
            }
        }
    }
    float total_0 = totals_0[0];
    int64_t total_1 = totals_1[0];
    unsigned char total_2 = totals_2[0];
    double total_3 = totals_3[0];
#pragma unroll
    for (int delta = 16; delta > 0; delta /= 2) {
        total_0 = several_reduce_0(total_0, several_value_0_shuffle(total_0, lane ^ delta));
        total_1 = several_reduce_1(total_1, several_value_1_shuffle(total_1, lane ^ delta));
        total_2 = several_reduce_2(total_2, several_value_2_shuffle(total_2, lane ^ delta));
        total_3 = several_reduce_3(total_3, several_value_3_shuffle(total_3, lane ^ delta));
    }
    if (along == 0 && output < outputs) {
        result_0[output] = store_float16(total_0);
        result_1[output] = total_1;
        result_2[output] = total_2 != 0;
        result_3[output] = total_3;
    }
}
