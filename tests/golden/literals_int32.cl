__kernel void literals(__global int *out)
{
    out[0] = 0;
    out[1] = 1;
    out[2] = -1;
    out[3] = 42;
    out[4] = -2147483647 - 1;
    out[5] = -2147483647;
    out[6] = 2147483647;
    out[7] = 2147483646;
}
