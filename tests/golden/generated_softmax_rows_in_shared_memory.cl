typedef union { uint4 words[1]; float value[4]; } pack_float_x4;
typedef struct {
    int extent[2];
    int kept[1];
    int x[3];  // steps, in elements
    int y[3];  // steps, in elements
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
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void softmax(
        __global const float *x,
        __global float *y,
        softmax_layout layout,
        __global float *result_0,
        int64_t result_offset_0,
        int n,
        int outputs)
{
    __local float shared_0[64];
    __local float shared_1[64];
    __local float shared_2[64];
    result_0 = (__global float *)((__global char *)result_0 + result_offset_0);
    const int thread = ((int)get_local_id(0));
    const int along = thread % 32;
    const int across = thread / 32;
    const int given = ((int)((int)get_group_id(0)) * 2 + across);
    const int is_there = given < outputs;
    const int output = is_there ? given : 0;
    const int x_base = output * layout.x[2];
    const int y_base = output * layout.y[2];
    const int extent = layout.extent[1];
    const int packs = extent / 4;
    const int positions = n / extent * packs;
    pack_float_x4 x_pack[4];
    pack_float_x4 y_pack[4];
    float totals_0[4];
    float totals_1[4];
#pragma unroll
    for (int lane = 0; lane < 4; ++lane) {
        totals_0[lane] = -INFINITY;
        totals_1[lane] = 0;
    }
    {
        const int turns = (positions + 127) / 128;
        for (int from = 0; from < turns; from += 64) {
            const int stop = turns - from < 64 ? turns : from + 64;
            float run_0[4];
#pragma unroll
            for (int neighbour = 0; neighbour < 4; ++neighbour) run_0[neighbour] = -INFINITY;
            float run_1[4];
#pragma unroll
            for (int neighbour = 0; neighbour < 4; ++neighbour) run_1[neighbour] = 0;
            for (int turn = from; turn < stop; ++turn) {
                const int first = turn * 128 + along;
#pragma unroll
                for (int u = 0; u < 4; ++u) {
                    const int k = first + u * 32;
                    if (k < positions) {
                        const int line = k / packs;
                        const int x_line = x_base + line * layout.x[0];
                        const int y_line = y_base + line * layout.y[0];
                        const int e = k % packs * 4;
                        const int x_at = x_line + e;
                        const int y_at = y_line + e;
                        x_pack[u].words[0] = ((__global const uint4 *)(x + x_at))[0];
                    }
                }
#pragma unroll
                for (int u = 0; u < 4; ++u) {
                    const int k = first + u * 32;
                    if (k < positions) {
                        const int line = k / packs;
                        const int x_line = x_base + line * layout.x[0];
                        const int y_line = y_base + line * layout.y[0];
                        const int e = k % packs * 4;
                        const int x_at = x_line + e;
                        const int y_at = y_line + e;
#pragma unroll
                        for (int neighbour = 0; neighbour < 4; ++neighbour) {
                            const int reduced_index = line * extent + e + neighbour;
                            const float x_i = x_pack[u].value[neighbour];
                            float y_i;
                            run_0[neighbour] = softmax_reduce_0(run_0[neighbour], x_i);
                            run_1[neighbour] = softmax_reduce_1(run_1[neighbour], (float)reduced_index);
                        }
                    }
                }
            }
#pragma unroll
            for (int neighbour = 0; neighbour < 4; ++neighbour) {
                totals_0[neighbour] = softmax_reduce_0(totals_0[neighbour], run_0[neighbour]);
            }
#pragma unroll
            for (int neighbour = 0; neighbour < 4; ++neighbour) {
                totals_1[neighbour] = softmax_reduce_1(totals_1[neighbour], run_1[neighbour]);
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
    shared_0[thread] = total_0;
    shared_1[thread] = total_1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (along < 4) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            total_0 = softmax_reduce_0(total_0, shared_0[thread + part * 4]);
            total_1 = softmax_reduce_1(total_1, shared_1[thread + part * 4]);
        }
        shared_0[thread] = total_0;
        shared_1[thread] = total_1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (along < 1) {
#pragma unroll
        for (int part = 1; part < 4; ++part) {
            total_0 = softmax_reduce_0(total_0, shared_0[thread + part * 1]);
            total_1 = softmax_reduce_1(total_1, shared_1[thread + part * 1]);
        }
        shared_0[thread] = total_0;
        shared_1[thread] = total_1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float found_0[1];
#pragma unroll
    for (int neighbour = 0; neighbour < 1; ++neighbour) {
        found_0[neighbour] = shared_0[across * 32];
    }
    float found_1[1];
#pragma unroll
    for (int neighbour = 0; neighbour < 1; ++neighbour) {
        found_1[neighbour] = softmax_stored_1(shared_1[across * 32], n);
    }
    float totals_2[4];
#pragma unroll
    for (int lane = 0; lane < 4; ++lane) {
        totals_2[lane] = 0;
    }
    {
        const int turns = (positions + 127) / 128;
        for (int from = 0; from < turns; from += 64) {
            const int stop = turns - from < 64 ? turns : from + 64;
            float run_2[4];
#pragma unroll
            for (int neighbour = 0; neighbour < 4; ++neighbour) run_2[neighbour] = 0;
            for (int turn = from; turn < stop; ++turn) {
                const int first = (turns - 1 - turn) * 128 + along;
#pragma unroll
                for (int u = 0; u < 4; ++u) {
                    const int k = first + u * 32;
                    if (k < positions) {
                        const int line = k / packs;
                        const int x_line = x_base + line * layout.x[0];
                        const int y_line = y_base + line * layout.y[0];
                        const int e = k % packs * 4;
                        const int x_at = x_line + e;
                        const int y_at = y_line + e;
                        x_pack[u].words[0] = ((__global const uint4 *)(x + x_at))[0];
                    }
                }
#pragma unroll
                for (int u = 0; u < 4; ++u) {
                    const int k = first + u * 32;
                    if (k < positions) {
                        const int line = k / packs;
                        const int x_line = x_base + line * layout.x[0];
                        const int y_line = y_base + line * layout.y[0];
                        const int e = k % packs * 4;
                        const int x_at = x_line + e;
                        const int y_at = y_line + e;
#pragma unroll
                        for (int neighbour = 0; neighbour < 4; ++neighbour) {
                            const float x_i = x_pack[u].value[neighbour];
                            float y_i;
                            const float row0 = found_0[0];
                            const float row1 = found_1[0];
                            const float t0 = exp(x_i - row0);
                            run_2[neighbour] = softmax_reduce_2(run_2[neighbour], t0 * t0);
                        }
                    }
                }
            }
#pragma unroll
            for (int neighbour = 0; neighbour < 4; ++neighbour) {
                totals_2[neighbour] = softmax_reduce_2(totals_2[neighbour], run_2[neighbour]);
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
    shared_2[thread] = total_2;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (along < 4) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            total_2 = softmax_reduce_2(total_2, shared_2[thread + part * 4]);
        }
        shared_2[thread] = total_2;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (along < 1) {
#pragma unroll
        for (int part = 1; part < 4; ++part) {
            total_2 = softmax_reduce_2(total_2, shared_2[thread + part * 1]);
        }
        shared_2[thread] = total_2;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float found_2[1];
#pragma unroll
    for (int neighbour = 0; neighbour < 1; ++neighbour) {
        found_2[neighbour] = shared_2[across * 32];
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
    {
        const int turns = (positions + 127) / 128;
        for (int from = 0; from < turns; from += 64) {
            const int stop = turns - from < 64 ? turns : from + 64;
            for (int turn = from; turn < stop; ++turn) {
                const int first = turn * 128 + along;
#pragma unroll
                for (int u = 0; u < 4; ++u) {
                    const int k = first + u * 32;
                    if (k < positions) {
                        const int line = k / packs;
                        const int x_line = x_base + line * layout.x[0];
                        const int y_line = y_base + line * layout.y[0];
                        const int e = k % packs * 4;
                        const int x_at = x_line + e;
                        const int y_at = y_line + e;
                        x_pack[u].words[0] = ((__global const uint4 *)(x + x_at))[0];
                    }
                }
#pragma unroll
                for (int u = 0; u < 4; ++u) {
                    const int k = first + u * 32;
                    if (k < positions) {
                        const int line = k / packs;
                        const int x_line = x_base + line * layout.x[0];
                        const int y_line = y_base + line * layout.y[0];
                        const int e = k % packs * 4;
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
