extern "C" __global__ __launch_bounds__(256) void stencil(const float *u, float *next, float k, int n)
{
    const int i = ((int)blockIdx.x) * 256 + ((int)threadIdx.x);
    if (i >= n) return;
    const float left = i == 0 ? u[n - 1] : u[i - 1];
    const float right = i == n - 1 ? u[0] : u[i + 1];
    const float stencil = 1 * left + -2 * u[i] + 1 * right;
    next[i] = u[i] + k * stencil;
}
