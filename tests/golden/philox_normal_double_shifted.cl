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
/* Two words of a block as one of 64 bits. */
WITHIN_KERNEL uint64_t gemel_wide(uint32_t low, uint32_t high) { return (uint64_t)low | (uint64_t)high << 32; }
/* The logarithm of a positive, normal number: the series of the inverse hyperbolic tangent. Every operation is rounded as
   IEEE 754 says, so that all devices agree. */
WITHIN_KERNEL double gemel_log(double x)
{
    const uint64_t bits = as_ulong(x);
    const int32_t exponent = (int32_t)((uint32_t)(bits >> 32) - 0x3FE6A09Eu) >> 20;
    const double k = (double)exponent;
    const double f = as_double(bits - ((uint64_t)(uint32_t)exponent << 52)) - 1.0, square = 0.5 * f * f;
    const double s = f / (2.0 + f), s2 = s * s;
    double p = 0.095238095238095238;
    p = fma(p, s2, 0.10526315789473684);
    p = fma(p, s2, 0.11764705882352941);
    p = fma(p, s2, 0.13333333333333333);
    p = fma(p, s2, 0.15384615384615385);
    p = fma(p, s2, 0.18181818181818182);
    p = fma(p, s2, 0.22222222222222222);
    p = fma(p, s2, 0.28571428571428571);
    p = fma(p, s2, 0.4);
    p = fma(p, s2, 0.66666666666666667);
    p = fma(s, fma(p, s2, square), k * 1.9082149292705877e-10);
    return fma(k, 0.6931471803691238, f - (square - p));
}
/* The logarithm of (word + 1/2) / 2^64 with 53 bits of the word, which is never 0. */
WITHIN_KERNEL double gemel_log_unit(uint64_t word)
{
    return gemel_log(fma((double)(word >> 11), 1.1102230246251565e-16, 5.551115123125783e-17));
}
/* Two normal numbers from two words: Box and Muller, "A note on the generation of random normal deviates", 1958. The angle
   is reduced to an eighth of a turn in integers, where sine and cosine are short series. */
WITHIN_KERNEL void gemel_normal_pair(uint64_t word, uint64_t angle, double *z)
{
    const double radius = sqrt(-2.0 * gemel_log_unit(word));
    const uint32_t quadrant = (uint32_t)((angle + ((uint64_t)1 << 61)) >> 62);
    const double a = (double)(int64_t)(angle - ((uint64_t)quadrant << 62)) * 3.4061215800865545e-19, a2 = a * a;
    double s = 2.8114572543455206e-15, c = 4.779477332387385e-14;
    s = fma(s, a2, -7.647163731819816e-13);
    c = fma(c, a2, -1.1470745597729725e-11);
    s = fma(s, a2, 1.6059043836821613e-10);
    c = fma(c, a2, 2.08767569878681e-9);
    s = fma(s, a2, -2.505210838544172e-8);
    c = fma(c, a2, -2.755731922398589e-7);
    s = fma(s, a2, 2.7557319223985893e-6);
    c = fma(c, a2, 2.48015873015873e-5);
    s = fma(s, a2, -1.984126984126984e-4);
    c = fma(c, a2, -1.388888888888889e-3);
    s = fma(s, a2, 8.333333333333333e-3);
    c = fma(c, a2, 4.1666666666666664e-2);
    s = fma(s, a2, -0.16666666666666667);
    c = fma(c, a2, -0.5);
    s = fma(s * a2, a, a);
    c = fma(c, a2, 1.0);
    const double sine = quadrant & 1u ? c : s, cosine = quadrant & 1u ? s : c;
    z[0] = radius * ((quadrant + 1u) & 2u ? -cosine : cosine);
    z[1] = radius * (quadrant & 2u ? -sine : sine);
}
WITHIN_KERNEL void gemel_values(const uint32_t *x, uint64_t at, uint32_t substream, uint32_t stream, uint32_t key_low, uint32_t key_high, double mean, double sigma, double *v)
{
    double z[2];
    gemel_normal_pair(gemel_wide(x[0], x[1]), gemel_wide(x[2], x[3]), z);
    v[0] = fma(z[0], sigma, mean);
    v[1] = fma(z[1], sigma, mean);
}
KERNEL void philox(GLOBAL_MEM double *out, int64_t offset, int64_t count, uint64_t first, uint32_t substream,
                   uint32_t stream, uint32_t key_low, uint32_t key_high, int32_t shift, int32_t run, double mean, double sigma)
{
    GLOBAL_MEM double *to = (GLOBAL_MEM double *)out + offset;
    const int64_t begin = (int64_t)GID_0 * 512;
    if (2 * (begin + 512) <= count) {
        #pragma unroll
        for (int turn = 0; turn < 2; ++turn) {
            const int64_t t = begin + turn * 256 + LID_0;
            const uint64_t at = first + (uint64_t)t;
            uint32_t x[4];
            double v[4];
            gemel_philox(at, substream, stream, key_low, key_high, x);
            gemel_values(x, at, substream, stream, key_low, key_high, mean, sigma, v);
            gemel_philox(at + 1, substream, stream, key_low, key_high, x);
            gemel_values(x, at + 1, substream, stream, key_low, key_high, mean, sigma, v + 2);
            ((GLOBAL_MEM double2 *)to)[t] = make_double2(v[1], v[2]);
        }
        return;
    }
    for (int turn = 0; turn < 2; ++turn) {
        const int64_t t = begin + turn * 256 + LID_0, i = 2 * t;
        if (i >= count) return;
        const uint64_t at = first + (uint64_t)t;
        uint32_t x[4];
        double v[4];
        gemel_philox(at, substream, stream, key_low, key_high, x);
        gemel_values(x, at, substream, stream, key_low, key_high, mean, sigma, v);
        gemel_philox(at + 1, substream, stream, key_low, key_high, x);
        gemel_values(x, at + 1, substream, stream, key_low, key_high, mean, sigma, v + 2);
        if (i + 0 < count) to[i + 0] = v[1];
        if (i + 1 < count) to[i + 1] = v[2];
    }
}
