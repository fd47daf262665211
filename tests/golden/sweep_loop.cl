typedef double real;
typedef struct { real found[32]; int used; } sweep_state;
typedef union { uint4 bits; double elements[2]; } sweep_pack;

__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void combine(
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
    const int thread = ((int)get_local_id(0));
    const int column = ((int)get_group_id(0)) / groups, group = ((int)get_group_id(0)) % groups;
    __global sweep_state *const state = states + column;
    for (int at = group * 128 + thread; at < packs; at += groups * 128) {
        sweep_pack x_pack;
        x_pack.bits = ((__global const uint4 *)(x_elements + column * pitch))[at];
        sweep_pack z_pack;
        sweep_pack scale_pack;
        scale_pack.bits = ((__global const uint4 *)(scale_elements))[at];
#pragma unroll
        for (int lane = 0; lane < 2; ++lane) {
            z_pack.elements[lane] = 0;
        }
        for (int number = 0; number < state->used; ++number) {
            sweep_pack q_pack;
            q_pack.bits = ((__global const uint4 *)(basis + ((int64_t)columns * pitch) * number + column * pitch))[at];
#pragma unroll
            for (int lane = 0; lane < 2; ++lane) {
                const double q = q_pack.elements[lane];
                double x = x_pack.elements[lane];
                double z = z_pack.elements[lane];
                x += state->found[number] * q;
                z -= state->found[number] * q;
                x_pack.elements[lane] = x;
                z_pack.elements[lane] = z;
            }
        }
#pragma unroll
        for (int lane = 0; lane < 2; ++lane) {
            double x = x_pack.elements[lane];
            double z = z_pack.elements[lane];
            const double scale = scale_pack.elements[lane];
            z *= scale;
            x_pack.elements[lane] = x;
            z_pack.elements[lane] = z;
        }
        ((__global uint4 *)(x_elements + column * pitch))[at] = x_pack.bits;
        ((__global uint4 *)(z_elements + column * pitch))[at] = z_pack.bits;
    }
}
