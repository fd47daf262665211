uint32_t sort_order(uint32_t bits) {
    bits = gemel_plain_float(bits);
    bits ^= ((0 - (bits >> 31)) & 0x7fffffffu) ^ 0x80000000u;
    return bits;
}
int sort_key_digit(uint32_t key, int position) {
    return (int)(sort_order((uint32_t)key) >> 8 * position) & 255;
}
int sort_sum_scan(int a, int b) { return a + b; }
uint32_t sort_total_scan(uint32_t a, uint32_t b) { return a + b; }
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void sort_count(
        __global const uint32_t *key_in,
        __global uint32_t *key_to,
        __global uint32_t *key_spare,
        __global const uint32_t *value0_in,
        __global uint32_t *value0_to,
        __global uint32_t *value0_spare,
        __global uint32_t *control,
        __global uint32_t *counts,
        int position,
        int tiles,
        int tile_size,
        int n,
        int row_length)
{
    const int from = (int)control[4];
    __global const uint32_t *const key_source = from == 0 ? key_in : from == 1 ? (__global const uint32_t *)key_to : (__global const uint32_t *)key_spare;
    const int tile = ((int)get_group_id(0)), begin = tile * tile_size, end = n - begin < tile_size ? n : begin + tile_size;
    uint32_t own[256];
    for (int d = 0; d < 256; ++d) own[d] = 0;
    for (int i = begin; i < end; ++i) {
        const uint32_t key = key_source[i];
        ++own[sort_key_digit(key, position)];
    }
    for (int d = 0; d < 256; ++d) counts[d * tiles + tile] = own[d];
}
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void sort_offsets(
        __global uint32_t *control,
        __global uint32_t *counts,
        int position,
        int tiles,
        int n)
{
    __local uint32_t sums[1];
    __local uint32_t first_of[256];
    const int thread = ((int)get_local_id(0));
    const int entries = tiles * 256, per_thread = (entries - 1) / 1 + 1;
    const int begin = thread * per_thread, end = entries - begin < per_thread ? entries : begin + per_thread;
    uint32_t sum = 0;
    for (int e = begin; e < end; ++e) sum += counts[e];
    sums[thread] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int delta = 1; delta < 1; delta *= 2) {
        uint32_t mine;
        const int takes = thread >= delta && thread < 1;
        if (takes) mine = sort_total_scan(sums[thread - delta], sums[thread]);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (takes) sums[thread] = mine;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    sum = sums[thread] - sum;
    for (int e = begin; e < end; ++e) {
        const uint32_t own = counts[e];
        counts[e] = sum;
        if (e % tiles == 0) first_of[e / tiles] = sum;
        sum += own;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
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

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void sort_pass(
        __global const uint32_t *key_in,
        __global uint32_t *key_to,
        __global uint32_t *key_spare,
        __global const uint32_t *value0_in,
        __global uint32_t *value0_to,
        __global uint32_t *value0_spare,
        __global uint32_t *control,
        __global uint32_t *counts,
        int position,
        int tiles,
        int tile_size,
        int n,
        int row_length)
{
    const int plan = (int)control[0 + position];
    if (plan == 0) return;
    const int from = plan & 3, to = plan >> 2 & 3;
    __global const uint32_t *const key_source = from == 0 ? key_in : from == 1 ? (__global const uint32_t *)key_to : (__global const uint32_t *)key_spare;
    __global uint32_t *const key_target = to == 1 ? key_to : key_spare;
    __global const uint32_t *const value0_source = from == 0 ? value0_in : from == 1 ? (__global const uint32_t *)value0_to : (__global const uint32_t *)value0_spare;
    __global uint32_t *const value0_target = to == 1 ? value0_to : value0_spare;
    const int tile = ((int)get_group_id(0)), begin = tile * tile_size, end = n - begin < tile_size ? n : begin + tile_size;
    uint32_t next[256];
    for (int d = 0; d < 256; ++d) next[d] = counts[d * tiles + tile];
    for (int i = begin; i < end; ++i) {
        const uint32_t key = key_source[i];
        const uint32_t at = next[sort_key_digit(key, position)]++;
        key_target[at] = key;
        value0_target[at] = value0_source[i];
    }
}
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void sort_finish(
        __global const uint32_t *key_in,
        __global uint32_t *key_to,
        __global uint32_t *key_spare,
        __global const uint32_t *value0_in,
        __global uint32_t *value0_to,
        __global uint32_t *value0_spare,
        __global uint32_t *control,
        int n,
        int row_length)
{
    const int from = (int)control[4];
    if (from == 4) return;
    const int parts = (int)((int)get_num_groups(0)) * 1, part = (int)((int)get_group_id(0)) * 1 + ((int)get_local_id(0));
    const int length = n / parts + 1, begin = part * length, end = n - begin < length ? n : begin + length;
    for (int i = begin; i < end; ++i) {
        if (from != 1) key_to[i] = from == 0 ? key_in[i] : key_spare[i];
        if (from != 1) value0_to[i] = from == 0 ? value0_in[i] : value0_spare[i];
    }
}
