typedef float real;
typedef struct { real alpha, rr; int done; } sweep_state;
__device__ real sweep_add(real a, real b) { return a + b; }
typedef union { uint4 bits; float elements[4]; } sweep_pack;

extern "C" __global__ __launch_bounds__(128) void descent(
        float *__restrict__ x_elements,
        float *__restrict__ r_elements,
        const float *__restrict__ s_elements,
        const float *__restrict__ weights_elements,
        float *history,
        sweep_state *states,
        real *partials,
        int *counters,
        int iteration,
        int packs,
        int pitch,
        int groups)
{
    __shared__ real shared_rr[128];
    __shared__ int is_last[1];
    const int thread = ((int)threadIdx.x);
    const int column = ((int)blockIdx.x) / groups, group = ((int)blockIdx.x) % groups;
    sweep_state *const state = states + column;
    if (state->done) return;
    const real alpha = state->alpha;
    real rr = 0;
    for (int at = group * 128 + thread; at < packs; at += groups * 128) {
        sweep_pack x_pack;
        x_pack.bits = ((const uint4 *)(x_elements + column * pitch))[at];
        sweep_pack r_pack;
        r_pack.bits = ((const uint4 *)(r_elements + column * pitch))[at];
        sweep_pack s_pack;
        s_pack.bits = ((const uint4 *)(s_elements + column * pitch))[at];
        sweep_pack weights_pack;
        weights_pack.bits = ((const uint4 *)(weights_elements))[at];
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
        ((uint4 *)(x_elements + column * pitch))[at] = x_pack.bits;
        ((uint4 *)(r_elements + column * pitch))[at] = r_pack.bits;
    }
    shared_rr[thread] = rr;
    __syncthreads();
    if (thread < 16) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            rr = sweep_add(rr, shared_rr[thread + part * 16]);
        }
        shared_rr[thread] = rr;
    }
    __syncthreads();
    if (thread < 2) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            rr = sweep_add(rr, shared_rr[thread + part * 2]);
        }
        shared_rr[thread] = rr;
    }
    __syncthreads();
    if (thread < 1) {
#pragma unroll
        for (int part = 1; part < 2; ++part) {
            rr = sweep_add(rr, shared_rr[thread + part * 1]);
        }
        shared_rr[thread] = rr;
    }
    __syncthreads();
    if (thread == 0) {
        partials[(column * groups + group) * 1 + 0] = rr;
    }
    device_fence();
    __syncthreads();
    if (thread == 0) is_last[0] = atomic_add(&counters[column], 1) == groups - 1;
    __syncthreads();
    if (!is_last[0]) return;
    device_fence();
    rr = 0;
    for (int g = thread; g < groups; g += 128) {
        rr += ((const volatile real *)partials)[(column * groups + g) * 1 + 0];
    }
    __syncthreads();
    shared_rr[thread] = rr;
    __syncthreads();
    if (thread < 16) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            rr = sweep_add(rr, shared_rr[thread + part * 16]);
        }
        shared_rr[thread] = rr;
    }
    __syncthreads();
    if (thread < 2) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            rr = sweep_add(rr, shared_rr[thread + part * 2]);
        }
        shared_rr[thread] = rr;
    }
    __syncthreads();
    if (thread < 1) {
#pragma unroll
        for (int part = 1; part < 2; ++part) {
            rr = sweep_add(rr, shared_rr[thread + part * 1]);
        }
        shared_rr[thread] = rr;
    }
    __syncthreads();
    if (thread == 0) {
        counters[column] = 0;
        state->rr = rr;
        history[iteration] = rr;
        state->done = rr < 1e-6f;
    }
}
