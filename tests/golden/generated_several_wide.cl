typedef struct {
    int64_t extent[1];
    int64_t x[1];  // steps, in elements
} several_layout;
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
        several_layout layout,
        __global float16_t *result_0,
        __global int64_t *result_1,
        __global unsigned char *result_2,
        __global float *result_3,
        int64_t n,
        int64_t outputs,
        int64_t splits)
{
    __local float shared_0[256];
    __local int64_t shared_1[256];
    __local unsigned char shared_2[256];
    __local double shared_3[256];
    const int thread = ((int)get_local_id(0));
    const int64_t output = ((int)get_group_id(0)) / splits;
    const int64_t split = ((int)get_group_id(0)) % splits;
    float totals_0[4];
    int64_t totals_1[4];
    unsigned char totals_2[4];
    double totals_3[4];
#pragma unroll
    for (int lane = 0; lane < 4; ++lane) {
        totals_0[lane] = INFINITY;
        totals_1[lane] = 0;
        totals_2[lane] = 0;
        totals_3[lane] = 0;
    }
    for (int64_t first = split * 1024 + thread; first < n; first += splits * 1024) {
#pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int64_t k = first + u * 256;
            if (k < n) {
                const int64_t i = k;
                const int64_t reduced_index = i;
                const int64_t x_at = i * layout.x[0];
                const float x_i = load_float16(x[x_at]);
                totals_0[u] = several_reduce_0(totals_0[u], x_i);
                totals_1[u] = several_reduce_1(totals_1[u], reduced_index);
                totals_2[u] = several_reduce_2(totals_2[u], (x_i > i) != 0);
                totals_3[u] = several_reduce_3(totals_3[u], x_i);
            }
        }
    }
#pragma unroll
    for (int width = 2; width > 0; width /= 2) {
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
        result_0[output] = store_float16(shared_0[0]);
        result_1[output] = shared_1[0];
        result_2[output] = shared_2[0] != 0;
        result_3[output] = shared_3[0];
    }
}
