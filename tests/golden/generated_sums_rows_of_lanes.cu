typedef union { uint4 words[1]; float value[4]; } pack_float_x4;
__device__ float sums_scan(float a, float b) {
    return a+b;
}
typedef union { float item; uint32_t words[1]; } sums_words;
__device__ float sums_shuffle_up(float item, int delta) {
    sums_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle_up(own.words[w], delta);
    return other.item;
}
__device__ float sums_shuffle(float item, int lane) {
    sums_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle(own.words[w], lane);
    return other.item;
}
extern "C" __global__ __launch_bounds__(256) void sums(
        const float *x,
        float *out,
        int n,
        int outputs)
{
    const int thread = ((int)threadIdx.x);
    const int lane = thread % 8;
    const int warp = 0;
    const int given = ((int)blockIdx.x) * 32 + thread / 8;
    const int is_there = given < outputs;
    const int begin = (is_there ? given : 0) * n;
    const int end = begin + n;
    pack_float_x4 x_pack[4];
    pack_float_x4 out_pack[4];
    int first = begin + warp * 512 + lane * 4;
#pragma unroll
    for (int row = 0; row < 4; ++row) {
        // Beyond the end is the last pack again, whose results are not stored.
        const int wanted = first + row * 32 < end ? first + row * 32 : end - 4;
        x_pack[row].words[0] = ((const uint4 *)x)[wanted / 4];
    }
    float v[16];
#pragma unroll
    for (int row = 0; row < 4; ++row) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            const int i = first + row * 32 + e;
            const float x_i = x_pack[row].value[e];
            float out_i;
            v[row * 4 + e] = x_i;
        }
    }
    float before[4];
    float carry;
#pragma unroll
    for (int row = 0; row < 4; ++row) {
#pragma unroll
        for (int e = 1; e < 4; ++e) {
            v[row * 4 + e] = sums_scan(v[row * 4 + (e - 1)], v[row * 4 + e]);
        }
        float run = v[row * 4 + 3];
#pragma unroll
        for (int delta = 1; delta < 8; delta *= 2) {
            const float other = sums_shuffle_up(run, delta);
            if (lane >= delta) run = sums_scan(other, run);
        }
        const float row_total = sums_shuffle(run, thread % 32 / 8 * 8 + 7);
        run = sums_shuffle_up(run, 1);
        before[row] = row == 0 ? run : lane > 0 ? sums_scan(carry, run) : carry;
        carry = row == 0 ? row_total : sums_scan(carry, row_total);
    }
    const float total = carry, before_warp = carry;
    // What comes before the warp, in this tile and in those before it.
    float outer = before_warp;
    const int has_outer = warp > 0;
#pragma unroll
    for (int row = 0; row < 4; ++row) {
        const int has_before = has_outer || (row > 0 || lane > 0);
        if (has_outer) before[row] = (row > 0 || lane > 0) ? sums_scan(outer, before[row]) : outer;
        if (has_before) {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                v[row * 4 + e] = sums_scan(before[row], v[row * 4 + e]);
            }
        }
        if (is_there && first + row * 32 < end) {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int i = first + row * 32 + e;
                const float x_i = x_pack[row].value[e];
                float out_i;
                const float item = v[row * 4 + e];
                out_i = item;
                out_pack[row].value[e] = out_i;
            }
            ((uint4 *)out)[(first + row * 32 + 0) / 4] = out_pack[row].words[0];
        }
    }
}
