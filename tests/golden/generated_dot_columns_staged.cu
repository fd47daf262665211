typedef union { uint32_t words[1]; float value[1]; } pack_float_x1;
typedef struct {
    int extent[1];
    int kept[2];
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
    __shared__ float shared[768];
    __shared__ int is_last[1];
    __shared__ __align__(128) uint4 x_stage[1026];
    int x_shift;
    const int thread = ((int)threadIdx.x);
    const int along = thread / 64;
    const int across = thread % 64;
    const int group = ((int)blockIdx.x) / splits;
    const int split = ((int)blockIdx.x) % splits;
    const int extent = layout.kept[1];
    float totals[3];
#pragma unroll
    for (int lane = 0; lane < 3; ++lane) {
        totals[lane] = 0;
    }
    {
        const int output = group * extent;
        const int most = 4096 / (int)extent;
        int o_rest = output;
        const int o_1 = o_rest % layout.kept[1];
        o_rest /= layout.kept[1];
        const int x_base = o_rest * layout.x[1] + o_1 * layout.x[2];
        const int y_base = o_rest * layout.y[1] + o_1 * layout.y[2];
        // Runs of runs and so on, whose totals are combined: a counter with digits of 16.
        float kept[3][3];
#pragma unroll
        for (int neighbour = 0; neighbour < 3; ++neighbour) {
#pragma unroll
            for (int level = 0; level < 3; ++level) kept[level][neighbour] = 0;
        }
        int runs = 0;
        for (int begin = split * most; begin < n; begin += splits * most) {
            const int lines = n - begin < most ? (int)(n - begin) : most;
            const int piece = lines * extent;
            {
                int o_rest = output;
                const int o_1 = o_rest % layout.kept[1];
                o_rest /= layout.kept[1];
                const int x_base = o_rest * layout.x[1] + o_1 * layout.x[2];
                const int y_base = o_rest * layout.y[1] + o_1 * layout.y[2];
                const int x_line = x_base + begin * layout.x[0];
                const int y_line = y_base + begin * layout.y[0];
                x_shift = (int)((size_t)(x + x_line) / sizeof(float) % 4);
                for (int x_access = thread; x_access * 4 - x_shift < piece; x_access += 256) {
                    const int x_first = x_access * 4 - x_shift;
                    if (x_first >= 0 && x_first + 4 <= piece) {
                        x_stage[x_access] = ((const uint4 *)(x + x_line + x_first))[0];
                    }
                    else {
                        for (int x_lane = 0; x_lane < 4; ++x_lane) {
                            if (x_first + x_lane >= 0 && x_first + x_lane < piece) ((LOCAL_MEM_ARG float *)x_stage)[x_access * 4 + x_lane] = x[x_line + x_first + x_lane];
                        }
                    }
                }
            }
            __syncthreads();
            float run[3];
#pragma unroll
            for (int neighbour = 0; neighbour < 3; ++neighbour) run[neighbour] = 0;
            for (int at = along; at < lines; at += 4) {
                const int k = begin + at;
                const int x_column = x_shift + at * (int)extent;
                const int y_column = y_base + k * layout.y[0];
#pragma unroll
                for (int neighbour = 0; neighbour < 3; ++neighbour) {
                    const int e = across + neighbour * 64;
                    // Only the last of a thread's outputs may be past the line.
                    if (neighbour < 2 || e < extent) {
                        const int x_at = x_column + e;
                        const int y_at = y_column + e;
                        run[neighbour] = dot_reduce(run[neighbour], ((LOCAL_MEM_ARG float *)x_stage)[x_at]*y[y_at]);
                    }
                }
            }
            // The shared memory is free for the next lines.
            __syncthreads();
            ++runs;
#pragma unroll
            for (int neighbour = 0; neighbour < 3; ++neighbour) {
                kept[0][neighbour] = dot_reduce(kept[0][neighbour], run[neighbour]);
                if (runs % 16 == 0) {
                    kept[1][neighbour] = dot_reduce(kept[1][neighbour], kept[0][neighbour]);
                    kept[0][neighbour] = 0;
                }
                if (runs % 256 == 0) {
                    kept[2][neighbour] = dot_reduce(kept[2][neighbour], kept[1][neighbour]);
                    kept[1][neighbour] = 0;
                }
            }
        }
#pragma unroll
        for (int neighbour = 0; neighbour < 3; ++neighbour) {
#pragma unroll
            for (int level = 2; level >= 0; --level) {
                totals[neighbour] = dot_reduce(totals[neighbour], kept[level][neighbour]);
            }
        }
    }
    (shared + 0)[thread] = totals[0];
    (shared + 256)[thread] = totals[1];
    (shared + 512)[thread] = totals[2];
    __syncthreads();
    if (along < 1) {
#pragma unroll
        for (int part = 1; part < 4; ++part) {
            totals[0] = dot_reduce(totals[0], (shared + 0)[thread + part * 64]);
            totals[1] = dot_reduce(totals[1], (shared + 256)[thread + part * 64]);
            totals[2] = dot_reduce(totals[2], (shared + 512)[thread + part * 64]);
        }
        (shared + 0)[thread] = totals[0];
        (shared + 256)[thread] = totals[1];
        (shared + 512)[thread] = totals[2];
    }
    __syncthreads();
    const int output = group * extent + across;
    if (along == 0) {
#pragma unroll
        for (int neighbour = 0; neighbour < 3; ++neighbour) {
            if (across + neighbour * 64 >= extent) continue;
            partial[split * outputs + output + neighbour * 64] = totals[neighbour];
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
        for (int neighbour = 0; neighbour < 3; ++neighbour) {
            totals[neighbour] = 0;
        }
        if (output < outputs) {
            for (int s_first = along; s_first < splits; s_first += 16) {
                float found[12];
#pragma unroll
                for (int u = 0; u < 4; ++u) {
                    const int s = s_first + u * 4;
#pragma unroll
                    for (int neighbour = 0; neighbour < 3; ++neighbour) {
                        if (s < splits && across + neighbour * 64 < extent) {
                            found[u * 3 + neighbour] = partial[s * outputs + output + neighbour * 64];
                        }
                    }
                }
#pragma unroll
                for (int u = 0; u < 4; ++u) {
#pragma unroll
                    for (int neighbour = 0; neighbour < 3; ++neighbour) {
                        if (s_first + u * 4 < splits && across + neighbour * 64 < extent) {
                            totals[neighbour] = dot_reduce(totals[neighbour], found[u * 3 + neighbour]);
                        }
                    }
                }
            }
        }
        (shared + 0)[thread] = totals[0];
        (shared + 256)[thread] = totals[1];
        (shared + 512)[thread] = totals[2];
        __syncthreads();
        if (along < 1) {
#pragma unroll
            for (int part = 1; part < 4; ++part) {
                totals[0] = dot_reduce(totals[0], (shared + 0)[thread + part * 64]);
                totals[1] = dot_reduce(totals[1], (shared + 256)[thread + part * 64]);
                totals[2] = dot_reduce(totals[2], (shared + 512)[thread + part * 64]);
            }
            (shared + 0)[thread] = totals[0];
            (shared + 256)[thread] = totals[1];
            (shared + 512)[thread] = totals[2];
        }
        __syncthreads();
        if (along == 0 && output < outputs) {
#pragma unroll
            for (int neighbour = 0; neighbour < 3; ++neighbour) {
                if (across + neighbour * 64 >= extent) continue;
                result[output + neighbour * 64] = totals[neighbour];
            }
        }
        if (thread == 0) counters[group] = 0;
    }
}
