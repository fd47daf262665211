extern "C" __global__ __launch_bounds__(64) void axpy(
        float a,
        const float *x,
        const float *y,
        float *z,
        int n)
{
    const int k = ((int)blockIdx.x) * 64 + ((int)threadIdx.x);
    if (k < n) {
        const int i = k;
        z[i] = a*x[i] + y[i];
    }
}
