typedef float real;
typedef struct { real alpha, rr; int done; } sweep_state;
__device__ real sweep_add(real a, real b) { return a + b; }

extern "C" __global__ __launch_bounds__(1) void descent(
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
    const int thread = ((int)threadIdx.x);
    const int column = ((int)blockIdx.x) / groups, group = ((int)blockIdx.x) % groups;
    sweep_state *const state = states + column;
    if (state->done) return;
    const real alpha = state->alpha;
    const int share = (packs + groups - 1) / groups, first_pack = group * share;
    const int stop_pack = packs - first_pack < share ? packs : first_pack + share;
    real rr_lanes[16];
    for (int lane = 0; lane < 16; ++lane) rr_lanes[lane] = 0;
    for (int at = first_pack; at < stop_pack; ++at) {
        for (int lane = 0; lane < 16; ++lane) {
            const int within = at * 16 + lane;
            const int place = column * pitch + within;
            real rr = rr_lanes[lane];
            float x = x_elements[place];
            float r = r_elements[place];
            const float s = s_elements[place];
            const float weights = weights_elements[within];
            x += alpha * r;
            r -= alpha * s;
            rr += weights * r * r;
            x_elements[place] = x;
            r_elements[place] = r;
            rr_lanes[lane] = rr;
        }
    }
    real rr = 0;
    for (int lane = 0; lane < 16; ++lane) rr += rr_lanes[lane];
    if (thread == 0) {
        partials[(column * groups + group) * 1 + 0] = rr;
    }
}

extern "C" __global__ __launch_bounds__(1) void descent_finish(
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
    const int thread = ((int)threadIdx.x);
    const int column = ((int)blockIdx.x);
    sweep_state *const state = states + column;
    if (state->done) return;
    real rr = 0;
    rr = 0;
    for (int g = thread; g < groups; g += 1) {
        rr += ((const volatile real *)partials)[(column * groups + g) * 1 + 0];
    }
    if (thread == 0) {
        state->rr = rr;
        history[iteration] = rr;
        state->done = rr < 1e-6f;
    }
}
