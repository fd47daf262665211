typedef float real;
typedef struct { int done; } sweep_state;
typedef union { uint4 bits; float elements[4]; } sweep_pack;

__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void double_all(
        __global float *restrict x_elements,
        __global sweep_state *states,
        __global real *partials,
        __global int *counters,
        int packs,
        int pitch,
        int groups)
{
    const int thread = ((int)get_local_id(0));
    const int column = ((int)get_group_id(0)) / groups, group = ((int)get_group_id(0)) % groups;
    for (int at = group * 128 + thread; at < packs; at += groups * 128) {
        sweep_pack x_pack;
        x_pack.bits = ((__global const uint4 *)(x_elements + column * pitch))[at];
#pragma unroll
        for (int lane = 0; lane < 4; ++lane) {
            float x = x_pack.elements[lane];
            x *= 2;
            x_pack.elements[lane] = x;
        }
        ((__global uint4 *)(x_elements + column * pitch))[at] = x_pack.bits;
    }
}
