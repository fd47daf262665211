typedef union { uint4 words[1]; uint32_t parts[4]; } pack_float16_t_x8;
__device__ float16_t pack_float16_t_x8_lane(uint32_t part, int at) {
    float16_t value;
    value.bits = (uint16_t)(part >> 16 * at);
    return value;
}
__device__ uint32_t pack_float16_t_x8_with(uint32_t part, int at, float16_t value) {
    return (part & ~(0xffffu << 16 * at)) | (uint32_t)(uint16_t)value.bits << 16 * at;
}
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
        const float16_t *x,
        float16_t *y,
        softmax_layout layout,
        float *result_0,
        int n,
        int outputs)
{
    __shared__ float shared_0[8];
    __shared__ float shared_1[8];
    __shared__ float shared_2[8];
    __shared__ __align__(128) pack_float16_t_x8 x_kept[768];
    const int thread = ((int)threadIdx.x);
    const int along = thread % 256;
    const int across = thread / 256;
    const int lane = thread % 32;
    const int given = ((int)((int)blockIdx.x) * 1 + across);
    const int is_there = given < outputs;
    const int output = is_there ? given : 0;
    const int x_base = output * layout.x[1];
    const int y_base = output * layout.y[1];
    const int x_last = (layout.extent[0] - 1) + (layout.kept[0] - 1) * layout.x[1];
    const int extent = layout.extent[0];
    const int packs = (extent + 14) / 8;
    const int positions = packs;
    pack_float16_t_x8 x_pack[3];
    pack_float16_t_x8 y_pack[3];
#pragma unroll
    for (int s = 0; s < 3; ++s) {
        const int k = along + (2 + s) * 256;
        if (s < 2 || k < positions) {
            const int x_line = x_base;
            const int y_line = y_base;
            const int e = k * 8 - (int)((size_t)(x + x_line) / sizeof(float16_t) % 8);
            const int x_at = x_line + e;
            const int y_at = y_line + e;
            if (s < 2 || (x_at >= 0 && x_at + 7 <= x_last)) {
                gemel_copy_async_16(&x_kept[s * 256 + thread].words[0], &((const uint4 *)(x + x_at))[0], 16);
            }
            else {
                if (e + 0 >= 0 && e + 0 < extent) x_kept[s * 256 + thread].parts[0 / 2] = pack_float16_t_x8_with(x_kept[s * 256 + thread].parts[0 / 2], 0 % 2, x[x_at]);
                if (e + 1 >= 0 && e + 1 < extent) x_kept[s * 256 + thread].parts[1 / 2] = pack_float16_t_x8_with(x_kept[s * 256 + thread].parts[1 / 2], 1 % 2, x[x_at + 1]);
                if (e + 2 >= 0 && e + 2 < extent) x_kept[s * 256 + thread].parts[2 / 2] = pack_float16_t_x8_with(x_kept[s * 256 + thread].parts[2 / 2], 2 % 2, x[x_at + 2]);
                if (e + 3 >= 0 && e + 3 < extent) x_kept[s * 256 + thread].parts[3 / 2] = pack_float16_t_x8_with(x_kept[s * 256 + thread].parts[3 / 2], 3 % 2, x[x_at + 3]);
                if (e + 4 >= 0 && e + 4 < extent) x_kept[s * 256 + thread].parts[4 / 2] = pack_float16_t_x8_with(x_kept[s * 256 + thread].parts[4 / 2], 4 % 2, x[x_at + 4]);
                if (e + 5 >= 0 && e + 5 < extent) x_kept[s * 256 + thread].parts[5 / 2] = pack_float16_t_x8_with(x_kept[s * 256 + thread].parts[5 / 2], 5 % 2, x[x_at + 5]);
                if (e + 6 >= 0 && e + 6 < extent) x_kept[s * 256 + thread].parts[6 / 2] = pack_float16_t_x8_with(x_kept[s * 256 + thread].parts[6 / 2], 6 % 2, x[x_at + 6]);
                if (e + 7 >= 0 && e + 7 < extent) x_kept[s * 256 + thread].parts[7 / 2] = pack_float16_t_x8_with(x_kept[s * 256 + thread].parts[7 / 2], 7 % 2, x[x_at + 7]);
            }
        }
    }
    gemel_commit_copies();
#pragma unroll
    for (int u = 0; u < 2; ++u) {
        const int k = along + u * 256;
        {
            const int x_line = x_base;
            const int y_line = y_base;
            const int e = k * 8 - (int)((size_t)(x + x_line) / sizeof(float16_t) % 8);
            const int x_at = x_line + e;
            const int y_at = y_line + e;
            if ((u >= 1 && u < 2) || (x_at >= 0 && x_at + 7 <= x_last)) {
                x_pack[u].words[0] = ((const uint4 *)(x + x_at))[0];
            }
            else {
                if (e + 0 >= 0 && e + 0 < extent) x_pack[u].parts[0 / 2] = pack_float16_t_x8_with(x_pack[u].parts[0 / 2], 0 % 2, x[x_at]);
                if (e + 1 >= 0 && e + 1 < extent) x_pack[u].parts[1 / 2] = pack_float16_t_x8_with(x_pack[u].parts[1 / 2], 1 % 2, x[x_at + 1]);
                if (e + 2 >= 0 && e + 2 < extent) x_pack[u].parts[2 / 2] = pack_float16_t_x8_with(x_pack[u].parts[2 / 2], 2 % 2, x[x_at + 2]);
                if (e + 3 >= 0 && e + 3 < extent) x_pack[u].parts[3 / 2] = pack_float16_t_x8_with(x_pack[u].parts[3 / 2], 3 % 2, x[x_at + 3]);
                if (e + 4 >= 0 && e + 4 < extent) x_pack[u].parts[4 / 2] = pack_float16_t_x8_with(x_pack[u].parts[4 / 2], 4 % 2, x[x_at + 4]);
                if (e + 5 >= 0 && e + 5 < extent) x_pack[u].parts[5 / 2] = pack_float16_t_x8_with(x_pack[u].parts[5 / 2], 5 % 2, x[x_at + 5]);
                if (e + 6 >= 0 && e + 6 < extent) x_pack[u].parts[6 / 2] = pack_float16_t_x8_with(x_pack[u].parts[6 / 2], 6 % 2, x[x_at + 6]);
                if (e + 7 >= 0 && e + 7 < extent) x_pack[u].parts[7 / 2] = pack_float16_t_x8_with(x_pack[u].parts[7 / 2], 7 % 2, x[x_at + 7]);
            }
        }
    }
    float totals_0[8];
    float totals_1[8];
#pragma unroll
    for (int lane = 0; lane < 8; ++lane) {
        totals_0[lane] = -INFINITY;
        totals_1[lane] = 0;
    }
#pragma unroll
    for (int u = 0; u < 2; ++u) {
        const int k = along + u * 256;
        {
            const int x_line = x_base;
            const int y_line = y_base;
            const int e = k * 8 - (int)((size_t)(x + x_line) / sizeof(float16_t) % 8);
            const int x_at = x_line + e;
            const int y_at = y_line + e;
            if ((u >= 1 && u < 2) || (e >= 0 && e + 8 <= extent)) {
#pragma unroll
                for (int neighbour = 0; neighbour < 8; ++neighbour) {
                    const int reduced_index = e + neighbour;
                    const float x_i = load_float16(pack_float16_t_x8_lane(x_pack[u].parts[neighbour / 2], neighbour % 2));
                    float y_i;
                    totals_0[neighbour] = softmax_reduce_0(totals_0[neighbour], x_i);
                    totals_1[neighbour] = softmax_reduce_1(totals_1[neighbour], (float)reduced_index);
                }
            } else {
#pragma unroll
                for (int neighbour = 0; neighbour < 8; ++neighbour) {
                    if (e + neighbour < 0 || e + neighbour >= extent) continue;
                    const int reduced_index = e + neighbour;
                    const float x_i = load_float16(pack_float16_t_x8_lane(x_pack[u].parts[neighbour / 2], neighbour % 2));
                    float y_i;
                    totals_0[neighbour] = softmax_reduce_0(totals_0[neighbour], x_i);
                    totals_1[neighbour] = softmax_reduce_1(totals_1[neighbour], (float)reduced_index);
                }
            }
        }
    }
    gemel_await_copies_0();
#pragma unroll
    for (int s = 0; s < 3; ++s) {
        const int u = 2;
        const int k = along + (2 + s) * 256;
        if (s < 2 || k < positions) {
            const int x_line = x_base;
            const int y_line = y_base;
            const int e = k * 8 - (int)((size_t)(x + x_line) / sizeof(float16_t) % 8);
            const int x_at = x_line + e;
            const int y_at = y_line + e;
            x_pack[u].words[0] = x_kept[s * 256 + thread].words[0];
            if (s < 2 || (e >= 0 && e + 8 <= extent)) {
#pragma unroll
                for (int neighbour = 0; neighbour < 8; ++neighbour) {
                    const int reduced_index = e + neighbour;
                    const float x_i = load_float16(pack_float16_t_x8_lane(x_pack[u].parts[neighbour / 2], neighbour % 2));
                    float y_i;
                    totals_0[neighbour] = softmax_reduce_0(totals_0[neighbour], x_i);
                    totals_1[neighbour] = softmax_reduce_1(totals_1[neighbour], (float)reduced_index);
                }
            } else {
#pragma unroll
                for (int neighbour = 0; neighbour < 8; ++neighbour) {
                    if (e + neighbour < 0 || e + neighbour >= extent) continue;
                    const int reduced_index = e + neighbour;
                    const float x_i = load_float16(pack_float16_t_x8_lane(x_pack[u].parts[neighbour / 2], neighbour % 2));
                    float y_i;
                    totals_0[neighbour] = softmax_reduce_0(totals_0[neighbour], x_i);
                    totals_1[neighbour] = softmax_reduce_1(totals_1[neighbour], (float)reduced_index);
                }
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
#pragma unroll
    for (int delta = 16; delta > 0; delta /= 2) {
        total_0 = softmax_reduce_0(total_0, softmax_value_0_shuffle(total_0, lane ^ delta));
        total_1 = softmax_reduce_1(total_1, softmax_value_1_shuffle(total_1, lane ^ delta));
    }
    if (lane == 0) {
        shared_0[thread / 32] = total_0;
        shared_1[thread / 32] = total_1;
    }
    __syncthreads();
    {
        const int first_warp = thread / 256 * 8;
        total_0 = shared_0[first_warp];
        total_1 = shared_1[first_warp];
#pragma unroll
        for (int w = 1; w < 8; ++w) {
            total_0 = softmax_reduce_0(total_0, shared_0[first_warp + w]);
            total_1 = softmax_reduce_1(total_1, shared_1[first_warp + w]);
        }
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
    float totals_2[8];
#pragma unroll
    for (int lane = 0; lane < 8; ++lane) {
        totals_2[lane] = 0;
    }
#pragma unroll
    for (int u = 0; u < 2; ++u) {
        const int k = along + u * 256;
        {
            const int x_line = x_base;
            const int y_line = y_base;
            const int e = k * 8 - (int)((size_t)(x + x_line) / sizeof(float16_t) % 8);
            const int x_at = x_line + e;
            const int y_at = y_line + e;
            if ((u >= 1 && u < 2) || (e >= 0 && e + 8 <= extent)) {
#pragma unroll
                for (int neighbour = 0; neighbour < 8; ++neighbour) {
                    const float x_i = load_float16(pack_float16_t_x8_lane(x_pack[u].parts[neighbour / 2], neighbour % 2));
                    float y_i;
                    const float row0 = found_0[0];
                    const float row1 = found_1[0];
                    const float t0 = exp(x_i - row0);
                    totals_2[neighbour] = softmax_reduce_2(totals_2[neighbour], t0 * t0);
                }
            } else {
#pragma unroll
                for (int neighbour = 0; neighbour < 8; ++neighbour) {
                    if (e + neighbour < 0 || e + neighbour >= extent) continue;
                    const float x_i = load_float16(pack_float16_t_x8_lane(x_pack[u].parts[neighbour / 2], neighbour % 2));
                    float y_i;
                    const float row0 = found_0[0];
                    const float row1 = found_1[0];
                    const float t0 = exp(x_i - row0);
                    totals_2[neighbour] = softmax_reduce_2(totals_2[neighbour], t0 * t0);
                }
            }
        }
    }
    gemel_await_copies_0();
#pragma unroll
    for (int s = 0; s < 3; ++s) {
        const int u = 2;
        const int k = along + (2 + s) * 256;
        if (s < 2 || k < positions) {
            const int x_line = x_base;
            const int y_line = y_base;
            const int e = k * 8 - (int)((size_t)(x + x_line) / sizeof(float16_t) % 8);
            const int x_at = x_line + e;
            const int y_at = y_line + e;
            x_pack[u].words[0] = x_kept[s * 256 + thread].words[0];
            if (s < 2 || (e >= 0 && e + 8 <= extent)) {
#pragma unroll
                for (int neighbour = 0; neighbour < 8; ++neighbour) {
                    const float x_i = load_float16(pack_float16_t_x8_lane(x_pack[u].parts[neighbour / 2], neighbour % 2));
                    float y_i;
                    const float row0 = found_0[0];
                    const float row1 = found_1[0];
                    const float t0 = exp(x_i - row0);
                    totals_2[neighbour] = softmax_reduce_2(totals_2[neighbour], t0 * t0);
                }
            } else {
#pragma unroll
                for (int neighbour = 0; neighbour < 8; ++neighbour) {
                    if (e + neighbour < 0 || e + neighbour >= extent) continue;
                    const float x_i = load_float16(pack_float16_t_x8_lane(x_pack[u].parts[neighbour / 2], neighbour % 2));
                    float y_i;
                    const float row0 = found_0[0];
                    const float row1 = found_1[0];
                    const float t0 = exp(x_i - row0);
                    totals_2[neighbour] = softmax_reduce_2(totals_2[neighbour], t0 * t0);
                }
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
#pragma unroll
    for (int delta = 16; delta > 0; delta /= 2) {
        total_2 = softmax_reduce_2(total_2, softmax_value_2_shuffle(total_2, lane ^ delta));
    }
    if (lane == 0) {
        shared_2[thread / 32] = total_2;
    }
    __syncthreads();
    {
        const int first_warp = thread / 256 * 8;
        total_2 = shared_2[first_warp];
#pragma unroll
        for (int w = 1; w < 8; ++w) {
            total_2 = softmax_reduce_2(total_2, shared_2[first_warp + w]);
        }
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
        const int k = along + u * 256;
        {
            const int x_line = x_base;
            const int y_line = y_base;
            const int e = k * 8 - (int)((size_t)(x + x_line) / sizeof(float16_t) % 8);
            const int x_at = x_line + e;
            const int y_at = y_line + e;
            if ((u >= 1 && u < 2) || (e >= 0 && e + 8 <= extent)) {
#pragma unroll
                for (int neighbour = 0; neighbour < 8; ++neighbour) {
                    const float x_i = load_float16(pack_float16_t_x8_lane(x_pack[u].parts[neighbour / 2], neighbour % 2));
                    float y_i;
                    const float row0 = found_0[0];
                    const float row1 = found_1[0];
                    const float row2 = found_2[0];
                    const float fixed0 = fixed0_values[0];
                    y_i = exp(x_i - row0) * fixed0;
                    y_pack[u].parts[neighbour / 2] = pack_float16_t_x8_with(y_pack[u].parts[neighbour / 2], neighbour % 2, store_float16(y_i));
                }
            } else {
#pragma unroll
                for (int neighbour = 0; neighbour < 8; ++neighbour) {
                    if (e + neighbour < 0 || e + neighbour >= extent) continue;
                    const float x_i = load_float16(pack_float16_t_x8_lane(x_pack[u].parts[neighbour / 2], neighbour % 2));
                    float y_i;
                    const float row0 = found_0[0];
                    const float row1 = found_1[0];
                    const float row2 = found_2[0];
                    const float fixed0 = fixed0_values[0];
                    y_i = exp(x_i - row0) * fixed0;
                    y_pack[u].parts[neighbour / 2] = pack_float16_t_x8_with(y_pack[u].parts[neighbour / 2], neighbour % 2, store_float16(y_i));
                }
            }
            if ((u >= 1 && u < 2) || (e >= 0 && e + 8 <= extent)) {
                ((uint4 *)(y + y_at))[0] = y_pack[u].words[0];
            }
            else {
                if (e + 0 >= 0 && e + 0 < extent) y[y_at] = pack_float16_t_x8_lane(y_pack[u].parts[0 / 2], 0 % 2);
                if (e + 1 >= 0 && e + 1 < extent) y[y_at + 1] = pack_float16_t_x8_lane(y_pack[u].parts[1 / 2], 1 % 2);
                if (e + 2 >= 0 && e + 2 < extent) y[y_at + 2] = pack_float16_t_x8_lane(y_pack[u].parts[2 / 2], 2 % 2);
                if (e + 3 >= 0 && e + 3 < extent) y[y_at + 3] = pack_float16_t_x8_lane(y_pack[u].parts[3 / 2], 3 % 2);
                if (e + 4 >= 0 && e + 4 < extent) y[y_at + 4] = pack_float16_t_x8_lane(y_pack[u].parts[4 / 2], 4 % 2);
                if (e + 5 >= 0 && e + 5 < extent) y[y_at + 5] = pack_float16_t_x8_lane(y_pack[u].parts[5 / 2], 5 % 2);
                if (e + 6 >= 0 && e + 6 < extent) y[y_at + 6] = pack_float16_t_x8_lane(y_pack[u].parts[6 / 2], 6 % 2);
                if (e + 7 >= 0 && e + 7 < extent) y[y_at + 7] = pack_float16_t_x8_lane(y_pack[u].parts[7 / 2], 7 % 2);
            }
        }
    }
    gemel_await_copies_0();
#pragma unroll
    for (int s = 0; s < 3; ++s) {
        const int u = 2;
        const int k = along + (2 + s) * 256;
        if (s < 2 || k < positions) {
            const int x_line = x_base;
            const int y_line = y_base;
            const int e = k * 8 - (int)((size_t)(x + x_line) / sizeof(float16_t) % 8);
            const int x_at = x_line + e;
            const int y_at = y_line + e;
            x_pack[u].words[0] = x_kept[s * 256 + thread].words[0];
            if (s < 2 || (e >= 0 && e + 8 <= extent)) {
#pragma unroll
                for (int neighbour = 0; neighbour < 8; ++neighbour) {
                    const float x_i = load_float16(pack_float16_t_x8_lane(x_pack[u].parts[neighbour / 2], neighbour % 2));
                    float y_i;
                    const float row0 = found_0[0];
                    const float row1 = found_1[0];
                    const float row2 = found_2[0];
                    const float fixed0 = fixed0_values[0];
                    y_i = exp(x_i - row0) * fixed0;
                    y_pack[u].parts[neighbour / 2] = pack_float16_t_x8_with(y_pack[u].parts[neighbour / 2], neighbour % 2, store_float16(y_i));
                }
            } else {
#pragma unroll
                for (int neighbour = 0; neighbour < 8; ++neighbour) {
                    if (e + neighbour < 0 || e + neighbour >= extent) continue;
                    const float x_i = load_float16(pack_float16_t_x8_lane(x_pack[u].parts[neighbour / 2], neighbour % 2));
                    float y_i;
                    const float row0 = found_0[0];
                    const float row1 = found_1[0];
                    const float row2 = found_2[0];
                    const float fixed0 = fixed0_values[0];
                    y_i = exp(x_i - row0) * fixed0;
                    y_pack[u].parts[neighbour / 2] = pack_float16_t_x8_with(y_pack[u].parts[neighbour / 2], neighbour % 2, store_float16(y_i));
                }
            }
            if (s < 2 || (e >= 0 && e + 8 <= extent)) {
                ((uint4 *)(y + y_at))[0] = y_pack[u].words[0];
            }
            else {
                if (e + 0 >= 0 && e + 0 < extent) y[y_at] = pack_float16_t_x8_lane(y_pack[u].parts[0 / 2], 0 % 2);
                if (e + 1 >= 0 && e + 1 < extent) y[y_at + 1] = pack_float16_t_x8_lane(y_pack[u].parts[1 / 2], 1 % 2);
                if (e + 2 >= 0 && e + 2 < extent) y[y_at + 2] = pack_float16_t_x8_lane(y_pack[u].parts[2 / 2], 2 % 2);
                if (e + 3 >= 0 && e + 3 < extent) y[y_at + 3] = pack_float16_t_x8_lane(y_pack[u].parts[3 / 2], 3 % 2);
                if (e + 4 >= 0 && e + 4 < extent) y[y_at + 4] = pack_float16_t_x8_lane(y_pack[u].parts[4 / 2], 4 % 2);
                if (e + 5 >= 0 && e + 5 < extent) y[y_at + 5] = pack_float16_t_x8_lane(y_pack[u].parts[5 / 2], 5 % 2);
                if (e + 6 >= 0 && e + 6 < extent) y[y_at + 6] = pack_float16_t_x8_lane(y_pack[u].parts[6 / 2], 6 % 2);
                if (e + 7 >= 0 && e + 7 < extent) y[y_at + 7] = pack_float16_t_x8_lane(y_pack[u].parts[7 / 2], 7 % 2);
            }
        }
    }
    }
    if (along == 0 && is_there) {
        for (int neighbour = 0; neighbour < 1; ++neighbour) {
            const int x_at = x_base;
            const int y_at = y_base;
            const float x_i = load_float16(x[x_at]);
            float y_i;
            const float row0 = found_0[0];
            const float row1 = found_1[0];
            const float row2 = found_2[0];
            const float fixed0 = fixed0_values[0];
            result_0[output + neighbour] = row2 + row1;
        }
    }
}
