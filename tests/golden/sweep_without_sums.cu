typedef float real;
typedef struct { int done; } sweep_state;
typedef union { uint4 bits; float elements[4]; } sweep_pack;

extern "C" __global__ __launch_bounds__(128) void double_all(
        float *__restrict__ x_elements,
        sweep_state *states,
        real *partials,
        int *counters,
        int packs,
        int pitch,
        int groups)
{
    const int thread = ((int)threadIdx.x);
    const int column = ((int)blockIdx.x) / groups, group = ((int)blockIdx.x) % groups;
    for (int at = group * 128 + thread; at < packs; at += groups * 128) {
        sweep_pack x_pack;
        x_pack.bits = ((const uint4 *)(x_elements + column * pitch))[at];
#pragma unroll
        for (int lane = 0; lane < 4; ++lane) {
            float x = x_pack.elements[lane];
            x *= 2;
            x_pack.elements[lane] = x;
        }
        ((uint4 *)(x_elements + column * pitch))[at] = x_pack.bits;
    }
}
