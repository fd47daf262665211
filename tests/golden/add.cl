__kernel void add(__global float *tgt, __global const float *op1, __global const float *op2)
{
    int idx = ((int)get_local_id(0)) + 256 * ((int)get_group_id(0));
    tgt[idx + 0] = op1[idx + 0] + op2[idx + 0];
    tgt[idx + 64] = op1[idx + 64] + op2[idx + 64];
    tgt[idx + 128] = op1[idx + 128] + op2[idx + 128];
    tgt[idx + 192] = op1[idx + 192] + op2[idx + 192];
}
