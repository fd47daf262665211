/* The index of the lowest 1; 64 for 0. */
int32_t gemel_lowest(uint64_t x) {
    return (int32_t)popcount((uint64_t)((x & (~x + 1u)) - 1u));
}

/* Points of a Sobol' sequence in the order of Antonov and Saleev, 1979. What 2^k points add to a point's Gray code
   are two bits, so that a thread goes on by 2^k points with two exclusive ors. */
__kernel void sobol(
        __global double *out,
        int64_t offset,
        int64_t count,
        __global const uint64_t *directions,
        __global const uint64_t *shifts,
        uint64_t first,
        int32_t dimensions,
        int32_t k,
        int32_t turns)
{
    __global double *to = (__global double *)out + offset;
    const int32_t tile = dimensions << k, threads = tile / 32;
    const int64_t part = GLOBAL_ID_0 / threads;
    const int32_t begin = (int32_t)(GLOBAL_ID_0 - part * threads) * 32;
    int64_t at = part * turns * tile + begin;
    uint64_t x[32], number[32], gray[32], step[32], bits = 0;
    int32_t dimension[32];
    if (at >= count) return;
    for (int e = 0; e < 32; ++e) {
        const int32_t row = (begin + e) / dimensions;
        dimension[e] = begin + e - row * dimensions;
        number[e] = first + ((uint64_t)(part * turns) << k) + (uint64_t)row;
        gray[e] = number[e] ^ number[e] >> 1;
        bits |= gray[e];
        step[e] = k > 0 ? directions[(k - 1) * dimensions + dimension[e]] : 0u;
        x[e] = shifts[dimension[e]];
    }
    for (int32_t bit = 0; bits != 0; ++bit, bits >>= 1) {
        for (int e = 0; e < 32; ++e) {
            x[e] ^= (0u - (gray[e] >> bit & 1u)) & directions[bit * dimensions + dimension[e]];
        }
    }
    int32_t turn = 0;
    for (; turn < turns && at + 32 <= count; ++turn) {
        for (int e = 0; e < 32; ++e) to[at + e] = (double)(x[e] >> 11) * 1.1102230246251565e-16;
        at += tile;
        for (int e = 0; e < 32; ++e) {
            number[e] += (uint64_t)1 << k;
            x[e] ^= step[e] ^ directions[gemel_lowest(number[e] >> k << k) * dimensions + dimension[e]];
        }
    }
    if (turn < turns) {
        for (int e = 0; e < 32; ++e) {
            if (at + e < count) to[at + e] = (double)(x[e] >> 11) * 1.1102230246251565e-16;
        }
    }
}
