typedef union { uint4 words[1]; uint32_t parts[4]; } pack_float16_t_x8;
float16_t pack_float16_t_x8_lane(uint32_t part, int at) {
    float16_t value;
    value.bits = (uint16_t)(part >> 16 * at);
    return value;
}
uint32_t pack_float16_t_x8_with(uint32_t part, int at, float16_t value) {
    return (part & ~(0xffffu << 16 * at)) | (uint32_t)(uint16_t)value.bits << 16 * at;
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
        __global float16_t *result_0,
        __global int64_t *result_1,
        __global unsigned char *result_2,
        __global float *result_3,
        __global float *partial_0,
        __global int64_t *partial_1,
        __global unsigned char *partial_2,
        __global double *partial_3,
        __global int *counters,
        int n,
        int outputs,
        int splits,
        int head)
{
    __local float shared_0[256];
    __local int64_t shared_1[256];
    __local unsigned char shared_2[256];
    __local double shared_3[256];
    __local int is_last[1];
    const int thread = ((int)get_local_id(0));
    const int output = ((int)get_group_id(0)) / splits;
    const int split = ((int)get_group_id(0)) % splits;
    const int packs = (n - head) / 8;
    float totals_0[8];
    int64_t totals_1[8];
    unsigned char totals_2[8];
    double totals_3[8];
#pragma unroll
    for (int lane = 0; lane < 8; ++lane) {
        totals_0[lane] = INFINITY;
        totals_1[lane] = 0;
        totals_2[lane] = 0;
        totals_3[lane] = 0;
    }
    for (int first = split * 512 + thread; first < packs; first += splits * 512) {
        pack_float16_t_x8 x_pack[2];
#pragma unroll
        for (int u = 0; u < 2; ++u) {
            const int p = first + u * 256;
            if (p < packs) {
                x_pack[u].words[0] = ((__global const uint4 *)(x + head))[p];
            }
        }
#pragma unroll
        for (int u = 0; u < 2; ++u) {
            const int p = first + u * 256;
            if (p < packs) {
#pragma unroll
                for (int lane = 0; lane < 8; ++lane) {
                    const int i = head + p * 8 + lane;
                    const int reduced_index = i;
                    const float x_i = load_float16(pack_float16_t_x8_lane(x_pack[u].parts[lane / 2], lane % 2));
                    totals_0[lane] = several_reduce_0(totals_0[lane], x_i);
                    totals_1[lane] = several_reduce_1(totals_1[lane], reduced_index);
                    totals_2[lane] = several_reduce_2(totals_2[lane], (x_i > i) != 0);
                    totals_3[lane] = several_reduce_3(totals_3[lane], x_i);
                }
            }
        }
    }
    // Elements before the first whole pack and after the last.
    if (split == 0) {
        for (int r = thread; r < n - packs * 8; r += 256) {
            const int i = (r < head ? r : r + packs * 8);
            const int reduced_index = i;
            const float x_i = load_float16(x[i]);
            totals_0[0] = several_reduce_0(totals_0[0], x_i);
            totals_1[0] = several_reduce_1(totals_1[0], reduced_index);
            totals_2[0] = several_reduce_2(totals_2[0], (x_i > i) != 0);
            totals_3[0] = several_reduce_3(totals_3[0], x_i);
        }
    }
#pragma unroll
    for (int width = 4; width > 0; width /= 2) {
#pragma unroll
        for (int lane = 0; lane < width; ++lane) {
            totals_0[lane] = several_reduce_0(totals_0[lane], totals_0[lane + width]);
            totals_1[lane] = several_reduce_1(totals_1[lane], totals_1[lane + width]);
            totals_2[lane] = several_reduce_2(totals_2[lane], totals_2[lane + width]);
            totals_3[lane] = several_reduce_3(totals_3[lane], totals_3[lane + width]);
        }
    }
    float total_0 = totals_0[0];
    int64_t total_1 = totals_1[0];
    unsigned char total_2 = totals_2[0];
    double total_3 = totals_3[0];
    shared_0[thread] = total_0;
    shared_1[thread] = total_1;
    shared_2[thread] = total_2;
    shared_3[thread] = total_3;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < 32) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            total_0 = several_reduce_0(total_0, shared_0[thread + part * 32]);
            total_1 = several_reduce_1(total_1, shared_1[thread + part * 32]);
            total_2 = several_reduce_2(total_2, shared_2[thread + part * 32]);
            total_3 = several_reduce_3(total_3, shared_3[thread + part * 32]);
        }
        shared_0[thread] = total_0;
        shared_1[thread] = total_1;
        shared_2[thread] = total_2;
        shared_3[thread] = total_3;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < 4) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            total_0 = several_reduce_0(total_0, shared_0[thread + part * 4]);
            total_1 = several_reduce_1(total_1, shared_1[thread + part * 4]);
            total_2 = several_reduce_2(total_2, shared_2[thread + part * 4]);
            total_3 = several_reduce_3(total_3, shared_3[thread + part * 4]);
        }
        shared_0[thread] = total_0;
        shared_1[thread] = total_1;
        shared_2[thread] = total_2;
        shared_3[thread] = total_3;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < 1) {
#pragma unroll
        for (int part = 1; part < 4; ++part) {
            total_0 = several_reduce_0(total_0, shared_0[thread + part * 1]);
            total_1 = several_reduce_1(total_1, shared_1[thread + part * 1]);
            total_2 = several_reduce_2(total_2, shared_2[thread + part * 1]);
            total_3 = several_reduce_3(total_3, shared_3[thread + part * 1]);
        }
        shared_0[thread] = total_0;
        shared_1[thread] = total_1;
        shared_2[thread] = total_2;
        shared_3[thread] = total_3;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread == 0) {
        partial_0[split * outputs + output] = shared_0[0];
        partial_1[split * outputs + output] = shared_1[0];
        partial_2[split * outputs + output] = shared_2[0];
        partial_3[split * outputs + output] = shared_3[0];
        device_fence();
        is_last[0] = atomic_add(&counters[output], 1) == splits - 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    // The block that comes last combines what all have found, in the order of the splits.
    if (is_last[0]) {
        device_fence();
        float total_0 = INFINITY;
        int64_t total_1 = 0;
        unsigned char total_2 = 0;
        double total_3 = 0;
        for (int s = thread; s < splits; s += 256) {
            total_0 = several_reduce_0(total_0, partial_0[s * outputs + output]);
            total_1 = several_reduce_1(total_1, partial_1[s * outputs + output]);
            total_2 = several_reduce_2(total_2, partial_2[s * outputs + output]);
            total_3 = several_reduce_3(total_3, partial_3[s * outputs + output]);
        }
        shared_0[thread] = total_0;
        shared_1[thread] = total_1;
        shared_2[thread] = total_2;
        shared_3[thread] = total_3;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (thread < 32) {
#pragma unroll
            for (int part = 1; part < 8; ++part) {
                total_0 = several_reduce_0(total_0, shared_0[thread + part * 32]);
                total_1 = several_reduce_1(total_1, shared_1[thread + part * 32]);
                total_2 = several_reduce_2(total_2, shared_2[thread + part * 32]);
                total_3 = several_reduce_3(total_3, shared_3[thread + part * 32]);
            }
            shared_0[thread] = total_0;
            shared_1[thread] = total_1;
            shared_2[thread] = total_2;
            shared_3[thread] = total_3;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (thread < 4) {
#pragma unroll
            for (int part = 1; part < 8; ++part) {
                total_0 = several_reduce_0(total_0, shared_0[thread + part * 4]);
                total_1 = several_reduce_1(total_1, shared_1[thread + part * 4]);
                total_2 = several_reduce_2(total_2, shared_2[thread + part * 4]);
                total_3 = several_reduce_3(total_3, shared_3[thread + part * 4]);
            }
            shared_0[thread] = total_0;
            shared_1[thread] = total_1;
            shared_2[thread] = total_2;
            shared_3[thread] = total_3;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (thread < 1) {
#pragma unroll
            for (int part = 1; part < 4; ++part) {
                total_0 = several_reduce_0(total_0, shared_0[thread + part * 1]);
                total_1 = several_reduce_1(total_1, shared_1[thread + part * 1]);
                total_2 = several_reduce_2(total_2, shared_2[thread + part * 1]);
                total_3 = several_reduce_3(total_3, shared_3[thread + part * 1]);
            }
            shared_0[thread] = total_0;
            shared_1[thread] = total_1;
            shared_2[thread] = total_2;
            shared_3[thread] = total_3;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (thread == 0) {
            result_0[output] = store_float16(shared_0[0]);
            result_1[output] = shared_1[0];
            result_2[output] = shared_2[0] != 0;
            result_3[output] = shared_3[0];
            counters[output] = 0;
        }
    }
}
