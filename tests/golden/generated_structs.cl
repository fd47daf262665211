typedef struct {
    float angle;
    float16_t weight;
    unsigned char is_up;
    unsigned char gemel_padding_0[1];
} Spin;
typedef char Spin_has_size_as_on_the_host[sizeof(Spin) == 8 ? 1 : -1];
typedef char Spin_has_angle_as_on_the_host[__builtin_offsetof(Spin, angle) == 0 ? 1 : -1];
typedef char Spin_has_weight_as_on_the_host[__builtin_offsetof(Spin, weight) == 4 ? 1 : -1];
typedef char Spin_has_is_up_as_on_the_host[__builtin_offsetof(Spin, is_up) == 6 ? 1 : -1];
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void spin(
        __global Spin *p,
        float s,
        int n)
{
    const int first = ((int)get_group_id(0)) * 512 + ((int)get_local_id(0));
#pragma unroll
    for (int u = 0; u < 2; ++u) {
        const int k = first + u * 256;
        if (k < n) {
            const int i = k;
            p[i].angle += s;
        }
    }
}
