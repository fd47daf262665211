__device__ uint32_t sort_order(uint32_t bits) {
    bits = gemel_plain_float(bits);
    bits ^= ((0 - (bits >> 31)) & 0x7fffffffu) ^ 0x80000000u;
    return bits;
}
__device__ int sort_key_digit(uint32_t key, int position) {
    return (int)(sort_order((uint32_t)key) >> 8 * position) & 255;
}
__device__ int sort_key_less(uint32_t a, uint32_t b) {
    return sort_order((uint32_t)a) < sort_order((uint32_t)b);
}
extern "C" __global__ __launch_bounds__(1) void sort(
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
    const int first_row = (int)((int)blockIdx.x) * rows_per_tile, end_row = rows - first_row < rows_per_tile ? rows : first_row + rows_per_tile;
    const int length = (int)row_length;
    for (int row = first_row; row < end_row; ++row) {
        const int begin = row * row_length;
        int from = 0;
        if (length <= 32) {
            for (int i = 0; i < length; ++i) {
                const uint32_t inserted = key_in[begin + i];
                int at = begin + i;
                for (; at > begin && sort_key_less(inserted, key_to[at - 1]); --at) {
                    key_to[at] = key_to[at - 1];
                    index_to[at] = index_to[at - 1];
                }
                key_to[at] = inserted;
                index_to[at] = (uint32_t)i;
            }
            from = 1;
        }
        // One reading counts the digits of all positions: passes change the order of elements, but not how many have a digit.
        uint32_t counts[1024];
        if (length > 32) {
            for (int d = 0; d < 1024; ++d) counts[d] = 0;
            for (int i = 0; i < length; ++i) {
                const uint32_t counted = key_in[begin + i];
#pragma unroll
                for (int position = 0; position < 4; ++position) ++counts[256 * position + sort_key_digit(counted, position)];
            }
        }
        for (int position = 0; position < 4 && length > 32; ++position) {
            const uint32_t *const key_source = (from == 0 ? key_in : from == 1 ? (const uint32_t *)key_to : (const uint32_t *)key_spare) + begin;
            uint32_t *const next = counts + 256 * position;
            uint32_t sum = 0;
            int is_needed = 1;
            for (int d = 0; d < 256; ++d) {
                const uint32_t own = next[d];
                if (own == (uint32_t)length) is_needed = 0;
                next[d] = sum;
                sum += own;
            }
            if (!is_needed) continue;
            int to = (3 - position) % 2 == 0 ? 1 : 2;
            if (to == from) to = 3 - to;
            uint32_t *const key_target = (to == 1 ? key_to : key_spare) + begin;
            const uint32_t *const index_source = (from == 1 ? index_to : index_spare) + begin;
            uint32_t *const index_target = (to == 1 ? index_to : index_spare) + begin;
            for (int i = 0; i < length; ++i) {
                const uint32_t key = key_source[i];
                const uint32_t at = next[sort_key_digit(key, position)]++;
                key_target[at] = key;
                index_target[at] = from == 0 ? (uint32_t)i : index_source[i];
            }
            from = to;
        }
        for (int at = 0; at < length; ++at) {
            const int i = begin + at;
            if (from != 1) key_to[i] = from == 0 ? key_in[i] : key_spare[i];
            const int origin = from == 0 ? (int)at : (int)(from == 1 ? index_to[i] : index_spare[i]);
            value0_to[i] = value0_in[begin + origin];
        }
    }
}
