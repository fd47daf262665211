__kernel void literals(__global long *out)
{
    out[0] = 0L;
    out[1] = 1L;
    out[2] = -1L;
    out[3] = 42L;
    out[4] = -9223372036854775807L - 1;
    out[5] = -9223372036854775807L;
    out[6] = 9223372036854775807L;
    out[7] = 9223372036854775806L;
}
