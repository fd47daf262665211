__device__ uint32_t sort_order(uint32_t bits) {
    bits = gemel_plain_float(bits);
    bits ^= ((0 - (bits >> 31)) & 0x7fffffffu) ^ 0x80000000u;
    return bits;
}
__device__ int sort_key_digit(uint32_t key, int position) {
    return (int)(sort_order((uint32_t)key) >> 8 * position) & 255;
}
extern "C" __global__ __launch_bounds__(128) void sort(
        const uint32_t *key_in,
        uint32_t *key_to,
        uint32_t *key_spare,
        const uint32_t *value0_in,
        uint32_t *value0_to,
        uint32_t *value0_spare,
        uint32_t *index_to,
        uint32_t *index_spare,
        int64_t *index_out,
        int rows,
        int row_length,
        int rows_per_tile)
{
    __shared__ uint32_t staged[896];
    __shared__ uint8_t origins[896];
    const int thread = ((int)threadIdx.x);
    const int first_row = (int)((int)blockIdx.x) * 128, begin = first_row * 7;
    const int count = (int)(rows - first_row < 128 ? rows - first_row : 128) * 7;
    for (int j = thread; j < count; j += 128) staged[j + j / 7 * 0] = key_in[begin + j];
    __syncthreads();
    if (thread * 7 < count) {
        uint32_t *const row = staged + thread * 7;
        uint32_t key[7];
        uint32_t order[7];
        int rank[7];
#pragma unroll
        for (int k = 0; k < 7; ++k) {
            key[k] = row[k];
            order[k] = sort_order((uint32_t)key[k]);
            rank[k] = k;
        }
#pragma unroll
        for (int k = 1; k < 7; ++k) {
#pragma unroll
            for (int before = 0; before < 7; ++before) {
                if (before >= k) continue;
                const int is_less = order[k] < order[before];
                rank[k] -= is_less;
                rank[before] += is_less;
            }
        }
#pragma unroll
        for (int k = 0; k < 7; ++k) {
            row[rank[k]] = key[k];
            origins[thread * 7 + rank[k]] = (uint8_t)k;
        }
    }
    __syncthreads();
    for (int j = thread; j < count; j += 128) {
        const int row = j / 7, at = j + row * 0;
        key_to[begin + j] = staged[at];
        const int origin = origins[at];
        value0_to[begin + j] = value0_in[begin + row * 7 + origin];
        index_out[begin + j] = origin;
    }
}
