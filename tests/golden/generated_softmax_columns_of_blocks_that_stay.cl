typedef union { uint4 words[1]; float value[4]; } pack_float_x4;
typedef struct {
    int extent[1];
    int kept[2];
    int x[3];  // steps, in elements
    int y[3];  // steps, in elements
    int result[3];
} softmax_layout;
typedef union { float item; uint32_t words[1]; } softmax_value_0_words;
float softmax_value_0_shuffle_up(float item, int delta) {
    softmax_value_0_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle_up(own.words[w], delta);
    return other.item;
}
float softmax_value_0_shuffle(float item, int lane) {
    softmax_value_0_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle(own.words[w], lane);
    return other.item;
}
typedef union { float item; uint32_t words[1]; } softmax_value_1_words;
float softmax_value_1_shuffle_up(float item, int delta) {
    softmax_value_1_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle_up(own.words[w], delta);
    return other.item;
}
float softmax_value_1_shuffle(float item, int lane) {
    softmax_value_1_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle(own.words[w], lane);
    return other.item;
}
typedef union { float item; uint32_t words[1]; } softmax_value_2_words;
float softmax_value_2_shuffle_up(float item, int delta) {
    softmax_value_2_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle_up(own.words[w], delta);
    return other.item;
}
float softmax_value_2_shuffle(float item, int lane) {
    softmax_value_2_words own, other;
    own.item = item;
#pragma unroll
    for (int w = 0; w < 1; ++w) other.words[w] = gemel_shuffle(own.words[w], lane);
    return other.item;
}
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
        volatile __global uint64_t *states,
        __global uint32_t *ticket,
        uint32_t first_ticket,
        uint32_t epoch,
        int n,
        int outputs)
{
    __local float shared_0[1024];
    __local float shared_1[1024];
    __local float shared_2[1024];
    __local float parts_0[96];
    __local float parts_1[96];
    __local float parts_2[96];
    __local int dealt[1];
    const int thread = ((int)get_local_id(0));
    const int along = thread / 8;
    const int across = thread % 8;
    // Tiles are dealt in the order in which blocks begin, so that those waited for are running.
    if (thread == 0) dealt[0] = (int)(atomic_add(ticket, (uint32_t)1) - first_ticket);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int tile = dealt[0];
    const int part = tile % 3;
    const int first_position = part * 64 + along;
    const int positions = n;
    pack_float_x4 x_pack[2];
    pack_float_x4 y_pack[2];
    const int teams = ((int)get_num_groups(0)) / 3, groups = (outputs + 31) / 32;
    int group = tile / 3;
    {
        const int given = (group * 8 + across) * 4;
        const int is_there = given < outputs;
        const int output = is_there ? given : 0;
        int o_rest = output;
        const int o_1 = o_rest % layout.kept[1];
        o_rest /= layout.kept[1];
        const int x_base = o_rest * layout.x[1] + o_1 * layout.x[2];
        const int y_base = o_rest * layout.y[1] + o_1 * layout.y[2];
#pragma unroll
        for (int u = 0; u < 2; ++u) {
            const int k = first_position + u * 32;
            if (k < positions) {
                const int x_at = x_base + k * layout.x[0];
                const int y_at = y_base + k * layout.y[0];
                x_pack[u].words[0] = ((__global const uint4 *)(x + x_at))[0];
            }
        }
    }
    for (; group < groups; group += teams) {
        // Computed anew, so that compilers do not keep the places of all accesses in registers from group to group.
        const int tile = (int)group * 3 + part;
        const int first_position = tile % 3 * 64 + along;
        const int following = group + teams;
        const int given = (group * 8 + across) * 4;
        const int is_there = given < outputs;
        const int output = is_there ? given : 0;
        int o_rest = output;
        const int o_1 = o_rest % layout.kept[1];
        o_rest /= layout.kept[1];
        const int x_base = o_rest * layout.x[1] + o_1 * layout.x[2];
        const int y_base = o_rest * layout.y[1] + o_1 * layout.y[2];
        float totals_0[4];
        float totals_1[4];
#pragma unroll
        for (int lane = 0; lane < 4; ++lane) {
            totals_0[lane] = -INFINITY;
            totals_1[lane] = 0;
        }
#pragma unroll
        for (int u = 0; u < 2; ++u) {
            const int k = first_position + u * 32;
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
        for (int c = thread; c < 32; c += 256) {
            {
                const float total = shared_0[c / 4 + c % 4 * 256];
                {
                    softmax_value_0_words bits;
                    bits.item = total;
                    states[(tile * 32 + c) * 3 + 0] = (uint64_t)(epoch * 4 + 1) << 32 | bits.words[0];
                }
            }
            {
                const float total = shared_1[c / 4 + c % 4 * 256];
                {
                    softmax_value_1_words bits;
                    bits.item = total;
                    states[(tile * 32 + c) * 3 + 1] = (uint64_t)(epoch * 4 + 1) << 32 | bits.words[0];
                }
            }
        }
        for (int k = thread; k < 96; k += 256) {
            const int at = tile / 3 * 3 + k / 32, c = k % 32;
            {
                float theirs;
                uint64_t word[1];
                do word[0] = states[(at * 32 + c) * 3 + 0]; while ((uint32_t)(word[0] >> 34) != epoch);
                softmax_value_0_words bits;
                bits.words[0] = (uint32_t)word[0];
                theirs = bits.item;
                parts_0[k] = theirs;
            }
            {
                float theirs;
                uint64_t word[1];
                do word[0] = states[(at * 32 + c) * 3 + 1]; while ((uint32_t)(word[0] >> 34) != epoch);
                softmax_value_1_words bits;
                bits.words[0] = (uint32_t)word[0];
                theirs = bits.item;
                parts_1[k] = theirs;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int c = thread; c < 32; c += 256) {
            {
                float total = parts_0[c];
#pragma unroll
                for (int other = 1; other < 3; ++other) total = softmax_reduce_0(total, parts_0[other * 32 + c]);
                parts_0[c] = total;
            }
            {
                float total = parts_1[c];
#pragma unroll
                for (int other = 1; other < 3; ++other) total = softmax_reduce_1(total, parts_1[other * 32 + c]);
                parts_1[c] = total;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        float found_0[4];
#pragma unroll
        for (int neighbour = 0; neighbour < 4; ++neighbour) {
            found_0[neighbour] = parts_0[across * 4 + neighbour];
        }
        float found_1[4];
#pragma unroll
        for (int neighbour = 0; neighbour < 4; ++neighbour) {
            found_1[neighbour] = softmax_stored_1(parts_1[across * 4 + neighbour], n);
        }
        float totals_2[4];
#pragma unroll
        for (int lane = 0; lane < 4; ++lane) {
            totals_2[lane] = 0;
        }
#pragma unroll
        for (int u = 0; u < 2; ++u) {
            const int k = first_position + u * 32;
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
        for (int c = thread; c < 32; c += 256) {
            {
                const float total = shared_2[c / 4 + c % 4 * 256];
                {
                    softmax_value_2_words bits;
                    bits.item = total;
                    states[(tile * 32 + c) * 3 + 2] = (uint64_t)(epoch * 4 + 1) << 32 | bits.words[0];
                }
            }
        }
        for (int k = thread; k < 96; k += 256) {
            const int at = tile / 3 * 3 + k / 32, c = k % 32;
            {
                float theirs;
                uint64_t word[1];
                do word[0] = states[(at * 32 + c) * 3 + 2]; while ((uint32_t)(word[0] >> 34) != epoch);
                softmax_value_2_words bits;
                bits.words[0] = (uint32_t)word[0];
                theirs = bits.item;
                parts_2[k] = theirs;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int c = thread; c < 32; c += 256) {
            {
                float total = parts_2[c];
#pragma unroll
                for (int other = 1; other < 3; ++other) total = softmax_reduce_2(total, parts_2[other * 32 + c]);
                parts_2[c] = total;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        float found_2[4];
#pragma unroll
        for (int neighbour = 0; neighbour < 4; ++neighbour) {
            found_2[neighbour] = parts_2[across * 4 + neighbour];
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
#pragma unroll
        for (int u = 0; u < 2; ++u) {
            const int k = first_position + u * 32;
            if (k < positions) {
                const int x_at = x_base + k * layout.x[0];
                const int y_at = y_base + k * layout.y[0];
                if (is_there) {
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
                if (following < groups) {
                    const int given = (following * 8 + across) * 4;
                    const int is_there = given < outputs;
                    const int output = is_there ? given : 0;
                    int o_rest = output;
                    const int o_1 = o_rest % layout.kept[1];
                    o_rest /= layout.kept[1];
                    const int x_base = o_rest * layout.x[1] + o_1 * layout.x[2];
                    const int y_base = o_rest * layout.y[1] + o_1 * layout.y[2];
                    const int x_at = x_base + k * layout.x[0];
                    const int y_at = y_base + k * layout.y[0];
                    x_pack[u].words[0] = ((__global const uint4 *)(x + x_at))[0];
                }
            }
        }
        if (along == 0 && is_there && part == 0) {
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
}
