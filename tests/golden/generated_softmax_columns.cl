typedef union { uint4 words[1]; float value[4]; } pack_float_x4;
typedef struct {
    int extent[1];
    int kept[2];
    int x[3];  // steps, in elements
    int y[3];  // steps, in elements
    int result[3];
} softmax_layout;
float softmax_reduce_0(float a, float b) {
    return a > b || a != a ? a : b;
}
float softmax_reduce_1(float a, float b) {
    return a+b;
}
float softmax_stored_1(float a, int n) {
    return a / n;
}
float softmax_reduce_2(float a, float b) {
    return a+b;
}
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void softmax(
        __global const float *x,
        __global float *y,
        softmax_layout layout,
        __global float *result_0,
        int n,
        int outputs)
{
    __local float shared_0[1024];
    __local float shared_1[1024];
    __local float shared_2[1024];
    const int thread = ((int)get_local_id(0));
    const int along = thread / 8;
    const int across = thread % 8;
    const int given = ((int)((int)get_group_id(0)) * 8 + across) * 4;
    const int is_there = given < outputs;
    const int output = is_there ? given : 0;
    int o_rest = output;
    const int o_1 = o_rest % layout.kept[1];
    o_rest /= layout.kept[1];
    const int x_base = o_rest * layout.x[1] + o_1 * layout.x[2];
    const int y_base = o_rest * layout.y[1] + o_1 * layout.y[2];
    const int positions = n;
    pack_float_x4 x_pack[4];
    pack_float_x4 y_pack[4];
#pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int k = along + u * 32;
        if (k < positions) {
            const int x_at = x_base + k * layout.x[0];
            const int y_at = y_base + k * layout.y[0];
            x_pack[u].words[0] = ((__global const uint4 *)(x + x_at))[0];
        }
    }
    float totals_0[4];
    float totals_1[4];
#pragma unroll
    for (int lane = 0; lane < 4; ++lane) {
        totals_0[lane] = -INFINITY;
        totals_1[lane] = 0;
    }
#pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int k = along + u * 32;
        if (k < positions) {
            const int x_at = x_base + k * layout.x[0];
            const int y_at = y_base + k * layout.y[0];
#pragma unroll
            for (int neighbour = 0; neighbour < 4; ++neighbour) {
                const int reduced_index = k;
                const float x_i = x_pack[u].value[neighbour];
                float y_i;
                totals_0[neighbour] = softmax_reduce_0(totals_0[neighbour], x_i);
                totals_1[neighbour] = softmax_reduce_1(totals_1[neighbour], (float)reduced_index);
            }
        }
    }
    (shared_0 + 0)[thread] = totals_0[0];
    (shared_0 + 256)[thread] = totals_0[1];
    (shared_0 + 512)[thread] = totals_0[2];
    (shared_0 + 768)[thread] = totals_0[3];
    (shared_1 + 0)[thread] = totals_1[0];
    (shared_1 + 256)[thread] = totals_1[1];
    (shared_1 + 512)[thread] = totals_1[2];
    (shared_1 + 768)[thread] = totals_1[3];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (along < 4) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            totals_0[0] = softmax_reduce_0(totals_0[0], (shared_0 + 0)[thread + part * 32]);
            totals_0[1] = softmax_reduce_0(totals_0[1], (shared_0 + 256)[thread + part * 32]);
            totals_0[2] = softmax_reduce_0(totals_0[2], (shared_0 + 512)[thread + part * 32]);
            totals_0[3] = softmax_reduce_0(totals_0[3], (shared_0 + 768)[thread + part * 32]);
            totals_1[0] = softmax_reduce_1(totals_1[0], (shared_1 + 0)[thread + part * 32]);
            totals_1[1] = softmax_reduce_1(totals_1[1], (shared_1 + 256)[thread + part * 32]);
            totals_1[2] = softmax_reduce_1(totals_1[2], (shared_1 + 512)[thread + part * 32]);
            totals_1[3] = softmax_reduce_1(totals_1[3], (shared_1 + 768)[thread + part * 32]);
        }
        (shared_0 + 0)[thread] = totals_0[0];
        (shared_0 + 256)[thread] = totals_0[1];
        (shared_0 + 512)[thread] = totals_0[2];
        (shared_0 + 768)[thread] = totals_0[3];
        (shared_1 + 0)[thread] = totals_1[0];
        (shared_1 + 256)[thread] = totals_1[1];
        (shared_1 + 512)[thread] = totals_1[2];
        (shared_1 + 768)[thread] = totals_1[3];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (along < 1) {
#pragma unroll
        for (int part = 1; part < 4; ++part) {
            totals_0[0] = softmax_reduce_0(totals_0[0], (shared_0 + 0)[thread + part * 8]);
            totals_0[1] = softmax_reduce_0(totals_0[1], (shared_0 + 256)[thread + part * 8]);
            totals_0[2] = softmax_reduce_0(totals_0[2], (shared_0 + 512)[thread + part * 8]);
            totals_0[3] = softmax_reduce_0(totals_0[3], (shared_0 + 768)[thread + part * 8]);
            totals_1[0] = softmax_reduce_1(totals_1[0], (shared_1 + 0)[thread + part * 8]);
            totals_1[1] = softmax_reduce_1(totals_1[1], (shared_1 + 256)[thread + part * 8]);
            totals_1[2] = softmax_reduce_1(totals_1[2], (shared_1 + 512)[thread + part * 8]);
            totals_1[3] = softmax_reduce_1(totals_1[3], (shared_1 + 768)[thread + part * 8]);
        }
        (shared_0 + 0)[thread] = totals_0[0];
        (shared_0 + 256)[thread] = totals_0[1];
        (shared_0 + 512)[thread] = totals_0[2];
        (shared_0 + 768)[thread] = totals_0[3];
        (shared_1 + 0)[thread] = totals_1[0];
        (shared_1 + 256)[thread] = totals_1[1];
        (shared_1 + 512)[thread] = totals_1[2];
        (shared_1 + 768)[thread] = totals_1[3];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float found_0[4];
#pragma unroll
    for (int neighbour = 0; neighbour < 4; ++neighbour) {
        found_0[neighbour] = shared_0[across + neighbour * 256];
    }
    float found_1[4];
#pragma unroll
    for (int neighbour = 0; neighbour < 4; ++neighbour) {
        found_1[neighbour] = softmax_stored_1(shared_1[across + neighbour * 256], n);
    }
    float totals_2[4];
#pragma unroll
    for (int lane = 0; lane < 4; ++lane) {
        totals_2[lane] = 0;
    }
#pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int k = along + u * 32;
        if (k < positions) {
            const int x_at = x_base + k * layout.x[0];
            const int y_at = y_base + k * layout.y[0];
#pragma unroll
            for (int neighbour = 0; neighbour < 4; ++neighbour) {
                const float x_i = x_pack[u].value[neighbour];
                float y_i;
                const float row0 = found_0[neighbour];
                const float row1 = found_1[neighbour];
                const float t0 = exp(x_i - row0);
                totals_2[neighbour] = softmax_reduce_2(totals_2[neighbour], t0 * t0);
            }
        }
    }
    (shared_2 + 0)[thread] = totals_2[0];
    (shared_2 + 256)[thread] = totals_2[1];
    (shared_2 + 512)[thread] = totals_2[2];
    (shared_2 + 768)[thread] = totals_2[3];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (along < 4) {
#pragma unroll
        for (int part = 1; part < 8; ++part) {
            totals_2[0] = softmax_reduce_2(totals_2[0], (shared_2 + 0)[thread + part * 32]);
            totals_2[1] = softmax_reduce_2(totals_2[1], (shared_2 + 256)[thread + part * 32]);
            totals_2[2] = softmax_reduce_2(totals_2[2], (shared_2 + 512)[thread + part * 32]);
            totals_2[3] = softmax_reduce_2(totals_2[3], (shared_2 + 768)[thread + part * 32]);
        }
        (shared_2 + 0)[thread] = totals_2[0];
        (shared_2 + 256)[thread] = totals_2[1];
        (shared_2 + 512)[thread] = totals_2[2];
        (shared_2 + 768)[thread] = totals_2[3];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (along < 1) {
#pragma unroll
        for (int part = 1; part < 4; ++part) {
            totals_2[0] = softmax_reduce_2(totals_2[0], (shared_2 + 0)[thread + part * 8]);
            totals_2[1] = softmax_reduce_2(totals_2[1], (shared_2 + 256)[thread + part * 8]);
            totals_2[2] = softmax_reduce_2(totals_2[2], (shared_2 + 512)[thread + part * 8]);
            totals_2[3] = softmax_reduce_2(totals_2[3], (shared_2 + 768)[thread + part * 8]);
        }
        (shared_2 + 0)[thread] = totals_2[0];
        (shared_2 + 256)[thread] = totals_2[1];
        (shared_2 + 512)[thread] = totals_2[2];
        (shared_2 + 768)[thread] = totals_2[3];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float found_2[4];
#pragma unroll
    for (int neighbour = 0; neighbour < 4; ++neighbour) {
        found_2[neighbour] = shared_2[across + neighbour * 256];
    }
    float fixed0_values[4];
#pragma unroll
    for (int neighbour = 0; neighbour < 4; ++neighbour) {
        const float row0 = found_0[neighbour];
        const float row1 = found_1[neighbour];
        const float row2 = found_2[neighbour];
        const float fixed0 = 1 / row2;
        fixed0_values[neighbour] = fixed0;
    }
    if (is_there) {
#pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int k = along + u * 32;
        if (k < positions) {
            const int x_at = x_base + k * layout.x[0];
            const int y_at = y_base + k * layout.y[0];
#pragma unroll
            for (int neighbour = 0; neighbour < 4; ++neighbour) {
                const float x_i = x_pack[u].value[neighbour];
                float y_i;
                const float row0 = found_0[neighbour];
                const float row1 = found_1[neighbour];
                const float row2 = found_2[neighbour];
                const float fixed0 = fixed0_values[neighbour];
                y_i = exp(x_i - row0) * fixed0;
                y_pack[u].value[neighbour] = y_i;
            }
            ((__global uint4 *)(y + y_at))[0] = y_pack[u].words[0];
        }
    }
    }
    if (along == 0 && is_there) {
        int r_rest = output;
        const int r_1 = r_rest % layout.kept[1];
        r_rest /= layout.kept[1];
        const int result_at = r_rest * layout.result[1] + r_1 * layout.result[2];
        for (int neighbour = 0; neighbour < 4; ++neighbour) {
            const int x_at = x_base + neighbour;
            const int y_at = y_base + neighbour;
            const float row0 = found_0[neighbour];
            const float row1 = found_1[neighbour];
            const float row2 = found_2[neighbour];
            const float fixed0 = fixed0_values[neighbour];
            result_0[result_at + neighbour * layout.result[2]] = row2 + row1;
        }
    }
}
