/// CUDA C++ as compiled by NVRTC: includes no header, so that the prelude adds no compile time.
#include "language/bessel_section.hpp"
#include "language/bulk_section.hpp"
#include "language/cluster_section.hpp"
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

namespace gemel {

namespace {

// While compiling, NVRTC (12.0, 13.0) evaluates (0.0f/0.0f) == (0.0f/0.0f) as true, and it lacks __builtin_nanf; a NaN
// constant is compared correctly, and can be used in CONST_STATIC. 1.0f/0.0f is left to the device, as a division with
// its slow path at each use; an infinity constant avoids that (__int_as_float cannot be used in CONST_STATIC). 64-bit
// integers are `long long`, as in libcu++ and in CUDA's atomics: `long` would be a different type for overloading. If
// the host's headers have already declared the words (nvcc), they become macros after them.
const char* const types = R"(#define GEMEL_FUNCTION __device__ inline
typedef signed char int8_t;
typedef unsigned char uint8_t, uchar;
typedef short int16_t;
typedef unsigned short uint16_t, ushort;
typedef int int32_t;
typedef unsigned int uint32_t, uint;
#ifdef __CUDACC_RTC__
typedef long long int64_t;
typedef unsigned long long uint64_t, ulong;
#else
#include <stdint.h>
#include <sys/types.h>
typedef long long gemel_int64;
typedef unsigned long long gemel_uint64;
#define int64_t gemel_int64
#define uint64_t gemel_uint64
#define ulong gemel_uint64
#endif
#ifndef NAN
#ifdef __CUDACC_RTC__
struct gemel_nan { static constexpr float value = -(0.0f / 0.0f); };
#define NAN gemel_nan::value
#else
#define NAN __builtin_nanf("")
#endif
#endif
#ifndef INFINITY
#ifdef __CUDACC_RTC__
struct gemel_infinity { static constexpr float value = 1.0f / 0.0f; };
#define INFINITY gemel_infinity::value
#else
#define INFINITY __builtin_inff()
#endif
#endif
)";

const char* const float16 = R"(typedef struct { unsigned short bits; } float16_t;
GEMEL_FUNCTION float load_float16(float16_t h) { float f; asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h.bits)); return f; }
GEMEL_FUNCTION float16_t store_float16(float f) { float16_t h; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h.bits) : "f"(f)); return h; }
)";

const char* const bfloat16 = R"(typedef struct { unsigned short bits; } bfloat16_t;
GEMEL_FUNCTION float load_bfloat16(bfloat16_t b) { return __uint_as_float((unsigned int)b.bits << 16); }
GEMEL_FUNCTION bfloat16_t store_bfloat16(float f) {
    bfloat16_t b;
#if __CUDA_ARCH__ >= 800
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(b.bits) : "f"(f));
#else
    unsigned int u = __float_as_uint(f);
    b.bits = (unsigned short)((f != f ? u | 0x400000u : u + 0x7fffu + (u >> 16 & 1u)) >> 16);
#endif
    return b;
}
)";

// Floats of one sign are ordered like their bits, so minimum and maximum need no loop in single precision.
const char* const atomics = R"(#define GEMEL_ATOMICS(T, U) \
GEMEL_FUNCTION T atomic_add(volatile T *p, T v) { return (T)atomicAdd((U *)p, (U)v); } \
GEMEL_FUNCTION T atomic_min(volatile T *p, T v) { return atomicMin((T *)p, v); } \
GEMEL_FUNCTION T atomic_max(volatile T *p, T v) { return atomicMax((T *)p, v); } \
GEMEL_FUNCTION T atomic_exchange(volatile T *p, T v) { return (T)atomicExch((U *)p, (U)v); } \
GEMEL_FUNCTION T atomic_cas(volatile T *p, T expected, T desired) { return (T)atomicCAS((U *)p, (U)expected, (U)desired); }
GEMEL_ATOMICS(int, int)
GEMEL_ATOMICS(unsigned int, unsigned int)
GEMEL_ATOMICS(long long, unsigned long long)
GEMEL_ATOMICS(unsigned long long, unsigned long long)
#undef GEMEL_ATOMICS
#define GEMEL_ATOMICS(F, I, U, as_integer, as_real) \
GEMEL_FUNCTION F atomic_add(volatile F *p, F v) { return atomicAdd((F *)p, v); } \
GEMEL_FUNCTION F atomic_min(volatile F *p, F v) { \
    I b = as_integer(v); \
    if (v != v) return *p; \
    return as_real(b >= 0 ? atomicMin((I *)p, b) : (I)atomicMax((U *)p, (U)b)); \
} \
GEMEL_FUNCTION F atomic_max(volatile F *p, F v) { \
    I b = as_integer(v); \
    if (v != v) return *p; \
    return as_real(b >= 0 ? atomicMax((I *)p, b) : (I)atomicMin((U *)p, (U)b)); \
} \
GEMEL_FUNCTION F atomic_exchange(volatile F *p, F v) { return as_real((I)atomicExch((U *)p, (U)as_integer(v))); } \
GEMEL_FUNCTION F atomic_cas(volatile F *p, F expected, F desired) { \
    return as_real((I)atomicCAS((U *)p, (U)as_integer(expected), (U)as_integer(desired))); \
}
GEMEL_ATOMICS(float, int, unsigned int, __float_as_int, __int_as_float)
GEMEL_ATOMICS(double, long long, unsigned long long, __double_as_longlong, __longlong_as_double)
#undef GEMEL_ATOMICS
)";

const char* const bits = R"(#define GEMEL_BITS(T, U, W, V) \
GEMEL_FUNCTION T popcount(T x) { return (T)__popc##W((V)(U)x); } \
GEMEL_FUNCTION T clz(T x) { return (T)(__clz##W((V)(U)x) - 8 * (int)(sizeof(V) - sizeof(T))); }
GEMEL_BITS(signed char, unsigned char, , int)
GEMEL_BITS(unsigned char, unsigned char, , int)
GEMEL_BITS(short, unsigned short, , int)
GEMEL_BITS(unsigned short, unsigned short, , int)
GEMEL_BITS(int, unsigned int, , int)
GEMEL_BITS(unsigned int, unsigned int, , int)
GEMEL_BITS(long long, unsigned long long, ll, long long)
GEMEL_BITS(unsigned long long, unsigned long long, ll, long long)
#undef GEMEL_BITS
)";

const char* const casts = R"(GEMEL_FUNCTION int as_int(float x) { return __float_as_int(x); }
GEMEL_FUNCTION int as_int(unsigned int x) { return (int)x; }
GEMEL_FUNCTION unsigned int as_uint(float x) { return __float_as_uint(x); }
GEMEL_FUNCTION unsigned int as_uint(int x) { return (unsigned int)x; }
GEMEL_FUNCTION float as_float(int x) { return __int_as_float(x); }
GEMEL_FUNCTION float as_float(unsigned int x) { return __uint_as_float(x); }
GEMEL_FUNCTION long long as_long(double x) { return __double_as_longlong(x); }
GEMEL_FUNCTION unsigned long long as_ulong(double x) { return (unsigned long long)__double_as_longlong(x); }
GEMEL_FUNCTION double as_double(long long x) { return __longlong_as_double(x); }
GEMEL_FUNCTION double as_double(unsigned long long x) { return __longlong_as_double((long long)x); }
)";

// OpenCL's functions in units of pi, which CUDA lacks. 1 / pi in two parts, both positive, so that -0 stays -0.
const char* const pi_functions = R"(#define GEMEL_PI_FUNCTIONS(R, head, tail) \
GEMEL_FUNCTION R gemel_over_pi(R x) { return fma(x, head, x * tail); } \
GEMEL_FUNCTION R acospi(R x) { return gemel_over_pi(acos(x)); } \
GEMEL_FUNCTION R asinpi(R x) { return gemel_over_pi(asin(x)); } \
GEMEL_FUNCTION R atanpi(R x) { return gemel_over_pi(atan(x)); } \
GEMEL_FUNCTION R atan2pi(R y, R x) { return gemel_over_pi(atan2(y, x)); } \
GEMEL_FUNCTION R tanpi(R x) { R c = cospi(x); return sinpi(x) / (c != 0 ? c : (R)0); }
GEMEL_PI_FUNCTIONS(float, 0x1.45f306p-2f, 0x1.b9391p-27f)
GEMEL_PI_FUNCTIONS(double, 0x1.45f306dc9c882p-2, 0x1.4a7f09d5f47d5p-55)
#undef GEMEL_PI_FUNCTIONS
)";

const char* const magnitudes = R"(#define GEMEL_MAGNITUDES(R) \
GEMEL_FUNCTION R maxmag(R x, R y) { R a = fabs(x), b = fabs(y); return a > b ? x : b > a ? y : fmax(x, y); } \
GEMEL_FUNCTION R minmag(R x, R y) { R a = fabs(x), b = fabs(y); return a < b ? x : b < a ? y : fmin(x, y); }
GEMEL_MAGNITUDES(float)
GEMEL_MAGNITUDES(double)
#undef GEMEL_MAGNITUDES
)";

const char* const nans =
    R"(GEMEL_FUNCTION float nan(unsigned int code) { return __uint_as_float(0x7fc00000u | (code & 0x3fffffu)); }
GEMEL_FUNCTION double nan(unsigned long long code) {
    return __longlong_as_double((long long)(0x7ff8000000000000ull | (code & 0x7ffffffffffffull)));
}
)";

// CUDA has these for signed and real types.
const char* const absolute = R"(GEMEL_FUNCTION unsigned int abs(unsigned int x) { return x; }
GEMEL_FUNCTION unsigned long abs(unsigned long x) { return x; }
GEMEL_FUNCTION unsigned long long abs(unsigned long long x) { return x; }
)";

const char* const constants = R"(#ifndef M_PI
#define M_E 2.71828182845904523536
#define M_LOG2E 1.44269504088896340736
#define M_LOG10E 0.434294481903251827651
#define M_LN2 0.693147180559945309417
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.785398163397448309616
#define M_1_PI 0.318309886183790671538
#define M_2_PI 0.636619772367581343076
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.707106781186547524401
#endif
#define M_E_F 2.71828182845904523536f
#define M_LOG2E_F 1.44269504088896340736f
#define M_LOG10E_F 0.434294481903251827651f
#define M_LN2_F 0.693147180559945309417f
#define M_LN10_F 2.30258509299404568402f
#define M_PI_F 3.14159265358979323846f
#define M_PI_2_F 1.57079632679489661923f
#define M_PI_4_F 0.785398163397448309616f
#define M_1_PI_F 0.318309886183790671538f
#define M_2_PI_F 0.636619772367581343076f
#define M_2_SQRTPI_F 1.12837916709551257390f
#define M_SQRT2_F 1.41421356237309504880f
#define M_SQRT1_2_F 0.707106781186547524401f
)";

// NaN takes precedence, as in NumPy; one instruction if the device has it.
const char* const extremes = R"(GEMEL_FUNCTION float gemel_max_nan(float a, float b) {
#if __CUDA_ARCH__ >= 800
    float m;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(m) : "f"(a), "f"(b));
    return m;
#else
    return a > b || a != a ? a : b;
#endif
}
GEMEL_FUNCTION float gemel_min_nan(float a, float b) {
#if __CUDA_ARCH__ >= 800
    float m;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(m) : "f"(a), "f"(b));
    return m;
#else
    return a < b || a != a ? a : b;
#endif
}
)";

const char* const visibility = R"(GEMEL_FUNCTION void device_fence() { __threadfence(); }
)";

// A launch may begin while the one before it in its stream still runs: it waits here, and lets the next one begin. The
// plug-in launches kernels so if their program has the variable.
const char* const kernel_begin = R"(#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
extern "C" { __device__ unsigned char gemel_kernels_wait; }
#define gemel_kernel_begin asm volatile("griddepcontrol.wait;\n\tgriddepcontrol.launch_dependents;" ::: "memory");
#else
#define gemel_kernel_begin
#endif
)";

// Words of lane k - delta; the lowest `delta` lanes of a warp get their own.
const char* const shuffles =
    R"(GEMEL_FUNCTION unsigned int gemel_shuffle_up(unsigned int word, int delta) { return __shfl_up_sync(0xffffffffu, word, delta); }
GEMEL_FUNCTION unsigned int gemel_shuffle(unsigned int word, int lane) { return __shfl_sync(0xffffffffu, word, lane); }
GEMEL_FUNCTION unsigned int gemel_ballot(int vote) { return __ballot_sync(0xffffffffu, vote); }
GEMEL_FUNCTION void gemel_warp_barrier() { __syncwarp(); }
GEMEL_FUNCTION unsigned int gemel_lanes_alike(unsigned int word, unsigned int bit) {
    unsigned int lanes;
#ifdef __CUDA_ARCH__
    asm volatile("{ .reg .pred p; .reg .b32 t; and.b32 t, %1, %2; setp.ne.u32 p, t, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; @!p not.b32 %0, %0; }" : "=r"(lanes) : "r"(word), "r"(bit));
#else
    lanes = gemel_ballot((word & bit) != 0);
    if ((word & bit) == 0) lanes = ~lanes;
#endif
    return lanes;
}
)";

// Limits registers, so that a multiprocessor holds these blocks. Those of 7.5 hold 1024 threads; ptxas warns of more.
const char* const resident = R"(#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
#define RESIDENT_BLOCKS(THREADS, BLOCKS) __launch_bounds__(THREADS, (THREADS) * (BLOCKS) > 1024 ? 1024 / (THREADS) : (BLOCKS))
#else
#define RESIDENT_BLOCKS(THREADS, BLOCKS) __launch_bounds__(THREADS, BLOCKS)
#endif
)";

// Adding 0 unifies both zeros; all NaNs become the positive one with all bits set.
const char* const plain_floats = R"(GEMEL_FUNCTION unsigned int gemel_plain_float(unsigned int bits) {
#ifdef __CUDA_ARCH__
    asm("add.rn.f32 %0, %1, 0f00000000;" : "=r"(bits) : "r"(bits));
    return bits;
#else
    return (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffffffu : bits == 0x80000000u ? 0u : bits;
#endif
}
)";

// The lanes of a warp; the last warp of a block may have fewer than 32 threads.
const char* const subgroups =
    R"(GEMEL_FUNCTION int gemel_subgroup_thread() { return LID_0 + LDIM_0 * (LID_1 + LDIM_1 * LID_2); }
GEMEL_FUNCTION int subgroup_lane() { return gemel_subgroup_thread() & 31; }
GEMEL_FUNCTION int subgroup_id() { return gemel_subgroup_thread() >> 5; }
GEMEL_FUNCTION int subgroup_size() { return min(32, LDIM_0 * LDIM_1 * LDIM_2 - (gemel_subgroup_thread() & ~31)); }
GEMEL_FUNCTION uint32_t gemel_subgroup_lanes() { return 0xffffffffu >> (32 - subgroup_size()); }
GEMEL_FUNCTION uint32_t gemel_subgroup_word(uint32_t word, int lane) { return __shfl_sync(gemel_subgroup_lanes(), word, lane); }
GEMEL_FUNCTION uint64_t gemel_subgroup_votes(int vote) { return __ballot_sync(gemel_subgroup_lanes(), vote); }
)";

std::vector<Dialect::Section> all_sections() {
    std::vector<Dialect::Section> all{
        {.name = "float16", .words = {"float16_t", "load_float16", "store_float16"}, .text = float16},
        {.name = "bfloat16", .words = {"bfloat16_t", "load_bfloat16", "store_bfloat16"}, .text = bfloat16},
        {.name = "atomics",
         .words = {"atomic_add", "atomic_min", "atomic_max", "atomic_cas", "atomic_exchange"},
         .text = atomics},
        {.name = "bits", .words = {"popcount", "clz"}, .text = bits},
        {.name = "kernel_begin", .words = {"gemel_kernel_begin"}, .text = kernel_begin},
        {.name = "visibility", .words = {"device_fence"}, .text = visibility},
        cuda_load_section(),
        {.name = "shuffles",
         .words = {"gemel_shuffle_up", "gemel_shuffle", "gemel_ballot", "gemel_warp_barrier", "gemel_lanes_alike"},
         .text = shuffles},
        {.name = "extremes", .words = {"gemel_max_nan", "gemel_min_nan"}, .text = extremes},
        cuda_quotient_section(),
        {.name = "resident", .words = {"RESIDENT_BLOCKS"}, .text = resident},
        cluster_section(),
        {.name = "plain_floats", .words = {"gemel_plain_float"}, .text = plain_floats},
        {.name = "casts",
         .words = {"as_int", "as_uint", "as_float", "as_long", "as_ulong", "as_double"},
         .text = casts},
        {.name = "pi_functions", .words = {"acospi", "asinpi", "atanpi", "atan2pi", "tanpi"}, .text = pi_functions},
        {.name = "magnitudes", .words = {"maxmag", "minmag"}, .text = magnitudes},
        {.name = "nan", .words = {"nan"}, .text = nans},
        {.name = "abs", .words = {"abs"}, .text = absolute},
        {.name = "constants",
         .words = {"M_E",          "M_LOG2E",    "M_LOG10E", "M_LN2",     "M_LN10",     "M_PI",     "M_PI_2",
                   "M_PI_4",       "M_1_PI",     "M_2_PI",   "M_SQRT2",   "M_SQRT1_2",  "M_E_F",    "M_2_SQRTPI",
                   "M_LOG2E_F",    "M_LOG10E_F", "M_LN2_F",  "M_LN10_F",  "M_PI_F",     "M_PI_2_F", "M_PI_4_F",
                   "M_2_SQRTPI_F", "M_1_PI_F",   "M_2_PI_F", "M_SQRT2_F", "M_SQRT1_2_F"},
         .text = constants}};
    all.push_back(tensor_section({.condition = "defined(__CUDA_ARCH__)",
                                  .global_space = "",
                                  .shared_space = "",
                                  .shared_address = "(uint32_t)__cvta_generic_to_shared(p)",
                                  .magnitude = "fabsf(__uint_as_float(bits))"}));
    const TileSpelling tiles{.condition = "defined(__CUDA_ARCH_FEAT_SM90_ALL)",
                             .mark = "",
                             .global_space = "",
                             .shared_space = "",
                             .shared_address = "(uint32_t)__cvta_generic_to_shared(p)",
                             .has_maps = true};
    for (Dialect::Section& section : tile_sections(tiles)) all.push_back(std::move(section));
    all.push_back(bulk_section(tiles));
    for (Dialect::Section& section : grid_sections({.global_space = "",
                                                    .block_barrier = "__syncthreads()",
                                                    .increment = "atomicAdd((unsigned int *)%, 1u)",
                                                    .int64_type = "long long"}))
        all.push_back(std::move(section));
    for (Dialect::Section& section : cuda_vector_sections()) all.push_back(std::move(section));
    for (Dialect::Section& section : bessel_sections("")) all.push_back(std::move(section));
    for (Dialect::Section& section : complex_sections("")) all.push_back(std::move(section));
    for (Dialect::Section& section : image_sections(cuda_image_texts())) all.push_back(std::move(section));
    for (Dialect::Section& section : exponential_sections("__CUDA_ARCH__", false)) all.push_back(std::move(section));
    for (Dialect::Section& section : philox_sections("", {"casts"})) all.push_back(std::move(section));
    all.push_back(subgroup_section(subgroups, "", {"casts"}));
    return all;
}

}  // namespace

const Dialect& Dialect::cuda() {
    static const Dialect& dialect = *new Dialect{
        .name = "cuda",
        .file_extension = ".cu",
        .kernel = "extern \"C\" __global__",
        .device_function = "__device__",
        .extern_function = "extern \"C\" __device__",
        .global_space = "",
        .shared_space = "__shared__",
        .aligned_shared = "__shared__ __align__(128)",
        .shared_pointer = "",
        .constant_space = "__constant__",
        .constant_pointer = "",
        .restrict_word = "__restrict__",
        .required_block = "__launch_bounds__((X) * (Y) * (Z))",
        .arena_parameter = "const int gemel_arena_",
        .arena_declaration = "extern __shared__ __align__(16) unsigned char shared_arena[];",
        .thread_id = "((int)threadIdx.@)",
        .block_id = "((int)blockIdx.@)",
        .block_size = "((int)blockDim.@)",
        .grid_size = "((int)gridDim.@)",
        .global_id = "((long long)blockIdx.@ * blockDim.@ + threadIdx.@)",
        .global_size = "((long long)gridDim.@ * blockDim.@)",
        .barrier = "__syncthreads()",
        .global_barrier = "__syncthreads()",
        .infinity = "INFINITY",
        .nan = "NAN",
        .fp_contract_off = "",  // --fmad=false
        .int64_type = "long long",
        .uint64_type = "unsigned long long",
        .int64_suffix = "LL",
        .bool_storage = "unsigned char",
        .offset_of = "__INTADDR__(&((@ *)0)->#)",  // NVRTC (13.0) has no offsetof
        .unroll = "#pragma unroll",
        .vector_value = "make_@(#)",
        .preamble = types,
        .sections = all_sections(),
    };
    return dialect;
}

}  // namespace gemel
