__device__ uint32_t sort_order(uint32_t bits) {
    bits = gemel_plain_float(bits);
    bits ^= ((0 - (bits >> 31)) & 0x7fffffffu) ^ 0x80000000u;
    return bits;
}
__device__ int sort_key_digit(uint32_t key, int position) {
    return (int)(sort_order((uint32_t)key) >> 8 * position) & 255;
}
__device__ int sort_sum_scan(int a, int b) { return a + b; }
__device__ uint32_t sort_total_scan(uint32_t a, uint32_t b) { return a + b; }
extern "C" __global__ __launch_bounds__(1) void sort_count(
        const uint32_t *key_in,
        uint32_t *key_to,
        uint32_t *key_spare,
        const uint32_t *value0_in,
        uint32_t *value0_to,
        uint32_t *value0_spare,
        uint32_t *control,
        uint32_t *counts,
        int position,
        int tiles,
        int tile_size,
        int n,
        int row_length)
{
    const int from = (int)control[4];
    const uint32_t *const key_source = from == 0 ? key_in : from == 1 ? (const uint32_t *)key_to : (const uint32_t *)key_spare;
    const int tile = ((int)blockIdx.x), begin = tile * tile_size, end = n - begin < tile_size ? n : begin + tile_size;
    uint32_t own[256];
    for (int d = 0; d < 256; ++d) own[d] = 0;
    for (int i = begin; i < end; ++i) {
        const uint32_t key = key_source[i];
        ++own[sort_key_digit(key, position)];
    }
    for (int d = 0; d < 256; ++d) counts[d * tiles + tile] = own[d];
}
extern "C" __global__ __launch_bounds__(1) void sort_offsets(
        uint32_t *control,
        uint32_t *counts,
        int position,
        int tiles,
        int n)
{
    __shared__ uint32_t sums[1];
    __shared__ uint32_t first_of[256];
    const int thread = ((int)threadIdx.x);
    const int entries = tiles * 256, per_thread = (entries - 1) / 1 + 1;
    const int begin = thread * per_thread, end = entries - begin < per_thread ? entries : begin + per_thread;
    uint32_t sum = 0;
    for (int e = begin; e < end; ++e) sum += counts[e];
    sums[thread] = sum;
    __syncthreads();
    for (int delta = 1; delta < 1; delta *= 2) {
        uint32_t mine;
        const int takes = thread >= delta && thread < 1;
        if (takes) mine = sort_total_scan(sums[thread - delta], sums[thread]);
        __syncthreads();
        if (takes) sums[thread] = mine;
        __syncthreads();
    }
    sum = sums[thread] - sum;
    for (int e = begin; e < end; ++e) {
        const uint32_t own = counts[e];
        counts[e] = sum;
        if (e % tiles == 0) first_of[e / tiles] = sum;
        sum += own;
    }
    __syncthreads();
    if (thread == 0) {
        int is_needed = 1;
        for (int d = 0; d < 256; ++d) {
            const uint32_t next = d == 255 ? (uint32_t)n : first_of[d + 1];
            if (next - first_of[d] == (uint32_t)n) is_needed = 0;
        }
        const int from = (int)control[4];
        int to = (3 - position) % 2 == 0 ? 1 : 2;
        if (to == from) to = 3 - to;
        const int last = position == 3 && to == 1;
        control[position] = (uint32_t)(is_needed ? from | to << 2 | last << 4 : 0);
        if (is_needed) control[4] = (uint32_t)(last ? 4 : to);
    }
}

extern "C" __global__ __launch_bounds__(1) void sort_pass(
        const uint32_t *key_in,
        uint32_t *key_to,
        uint32_t *key_spare,
        const uint32_t *value0_in,
        uint32_t *value0_to,
        uint32_t *value0_spare,
        uint32_t *control,
        uint32_t *counts,
        int position,
        int tiles,
        int tile_size,
        int n,
        int row_length)
{
    const int plan = (int)control[0 + position];
    if (plan == 0) return;
    const int from = plan & 3, to = plan >> 2 & 3;
    const uint32_t *const key_source = from == 0 ? key_in : from == 1 ? (const uint32_t *)key_to : (const uint32_t *)key_spare;
    uint32_t *const key_target = to == 1 ? key_to : key_spare;
    const uint32_t *const value0_source = from == 0 ? value0_in : from == 1 ? (const uint32_t *)value0_to : (const uint32_t *)value0_spare;
    uint32_t *const value0_target = to == 1 ? value0_to : value0_spare;
    const int tile = ((int)blockIdx.x), begin = tile * tile_size, end = n - begin < tile_size ? n : begin + tile_size;
    uint32_t next[256];
    for (int d = 0; d < 256; ++d) next[d] = counts[d * tiles + tile];
    for (int i = begin; i < end; ++i) {
        const uint32_t key = key_source[i];
        const uint32_t at = next[sort_key_digit(key, position)]++;
        key_target[at] = key;
        value0_target[at] = value0_source[i];
    }
}
extern "C" __global__ __launch_bounds__(1) void sort_finish(
        const uint32_t *key_in,
        uint32_t *key_to,
        uint32_t *key_spare,
        const uint32_t *value0_in,
        uint32_t *value0_to,
        uint32_t *value0_spare,
        uint32_t *control,
        int n,
        int row_length)
{
    const int from = (int)control[4];
    if (from == 4) return;
    const int parts = (int)((int)gridDim.x) * 1, part = (int)((int)blockIdx.x) * 1 + ((int)threadIdx.x);
    const int length = n / parts + 1, begin = part * length, end = n - begin < length ? n : begin + length;
    for (int i = begin; i < end; ++i) {
        if (from != 1) key_to[i] = from == 0 ? key_in[i] : key_spare[i];
        if (from != 1) value0_to[i] = from == 0 ? value0_in[i] : value0_spare[i];
    }
}
