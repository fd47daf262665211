typedef union { uint4 words[1]; float value[4]; } pack_float_x4;
typedef struct {
    int extent[1];
    int kept[2];
    int x[3];  // steps, in elements
    int y[3];  // steps, in elements
    int result[3];
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
    __shared__ float shared[1024];
    __shared__ int is_last[1];
    const int thread = ((int)threadIdx.x);
    const int along = thread / 32;
    const int across = thread % 32;
    const int group = ((int)blockIdx.x) / splits;
    const int split = ((int)blockIdx.x) % splits;
    const int output = (group * 32 + across) * 4;
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
        const int positions = n;
        int first = split * 32 + along;
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
                    const int k = first + u * 8;
                    if (k < positions) {
                        const int x_at = x_base + k * layout.x[0];
                        const int y_at = y_base + k * layout.y[0];
                        x_pack[u].words[0] = ((const uint4 *)(x + x_at))[0];
                        y_pack[u].value[0] = y[y_at];
                        y_pack[u].value[1] = y[y_at];
                        y_pack[u].value[2] = y[y_at];
                        y_pack[u].value[3] = y[y_at];
                    }
                }
#pragma unroll
                for (int u = 0; u < 4; ++u) {
                    const int k = first + u * 8;
                    if (k < positions) {
                        const int x_at = x_base + k * layout.x[0];
                        const int y_at = y_base + k * layout.y[0];
#pragma unroll
                        for (int neighbour = 0; neighbour < 4; ++neighbour) {
                            const float x_i = x_pack[u].value[neighbour];
                            const float y_i = y_pack[u].value[neighbour];
                            run[neighbour] = dot_reduce(run[neighbour], x_i*y_i);
                        }
                    }
                }
                first += splits * 32;
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
    (shared + 0)[thread] = totals[0];
    (shared + 256)[thread] = totals[1];
    (shared + 512)[thread] = totals[2];
    (shared + 768)[thread] = totals[3];
    __syncthreads();
    if (along < 1) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            totals[0] = dot_reduce(totals[0], (shared + 0)[thread + part * 32]);
            totals[1] = dot_reduce(totals[1], (shared + 256)[thread + part * 32]);
            totals[2] = dot_reduce(totals[2], (shared + 512)[thread + part * 32]);
            totals[3] = dot_reduce(totals[3], (shared + 768)[thread + part * 32]);
        }
        (shared + 0)[thread] = totals[0];
        (shared + 256)[thread] = totals[1];
        (shared + 512)[thread] = totals[2];
        (shared + 768)[thread] = totals[3];
    }
    __syncthreads();
    if (along == 0 && output < outputs) {
#pragma unroll
        for (int neighbour = 0; neighbour < 4; ++neighbour) {
            partial[split * outputs + output + neighbour] = totals[neighbour];
        }
    }
    device_fence();
    __syncthreads();
    if (thread == 0) is_last[0] = atomic_add(&counters[group], 1) == splits - 1;
    __syncthreads();
    // The block that comes last combines what all have found, in the order of the splits.
    if (is_last[0]) {
        device_fence();
#pragma unroll
        for (int neighbour = 0; neighbour < 4; ++neighbour) {
            totals[neighbour] = 0;
        }
        if (output < outputs) {
            for (int s_first = along; s_first < splits; s_first += 32) {
                float found[16];
#pragma unroll
                for (int u = 0; u < 4; ++u) {
                    const int s = s_first + u * 8;
#pragma unroll
                    for (int neighbour = 0; neighbour < 4; ++neighbour) {
                        if (s < splits) {
                            found[u * 4 + neighbour] = partial[s * outputs + output + neighbour];
                        }
                    }
                }
#pragma unroll
                for (int u = 0; u < 4; ++u) {
#pragma unroll
                    for (int neighbour = 0; neighbour < 4; ++neighbour) {
                        if (s_first + u * 8 < splits) {
                            totals[neighbour] = dot_reduce(totals[neighbour], found[u * 4 + neighbour]);
                        }
                    }
                }
            }
        }
        (shared + 0)[thread] = totals[0];
        (shared + 256)[thread] = totals[1];
        (shared + 512)[thread] = totals[2];
        (shared + 768)[thread] = totals[3];
        __syncthreads();
        if (along < 1) {
#pragma unroll
            for (int part = 1; part < 8; ++part) {
                totals[0] = dot_reduce(totals[0], (shared + 0)[thread + part * 32]);
                totals[1] = dot_reduce(totals[1], (shared + 256)[thread + part * 32]);
                totals[2] = dot_reduce(totals[2], (shared + 512)[thread + part * 32]);
                totals[3] = dot_reduce(totals[3], (shared + 768)[thread + part * 32]);
            }
            (shared + 0)[thread] = totals[0];
            (shared + 256)[thread] = totals[1];
            (shared + 512)[thread] = totals[2];
            (shared + 768)[thread] = totals[3];
        }
        __syncthreads();
        if (along == 0 && output < outputs) {
            int r_rest = output;
            const int r_1 = r_rest % layout.kept[1];
            r_rest /= layout.kept[1];
            const int result_at = r_rest * layout.result[1] + r_1 * layout.result[2];
#pragma unroll
            for (int neighbour = 0; neighbour < 4; ++neighbour) {
                result[result_at + neighbour * layout.result[2]] = totals[neighbour];
            }
        }
        if (thread == 0) counters[group] = 0;
    }
}
