extern "C" __global__ void literals(double *out)
{
    out[0] = 0.0;
    out[1] = -0.0;
    out[2] = 1.0;
    out[3] = -1.5;
    out[4] = 0.1;
    out[5] = 0.3333333333333333;
    out[6] = 100000.0;
    out[7] = 1e+10;
    out[8] = 2.2250738585072014e-308;
    out[9] = 1.7976931348623157e+308;
    out[10] = -1.7976931348623157e+308;
    out[11] = 2.220446049250313e-16;
    out[12] = (double)INFINITY;
    out[13] = -(double)INFINITY;
    out[14] = (double)NAN;
    out[15] = 123456789.0;
}
