extern "C" __global__ void literals(unsigned long long *out)
{
    out[0] = 0ULL;
    out[1] = 1ULL;
    out[2] = 18446744073709551615ULL;
    out[3] = 42ULL;
    out[4] = 0ULL;
    out[5] = 1ULL;
    out[6] = 18446744073709551615ULL;
    out[7] = 18446744073709551614ULL;
}
