/// Portable programs that use every word of the kernel language: compiled by NVRTC without a GPU, run on devices.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kernel_language {

inline const std::string where = R"(
KERNEL void where(GLOBAL_MEM int32_t *out)
{
    int64_t at = GLOBAL_ID_0 + GLOBAL_DIM_0 * (GLOBAL_ID_1 + GLOBAL_DIM_1 * GLOBAL_ID_2);
    GLOBAL_MEM int32_t *o = out + 20 * at;
    o[0] = LID_0;   o[1] = LID_1;   o[2] = LID_2;
    o[3] = LDIM_0;  o[4] = LDIM_1;  o[5] = LDIM_2;
    o[6] = GID_0;   o[7] = GID_1;   o[8] = GID_2;
    o[9] = GDIM_0;  o[10] = GDIM_1; o[11] = GDIM_2;
    o[12] = (int32_t)GLOBAL_ID_0;   o[13] = (int32_t)GLOBAL_ID_1;   o[14] = (int32_t)GLOBAL_ID_2;
    o[15] = (int32_t)GLOBAL_DIM_0;  o[16] = (int32_t)GLOBAL_DIM_1;  o[17] = (int32_t)GLOBAL_DIM_2;
    o[18] = (int32_t)(sizeof(LID_0) + sizeof(LDIM_1) + sizeof(GID_2) + sizeof(GDIM_0));
    o[19] = (int32_t)(sizeof(GLOBAL_ID_0) + sizeof(GLOBAL_DIM_2));
})";

inline const std::string types = R"(
KERNEL void types(GLOBAL_MEM int32_t *out)
{
    int8_t a = (int8_t)-1;    uint8_t b = (uint8_t)-1;    uchar c = (uchar)-1;
    int16_t d = (int16_t)-1;  uint16_t e = (uint16_t)-1;  ushort f = (ushort)-1;
    int32_t g = -1;           uint32_t h = (uint32_t)-1;  uint i = (uint)-1;
    int64_t j = -1;           uint64_t k = (uint64_t)-1;  ulong l = (ulong)-1;
    out[0] = sizeof(a);  out[1] = sizeof(b);  out[2] = sizeof(c);   out[3] = sizeof(d);   out[4] = sizeof(e);
    out[5] = sizeof(f);  out[6] = sizeof(g);  out[7] = sizeof(h);   out[8] = sizeof(i);   out[9] = sizeof(j);
    out[10] = sizeof(k); out[11] = sizeof(l); out[12] = a < 0;      out[13] = b > 0;      out[14] = c > 0;
    out[15] = d < 0;     out[16] = e > 0;     out[17] = f > 0;      out[18] = g < 0;      out[19] = h > 0;
    out[20] = i > 0;     out[21] = j < 0;     out[22] = k > 0;      out[23] = l > 0;
    out[24] = (int32_t)(((int64_t)1 << 40) >> 38);
})";

inline const std::string memory = R"(
CONST_STATIC float weights[4] = {1, 2, 3, 4};
CONST_STATIC float limits[2] = {INFINITY, -INFINITY};
WITHIN_KERNEL float mirrored(LOCAL_MEM_ARG const float *tile, int i, int n) { return tile[n - 1 - i]; }
WITHIN_KERNEL void put(GLOBAL_MEM float *to, float value) { *to = value; }
KERNEL REQD_WG_SIZE(64, 1, 1) void reversed(GLOBAL_MEM float *RESTRICT out, GLOBAL_MEM const float *RESTRICT in)
{
    LOCAL_MEM float tile[64];
    int i = LID_0;
    tile[i] = in[GLOBAL_ID_0];
    local_barrier();
    put(out + GLOBAL_ID_0, mirrored(tile, i, 64) * weights[i % 4] + (weights[0] > limits[0]) + (weights[0] < limits[1]));
})";

inline const std::string arena = R"(
KERNEL void totals(GLOBAL_MEM float *out, int n, SHARED_ARENA)
{
    LOCAL_MEM_ARG float *values = (LOCAL_MEM_ARG float *)shared_arena;
    LOCAL_MEM_ARG int *counts = (LOCAL_MEM_ARG int *)(shared_arena + n * sizeof(float));
    values[LID_0] = (float)GLOBAL_ID_0;
    counts[LID_0] = LID_0;
    local_barrier();
    float sum = (float)((size_t)shared_arena % 16);
    for (int i = 0; i < n; ++i) sum += values[i] + counts[i];
    out[GLOBAL_ID_0] = sum;
})";

inline const std::string constant = R"(
WITHIN_KERNEL float entry(CONSTANT_MEM const float *table, int i) { return table[i]; }
KERNEL void looked_up(GLOBAL_MEM float *out, CONSTANT_MEM const float *table, GLOBAL_MEM const int *index)
{
    out[GLOBAL_ID_0] = entry(table, index[GLOBAL_ID_0]);
})";

inline const std::string sixteen_bits = R"(
KERNEL void loaded(GLOBAL_MEM const float16_t *h, GLOBAL_MEM const bfloat16_t *b, GLOBAL_MEM float *from_h, GLOBAL_MEM float *from_b)
{
    int64_t i = GLOBAL_ID_0;
    from_h[i] = load_float16(h[i]);
    from_b[i] = load_bfloat16(b[i]);
}
KERNEL void stored(GLOBAL_MEM const float *x, GLOBAL_MEM float16_t *h, GLOBAL_MEM bfloat16_t *b)
{
    int64_t i = GLOBAL_ID_0;
    h[i] = store_float16(x[i]);
    b[i] = store_bfloat16(x[i]);
}
KERNEL void summed(GLOBAL_MEM float16_t *h, float16_t x, bfloat16_t y)
{
    float16_t one;
    one.bits = 0x3c00;
    h[GLOBAL_ID_0] = store_float16(load_float16(x) + load_bfloat16(y) + load_float16(one));
})";

inline const std::string bits = R"(
KERNEL void counted(GLOBAL_MEM int32_t *out)
{
    int8_t a = (int8_t)-2;   uint8_t b = 5;   int16_t c = 0x0100;  uint16_t d = 0;
    int32_t e = -1;          uint32_t f = 0;  int64_t g = 1;       uint64_t h = 0;
    out[0] = popcount(a);  out[1] = clz(a);  out[2] = popcount(b);   out[3] = clz(b);
    out[4] = popcount(c);  out[5] = clz(c);  out[6] = popcount(d);   out[7] = clz(d);
    out[8] = popcount(e);  out[9] = clz(e);  out[10] = popcount(f);  out[11] = clz(f);
    out[12] = (int32_t)popcount(g);  out[13] = (int32_t)clz(g);
    out[14] = (int32_t)popcount(h);  out[15] = (int32_t)clz(h);
    // Zeros that the compiler cannot see.
    out[16] = clz((uint32_t)out[20]);  out[17] = (int32_t)clz((int64_t)out[20]);  out[18] = clz((int8_t)out[20]);
    out[19] = popcount(out[21]);
})";

inline const std::string functions = R"(
KERNEL void applied(GLOBAL_MEM float *out, float x, float y, int i, int j)
{
    out[0] = fma(x, y, 1.0f);  out[1] = rsqrt(x);     out[2] = min(x, y);     out[3] = max(x, y);
    out[4] = min(i, j);        out[5] = max(i, j);    out[6] = abs(j);        out[7] = fabs(-x);
    out[8] = INFINITY;         out[9] = -INFINITY;    out[10] = NAN;          out[11] = M_PI_F;
    out[12] = sqrt(x);         out[13] = pow(x, 2.0f); out[14] = floor(-y);   out[15] = fmod(y, x);
    out[16] = hypot(3.0f, x);  out[17] = copysign(x, -y); out[18] = isnan(NAN) && isinf(INFINITY) && !isfinite(NAN);
    out[19] = exp(0.0f) + log(1.0f) + sin(0.0f) + cos(0.0f) + atan2(0.0f, x) + fmin(x, y) + fmax(x, y);
    out[20] = as_float(as_int(x) + 0) + as_float(as_uint(y));
})";

inline const std::string double_functions = R"(
KERNEL void applied(GLOBAL_MEM double *out, double x, double y)
{
    out[0] = M_PI;             out[1] = rsqrt(x);      out[2] = fma(x, y, 1.0);    out[3] = M_SQRT2 * M_E * M_LN2;
    out[4] = as_double(as_long(x)) + as_double(as_ulong(y));
    out[5] = min(x, y);        out[6] = fabs(-x);
})";

inline const std::string vectors = R"(
KERNEL void made(GLOBAL_MEM float *out, GLOBAL_MEM float4 *quads, GLOBAL_MEM double2 *pairs)
{
    char2 a = make_char2(1, 2);        char4 b = make_char4(1, 2, 3, 4);
    uchar2 c = make_uchar2(1, 2);      uchar4 d = make_uchar4(1, 2, 3, 4);
    short2 e = make_short2(1, 2);      short4 f = make_short4(1, 2, 3, 4);
    ushort2 g = make_ushort2(1, 2);    ushort4 h = make_ushort4(1, 2, 3, 4);
    int2 i = make_int2(1, 2);          int4 j = make_int4(1, 2, 3, 4);
    uint2 k = make_uint2(1, 2);        uint4 l = make_uint4(1, 2, 3, 4);
    float2 m = make_float2(1, 2);      float4 n = make_float4(1, 2, 3, 4);
    long2 o = make_long2(1, 2);        ulong2 p = make_ulong2(1, 2);
    out[0] = a.x + 10 * a.y + c.x + 10 * c.y + e.x + 10 * e.y + g.x + 10 * g.y + i.x + 10 * i.y + k.x + 10 * k.y;
    out[1] = b.x + 10 * b.y + 100 * b.z + 1000 * b.w + d.w + f.w + h.w + j.w + l.w;
    out[2] = m.x + 10 * m.y + n.w + (float)(o.x + 10 * o.y) + (float)(p.x + 10 * p.y);
    quads[0] = make_float4(quads[0].w, quads[0].z, quads[0].y, quads[0].x);
    pairs[0] = make_double2(pairs[0].y, pairs[0].x);
})";

inline const std::string structs = R"(
typedef struct { float dt; cfloat z; int32_t n; } Step;
KERNEL void stepped(GLOBAL_MEM Step *steps, Step by)
{
    steps[GLOBAL_ID_0].dt += by.dt;
    steps[GLOBAL_ID_0].z = c_add(steps[GLOBAL_ID_0].z, by.z);
    steps[GLOBAL_ID_0].n += by.n + (int32_t)sizeof(Step);
})";

inline const std::string printing = R"(
KERNEL void printed(GLOBAL_MEM int *out) { if (GLOBAL_ID_0 == 0) printf("%d %s\n", 42, "printed by a kernel"); out[GLOBAL_ID_0] = 1; })";

/// `text` with every `from` replaced.
inline std::string with(std::string text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
    return text;
}

/// Functions of one and of two complex numbers. @param real  "float" or "double"
inline std::string complex(std::string_view real) {
    return with(R"(
#define SINGLE 18
KERNEL void of_one(GLOBAL_MEM const c@ *in, GLOBAL_MEM c@ *out)
{
    c@ z = in[GLOBAL_ID_0];
    GLOBAL_MEM c@ *o = out + SINGLE * GLOBAL_ID_0;
    o[0] = c_neg(z);   o[1] = c_conj(z);  o[2] = c@_new(c_real(z), c_imag(z));
    o[3] = c@_new(c_abs(z), c_arg(z));
    o[4] = c_exp(z);   o[5] = c_log(z);   o[6] = c_sqrt(z);
    o[7] = c_sin(z);   o[8] = c_cos(z);   o[9] = c_tan(z);
    o[10] = c_sinh(z); o[11] = c_cosh(z); o[12] = c_tanh(z);
    o[13] = c_mul(z, (@)2);  o[14] = c_mul((@)2, z);  o[15] = c_div(z, (@)2);  o[16] = c_div((@)2, z);
    o[17] = c_add(c_sub(c_add(z, (@)3), (@)1), c_sub((@)1, c_add((@)1, z)));
}
KERNEL void of_two(GLOBAL_MEM const c@ *a, GLOBAL_MEM const c@ *b, GLOBAL_MEM c@ *out)
{
    c@ z = a[GLOBAL_ID_0], w = b[GLOBAL_ID_0];
    GLOBAL_MEM c@ *o = out + 6 * GLOBAL_ID_0;
    o[0] = c_add(z, w);  o[1] = c_sub(z, w);  o[2] = c_mul(z, w);  o[3] = c_div(z, w);
    o[4] = c_pow(z, w);  o[5] = c_pow(z, c_real(w));
})",
                "@", real);
}

/// Contended atomics of one type in global and shared memory, each with what it returned. @param type  "int32_t"
inline std::string atomics(std::string_view type) {
    return with(R"(
KERNEL void contended(GLOBAL_MEM T *cells, GLOBAL_MEM T *old, GLOBAL_MEM const T *values, int n)
{
    LOCAL_MEM T shared[5];
    int i = (int)GLOBAL_ID_0, k;
    T v = values[i], seen, expected;
    if (LID_0 < 5) shared[LID_0] = cells[5 + LID_0];
    local_barrier();
    old[i] = atomic_add(&cells[0], 1);
    atomic_min(&cells[1], v);
    atomic_max(&cells[2], v);
    old[n + i] = atomic_exchange(&cells[3], (T)(i + 1));
    for (k = 0, seen = 0; k < 100000; ++k) {
        expected = seen;
        seen = atomic_cas(&cells[4], expected, (T)(expected + 2));
        if (seen == expected) break;
    }
    old[2 * n + i] = atomic_add(&shared[0], (T)1);
    atomic_min(&shared[1], v);
    atomic_max(&shared[2], v);
    old[3 * n + i] = atomic_exchange(&shared[3], (T)(LID_0 + 1));
    for (k = 0, seen = 0; k < 100000; ++k) {
        expected = seen;
        seen = atomic_cas(&shared[4], expected, (T)(expected + 2));
        if (seen == expected) break;
    }
    local_barrier();
    if (LID_0 < 5) cells[10 + 5 * GID_0 + LID_0] = shared[LID_0];
})",
                "T", type);
}

inline const std::string random_words = R"(
KERNEL void random_words(GLOBAL_MEM float *out, GLOBAL_MEM uint32_t *words, GLOBAL_MEM double *doubles, uint64_t seed)
{
    philox_t r = philox_init(seed, (uint64_t)GLOBAL_ID_0);
    words[GLOBAL_ID_0] = philox_bits(&r);
    philox_skip(&r, 5);
    out[GLOBAL_ID_0] = philox_uniform(&r) + philox_normal(&r);
    doubles[GLOBAL_ID_0] = philox_uniform_double(&r);
})";

inline std::string subgroups(std::string_view type) {
    return with(R"(
KERNEL void subgroups(GLOBAL_MEM T *x, GLOBAL_MEM uint64_t *votes)
{
    T v = x[GLOBAL_ID_0];
    v = subgroup_add(v) + subgroup_min(v) + subgroup_max(v) + subgroup_scan_add(v) + subgroup_broadcast(v, 0) +
        subgroup_shuffle(v, subgroup_size() - 1 - subgroup_lane());
    x[GLOBAL_ID_0] = v;
    votes[GLOBAL_ID_0] = subgroup_ballot(v > (T)1) + (uint64_t)(subgroup_any(v > (T)2) + subgroup_all(v > (T)3) + subgroup_id());
})",
                "T", type);
}

/// All of the above with names for messages.
inline std::vector<std::pair<std::string, std::string>> all() {
    std::vector<std::pair<std::string, std::string>> programs{{"where", where},
                                                              {"types", types},
                                                              {"memory", memory},
                                                              {"arena", arena},
                                                              {"constant", constant},
                                                              {"sixteen_bits", sixteen_bits},
                                                              {"bits", bits},
                                                              {"functions", functions},
                                                              {"vectors", vectors},
                                                              {"double_functions", double_functions},
                                                              {"structs", structs},
                                                              {"printing", printing},
                                                              {"random words", random_words},
                                                              {"complex float", complex("float")},
                                                              {"complex double", complex("double")}};
    for (const char* type : {"int32_t", "uint32_t", "int64_t", "uint64_t", "float", "double"})
        programs.emplace_back(std::string("atomics ") + type, atomics(type)),
            programs.emplace_back(std::string("subgroups ") + type, subgroups(type));
    return programs;
}

}  // namespace kernel_language
