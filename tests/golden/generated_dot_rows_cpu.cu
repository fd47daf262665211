typedef struct {
    int extent[2];
    int kept[1];
    int x[3];  // steps, in elements
    int y[3];  // steps, in elements
} dot_layout;
__device__ float dot_reduce(float a, float b) {
    return a+b;
}
extern "C" __global__ __launch_bounds__(1) void dot(
        const float *x,
        const float *y,
        dot_layout layout,
        float *result,
        int n,
        int outputs,
        int splits)
{
    const int thread = ((int)threadIdx.x);
    const int output = ((int)blockIdx.x) / splits;
    const int split = ((int)blockIdx.x) % splits;
    const int x_base = output * layout.x[2];
    const int y_base = output * layout.y[2];
    const int per_split = n / splits + 1;
    int k = split * per_split < n ? split * per_split : n;
    const int end = n - k < per_split ? n : k + per_split;
    float total = 0;
    while (k < end) {
        float run = 0;
        const int stop = end - k < 128 ? end : k + 128;
        for (; k < stop; ++k) {
            int i_rest = k;
            const int i_1 = i_rest % layout.extent[1];
            i_rest /= layout.extent[1];
            const int x_at = x_base + i_rest * layout.x[0] + i_1 * layout.x[1];
            const int y_at = y_base + i_rest * layout.y[0] + i_1 * layout.y[1];
            run = dot_reduce(run, x[x_at]*y[y_at]);
        }
        total = dot_reduce(total, run);
    }
    if (thread == 0) {
        result[output] = total;
    }
}
