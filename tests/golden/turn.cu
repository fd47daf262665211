extern "C" __global__ void turn(float4 *x)
{
    int i = (int)threadIdx.x;
    float4 v = x[i];
    x[i] = make_float4(v.w, v.z * 2.0f, v.y, -v.x);
}
