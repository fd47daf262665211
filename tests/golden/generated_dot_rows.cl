typedef struct {
    int extent[2];
    int kept[2];
    int x[4];  // steps, in elements
    int y[4];  // steps, in elements
} dot_layout;
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
    __local float shared[256];
    const int thread = ((int)get_local_id(0));
    const int output = ((int)get_group_id(0)) / splits;
    const int split = ((int)get_group_id(0)) % splits;
    int o_rest = output;
    const int o_1 = o_rest % layout.kept[1];
    o_rest /= layout.kept[1];
    const int x_base = o_rest * layout.x[2] + o_1 * layout.x[3];
    const int y_base = o_rest * layout.y[2] + o_1 * layout.y[3];
    float totals[4];
#pragma unroll
    for (int lane = 0; lane < 4; ++lane) {
        totals[lane] = 0;
    }
    for (int first = split * 1024 + thread; first < n; first += splits * 1024) {
#pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int k = first + u * 256;
            if (k < n) {
                int i_rest = k;
                const int i_1 = i_rest % layout.extent[1];
                i_rest /= layout.extent[1];
                const int x_at = x_base + i_rest * layout.x[0] + i_1 * layout.x[1];
                const int y_at = y_base + i_rest * layout.y[0] + i_1 * layout.y[1];
                totals[u] = dot_reduce(totals[u], x[x_at]*y[y_at]);
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
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < 32) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            total = dot_reduce(total, shared[thread + part * 32]);
        }
        shared[thread] = total;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < 4) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            total = dot_reduce(total, shared[thread + part * 4]);
        }
        shared[thread] = total;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < 1) {
#pragma unroll
        for (int part = 1; part < 4; ++part) {
            total = dot_reduce(total, shared[thread + part * 1]);
        }
        shared[thread] = total;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread == 0) {
        result[output] = shared[0];
    }
}
