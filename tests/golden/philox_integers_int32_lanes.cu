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
/* An unbiased number below `range`: Lemire, "Fast random integer generation in an interval", ACM TOMACS 29, 2019. `least`
   is (2^32 - range) % range. Refused words are drawn again from counters of their own, at most 254 times. */
WITHIN_KERNEL uint32_t gemel_below(uint32_t word, int part, uint32_t range, uint32_t least, uint64_t at,
                                   uint32_t substream, uint32_t stream, uint32_t key_low, uint32_t key_high)
{
    uint64_t product = (uint64_t)word * range;
    for (uint32_t attempt = 1; (uint32_t)product < least && attempt < 255u; ++attempt) {
        uint32_t x[4];
        gemel_philox(at | (uint64_t)attempt << 56, substream, stream, key_low, key_high, x);
        product = (uint64_t)(part == 0 ? x[0] : part == 1 ? x[1] : part == 2 ? x[2] : x[3]) * range;
    }
    return (uint32_t)(product >> 32);
}
/* The same for 32 counters at once, in loops that compilers for CPUs vectorise: the words of the first, of the second ... */
WITHIN_KERNEL void gemel_philox_lanes(uint64_t at, uint32_t substream, uint32_t stream, uint32_t key_low,
                                      uint32_t key_high, uint32_t *x)
{
    uint32_t c0[32], c1[32], c2[32], c3[32];
    for (int lane = 0; lane < 32; ++lane) {
        const uint64_t own = at + (uint64_t)lane;
        c0[lane] = (uint32_t)own;
        c1[lane] = (uint32_t)(own >> 32);
        c2[lane] = substream;
        c3[lane] = stream;
    }
    for (int round = 0; round < 10; ++round) {
        for (int lane = 0; lane < 32; ++lane) {
            const uint64_t a = (uint64_t)c0[lane] * 0xD2511F53u, b = (uint64_t)c2[lane] * 0xCD9E8D57u;
            c0[lane] = (uint32_t)(b >> 32) ^ c1[lane] ^ key_low;
            c1[lane] = (uint32_t)b;
            c2[lane] = (uint32_t)(a >> 32) ^ c3[lane] ^ key_high;
            c3[lane] = (uint32_t)a;
        }
        key_low += 0x9E3779B9u;
        key_high += 0xBB67AE85u;
    }
    for (int lane = 0; lane < 32; ++lane) {
        x[4 * lane] = c0[lane];
        x[4 * lane + 1] = c1[lane];
        x[4 * lane + 2] = c2[lane];
        x[4 * lane + 3] = c3[lane];
    }
}
WITHIN_KERNEL void gemel_values(const uint32_t *x, uint64_t at, uint32_t substream, uint32_t stream, uint32_t key_low, uint32_t key_high, uint32_t low, uint32_t range, uint32_t least, uint *v)
{
    v[0] = (uint)(low + gemel_below(x[0], 0, range, least, at, substream, stream, key_low, key_high));
    v[1] = (uint)(low + gemel_below(x[1], 1, range, least, at, substream, stream, key_low, key_high));
    v[2] = (uint)(low + gemel_below(x[2], 2, range, least, at, substream, stream, key_low, key_high));
    v[3] = (uint)(low + gemel_below(x[3], 3, range, least, at, substream, stream, key_low, key_high));
}
KERNEL void philox(GLOBAL_MEM int32_t *out, int64_t offset, int64_t count, uint64_t first, uint32_t substream,
                   uint32_t stream, uint32_t key_low, uint32_t key_high, int32_t shift, int32_t run, uint32_t low, uint32_t range, uint32_t least)
{
    GLOBAL_MEM uint *to = (GLOBAL_MEM uint *)out + offset;
    const int64_t begin = GLOBAL_ID_0 * run;
    for (int64_t t = begin; t < begin + run && 4 * t - shift < count; t += 32) {
        const int64_t i = 4 * t - shift;
        const uint64_t at = first + (uint64_t)t;
        uint32_t x[128];
        uint v[128];
        gemel_philox_lanes(at, substream, stream, key_low, key_high, x);
        for (int k = 0; k < 32; ++k)
            gemel_values(x + 4 * k, at + (uint64_t)k, substream, stream, key_low, key_high, low, range, least, v + 4 * k);
        if (i >= 0 && i + 128 <= count) {
            for (int k = 0; k < 128; ++k) to[i + k] = v[k];
        } else {
            for (int k = 0; k < 128; ++k)
                if (i + k >= 0 && i + k < count) to[i + k] = v[k];
        }
    }
}
