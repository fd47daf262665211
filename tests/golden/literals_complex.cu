extern "C" __global__ void literals(cfloat *out)
{
    out[0] = cfloat_new(1.0f, -2.0f);
    out[1] = cfloat_new(-0.0f, INFINITY);
    out[2] = cfloat_new(0.1f, 3e+30f);
}
