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
/* The exponential function by its series on [-log(2) / 2, log(2) / 2]. */
WITHIN_KERNEL double gemel_exp(double y)
{
    y = y < -747.0 ? -747.0 : y > 711.0 ? 711.0 : y;
    const double k = y * 1.4426950408889634 + 6755399441055744.0 - 6755399441055744.0; /* rounded to an integer */
    const double r = fma(k, -1.9082149292705877e-10, fma(k, -0.6931471803691238, y));
    double p = 1.6059043836821613e-10;
    p = fma(p, r, 2.08767569878681e-9);
    p = fma(p, r, 2.505210838544172e-8);
    p = fma(p, r, 2.755731922398589e-7);
    p = fma(p, r, 2.7557319223985893e-6);
    p = fma(p, r, 2.48015873015873e-5);
    p = fma(p, r, 1.984126984126984e-4);
    p = fma(p, r, 1.388888888888889e-3);
    p = fma(p, r, 8.333333333333333e-3);
    p = fma(p, r, 4.1666666666666664e-2);
    p = fma(p, r, 0.16666666666666667);
    p = fma(p, r, 0.5);
    p = fma(p, r, 1.0);
    p = fma(p, r, 1.0);
    const int32_t exponent = (int32_t)k, part = exponent / 2;
    return p * as_double((uint64_t)(uint32_t)(part + 1023) << 52) *
           as_double((uint64_t)(uint32_t)(exponent - part + 1023) << 52);
}
/* The logarithm of the probability of k, without differences of large numbers: Loader, "Fast and accurate computation of
   binomial probabilities", 2000. */
WITHIN_KERNEL double gemel_log_poisson(double k, double mean)
{
    if (k < 10.0) {
        double factorial = 1.0;
        for (double factor = 2.0; factor <= k; factor += 1.0) factorial *= factor;
        return k * gemel_log(mean) - mean - gemel_log(factorial);
    }
    const double x = (mean - k) / k, s = x / (2.0 + x), s2 = s * s, inverse = 1.0 / k, r = inverse * inverse;
    double p = 0.090909090909090909, stirling = -5.9523809523809524e-4;
    p = fma(p, s2, 0.11111111111111111);
    p = fma(p, s2, 0.14285714285714286);
    p = fma(p, s2, 0.2);
    p = fma(p, s2, 0.33333333333333333);
    stirling = fma(stirling, r, 7.9365079365079365e-4);
    stirling = fma(stirling, r, -2.7777777777777778e-3);
    stirling = fma(stirling, r, 0.083333333333333333);
    /* x - log(1 + x) */
    const double deviance = s2 < 0.0025 ? s * (x - 2.0 * s2 * p) : x - gemel_log(mean / k);
    return -k * deviance - 0.5 * gemel_log(6.2831853071795865 * k) - stirling * inverse;
}
/* A number with this mean, or -1 unless 0 <= mean <= 10^9. Means below 10 by inversion, searched from 0 on: Devroye,
   "Non-uniform random variate generation", 1986, chapter X.3. Others by transformed rejection (PTRS): Hoermann, "The
   transformed rejection method for generating Poisson random variables", Insurance: Mathematics and Economics 12, 1993.
   Refused words are drawn again from counters of their own, at most 254 times. */
WITHIN_KERNEL double gemel_poisson(double mean, uint64_t word, int part, uint64_t at, uint32_t substream,
                                   uint32_t stream, uint32_t key_low, uint32_t key_high)
{
    if (!(mean >= 0.0 && mean <= 1e9)) return -1.0;
    if (mean < 10.0) {
        double u = (double)(word >> 11) * 1.1102230246251565e-16, p = gemel_exp(-mean), k = 0.0;
        while (u >= p && (k < mean || p > 1e-17)) { /* the sum of all p may be less than 1 by its rounding */
            u -= p;
            k += 1.0;
            p *= mean / k;
        }
        return k;
    }
    const double b = fma(2.53, sqrt(mean), 0.931), a = fma(0.02483, b, -0.059);
    const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), quick = 0.9277 - 3.6224 / (b - 2.0);
    for (uint32_t attempt = 1; attempt <= 254u; ++attempt) {
        /* 40 bits and 24 bits */
        const double u = ((double)(word >> 24) + 0.5) * 9.094947017729282e-13 - 0.5;
        const double v = ((double)(word & 0xFFFFFFu) + 0.5) * 5.9604644775390625e-8;
        const double edge = u < 0.0 ? 0.5 + u : 0.5 - u;
        const double k = floor((2.0 * a / edge + b) * u + (mean + 0.43));
        if (edge >= 0.07 && v <= quick) return k;
        if (k >= 0.0 && (edge >= 0.013 || v <= edge) &&
            gemel_log(v * inverse_alpha / (a / (edge * edge) + b)) <= gemel_log_poisson(k, mean))
            return k;
        uint32_t x[4];
        gemel_philox(at | (uint64_t)attempt << 56, substream, stream, key_low, key_high, x);
        word = part == 0 ? gemel_wide(x[0], x[1]) : gemel_wide(x[2], x[3]);
    }
    return floor(mean);
}
/* A count as an integer; what has none gets all bits. */
WITHIN_KERNEL uint64_t gemel_count(double k, uint64_t largest)
{
    return k < 0.0 ? ~(uint64_t)0 : k < (double)largest ? (uint64_t)k : largest;
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
WITHIN_KERNEL void gemel_values(const uint32_t *x, uint64_t at, uint32_t substream, uint32_t stream, uint32_t key_low, uint32_t key_high, GLOBAL_MEM const float *means, int64_t means_offset, uint64_t first, int32_t shift, int64_t count, uint *v)
{
    const int64_t i = 2 * (int64_t)(at - first) - shift;
    const double k0 = gemel_poisson(i + 0 >= 0 && i + 0 < count ? (double)means[means_offset + i + 0] : 0.0, gemel_wide(x[0], x[1]), 0, at, substream, stream, key_low, key_high);
    v[0] = (uint)gemel_count(k0, ((uint64_t)1 << 31) - 1);
    const double k1 = gemel_poisson(i + 1 >= 0 && i + 1 < count ? (double)means[means_offset + i + 1] : 0.0, gemel_wide(x[2], x[3]), 1, at, substream, stream, key_low, key_high);
    v[1] = (uint)gemel_count(k1, ((uint64_t)1 << 31) - 1);
}
KERNEL void philox(GLOBAL_MEM int32_t *out, int64_t offset, int64_t count, uint64_t first, uint32_t substream,
                   uint32_t stream, uint32_t key_low, uint32_t key_high, int32_t shift, int32_t run, GLOBAL_MEM const float *means, int64_t means_offset)
{
    GLOBAL_MEM uint *to = (GLOBAL_MEM uint *)out + offset;
    const int64_t begin = GLOBAL_ID_0 * run;
    for (int64_t t = begin; t < begin + run && 2 * t - shift < count; t += 32) {
        const int64_t i = 2 * t - shift;
        const uint64_t at = first + (uint64_t)t;
        uint32_t x[128];
        uint v[64];
        gemel_philox_lanes(at, substream, stream, key_low, key_high, x);
        for (int k = 0; k < 32; ++k)
            gemel_values(x + 4 * k, at + (uint64_t)k, substream, stream, key_low, key_high, means, means_offset, first, shift, count, v + 2 * k);
        if (i >= 0 && i + 64 <= count) {
            for (int k = 0; k < 64; ++k) to[i + k] = v[k];
        } else {
            for (int k = 0; k < 64; ++k)
                if (i + k >= 0 && i + k < count) to[i + k] = v[k];
        }
    }
}
