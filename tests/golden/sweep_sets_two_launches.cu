typedef double real;
typedef struct { real found[32]; } sweep_state;
__device__ real sweep_add(real a, real b) { return a + b; }
typedef union { uint4 bits; double elements[2]; } sweep_pack;

extern "C" __global__ __launch_bounds__(128) void products(
        double *basis,
        const double *__restrict__ w_elements,
        sweep_state *states,
        real *partials,
        int *counters,
        int columns,
        int count,
        int sets,
        int packs,
        int pitch,
        int groups)
{
    __shared__ real shared_s0[128];
    __shared__ real shared_s1[128];
    const int thread = ((int)threadIdx.x);
    const int set = ((int)blockIdx.x) % sets;
    const int column = ((int)blockIdx.x) / sets / groups, group = ((int)blockIdx.x) / sets % groups, column_set = column * sets + set;
    real s0 = 0;
    real s1 = 0;
    for (int at = group * 128 + thread; at < packs; at += groups * 128) {
        sweep_pack w_pack;
        w_pack.bits = ((const uint4 *)(w_elements + column * pitch))[at];
        sweep_pack q0_pack;
        q0_pack.bits = ((const uint4 *)((basis + (int64_t)columns * pitch * (2 * set + 0)) + column * pitch))[at];
        sweep_pack q1_pack;
        q1_pack.bits = ((const uint4 *)((basis + (int64_t)columns * pitch * (2 * set + 1)) + column * pitch))[at];
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
    __syncthreads();
    if (thread < 16) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            s0 = sweep_add(s0, shared_s0[thread + part * 16]);
            s1 = sweep_add(s1, shared_s1[thread + part * 16]);
        }
        shared_s0[thread] = s0;
        shared_s1[thread] = s1;
    }
    __syncthreads();
    if (thread < 2) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            s0 = sweep_add(s0, shared_s0[thread + part * 2]);
            s1 = sweep_add(s1, shared_s1[thread + part * 2]);
        }
        shared_s0[thread] = s0;
        shared_s1[thread] = s1;
    }
    __syncthreads();
    if (thread < 1) {
#pragma unroll
        for (int part = 1; part < 2; ++part) {
            s0 = sweep_add(s0, shared_s0[thread + part * 1]);
            s1 = sweep_add(s1, shared_s1[thread + part * 1]);
        }
        shared_s0[thread] = s0;
        shared_s1[thread] = s1;
    }
    __syncthreads();
    if (thread == 0) {
        partials[(column_set * groups + group) * 2 + 0] = s0;
        partials[(column_set * groups + group) * 2 + 1] = s1;
    }
}

extern "C" __global__ __launch_bounds__(64) void products_finish(
        double *basis,
        const double *__restrict__ w_elements,
        sweep_state *states,
        real *partials,
        int *counters,
        int columns,
        int count,
        int sets,
        int packs,
        int pitch,
        int groups)
{
    __shared__ real shared_s0[64];
    __shared__ real shared_s1[64];
    const int thread = ((int)threadIdx.x);
    const int set = ((int)blockIdx.x) % sets;
    const int column = ((int)blockIdx.x) / sets, column_set = ((int)blockIdx.x);
    sweep_state *const state = states + column;
    real s0 = 0;
    real s1 = 0;
    s0 = 0;
    s1 = 0;
    for (int g = thread; g < groups; g += 64) {
        s0 += ((const volatile real *)partials)[(column_set * groups + g) * 2 + 0];
        s1 += ((const volatile real *)partials)[(column_set * groups + g) * 2 + 1];
    }
    __syncthreads();
    shared_s0[thread] = s0;
    shared_s1[thread] = s1;
    __syncthreads();
    if (thread < 8) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            s0 = sweep_add(s0, shared_s0[thread + part * 8]);
            s1 = sweep_add(s1, shared_s1[thread + part * 8]);
        }
        shared_s0[thread] = s0;
        shared_s1[thread] = s1;
    }
    __syncthreads();
    if (thread < 1) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            s0 = sweep_add(s0, shared_s0[thread + part * 1]);
            s1 = sweep_add(s1, shared_s1[thread + part * 1]);
        }
        shared_s0[thread] = s0;
        shared_s1[thread] = s1;
    }
    __syncthreads();
    if (thread == 0) {
        if ((2 * set + 0) < count) state->found[(2 * set + 0)] = s0;
        if ((2 * set + 1) < count) state->found[(2 * set + 1)] = s1;
    }
}
