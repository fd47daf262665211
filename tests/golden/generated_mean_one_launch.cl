typedef union { uint4 words[1]; float value[4]; } pack_float_x4;
float mean_reduce(float a, float b) {
    return a+b;
}
float mean_stored(float a, int n) {
    return a / n;
}
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void mean(
        __global const float *x,
        __global const float *y,
        __global float *result,
        __global float *partial,
        __global int *counters,
        int n,
        int outputs,
        int splits,
        int head)
{
    __local float shared[256];
    __local int is_last[1];
    const int thread = ((int)get_local_id(0));
    const int output = ((int)get_group_id(0)) / splits;
    const int split = ((int)get_group_id(0)) % splits;
    const int packs = (n - head) / 4;
    float totals[4];
#pragma unroll
    for (int lane = 0; lane < 4; ++lane) {
        totals[lane] = 0;
    }
    for (int first = split * 512 + thread; first < packs; first += splits * 512) {
        pack_float_x4 x_pack[2];
        pack_float_x4 y_pack[2];
#pragma unroll
        for (int u = 0; u < 2; ++u) {
            const int p = first + u * 256;
            if (p < packs) {
                x_pack[u].words[0] = ((__global const uint4 *)(x + head))[p];
                y_pack[u].words[0] = ((__global const uint4 *)(y + head))[p];
            }
        }
#pragma unroll
        for (int u = 0; u < 2; ++u) {
            const int p = first + u * 256;
            if (p < packs) {
#pragma unroll
                for (int lane = 0; lane < 4; ++lane) {
                    const int i = head + p * 4 + lane;
                    const float x_i = x_pack[u].value[lane];
                    const float y_i = y_pack[u].value[lane];
                    totals[lane] = mean_reduce(totals[lane], x_i*y_i);
                }
            }
        }
    }
    // Elements before the first whole pack and after the last.
    if (split == 0) {
        for (int r = thread; r < n - packs * 4; r += 256) {
            const int i = (r < head ? r : r + packs * 4);
            totals[0] = mean_reduce(totals[0], x[i]*y[i]);
        }
    }
#pragma unroll
    for (int width = 2; width > 0; width /= 2) {
#pragma unroll
        for (int lane = 0; lane < width; ++lane) {
            totals[lane] = mean_reduce(totals[lane], totals[lane + width]);
        }
    }
    float total = totals[0];
    shared[thread] = total;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < 32) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            total = mean_reduce(total, shared[thread + part * 32]);
        }
        shared[thread] = total;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < 4) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            total = mean_reduce(total, shared[thread + part * 4]);
        }
        shared[thread] = total;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < 1) {
#pragma unroll
        for (int part = 1; part < 4; ++part) {
            total = mean_reduce(total, shared[thread + part * 1]);
        }
        shared[thread] = total;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread == 0) {
        partial[split * outputs + output] = shared[0];
        device_fence();
        is_last[0] = atomic_add(&counters[output], 1) == splits - 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    // The block that comes last combines what all have found, in the order of the splits.
    if (is_last[0]) {
        device_fence();
        float total = 0;
        for (int s = thread; s < splits; s += 256) {
            total = mean_reduce(total, partial[s * outputs + output]);
        }
        shared[thread] = total;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (thread < 32) {
#pragma unroll
            for (int part = 1; part < 8; ++part) {
                total = mean_reduce(total, shared[thread + part * 32]);
            }
            shared[thread] = total;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (thread < 4) {
#pragma unroll
            for (int part = 1; part < 8; ++part) {
                total = mean_reduce(total, shared[thread + part * 4]);
            }
            shared[thread] = total;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (thread < 1) {
#pragma unroll
            for (int part = 1; part < 4; ++part) {
                total = mean_reduce(total, shared[thread + part * 1]);
            }
            shared[thread] = total;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (thread == 0) {
            result[output] = mean_stored(shared[0], n);
            counters[output] = 0;
        }
    }
}
