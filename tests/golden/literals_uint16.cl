__kernel void literals(__global unsigned short *out)
{
    out[0] = (unsigned short)0;
    out[1] = (unsigned short)1;
    out[2] = (unsigned short)65535;
    out[3] = (unsigned short)42;
    out[4] = (unsigned short)0;
    out[5] = (unsigned short)1;
    out[6] = (unsigned short)65535;
    out[7] = (unsigned short)65534;
}
