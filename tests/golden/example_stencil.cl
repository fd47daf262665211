__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void stencil(
        __global const float *u,
        __global float *next,
        float k,
        int n)
{
    const int i = ((int)get_group_id(0)) * 256 + ((int)get_local_id(0));
    if (i >= n) return;
    const float left = i == 0 ? u[n - 1] : u[i - 1];
    const float right = i == n - 1 ? u[0] : u[i + 1];
    const float stencil = 1 * left + -2 * u[i] + 1 * right;
    next[i] = u[i] + k * stencil;
}
