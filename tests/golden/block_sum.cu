__constant__ float weights[4] = {1.0f, 0.5f, 2.0f, 0.25f};

__device__ float weighted(const float *tile, int lane)
{
    // Every fourth element has the same weight.
    return tile[lane] * weights[lane & 3];
}

extern "C" __global__ __launch_bounds__((64) * (1) * (1)) void block_sum(
        float *__restrict__ out,
        int *counts,
        const float *__restrict__ in,
        long long n)
{
    __shared__ float tile[64];
    int lane = (int)threadIdx.x;
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    tile[lane] = i < n ? in[i] : 0.0f;
    __syncthreads();
    float x = weighted(tile, lane);
    __syncthreads();
    tile[lane] = x;
    for (int width = 32; width > 0; width >>= 1) {
        __syncthreads();
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
        out[(int)blockIdx.x] = tile[0];
    }
}
