typedef struct {
    float angle;
    float16_t weight;
    unsigned char is_up;
    unsigned char gemel_padding_0[1];
} Spin;
typedef char Spin_has_size_as_on_the_host[sizeof(Spin) == 8 ? 1 : -1];
typedef char Spin_has_angle_as_on_the_host[__INTADDR__(&((Spin *)0)->angle) == 0 ? 1 : -1];
typedef char Spin_has_weight_as_on_the_host[__INTADDR__(&((Spin *)0)->weight) == 4 ? 1 : -1];
typedef char Spin_has_is_up_as_on_the_host[__INTADDR__(&((Spin *)0)->is_up) == 6 ? 1 : -1];
extern "C" __global__ __launch_bounds__(256) void spin(
        Spin *p,
        float s,
        int n)
{
    const int first = ((int)blockIdx.x) * 512 + ((int)threadIdx.x);
#pragma unroll
    for (int u = 0; u < 2; ++u) {
        const int k = first + u * 256;
        if (k < n) {
            const int i = k;
            p[i].angle += s;
        }
    }
}
