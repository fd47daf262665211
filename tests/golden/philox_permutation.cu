/* A bijection of the numbers below 2^(left_bits + right_bits), repeated until the result lies below `count`: Black and
   Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002. The bijection is a Feistel network of 24 steps whose
   round function multiplies as Philox does: Mitchell, Stokes, Frank and Holmes, "Bandwidth-optimal random shuffling for
   GPUs", ACM TOPC 9, 2022. */
typedef struct { uint32_t step[24]; } gemel_permutation_keys;
WITHIN_KERNEL uint32_t gemel_mix(uint32_t x, uint32_t key)
{
    const uint64_t a = (uint64_t)(x ^ key) * 0xD2511F53u;
    const uint64_t b = (uint64_t)((uint32_t)(a >> 32) ^ (uint32_t)a) * 0xCD9E8D57u;
    return (uint32_t)(b >> 32) ^ (uint32_t)b;
}
WITHIN_KERNEL uint64_t gemel_permuted(uint64_t i, uint64_t count, int left_bits, int right_bits,
                                      const gemel_permutation_keys *keys)
{
    const uint32_t left_mask = 0xFFFFFFFFu >> (32 - left_bits), right_mask = 0xFFFFFFFFu >> (32 - right_bits);
    do {
        uint32_t left = (uint32_t)(i >> right_bits), right = (uint32_t)i & right_mask;
        for (int k = 0; k < 24; k += 2) {
            left ^= gemel_mix(right, keys->step[k]) & left_mask;
            right ^= gemel_mix(left, keys->step[k + 1]) & right_mask;
        }
        i = (uint64_t)left << right_bits | right;
    } while (i >= count);
    return i;
}
KERNEL void philox_permutation(GLOBAL_MEM int64_t *out, int64_t offset, int64_t count, int32_t left_bits, int32_t right_bits,
                               gemel_permutation_keys keys)
{
    const int64_t i = GLOBAL_ID_0;
    if (i < count)
        out[offset + i] = (int64_t)gemel_permuted((uint64_t)i, (uint64_t)count, left_bits, right_bits, &keys);
}
