__kernel void turn(__global float4 *x)
{
    int i = (int)get_local_id(0);
    float4 v = x[i];
    x[i] = (float4)(v.w, v.z * 2.0f, v.y, -v.x);
}
