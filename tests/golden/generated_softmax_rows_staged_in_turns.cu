typedef union { uint32_t words[1]; float value[1]; } pack_float_x1;
typedef struct {
    int extent[1];
    int kept[1];
    int x[2];  // steps, in elements
    int y[2];  // steps, in elements
} softmax_layout;
typedef union { float item; uint32_t words[1]; } softmax_value_0_words;
__device__ float softmax_value_0_shuffle_up(float item, int delta) {
    softmax_value_0_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle_up(own.words[w], delta);
    return other.item;
}
__device__ float softmax_value_0_shuffle(float item, int lane) {
    softmax_value_0_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle(own.words[w], lane);
    return other.item;
}
typedef union { float item; uint32_t words[1]; } softmax_value_1_words;
__device__ float softmax_value_1_shuffle_up(float item, int delta) {
    softmax_value_1_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle_up(own.words[w], delta);
    return other.item;
}
__device__ float softmax_value_1_shuffle(float item, int lane) {
    softmax_value_1_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle(own.words[w], lane);
    return other.item;
}
typedef union { float item; uint32_t words[1]; } softmax_value_2_words;
__device__ float softmax_value_2_shuffle_up(float item, int delta) {
    softmax_value_2_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle_up(own.words[w], delta);
    return other.item;
}
__device__ float softmax_value_2_shuffle(float item, int lane) {
    softmax_value_2_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle(own.words[w], lane);
    return other.item;
}
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
extern "C" __global__ __launch_bounds__(256) void softmax(
        const float *x,
        float *y,
        softmax_layout layout,
        float *result_0,
        int n,
        int outputs)
{
    __shared__ __align__(128) uint4 x_stage[514];
    int x_shift;
    __shared__ __align__(128) uint4 y_stage[514];
    int y_shift;
    const int thread = ((int)threadIdx.x);
    const int along = thread % 4;
    const int lane = thread % 32;
    // The block's rows are one piece of memory.
    const int extent = layout.extent[0];
    const int first_row = (int)((int)blockIdx.x) * 192;
    const int piece = (outputs - first_row < 192 ? outputs - first_row : 192) * extent;
    {
        const int x_base = first_row * layout.x[1];
        const int y_base = first_row * layout.y[1];
        const int x_line = x_base;
        const int y_line = y_base;
        x_shift = (int)((size_t)(x + x_line) / sizeof(float) % 4);
        for (int x_access = thread; x_access * 4 - x_shift < piece; x_access += 256) {
            const int x_first = x_access * 4 - x_shift;
            if (x_first >= 0 && x_first + 4 <= piece) {
                gemel_copy_async_16(&x_stage[x_access], &((const uint4 *)(x + x_line + x_first))[0], 16);
            }
            else {
                for (int x_lane = 0; x_lane < 4; ++x_lane) {
                    if (x_first + x_lane >= 0 && x_first + x_lane < piece) ((LOCAL_MEM_ARG float *)x_stage)[x_access * 4 + x_lane] = x[x_line + x_first + x_lane];
                }
            }
        }
        y_shift = (int)((size_t)(y + y_line) / sizeof(float) % 4);
    }
    gemel_commit_copies();
    gemel_await_copies_0();
    __syncthreads();
    for (int turn = 0; turn < 3; ++turn) {
        const int across = thread % 32 / 4 * 8 + thread / 32 + turn * 64;
        const int given = ((int)((int)blockIdx.x) * 192 + across);
        const int is_there = given < outputs;
        const int output = is_there ? given : 0;
        const int x_base = x_shift + (is_there ? across : 0) * (int)extent;
        const int y_base = y_shift + (is_there ? across : 0) * (int)extent;
        const int packs = extent;
        const int positions = packs;
    pack_float_x1 x_pack[2];
    pack_float_x1 y_pack[2];
#pragma unroll
    for (int u = 0; u < 2; ++u) {
        const int k = along + u * 4;
        if (u < 1 || k < positions) {
            const int x_line = x_base;
            const int y_line = y_base;
            const int e = k;
            const int x_at = x_line + e;
            const int y_at = y_line + e;
            x_pack[u].value[0] = ((LOCAL_MEM_ARG float *)x_stage)[x_at];
        }
    }
    float totals_0[1];
    float totals_1[1];
#pragma unroll
    for (int lane = 0; lane < 1; ++lane) {
        totals_0[lane] = -INFINITY;
        totals_1[lane] = 0;
    }
#pragma unroll
    for (int u = 0; u < 2; ++u) {
        const int k = along + u * 4;
        if (u < 1 || k < positions) {
            const int x_line = x_base;
            const int y_line = y_base;
            const int e = k;
            const int x_at = x_line + e;
            const int y_at = y_line + e;
#pragma unroll
            for (int neighbour = 0; neighbour < 1; ++neighbour) {
                const int reduced_index = e + neighbour;
                const float x_i = x_pack[u].value[neighbour];
                float y_i;
                totals_0[neighbour] = softmax_reduce_0(totals_0[neighbour], x_i);
                totals_1[neighbour] = softmax_reduce_1(totals_1[neighbour], (float)reduced_index);
            }
        }
    }
    float total_0 = totals_0[0];
    float total_1 = totals_1[0];
#pragma unroll
    for (int delta = 2; delta > 0; delta /= 2) {
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
    float totals_2[1];
#pragma unroll
    for (int lane = 0; lane < 1; ++lane) {
        totals_2[lane] = 0;
    }
#pragma unroll
    for (int u = 0; u < 2; ++u) {
        const int k = along + u * 4;
        if (u < 1 || k < positions) {
            const int x_line = x_base;
            const int y_line = y_base;
            const int e = k;
            const int x_at = x_line + e;
            const int y_at = y_line + e;
#pragma unroll
            for (int neighbour = 0; neighbour < 1; ++neighbour) {
                const float x_i = x_pack[u].value[neighbour];
                float y_i;
                const float row0 = found_0[0];
                const float row1 = found_1[0];
                const float t0 = exp(x_i - row0);
                totals_2[neighbour] = softmax_reduce_2(totals_2[neighbour], t0 * t0);
            }
        }
    }
    float total_2 = totals_2[0];
#pragma unroll
    for (int delta = 2; delta > 0; delta /= 2) {
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
    for (int u = 0; u < 2; ++u) {
        const int k = along + u * 4;
        if (u < 1 || k < positions) {
            const int x_line = x_base;
            const int y_line = y_base;
            const int e = k;
            const int x_at = x_line + e;
            const int y_at = y_line + e;
#pragma unroll
            for (int neighbour = 0; neighbour < 1; ++neighbour) {
                const float x_i = x_pack[u].value[neighbour];
                float y_i;
                const float row0 = found_0[0];
                const float row1 = found_1[0];
                const float row2 = found_2[0];
                const float fixed0 = fixed0_values[0];
                y_i = exp(x_i - row0) * fixed0;
                y_pack[u].value[neighbour] = y_i;
            }
            ((LOCAL_MEM_ARG float *)y_stage)[y_at] = y_pack[u].value[0];
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
    __syncthreads();
    {
        const int x_base = first_row * layout.x[1];
        const int y_base = first_row * layout.y[1];
        const int x_line = x_base;
        const int y_line = y_base;
        for (int y_access = thread; y_access * 4 - y_shift < piece; y_access += 256) {
            const int y_first = y_access * 4 - y_shift;
            if (y_first >= 0 && y_first + 4 <= piece) {
                ((uint4 *)(y + y_line + y_first))[0] = y_stage[y_access];
            }
            else {
                for (int y_lane = 0; y_lane < 4; ++y_lane) {
                    if (y_first + y_lane >= 0 && y_first + y_lane < piece) y[y_line + y_first + y_lane] = ((LOCAL_MEM_ARG float *)y_stage)[y_access * 4 + y_lane];
                }
            }
        }
    }
}
