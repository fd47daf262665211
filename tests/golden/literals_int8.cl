__kernel void literals(__global signed char *out)
{
    out[0] = (signed char)0;
    out[1] = (signed char)1;
    out[2] = (signed char)-1;
    out[3] = (signed char)42;
    out[4] = (signed char)-128;
    out[5] = (signed char)-127;
    out[6] = (signed char)127;
    out[7] = (signed char)126;
}
