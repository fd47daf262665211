/// OpenCL C 1.2.
#include "language/atomics_opencl.hpp"
#include "language/bessel_section.hpp"
#include "language/bulk_section.hpp"
#include "language/complex_section.hpp"
#include "language/exponential_section.hpp"
#include "language/grid_sections.hpp"
#include "language/load_section.hpp"
#include "language/philox_section.hpp"
#include "language/quotient_section.hpp"
#include "language/subgroup_section.hpp"
#include "language/tensor_section.hpp"
#include "language/texture_section.hpp"
#include "language/tile_section.hpp"
#include "language/vector_sections.hpp"

#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace gemel {

namespace {

// NVIDIA's INFINITY and NAN (driver 580) and PoCL's NAN are not constant expressions, which tables need.
const char* const types = R"(#ifdef GEMEL_NO_DOUBLE
#undef cl_khr_fp64
#define double gemel_this_device_has_no_double
#endif
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#if defined(__NV_CL_C_VERSION) || defined(__clang__)
#undef INFINITY
#undef NAN
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#endif
#define GEMEL_FUNCTION static inline __attribute__((overloadable))
typedef char int8_t;
typedef uchar uint8_t;
typedef short int16_t;
typedef ushort uint16_t;
typedef int int32_t;
typedef uint uint32_t;
typedef long int64_t;
typedef ulong uint64_t;
)";

// vload_half and vstore_half need no cl_khr_fp16.
const char* const float16 = R"(typedef struct { ushort bits; } float16_t;
GEMEL_FUNCTION float load_float16(float16_t h) { return vload_half(0, (const __private half *)&h.bits); }
GEMEL_FUNCTION float16_t store_float16(float f) { float16_t h; vstore_half_rte(f, 0, (__private half *)&h.bits); return h; }
)";

const char* const bfloat16 = R"(typedef struct { ushort bits; } bfloat16_t;
GEMEL_FUNCTION float load_bfloat16(bfloat16_t b) { return as_float((uint)b.bits << 16); }
GEMEL_FUNCTION bfloat16_t store_bfloat16(float f) {
    bfloat16_t b;
#if GEMEL_COMPUTE_CAPABILITY >= 80
    uint pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(0.0f), "f"(f));
    b.bits = (ushort)pair;
#else
    uint u = as_uint(f);
    b.bits = (ushort)((f != f ? u | 0x400000u : u + 0x7fffu + (u >> 16 & 1u)) >> 16);
#endif
    return b;
}
)";

// OpenCL C 1.2 leaves clz(0) undefined.
const char* const bits = R"(#define GEMEL_CLZ(T) \
GEMEL_FUNCTION T gemel_clz(T x) { return x ? clz(x) : (T)(8 * sizeof(T)); }
GEMEL_CLZ(char)
GEMEL_CLZ(uchar)
GEMEL_CLZ(short)
GEMEL_CLZ(ushort)
GEMEL_CLZ(int)
GEMEL_CLZ(uint)
GEMEL_CLZ(long)
GEMEL_CLZ(ulong)
#undef GEMEL_CLZ
#undef clz
#define clz gemel_clz
)";

// OpenCL's own abs() returns the unsigned type, so that abs(x) - 10 < 0 would never hold, and takes no real numbers.
const char* const absolute = R"(#define GEMEL_ABS(T, name) GEMEL_FUNCTION T gemel_abs(T x) { return (T)name(x); }
GEMEL_ABS(char, abs)
GEMEL_ABS(uchar, abs)
GEMEL_ABS(short, abs)
GEMEL_ABS(ushort, abs)
GEMEL_ABS(int, abs)
GEMEL_ABS(uint, abs)
GEMEL_ABS(long, abs)
GEMEL_ABS(ulong, abs)
GEMEL_ABS(float, fabs)
#ifdef cl_khr_fp64
GEMEL_ABS(double, fabs)
#endif
#undef GEMEL_ABS
#undef abs
#define abs gemel_abs
)";

// OpenCL C 1.2 orders memory within a block only; NVIDIA's compiler accepts PTX.
// NaN takes precedence, as in NumPy.
const char* const extremes = R"(#if GEMEL_COMPUTE_CAPABILITY >= 80 && !defined(GEMEL_COMPARED_EXTREMES)
GEMEL_FUNCTION float gemel_max_nan(float a, float b) {
    float m;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(m) : "f"(a), "f"(b));
    return m;
}
GEMEL_FUNCTION float gemel_min_nan(float a, float b) {
    float m;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(m) : "f"(a), "f"(b));
    return m;
}
#else
// On x86, m is one instruction.
GEMEL_FUNCTION float gemel_max_nan(float a, float b) {
    const float m = a > b ? a : b;
    return a == a ? m : a;
}
GEMEL_FUNCTION float gemel_min_nan(float a, float b) {
    const float m = a < b ? a : b;
    return a == a ? m : a;
}
#endif
)";

const char* const visibility = R"(#ifdef __NV_CL_C_VERSION
GEMEL_FUNCTION void device_fence() { asm volatile("membar.gl;" ::: "memory"); }
#else
GEMEL_FUNCTION void device_fence() { mem_fence(CLK_GLOBAL_MEM_FENCE); }
#endif
)";

const char* const shuffles = R"(#ifdef __NV_CL_C_VERSION
GEMEL_FUNCTION uint gemel_shuffle_up(uint word, int delta) {
    uint other;
    asm volatile("shfl.sync.up.b32 %0, %1, %2, 0, 0xffffffff;" : "=r"(other) : "r"(word), "r"(delta));
    return other;
}
GEMEL_FUNCTION uint gemel_shuffle(uint word, int lane) {
    uint other;
    asm volatile("shfl.sync.idx.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(other) : "r"(word), "r"(lane));
    return other;
}
GEMEL_FUNCTION uint gemel_ballot(int vote) {
    uint votes;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "=r"(votes) : "r"(vote));
    return votes;
}
GEMEL_FUNCTION void gemel_warp_barrier() { asm volatile("bar.warp.sync 0xffffffff;" ::: "memory"); }
GEMEL_FUNCTION uint gemel_lanes_alike(uint word, uint bit) {
    uint lanes;
    asm volatile("{ .reg .pred p; .reg .b32 t; and.b32 t, %1, %2; setp.ne.u32 p, t, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; @!p not.b32 %0, %0; }" : "=r"(lanes) : "r"(word), "r"(bit));
    return lanes;
}
#endif
)";

// Tells CUDA's compiler how to limit registers.
const char* const resident = R"(#define RESIDENT_BLOCKS(THREADS, BLOCKS)
)";

const char* const plain_floats = R"(GEMEL_FUNCTION uint gemel_plain_float(uint bits) {
#ifdef __NV_CL_C_VERSION
    // Addition of 0 makes both zeros one, and all NaN the positive one with every bit set.
    asm("add.rn.f32 %0, %1, 0f00000000;" : "=r"(bits) : "r"(bits));
    return bits;
#else
    return (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffffffu : bits == 0x80000000u ? 0u : bits;
#endif
}
)";

// Warps by PTX on NVIDIA's, sub-groups if they can exchange words, otherwise groups of one thread.
const char* const subgroups = R"(#if defined(__NV_CL_C_VERSION)
GEMEL_FUNCTION int gemel_subgroup_thread() { return LID_0 + LDIM_0 * (LID_1 + LDIM_1 * LID_2); }
GEMEL_FUNCTION int subgroup_lane() { return gemel_subgroup_thread() & 31; }
GEMEL_FUNCTION int subgroup_id() { return gemel_subgroup_thread() >> 5; }
GEMEL_FUNCTION int subgroup_size() { return min(32, LDIM_0 * LDIM_1 * LDIM_2 - (gemel_subgroup_thread() & ~31)); }
GEMEL_FUNCTION uint gemel_subgroup_lanes() { return 0xffffffffu >> (32 - subgroup_size()); }
GEMEL_FUNCTION uint gemel_subgroup_word(uint word, int lane) {
    uint other;
    asm volatile("shfl.sync.idx.b32 %0, %1, %2, 0x1f, %3;" : "=r"(other) : "r"(word), "r"(lane), "r"(gemel_subgroup_lanes()));
    return other;
}
GEMEL_FUNCTION ulong gemel_subgroup_votes(int vote) {
    uint votes;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2; }" : "=r"(votes) : "r"(vote), "r"(gemel_subgroup_lanes()));
    return votes;
}
#elif defined(cl_khr_subgroups) && defined(cl_khr_subgroup_shuffle)
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
GEMEL_FUNCTION int subgroup_lane() { return (int)get_sub_group_local_id(); }
GEMEL_FUNCTION int subgroup_id() { return (int)get_sub_group_id(); }
GEMEL_FUNCTION int subgroup_size() { return (int)get_sub_group_size(); }
GEMEL_FUNCTION uint gemel_subgroup_word(uint word, int lane) { return sub_group_shuffle(word, (uint)lane); }
GEMEL_FUNCTION ulong gemel_subgroup_votes(int vote) {
    int size = subgroup_size(), lane;
    ulong votes = 0;
    for (lane = 0; lane < size; ++lane) votes |= (ulong)(sub_group_shuffle((uint)(vote != 0), (uint)lane)) << lane;
    return votes;
}
#else
GEMEL_FUNCTION int subgroup_lane() { return 0; }
GEMEL_FUNCTION int subgroup_id() { return LID_0 + LDIM_0 * (LID_1 + LDIM_1 * LID_2); }
GEMEL_FUNCTION int subgroup_size() { return 1; }
GEMEL_FUNCTION uint gemel_subgroup_word(uint word, int lane) { return word; }
GEMEL_FUNCTION ulong gemel_subgroup_votes(int vote) { return vote != 0; }
#endif
)";

std::vector<Dialect::Section> all_sections() {
    std::vector<Dialect::Section> all{
        {.name = "float16", .words = {"float16_t", "load_float16", "store_float16"}, .text = float16},
        {.name = "bfloat16", .words = {"bfloat16_t", "load_bfloat16", "store_bfloat16"}, .text = bfloat16},
        {.name = "atomics",
         .words = {"atomic_add", "atomic_min", "atomic_max", "atomic_cas", "atomic_exchange"},
         .text = opencl_atomics()},
        {.name = "bits", .words = {"clz"}, .text = bits},
        {.name = "visibility", .words = {"device_fence"}, .text = visibility},
        opencl_load_section(),
        {.name = "shuffles",
         .words = {"gemel_shuffle_up", "gemel_shuffle", "gemel_ballot", "gemel_warp_barrier", "gemel_lanes_alike"},
         .text = shuffles},
        {.name = "extremes", .words = {"gemel_max_nan", "gemel_min_nan"}, .text = extremes},
        opencl_quotient_section(),
        {.name = "resident", .words = {"RESIDENT_BLOCKS"}, .text = resident},
        {.name = "plain_floats", .words = {"gemel_plain_float"}, .text = plain_floats},
        {.name = "abs", .words = {"abs"}, .text = absolute},
        opencl_vector_section()};
    all.push_back(tensor_section({.condition = "defined(__NV_CL_C_VERSION)",
                                  .global_space = "__global ",
                                  .shared_space = "__local ",
                                  .shared_address = "(uint32_t)(size_t)p",
                                  .magnitude = "fabs(as_float(bits))"}));
    const TileSpelling tiles{.condition = "defined(__NV_CL_C_VERSION) && GEMEL_COMPUTE_CAPABILITY == 90",
                             .mark = "//sm_90a ",
                             .global_space = "__global ",
                             .shared_space = "__local ",
                             .shared_address = "(uint32_t)(size_t)(p)",
                             .has_maps = false};
    for (Dialect::Section& section : tile_sections(tiles)) all.push_back(std::move(section));
    all.push_back(bulk_section(tiles));
    for (Dialect::Section& section :
         grid_sections({.global_space = "__global ",
                        .block_barrier = "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)",
                        .increment = "atomic_inc((volatile __global uint *)%)",
                        .int64_type = "long"}))
        all.push_back(std::move(section));
    for (Dialect::Section& section : bessel_sections("defined(cl_khr_fp64)")) all.push_back(std::move(section));
    for (Dialect::Section& section : complex_sections("defined(cl_khr_fp64)")) all.push_back(std::move(section));
    for (Dialect::Section& section : image_sections(opencl_image_texts())) all.push_back(std::move(section));
    for (Dialect::Section& section : exponential_sections("__NV_CL_C_VERSION", true)) all.push_back(std::move(section));
    for (Dialect::Section& section : philox_sections("defined(cl_khr_fp64)", {})) all.push_back(std::move(section));
    all.push_back(subgroup_section(subgroups, "defined(cl_khr_fp64)", {}));
    return all;
}

/// Functions of OpenCL C 1.2 whose names programs may use for kernels.
std::vector<std::string> all_functions() {
    std::istringstream all(
        "abs abs_diff acos acosh acospi add_sat all any asin asinh asinpi atan atan2 atan2pi atanh atanpi "
        "barrier bitselect cbrt ceil clamp clz copysign cos cosh cospi cross degrees distance dot erf erfc "
        "exp exp10 exp2 expm1 fabs fast_distance fast_length fast_normalize fdim floor fma fmax fmin fmod "
        "fract frexp hadd half_cos half_divide half_exp half_exp10 half_exp2 half_log half_log10 half_log2 "
        "half_powr half_recip half_rsqrt half_sin half_sqrt half_tan hypot ilogb isequal isfinite isgreater "
        "isgreaterequal isinf isless islessequal islessgreater isnan isnormal isnotequal isordered "
        "isunordered ldexp length lgamma lgamma_r log log10 log1p log2 logb mad mad24 mad_hi mad_sat max "
        "maxmag mem_fence min minmag mix modf mul24 mul_hi nan native_cos native_divide native_exp "
        "native_exp10 native_exp2 native_log native_log10 native_log2 native_powr native_recip native_rsqrt "
        "native_sin native_sqrt native_tan nextafter normalize popcount pow pown powr prefetch radians "
        "remainder remquo rhadd rint rootn rotate round rsqrt select shuffle shuffle2 sign signbit sin sincos "
        "sinh sinpi smoothstep sqrt step sub_sat tan tanh tanpi tgamma trunc upsample vec_step ");
    return {std::istream_iterator<std::string>(all), {}};
}

}  // namespace

const Dialect& Dialect::opencl() {
    static const Dialect& dialect = *new Dialect{
        .name = "opencl",
        .file_extension = ".cl",
        .kernel = "__kernel",
        .device_function = "",
        .global_space = "__global",
        .shared_space = "__local",
        .aligned_shared = "__local __attribute__((aligned(128)))",  // NVIDIA's first array begins at 16 bytes
        .shared_pointer = "__local",
        .constant_space = "__constant",
        .constant_pointer = "__constant",
        .restrict_word = "restrict",
        .required_block = "__attribute__((reqd_work_group_size(X, Y, Z)))",
        .arena_parameter = "__local uint4 *gemel_arena_",  // uint4 makes the driver align it to 16 bytes
        .arena_declaration = "#define shared_arena ((__local uchar *)gemel_arena_)",
        .has_native_offset = true,
        .thread_id = "((int)get_local_id(#))",
        .block_id = "((int)get_group_id(#))",
        .block_size = "((int)get_local_size(#))",
        .grid_size = "((int)get_num_groups(#))",
        // NVIDIA's get_global_id and get_global_size (driver 580) are truncated to 32 bits.
        .global_id = "((long)get_group_id(#) * (long)get_local_size(#) + (long)get_local_id(#))",
        .global_size = "((long)get_num_groups(#) * (long)get_local_size(#))",
        .barrier = "barrier(CLK_LOCAL_MEM_FENCE)",
        .global_barrier = "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)",
        .infinity = "INFINITY",
        .nan = "NAN",
        .fp_contract_off = "#pragma OPENCL FP_CONTRACT OFF",
        .int64_type = "long",
        .uint64_type = "ulong",
        .int64_suffix = "L",
        .bool_storage = "unsigned char",
        .offset_of = "__builtin_offsetof(@, #)",
        .unroll = "#pragma unroll",
        .vector_value = "(@)(#)",
        .preamble = types,
        .sections = all_sections(),
        .own_functions = all_functions(),
    };
    return dialect;
}

}  // namespace gemel
