/* Philox 4x32-10: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011. Position in
   words 0 and 1 (attempts in the top 8 bits, where 255 is of the words of kernels), substream in word 2, stream in word 3. */
WITHIN_KERNEL void gemel_philox(uint64_t at, uint32_t substream, uint32_t stream, uint32_t key_low, uint32_t key_high,
                                uint32_t *x)
{
    uint32_t c0 = (uint32_t)at, c1 = (uint32_t)(at >> 32), c2 = substream, c3 = stream;
    for (int round = 0; round < 10; ++round) {
        const uint64_t a = (uint64_t)c0 * 0xD2511F53u, b = (uint64_t)c2 * 0xCD9E8D57u;
        c0 = (uint32_t)(b >> 32) ^ c1 ^ key_low;
        c1 = (uint32_t)b;
        c2 = (uint32_t)(a >> 32) ^ c3 ^ key_high;
        c3 = (uint32_t)a;
        key_low += 0x9E3779B9u;
        key_high += 0xBB67AE85u;
    }
    x[0] = c0;
    x[1] = c1;
    x[2] = c2;
    x[3] = c3;
}
/* Multiples of 2^-24 in [0, 1). */
WITHIN_KERNEL float gemel_unit(uint32_t word) { return (float)(word >> 8) * 5.9604644775390625e-8f; }
WITHIN_KERNEL void gemel_values(const uint32_t *x, uint64_t at, uint32_t substream, uint32_t stream, uint32_t key_low, uint32_t key_high, float *v)
{
    v[0] = gemel_unit(x[0]);
    v[1] = gemel_unit(x[1]);
    v[2] = gemel_unit(x[2]);
    v[3] = gemel_unit(x[3]);
}
KERNEL void philox(GLOBAL_MEM float *out, int64_t offset, int64_t count, uint64_t first, uint32_t substream,
                   uint32_t stream, uint32_t key_low, uint32_t key_high, int32_t shift, int32_t run)
{
    GLOBAL_MEM float *to = (GLOBAL_MEM float *)out + offset;
    const int64_t begin = (int64_t)GID_0 * 512;
    if (4 * (begin + 512) <= count) {
        #pragma unroll
        for (int turn = 0; turn < 2; ++turn) {
            const int64_t t = begin + turn * 256 + LID_0;
            const uint64_t at = first + (uint64_t)t;
            uint32_t x[4];
            float v[4];
            gemel_philox(at, substream, stream, key_low, key_high, x);
            gemel_values(x, at, substream, stream, key_low, key_high, v);
            ((GLOBAL_MEM float4 *)to)[t] = make_float4(v[0], v[1], v[2], v[3]);
        }
        return;
    }
    for (int turn = 0; turn < 2; ++turn) {
        const int64_t t = begin + turn * 256 + LID_0, i = 4 * t;
        if (i >= count) return;
        const uint64_t at = first + (uint64_t)t;
        uint32_t x[4];
        float v[4];
        gemel_philox(at, substream, stream, key_low, key_high, x);
        gemel_values(x, at, substream, stream, key_low, key_high, v);
        if (i + 0 < count) to[i + 0] = v[0];
        if (i + 1 < count) to[i + 1] = v[1];
        if (i + 2 < count) to[i + 2] = v[2];
        if (i + 3 < count) to[i + 3] = v[3];
    }
}
