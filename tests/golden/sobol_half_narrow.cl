/* The index of the lowest 1; 32 for 0. */
int32_t gemel_lowest(uint32_t x) {
    return (int32_t)popcount((uint32_t)((x & (~x + 1u)) - 1u));
}

/* Points of a Sobol' sequence in the order of Antonov and Saleev, 1979. What 2^k points add to a point's Gray code
   are two bits, so that a thread goes on by 2^k points with two exclusive ors. */
__kernel void sobol(
        __global float16_t *out,
        int64_t offset,
        int64_t count,
        __global const uint32_t *directions,
        __global const uint32_t *shifts,
        uint32_t first,
        int32_t dimensions,
        int32_t k,
        int32_t turns)
{
    __global ushort *to = (__global ushort *)out + offset;
    const int32_t tile = dimensions << k, threads = tile / 4;
    const int64_t part = GLOBAL_ID_0 / threads;
    const int32_t begin = (int32_t)(GLOBAL_ID_0 - part * threads) * 4;
    int64_t at = part * turns * tile + begin;
    uint32_t x[4], number[4], gray[4], step[4], bits = 0;
    int32_t dimension[4];
    if (at >= count) return;
    for (int e = 0; e < 4; ++e) {
        const int32_t row = (begin + e) / dimensions;
        dimension[e] = begin + e - row * dimensions;
        number[e] = first + ((uint32_t)(part * turns) << k) + (uint32_t)row;
        gray[e] = number[e] ^ number[e] >> 1;
        bits |= gray[e];
        step[e] = k > 0 ? directions[(k - 1) * dimensions + dimension[e]] : 0u;
        x[e] = shifts[dimension[e]];
    }
    for (int32_t bit = 0; bits != 0; ++bit, bits >>= 1) {
        for (int e = 0; e < 4; ++e) {
            x[e] ^= (0u - (gray[e] >> bit & 1u)) & directions[bit * dimensions + dimension[e]];
        }
    }
    int32_t turn = 0;
    for (; turn < turns && at + 4 <= count; ++turn) {
        for (int e = 0; e < 4; ++e) to[at + e] = store_float16((float)(x[e] >> 21) * 4.8828125e-4f).bits;
        at += tile;
        for (int e = 0; e < 4; ++e) {
            number[e] += (uint32_t)1 << k;
            x[e] ^= step[e] ^ directions[gemel_lowest(number[e] >> k << k) * dimensions + dimension[e]];
        }
    }
    if (turn < turns) {
        for (int e = 0; e < 4; ++e) {
            if (at + e < count) to[at + e] = store_float16((float)(x[e] >> 21) * 4.8828125e-4f).bits;
        }
    }
}
