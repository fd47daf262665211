typedef float real;
typedef struct { real alpha, rr; int done; } sweep_state;
real sweep_add(real a, real b) { return a + b; }
typedef union { uint4 bits; float elements[4]; } sweep_pack;

__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void descent(
        __global float *restrict x_elements,
        __global float *restrict r_elements,
        __global const float *restrict s_elements,
        __global const float *restrict weights_elements,
        __global float *history,
        __global sweep_state *states,
        __global real *partials,
        __global int *counters,
        int iteration,
        int64_t packs,
        int64_t pitch,
        int64_t groups)
{
    __local real shared_rr[128];
    const int thread = ((int)get_local_id(0));
    const int64_t column = ((int)get_group_id(0)) / groups, group = ((int)get_group_id(0)) % groups;
    __global sweep_state *const state = states + column;
    const int64_t stop_pack = state->done ? 0 : packs;
    const real alpha = state->alpha;
    real rr = 0;
    for (int64_t at = group * 128 + thread; at < stop_pack; at += groups * 128) {
        sweep_pack x_pack;
        x_pack.bits = ((__global const uint4 *)(x_elements + column * pitch))[at];
        sweep_pack r_pack;
        r_pack.bits = ((__global const uint4 *)(r_elements + column * pitch))[at];
        sweep_pack s_pack;
        s_pack.bits = ((__global const uint4 *)(s_elements + column * pitch))[at];
        sweep_pack weights_pack;
        weights_pack.bits = ((__global const uint4 *)(weights_elements))[at];
#pragma unroll
        for (int lane = 0; lane < 4; ++lane) {
            float x = x_pack.elements[lane];
            float r = r_pack.elements[lane];
            const float s = s_pack.elements[lane];
            const float weights = weights_pack.elements[lane];
            x += alpha * r;
            r -= alpha * s;
            rr += weights * r * r;
            x_pack.elements[lane] = x;
            r_pack.elements[lane] = r;
        }
        ((__global uint4 *)(x_elements + column * pitch))[at] = x_pack.bits;
        ((__global uint4 *)(r_elements + column * pitch))[at] = r_pack.bits;
    }
    shared_rr[thread] = rr;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < 16) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            rr = sweep_add(rr, shared_rr[thread + part * 16]);
        }
        shared_rr[thread] = rr;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < 2) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            rr = sweep_add(rr, shared_rr[thread + part * 2]);
        }
        shared_rr[thread] = rr;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < 1) {
#pragma unroll
        for (int part = 1; part < 2; ++part) {
            rr = sweep_add(rr, shared_rr[thread + part * 1]);
        }
        shared_rr[thread] = rr;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread == 0) {
        partials[(column * groups + group) * 1 + 0] = rr;
    }
}

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void descent_finish(
        __global float *restrict x_elements,
        __global float *restrict r_elements,
        __global const float *restrict s_elements,
        __global const float *restrict weights_elements,
        __global float *history,
        __global sweep_state *states,
        __global real *partials,
        __global int *counters,
        int iteration,
        int64_t packs,
        int64_t pitch,
        int64_t groups)
{
    __local real shared_rr[64];
    const int thread = ((int)get_local_id(0));
    const int64_t column = ((int)get_group_id(0));
    __global sweep_state *const state = states + column;
    real rr = 0;
    rr = 0;
    for (int64_t g = thread; g < groups; g += 64) {
        rr += ((__global const volatile real *)partials)[(column * groups + g) * 1 + 0];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    shared_rr[thread] = rr;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < 8) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            rr = sweep_add(rr, shared_rr[thread + part * 8]);
        }
        shared_rr[thread] = rr;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < 1) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            rr = sweep_add(rr, shared_rr[thread + part * 1]);
        }
        shared_rr[thread] = rr;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread == 0 && !(state->done)) {
        state->rr = rr;
        history[iteration] = rr;
        state->done = rr < 1e-6f;
    }
}
