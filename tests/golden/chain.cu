typedef float real;
typedef struct { real alpha, rr; int done; } sweep_state;
__device__ real sweep_add(real a, real b) { return a + b; }
typedef union { uint4 bits; float elements[4]; } sweep_pack;

__device__ float add_parts(float a, float b) { return a + b; }
extern "C" __global__ __launch_bounds__(128) RESIDENT_BLOCKS(128, 4) void descent(
        const int32_t *__restrict__ offsets,
        const float *__restrict__ values,
        float *x_elements,
        float *r_elements,
        float *s_elements,
        const float *weights_elements,
        float *history,
        sweep_state *states,
        real *partials,
        real *sums,
        int64_t rows,
        int64_t column_count,
        int64_t diagonals,
        int steps,
        int packs,
        GRID_BARRIER(sync))
{
    __shared__ sweep_state own_state[1];
    __shared__ float shared_gamma[128];
    __shared__ float shared_delta[128];
    __shared__ float shared_mu[128];
    __shared__ real shared_rr[128];
    const int thread = ((int)threadIdx.x);
    const int column = 0, group = ((int)blockIdx.x), groups = ((int)gridDim.x), pitch = 0;
    sweep_state *const state = own_state;
    if (thread == 0) own_state[0] = states[column];
    __syncthreads();
    int step = 0;
    for (; step < steps && !(state->done); ++step) {
        {
            const float *const x = r_elements;
            float *const y = s_elements;
            const float *const w = r_elements;
            const int64_t sums_begin = 0;
            float mu = 0;
            float delta = 0;
            float gamma = 0;
            for (int64_t piece = ((int)blockIdx.x); piece * 128 < rows; piece += ((int)gridDim.x)) {
            const int64_t row = piece * 128 + thread;
            if (row < rows) {
                float total = 0;
                // All loads are under way together.
                float own[5], other[5];
#pragma unroll
                for (int d = 0; d < 5; ++d) own[d] = values[d * rows + row];
#pragma unroll
                for (int d = 0; d < 5; ++d) {
                    const int64_t at = row + offsets[d];
                    other[d] = at >= 0 && at < column_count ? x[at] : 0;
                }
#pragma unroll
                for (int d = 0; d < 5; ++d) {
                    const float value = own[d];
                    total = value != 0 ? total + value * other[d] : total;
                }
                y[row] = total;
                {
                    const float own = x[row], other = w[row], same = total;
                    mu += (float)own * (float)total;
                    delta += (float)other * (float)total;
                    gamma += (float)same * (float)total;
                }
            }
            }
            shared_mu[thread] = mu;
            shared_delta[thread] = delta;
            shared_gamma[thread] = gamma;
            __syncthreads();
            if (thread < 16) {
#pragma unroll
                for (int part = 1; part < 8; ++part) {
                    mu = add_parts(mu, shared_mu[thread + part * 16]);
                    delta = add_parts(delta, shared_delta[thread + part * 16]);
                    gamma = add_parts(gamma, shared_gamma[thread + part * 16]);
                }
                shared_mu[thread] = mu;
                shared_delta[thread] = delta;
                shared_gamma[thread] = gamma;
            }
            __syncthreads();
            if (thread < 2) {
#pragma unroll
                for (int part = 1; part < 8; ++part) {
                    mu = add_parts(mu, shared_mu[thread + part * 2]);
                    delta = add_parts(delta, shared_delta[thread + part * 2]);
                    gamma = add_parts(gamma, shared_gamma[thread + part * 2]);
                }
                shared_mu[thread] = mu;
                shared_delta[thread] = delta;
                shared_gamma[thread] = gamma;
            }
            __syncthreads();
            if (thread < 1) {
#pragma unroll
                for (int part = 1; part < 2; ++part) {
                    mu = add_parts(mu, shared_mu[thread + part * 1]);
                    delta = add_parts(delta, shared_delta[thread + part * 1]);
                    gamma = add_parts(gamma, shared_gamma[thread + part * 1]);
                }
                shared_mu[thread] = mu;
                shared_delta[thread] = delta;
                shared_gamma[thread] = gamma;
            }
            __syncthreads();
            if (thread == 0) {
                sums[sums_begin + (int64_t)((int)blockIdx.x) * 3 + 0] = mu;
                sums[sums_begin + (int64_t)((int)blockIdx.x) * 3 + 1] = delta;
                sums[sums_begin + (int64_t)((int)blockIdx.x) * 3 + 2] = gamma;
            }
        }
        grid_barrier(sync);
        {
            const real *const sums_joined = sums;
            const int joined_groups = groups;
            real mu = 0;
            real delta = 0;
            real gamma = 0;
            for (int g = thread; g < joined_groups; g += 128) {
                mu += sums_joined[(column * joined_groups + g) * 3 + 0];
                delta += sums_joined[(column * joined_groups + g) * 3 + 1];
                gamma += sums_joined[(column * joined_groups + g) * 3 + 2];
            }
            shared_mu[thread] = mu;
            shared_delta[thread] = delta;
            shared_gamma[thread] = gamma;
            __syncthreads();
            if (thread < 16) {
#pragma unroll
                for (int part = 1; part < 8; ++part) {
                    mu = sweep_add(mu, shared_mu[thread + part * 16]);
                    delta = sweep_add(delta, shared_delta[thread + part * 16]);
                    gamma = sweep_add(gamma, shared_gamma[thread + part * 16]);
                }
                shared_mu[thread] = mu;
                shared_delta[thread] = delta;
                shared_gamma[thread] = gamma;
            }
            __syncthreads();
            if (thread < 2) {
#pragma unroll
                for (int part = 1; part < 8; ++part) {
                    mu = sweep_add(mu, shared_mu[thread + part * 2]);
                    delta = sweep_add(delta, shared_delta[thread + part * 2]);
                    gamma = sweep_add(gamma, shared_gamma[thread + part * 2]);
                }
                shared_mu[thread] = mu;
                shared_delta[thread] = delta;
                shared_gamma[thread] = gamma;
            }
            __syncthreads();
            if (thread < 1) {
#pragma unroll
                for (int part = 1; part < 2; ++part) {
                    mu = sweep_add(mu, shared_mu[thread + part * 1]);
                    delta = sweep_add(delta, shared_delta[thread + part * 1]);
                    gamma = sweep_add(gamma, shared_gamma[thread + part * 1]);
                }
                shared_mu[thread] = mu;
                shared_delta[thread] = delta;
                shared_gamma[thread] = gamma;
            }
            __syncthreads();
            mu = shared_mu[0];
            delta = shared_delta[0];
            gamma = shared_gamma[0];
            const real alpha = mu > 0 ? delta / mu : gamma;
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
                partials[group * 1 + 0] = rr;
            }
            grid_barrier(sync);
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
                state->rr = rr;
                history[iteration] = rr;
                state->done = rr < 1e-6f;
            }
        }
        __syncthreads();
    }
    if (thread == 0 && group == 0 && step > 0) states[column] = own_state[0];
}
