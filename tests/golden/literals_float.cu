extern "C" __global__ void literals(float *out)
{
    out[0] = 0.0f;
    out[1] = -0.0f;
    out[2] = 1.0f;
    out[3] = -1.5f;
    out[4] = 0.1f;
    out[5] = 0.33333334f;
    out[6] = 100000.0f;
    out[7] = 1e+10f;
    out[8] = 1.1754944e-38f;
    out[9] = 3.4028235e+38f;
    out[10] = -3.4028235e+38f;
    out[11] = 1.1920929e-07f;
    out[12] = INFINITY;
    out[13] = -INFINITY;
    out[14] = NAN;
    out[15] = 123456792.0f;
}
