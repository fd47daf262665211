typedef union { uint4 words[1]; float value[4]; } pack_float_x4;
typedef struct {
    int extent[1];
    int kept[1];
    int x[2];  // steps, in elements
    int y[2];  // steps, in elements
} largest_layout;
__device__ float largest_reduce(float a, float b) {
    return a > b ? a : b;
}
__device__ int largest_replaces(float a, float b) {
    return (b > a) != 0;
}
extern "C" __global__ __launch_bounds__(256) void largest(
        const float *x,
        const float *y,
        largest_layout layout,
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
        totals[lane] = -INFINITY;
    }
    if (output < outputs) {
        const int x_base = output * layout.x[1];
        const int y_base = output * layout.y[1];
        const int positions = n;
        int first = split * 32 + along;
        while (first < positions) {
            for (int turn = 0; turn < 1 && first < positions; ++turn) {
                pack_float_x4 x_pack[4];
                pack_float_x4 y_pack[4];
#pragma unroll
                for (int u = 0; u < 4; ++u) {
                    const int k = first + u * 8;
                    if (k < positions) {
                        const int x_at = x_base + k * layout.x[0];
                        const int y_at = y_base + k * layout.y[0];
                        x_pack[u].words[0] = ((const uint4 *)(x + x_at))[0];
                        y_pack[u].words[0] = ((const uint4 *)(y + y_at))[0];
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
                            const float later = x_i*y_i;
                            if (largest_replaces(totals[neighbour], later)) totals[neighbour] = later;
                        }
                    }
                }
                first += splits * 32;
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
            totals[0] = largest_reduce(totals[0], (shared + 0)[thread + part * 32]);
            totals[1] = largest_reduce(totals[1], (shared + 256)[thread + part * 32]);
            totals[2] = largest_reduce(totals[2], (shared + 512)[thread + part * 32]);
            totals[3] = largest_reduce(totals[3], (shared + 768)[thread + part * 32]);
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
            totals[neighbour] = -INFINITY;
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
                            totals[neighbour] = largest_reduce(totals[neighbour], found[u * 4 + neighbour]);
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
                totals[0] = largest_reduce(totals[0], (shared + 0)[thread + part * 32]);
                totals[1] = largest_reduce(totals[1], (shared + 256)[thread + part * 32]);
                totals[2] = largest_reduce(totals[2], (shared + 512)[thread + part * 32]);
                totals[3] = largest_reduce(totals[3], (shared + 768)[thread + part * 32]);
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
                result[output + neighbour] = totals[neighbour];
            }
        }
        if (thread == 0) counters[group] = 0;
    }
}
