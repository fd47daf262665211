typedef double real;
typedef struct { real found[32]; int used; } sweep_state;

extern "C" __global__ __launch_bounds__(1) void combine(
        double *basis,
        double *__restrict__ x_elements,
        double *__restrict__ z_elements,
        const double *__restrict__ scale_elements,
        sweep_state *states,
        real *partials,
        int *counters,
        int columns,
        int packs,
        int pitch,
        int groups)
{
    const int column = ((int)blockIdx.x) / groups, group = ((int)blockIdx.x) % groups;
    sweep_state *const state = states + column;
    const int share = (packs + groups - 1) / groups, first_pack = group * share;
    const int stop_pack = packs - first_pack < share ? packs : first_pack + share;
    for (int at = first_pack; at < stop_pack; ++at) {
        double x_lanes[16];
        for (int lane = 0; lane < 16; ++lane) x_lanes[lane] = x_elements[column * pitch + at * 16 + lane];
        double z_lanes[16];
        for (int lane = 0; lane < 16; ++lane) z_lanes[lane] = 0;
        for (int number = 0; number < state->used; ++number) {
            const double *const q_lanes = basis + ((int64_t)columns * pitch) * number + column * pitch + at * 16;
            for (int lane = 0; lane < 16; ++lane) {
                const double q = q_lanes[lane];
                double x = x_lanes[lane];
                double z = z_lanes[lane];
                x += state->found[number] * q;
                z -= state->found[number] * q;
                x_lanes[lane] = x;
                z_lanes[lane] = z;
            }
        }
        for (int lane = 0; lane < 16; ++lane) {
            const int within = at * 16 + lane;
            const int place = column * pitch + within;
            double x = x_lanes[lane];
            double z = z_lanes[lane];
            const double scale = scale_elements[within];
            z *= scale;
            x_elements[place] = x;
            z_elements[place] = z;
        }
    }
}
