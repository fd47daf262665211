__kernel void literals(__global ulong *out)
{
    out[0] = 0UL;
    out[1] = 1UL;
    out[2] = 18446744073709551615UL;
    out[3] = 42UL;
    out[4] = 0UL;
    out[5] = 1UL;
    out[6] = 18446744073709551615UL;
    out[7] = 18446744073709551614UL;
}
