__kernel void scale_halves(__global float16_t *x, float a)
{
    int i = (int)get_local_id(0);
    x[i] = store_float16(load_float16(x[i]) * a);
}
