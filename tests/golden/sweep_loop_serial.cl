typedef double real;
typedef struct { real found[32]; int used; } sweep_state;

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void combine(
        __global double *basis,
        __global double *restrict x_elements,
        __global double *restrict z_elements,
        __global const double *restrict scale_elements,
        __global sweep_state *states,
        __global real *partials,
        __global int *counters,
        int columns,
        int packs,
        int pitch,
        int groups)
{
    const int column = ((int)get_group_id(0)) / groups, group = ((int)get_group_id(0)) % groups;
    __global sweep_state *const state = states + column;
    const int share = (packs + groups - 1) / groups, first_pack = group * share;
    const int stop_pack = packs - first_pack < share ? packs : first_pack + share;
    for (int at = first_pack; at < stop_pack; ++at) {
        double x_lanes[16];
        for (int lane = 0; lane < 16; ++lane) x_lanes[lane] = x_elements[column * pitch + at * 16 + lane];
        double z_lanes[16];
        for (int lane = 0; lane < 16; ++lane) z_lanes[lane] = 0;
        for (int number = 0; number < state->used; ++number) {
            __global const double *const q_lanes = basis + ((int64_t)columns * pitch) * number + column * pitch + at * 16;
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
