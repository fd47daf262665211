__constant float weights[4] = {1.0f, 0.5f, 2.0f, 0.25f};

float weighted(__local const float *tile, int lane)
{
    // Every fourth element has the same weight.
    return tile[lane] * weights[lane & 3];
}

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void block_sum(
        __global float *restrict out,
        __global int *counts,
        __global const float *restrict in,
        long n)
{
    __local float tile[64];
    int lane = (int)get_local_id(0);
    const long i = (long)get_group_id(0) * (long)get_local_size(0) + (long)get_local_id(0);
    tile[lane] = i < n ? in[i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    float x = weighted(tile, lane);
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[lane] = x;
    for (int width = 32; width > 0; width >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < width) {
            tile[lane] += tile[lane + width];
        }
    }
    if (x > 0.0f) {
        atomic_add(&counts[0], 1);
    } else if (x < 0.0f) {
        atomic_add(counts + 1, 1);
    } else {
        // Neither: zero or no number.
        atomic_add(counts + 2, 1);
    }
    if (lane == 0) {
        out[(int)get_group_id(0)] = tile[0];
    }
}
