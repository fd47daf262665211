extern "C" __global__ __launch_bounds__(64) void axpy(
        float a,
        const float *x,
        const float *y,
        float *z,
        int n,
        int count,
        int start,
        int step)
{
    const int k = ((int)blockIdx.x) * 64 + ((int)threadIdx.x);
    if (k < count) {
        const int i = start + k * step;
        z[i] = a*x[i] + y[i];
    }
}
