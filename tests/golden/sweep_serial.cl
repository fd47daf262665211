typedef float real;
typedef struct { real alpha, rr; int done; } sweep_state;
real sweep_add(real a, real b) { return a + b; }

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void descent(
        __global float *restrict x_elements,
        __global float *restrict r_elements,
        __global const float *restrict s_elements,
        __global const float *restrict weights_elements,
        __global float *history,
        __global sweep_state *states,
        __global real *partials,
        __global int *counters,
        int iteration,
        int packs,
        int pitch,
        int groups)
{
    const int thread = ((int)get_local_id(0));
    const int column = ((int)get_group_id(0)) / groups, group = ((int)get_group_id(0)) % groups;
    __global sweep_state *const state = states + column;
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

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void descent_finish(
        __global float *restrict x_elements,
        __global float *restrict r_elements,
        __global const float *restrict s_elements,
        __global const float *restrict weights_elements,
        __global float *history,
        __global sweep_state *states,
        __global real *partials,
        __global int *counters,
        int iteration,
        int packs,
        int pitch,
        int groups)
{
    const int thread = ((int)get_local_id(0));
    const int column = ((int)get_group_id(0));
    __global sweep_state *const state = states + column;
    if (state->done) return;
    real rr = 0;
    rr = 0;
    for (int g = thread; g < groups; g += 1) {
        rr += ((__global const volatile real *)partials)[(column * groups + g) * 1 + 0];
    }
    if (thread == 0) {
        state->rr = rr;
        history[iteration] = rr;
        state->done = rr < 1e-6f;
    }
}
