typedef double real;
typedef struct { real found[32]; int used; } sweep_state;
typedef union { uint4 bits; double elements[2]; } sweep_pack;

extern "C" __global__ __launch_bounds__(128) void combine(
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
    const int thread = ((int)threadIdx.x);
    const int column = ((int)blockIdx.x) / groups, group = ((int)blockIdx.x) % groups;
    sweep_state *const state = states + column;
    for (int at = group * 128 + thread; at < packs; at += groups * 128) {
        sweep_pack x_pack;
        x_pack.bits = ((const uint4 *)(x_elements + column * pitch))[at];
        sweep_pack z_pack;
        sweep_pack scale_pack;
        scale_pack.bits = ((const uint4 *)(scale_elements))[at];
#pragma unroll
        for (int lane = 0; lane < 2; ++lane) {
            z_pack.elements[lane] = 0;
        }
        for (int number = 0; number < state->used; ++number) {
            sweep_pack q_pack;
            q_pack.bits = ((const uint4 *)(basis + ((int64_t)columns * pitch) * number + column * pitch))[at];
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
        ((uint4 *)(x_elements + column * pitch))[at] = x_pack.bits;
        ((uint4 *)(z_elements + column * pitch))[at] = z_pack.bits;
    }
}
