extern "C" __global__ void literals(long long *out)
{
    out[0] = 0LL;
    out[1] = 1LL;
    out[2] = -1LL;
    out[3] = 42LL;
    out[4] = -9223372036854775807LL - 1;
    out[5] = -9223372036854775807LL;
    out[6] = 9223372036854775807LL;
    out[7] = 9223372036854775806LL;
}
