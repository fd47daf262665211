typedef double real;
typedef struct { real found[32]; } sweep_state;
real sweep_add(real a, real b) { return a + b; }
typedef union { uint4 bits; double elements[2]; } sweep_pack;

__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void products(
        __global double *basis,
        __global const double *restrict w_elements,
        __global sweep_state *states,
        __global real *partials,
        __global int *counters,
        int columns,
        int count,
        int sets,
        int packs,
        int pitch,
        int groups)
{
    __local real shared_s0[128];
    __local real shared_s1[128];
    __local int is_last[1];
    const int thread = ((int)get_local_id(0));
    const int set = ((int)get_group_id(0)) % sets;
    const int column = ((int)get_group_id(0)) / sets / groups, group = ((int)get_group_id(0)) / sets % groups, column_set = column * sets + set;
    __global sweep_state *const state = states + column;
    real s0 = 0;
    real s1 = 0;
    for (int at = group * 128 + thread; at < packs; at += groups * 128) {
        sweep_pack w_pack;
        w_pack.bits = ((__global const uint4 *)(w_elements + column * pitch))[at];
        sweep_pack q0_pack;
        q0_pack.bits = ((__global const uint4 *)((basis + (int64_t)columns * pitch * (2 * set + 0)) + column * pitch))[at];
        sweep_pack q1_pack;
        q1_pack.bits = ((__global const uint4 *)((basis + (int64_t)columns * pitch * (2 * set + 1)) + column * pitch))[at];
#pragma unroll
        for (int lane = 0; lane < 2; ++lane) {
            const double w = w_pack.elements[lane];
            const double q0 = q0_pack.elements[lane];
            const double q1 = q1_pack.elements[lane];
            s0 += q0 * w;
            s1 += q1 * w;
        }
    }
    shared_s0[thread] = s0;
    shared_s1[thread] = s1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < 16) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            s0 = sweep_add(s0, shared_s0[thread + part * 16]);
            s1 = sweep_add(s1, shared_s1[thread + part * 16]);
        }
        shared_s0[thread] = s0;
        shared_s1[thread] = s1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < 2) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            s0 = sweep_add(s0, shared_s0[thread + part * 2]);
            s1 = sweep_add(s1, shared_s1[thread + part * 2]);
        }
        shared_s0[thread] = s0;
        shared_s1[thread] = s1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < 1) {
#pragma unroll
        for (int part = 1; part < 2; ++part) {
            s0 = sweep_add(s0, shared_s0[thread + part * 1]);
            s1 = sweep_add(s1, shared_s1[thread + part * 1]);
        }
        shared_s0[thread] = s0;
        shared_s1[thread] = s1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread == 0) {
        partials[(column_set * groups + group) * 2 + 0] = s0;
        partials[(column_set * groups + group) * 2 + 1] = s1;
    }
    device_fence();
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread == 0) is_last[0] = atomic_add(&counters[column_set], 1) == groups - 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!is_last[0]) return;
    device_fence();
    s0 = 0;
    s1 = 0;
    for (int g = thread; g < groups; g += 128) {
        s0 += ((__global const volatile real *)partials)[(column_set * groups + g) * 2 + 0];
        s1 += ((__global const volatile real *)partials)[(column_set * groups + g) * 2 + 1];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    shared_s0[thread] = s0;
    shared_s1[thread] = s1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < 16) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            s0 = sweep_add(s0, shared_s0[thread + part * 16]);
            s1 = sweep_add(s1, shared_s1[thread + part * 16]);
        }
        shared_s0[thread] = s0;
        shared_s1[thread] = s1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < 2) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            s0 = sweep_add(s0, shared_s0[thread + part * 2]);
            s1 = sweep_add(s1, shared_s1[thread + part * 2]);
        }
        shared_s0[thread] = s0;
        shared_s1[thread] = s1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < 1) {
#pragma unroll
        for (int part = 1; part < 2; ++part) {
            s0 = sweep_add(s0, shared_s0[thread + part * 1]);
            s1 = sweep_add(s1, shared_s1[thread + part * 1]);
        }
        shared_s0[thread] = s0;
        shared_s1[thread] = s1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread == 0) {
        counters[column_set] = 0;
        if ((2 * set + 0) < count) state->found[(2 * set + 0)] = s0;
        if ((2 * set + 1) < count) state->found[(2 * set + 1)] = s1;
    }
}
