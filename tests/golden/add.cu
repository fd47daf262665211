extern "C" __global__ void add(float *tgt, const float *op1, const float *op2)
{
    int idx = ((int)threadIdx.x) + 256 * ((int)blockIdx.x);
    tgt[idx + 0] = op1[idx + 0] + op2[idx + 0];
    tgt[idx + 64] = op1[idx + 64] + op2[idx + 64];
    tgt[idx + 128] = op1[idx + 128] + op2[idx + 128];
    tgt[idx + 192] = op1[idx + 192] + op2[idx + 192];
}
