extern "C" __global__ void literals(float16_t *out)
{
    out[0] = store_float16(0.0f);
    out[1] = store_float16(-0.0f);
    out[2] = store_float16(1.0f);
    out[3] = store_float16(-2.5f);
    out[4] = store_float16(65504.0f);
    out[5] = store_float16(6.1035156e-05f);
    out[6] = store_float16(5.9604645e-08f);
    out[7] = store_float16(0.33325195f);
    out[8] = store_float16(INFINITY);
    out[9] = store_float16(-INFINITY);
}
