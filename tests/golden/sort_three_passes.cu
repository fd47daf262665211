__device__ uint32_t sort_order(uint32_t bits) {
    bits = gemel_plain_float(bits);
    bits ^= ((0 - (bits >> 31)) & 0x7fffffffu) ^ 0x80000000u;
    return bits;
}
__device__ int sort_key_digit(uint32_t key, int position) {
    return (int)(sort_order((uint32_t)key) >> 4 * position) & 15;
}
__device__ int sort_sum_scan(int a, int b) { return a + b; }
__device__ uint32_t sort_total_scan(uint32_t a, uint32_t b) { return a + b; }
extern "C" __global__ __launch_bounds__(256) void sort_count(
        const uint32_t *key_in,
        uint32_t *key_to,
        uint32_t *key_spare,
        const uint32_t *value0_in,
        uint32_t *value0_to,
        uint32_t *value0_spare,
        uint32_t *index_to,
        uint32_t *index_spare,
        int64_t *index_out,
        uint32_t *control,
        uint32_t *counts,
        int position,
        int tiles,
        int tile_size,
        int n,
        int row_length)
{
    const int from = (int)control[8];
    const uint32_t *const key_source = from == 0 ? key_in : from == 1 ? (const uint32_t *)key_to : (const uint32_t *)key_spare;
    __shared__ int digit_counts[4096];
        __shared__ int shared[256];
        const int thread = ((int)threadIdx.x);
        const int tile = ((int)blockIdx.x), begin = tile * 2048;
        const int count = n - begin < 2048 ? (int)(n - begin) : 2048, own = thread * 8;
        for (int d = 0; d < 16; ++d) digit_counts[256 * d + thread] = 0;
        uint32_t key[8];
        int digit[8];
        for (int k = 0; k < 8; ++k) {
            if (own + k < count) {
                const int i = begin + own + k;
                key[k] = key_source[i];
                digit[k] = sort_key_digit(key[k], position);
                ++digit_counts[256 * digit[k] + thread];
            }
        }
        // Added up digit by digit, each thread 16 neighbours.
        __syncthreads();
        int sum = 0;
        for (int d = 0; d < 16; ++d) sum += digit_counts[thread * 16 + d];
        shared[thread] = sum;
        __syncthreads();
        for (int delta = 1; delta < 256; delta *= 2) {
            int mine;
            const int takes = thread >= delta && thread < 256;
            if (takes) mine = sort_sum_scan(shared[thread - delta], shared[thread]);
            __syncthreads();
            if (takes) shared[thread] = mine;
            __syncthreads();
        }
        sum = shared[thread] - sum;
        for (int d = 0; d < 16; ++d) {
            const int own_count = digit_counts[thread * 16 + d];
            digit_counts[thread * 16 + d] = sum;
            sum += own_count;
        }
        __syncthreads();
    if (thread < 16) {
        const int next = thread == 15 ? count : digit_counts[256 * (thread + 1)];
        counts[thread * tiles + tile] = (uint32_t)(next - digit_counts[256 * thread]);
    }
}
extern "C" __global__ __launch_bounds__(256) void sort_offsets(
        uint32_t *control,
        uint32_t *counts,
        int position,
        int tiles,
        int n)
{
    __shared__ uint32_t sums[256];
    __shared__ uint32_t first_of[16];
    const int thread = ((int)threadIdx.x);
    const int entries = tiles * 16, per_thread = (entries - 1) / 256 + 1;
    const int begin = thread * per_thread, end = entries - begin < per_thread ? entries : begin + per_thread;
    uint32_t sum = 0;
    for (int e = begin; e < end; ++e) sum += counts[e];
    sums[thread] = sum;
    __syncthreads();
    for (int delta = 1; delta < 256; delta *= 2) {
        uint32_t mine;
        const int takes = thread >= delta && thread < 256;
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
        for (int d = 0; d < 16; ++d) {
            const uint32_t next = d == 15 ? (uint32_t)n : first_of[d + 1];
            if (next - first_of[d] == (uint32_t)n) is_needed = 0;
        }
        const int from = (int)control[8];
        int to = (7 - position) % 2 == 0 ? 1 : 2;
        if (to == from) to = 3 - to;
        const int last = position == 7 && to == 1;
        control[position] = (uint32_t)(is_needed ? from | to << 2 | last << 4 : 0);
        if (is_needed) control[8] = (uint32_t)(last ? 4 : to);
    }
}

extern "C" __global__ __launch_bounds__(256) void sort_pass(
        const uint32_t *key_in,
        uint32_t *key_to,
        uint32_t *key_spare,
        const uint32_t *value0_in,
        uint32_t *value0_to,
        uint32_t *value0_spare,
        uint32_t *index_to,
        uint32_t *index_spare,
        int64_t *index_out,
        uint32_t *control,
        uint32_t *counts,
        int position,
        int tiles,
        int tile_size,
        int n,
        int row_length)
{
    __shared__ uint32_t first_of[16];
    const int plan = (int)control[0 + position];
    if (plan == 0) return;
    const int from = plan & 3, to = plan >> 2 & 3, last = plan >> 4;
    const uint32_t *const key_source = from == 0 ? key_in : from == 1 ? (const uint32_t *)key_to : (const uint32_t *)key_spare;
    uint32_t *const key_target = to == 1 ? key_to : key_spare;
    const uint32_t *const value0_source = from == 0 ? value0_in : from == 1 ? (const uint32_t *)value0_to : (const uint32_t *)value0_spare;
    uint32_t *const value0_target = to == 1 ? value0_to : value0_spare;
    const uint32_t *const index_source = from == 1 ? index_to : index_spare;
    uint32_t *const index_target = to == 1 ? index_to : index_spare;
    __shared__ int digit_counts[4096];
        __shared__ int shared[256];
        const int thread = ((int)threadIdx.x);
        const int tile = ((int)blockIdx.x), begin = tile * 2048;
        const int count = n - begin < 2048 ? (int)(n - begin) : 2048, own = thread * 8;
        for (int d = 0; d < 16; ++d) digit_counts[256 * d + thread] = 0;
        uint32_t key[8];
        int digit[8];
        for (int k = 0; k < 8; ++k) {
            if (own + k < count) {
                const int i = begin + own + k;
                key[k] = key_source[i];
                digit[k] = sort_key_digit(key[k], position);
                ++digit_counts[256 * digit[k] + thread];
            }
        }
        // Added up digit by digit, each thread 16 neighbours.
        __syncthreads();
        int sum = 0;
        for (int d = 0; d < 16; ++d) sum += digit_counts[thread * 16 + d];
        shared[thread] = sum;
        __syncthreads();
        for (int delta = 1; delta < 256; delta *= 2) {
            int mine;
            const int takes = thread >= delta && thread < 256;
            if (takes) mine = sort_sum_scan(shared[thread - delta], shared[thread]);
            __syncthreads();
            if (takes) shared[thread] = mine;
            __syncthreads();
        }
        sum = shared[thread] - sum;
        for (int d = 0; d < 16; ++d) {
            const int own_count = digit_counts[thread * 16 + d];
            digit_counts[thread * 16 + d] = sum;
            sum += own_count;
        }
        __syncthreads();
    if (thread < 16) first_of[thread] = counts[thread * tiles + tile] - (uint32_t)digit_counts[256 * thread];
    __syncthreads();
    for (int k = 0; k < 8; ++k) {
        if (own + k >= count) break;
        const int i = begin + own + k;
        const uint32_t at = first_of[digit[k]] + (uint32_t)digit_counts[256 * digit[k] + thread]++;
        key_target[at] = key[k];
        value0_target[at] = value0_source[i];
        const uint32_t moved = from == 0 ? (uint32_t)i : index_source[i];
        if (last) index_out[at] = (int64_t)moved;
        else index_target[at] = moved;
    }
}
extern "C" __global__ __launch_bounds__(256) void sort_finish(
        const uint32_t *key_in,
        uint32_t *key_to,
        uint32_t *key_spare,
        const uint32_t *value0_in,
        uint32_t *value0_to,
        uint32_t *value0_spare,
        uint32_t *index_to,
        uint32_t *index_spare,
        int64_t *index_out,
        uint32_t *control,
        int n,
        int row_length)
{
    const int from = (int)control[8];
    if (from == 4) return;
    const int parts = (int)((int)gridDim.x) * 256, part = (int)((int)blockIdx.x) * 256 + ((int)threadIdx.x);
    for (int i = part; i < n; i += parts) {
        if (from != 1) key_to[i] = from == 0 ? key_in[i] : key_spare[i];
        if (from != 1) value0_to[i] = from == 0 ? value0_in[i] : value0_spare[i];
        const uint32_t moved = from == 0 ? (uint32_t)i : from == 1 ? index_to[i] : index_spare[i];
        index_out[i] = (int64_t)moved;
    }
}
