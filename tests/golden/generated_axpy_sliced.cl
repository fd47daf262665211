__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void axpy(
        float a,
        __global const float *x,
        __global const float *y,
        __global float *z,
        int n,
        int count,
        int start,
        int step)
{
    const int k = ((int)get_group_id(0)) * 64 + ((int)get_local_id(0));
    if (k < count) {
        const int i = start + k * step;
        z[i] = a*x[i] + y[i];
    }
}
