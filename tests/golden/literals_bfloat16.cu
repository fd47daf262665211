extern "C" __global__ void literals(bfloat16_t *out)
{
    out[0] = store_bfloat16(0.0f);
    out[1] = store_bfloat16(-0.0f);
    out[2] = store_bfloat16(1.0f);
    out[3] = store_bfloat16(-2.5f);
    out[4] = store_bfloat16(3.3895314e+38f);
    out[5] = store_bfloat16(1.1754944e-38f);
    out[6] = store_bfloat16(0.33398438f);
    out[7] = store_bfloat16(INFINITY);
    out[8] = store_bfloat16(-INFINITY);
}
