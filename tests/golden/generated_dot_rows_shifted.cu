typedef union { uint4 words[1]; float value[4]; } pack_float_x4;
typedef struct {
    int extent[2];
    int kept[1];
    int x[3];  // steps, in elements
    int y[3];  // steps, in elements
} dot_layout;
__device__ float dot_reduce(float a, float b) {
    return a+b;
}
extern "C" __global__ __launch_bounds__(256) void dot(
        const float *x,
        const float *y,
        dot_layout layout,
        float *result,
        float *partial,
        int *counters,
        int n,
        int outputs,
        int splits)
{
    __shared__ float shared[256];
    __shared__ int is_last[1];
    const int thread = ((int)threadIdx.x);
    const int along = thread % 256;
    const int across = thread / 256;
    const int group = ((int)blockIdx.x) / splits;
    const int split = ((int)blockIdx.x) % splits;
    const int output = (group * 1 + across);
    float totals[4];
#pragma unroll
    for (int lane = 0; lane < 4; ++lane) {
        totals[lane] = 0;
    }
    if (output < outputs) {
        const int x_base = output * layout.x[2];
        const int y_base = output * layout.y[2];
        const int x_last = (layout.extent[0] - 1) * layout.x[0] + (layout.extent[1] - 1) + (layout.kept[0] - 1) * layout.x[2];
        const int extent = layout.extent[1];
        const int packs = (extent + 6) / 4;
        const int positions = n / extent * packs;
        int first = split * 1024 + along;
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
                    const int k = first + u * 256;
                    if (k < positions) {
                        const int line = k / packs;
                        const int x_line = x_base + line * layout.x[0];
                        const int y_line = y_base + line * layout.y[0];
                        const int e = k % packs * 4 - (int)((size_t)(x + x_line) / sizeof(float) % 4);
                        const int x_at = x_line + e;
                        const int y_at = y_line + e * layout.y[1];
                        if (x_at >= 0 && x_at + 3 <= x_last) {
                            x_pack[u].words[0] = ((const uint4 *)(x + x_at))[0];
                        }
                        else {
                            if (e + 0 >= 0 && e + 0 < extent) x_pack[u].value[0] = x[x_at];
                            if (e + 1 >= 0 && e + 1 < extent) x_pack[u].value[1] = x[x_at + 1];
                            if (e + 2 >= 0 && e + 2 < extent) x_pack[u].value[2] = x[x_at + 2];
                            if (e + 3 >= 0 && e + 3 < extent) x_pack[u].value[3] = x[x_at + 3];
                        }
                        if (e + 0 >= 0 && e + 0 < extent) y_pack[u].value[0] = y[y_at];
                        if (e + 1 >= 0 && e + 1 < extent) y_pack[u].value[1] = y[y_at + 1 * layout.y[1]];
                        if (e + 2 >= 0 && e + 2 < extent) y_pack[u].value[2] = y[y_at + 2 * layout.y[1]];
                        if (e + 3 >= 0 && e + 3 < extent) y_pack[u].value[3] = y[y_at + 3 * layout.y[1]];
                    }
                }
#pragma unroll
                for (int u = 0; u < 4; ++u) {
                    const int k = first + u * 256;
                    if (k < positions) {
                        const int line = k / packs;
                        const int x_line = x_base + line * layout.x[0];
                        const int y_line = y_base + line * layout.y[0];
                        const int e = k % packs * 4 - (int)((size_t)(x + x_line) / sizeof(float) % 4);
                        const int x_at = x_line + e;
                        const int y_at = y_line + e * layout.y[1];
#pragma unroll
                        for (int neighbour = 0; neighbour < 4; ++neighbour) {
                            if (e + neighbour < 0 || e + neighbour >= extent) continue;
                            const float x_i = x_pack[u].value[neighbour];
                            const float y_i = y_pack[u].value[neighbour];
                            run[neighbour] = dot_reduce(run[neighbour], x_i*y_i);
                        }
                    }
                }
                first += splits * 1024;
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
    shared[thread] = total;
    __syncthreads();
    if (along < 32) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            total = dot_reduce(total, shared[thread + part * 32]);
        }
        shared[thread] = total;
    }
    __syncthreads();
    if (along < 4) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            total = dot_reduce(total, shared[thread + part * 4]);
        }
        shared[thread] = total;
    }
    __syncthreads();
    if (along < 1) {
#pragma unroll
        for (int part = 1; part < 4; ++part) {
            total = dot_reduce(total, shared[thread + part * 1]);
        }
        shared[thread] = total;
    }
    __syncthreads();
    if (along == 0 && output < outputs) {
        partial[split * outputs + output] = total;
    }
    device_fence();
    __syncthreads();
    if (thread == 0) is_last[0] = atomic_add(&counters[group], 1) == splits - 1;
    __syncthreads();
    // The block that comes last combines what all have found, in the order of the splits.
    if (is_last[0]) {
        device_fence();
#pragma unroll
        for (int neighbour = 0; neighbour < 1; ++neighbour) {
            totals[neighbour] = 0;
        }
        if (output < outputs) {
            for (int s_first = along; s_first < splits; s_first += 4096) {
                float found[16];
#pragma unroll
                for (int u = 0; u < 16; ++u) {
                    const int s = s_first + u * 256;
#pragma unroll
                    for (int neighbour = 0; neighbour < 1; ++neighbour) {
                        if (s < splits) {
                            found[u * 1 + neighbour] = partial[s * outputs + output + neighbour];
                        }
                    }
                }
#pragma unroll
                for (int u = 0; u < 16; ++u) {
#pragma unroll
                    for (int neighbour = 0; neighbour < 1; ++neighbour) {
                        if (s_first + u * 256 < splits) {
                            totals[neighbour] = dot_reduce(totals[neighbour], found[u * 1 + neighbour]);
                        }
                    }
                }
            }
        }
        total = totals[0];
        shared[thread] = total;
        __syncthreads();
        if (along < 32) {
#pragma unroll
            for (int part = 1; part < 8; ++part) {
                total = dot_reduce(total, shared[thread + part * 32]);
            }
            shared[thread] = total;
        }
        __syncthreads();
        if (along < 4) {
#pragma unroll
            for (int part = 1; part < 8; ++part) {
                total = dot_reduce(total, shared[thread + part * 4]);
            }
            shared[thread] = total;
        }
        __syncthreads();
        if (along < 1) {
#pragma unroll
            for (int part = 1; part < 4; ++part) {
                total = dot_reduce(total, shared[thread + part * 1]);
            }
            shared[thread] = total;
        }
        __syncthreads();
        if (along == 0 && output < outputs) {
            result[output] = total;
        }
        if (thread == 0) counters[group] = 0;
    }
}
