/// CUDA C++ for the host's compiler: what stands in front of a kernel's text when the stand-in for NVRTC compiles it.
/// One thread of the host runs a block, whose threads are fibers: each runs until it waits for others. What kernels of
/// gemel use is there, and no more.
#pragma once

#include <sys/types.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <utility>

namespace emulation {

struct Triple {
    unsigned x = 1, y = 1, z = 1;
};
/// Where a thread is.
struct Place {
    Triple thread, block, block_size, grid_size;
    unsigned lane = 0;
};
/// What the stand-in for the driver does for a kernel.
struct Runtime {
    const Place& (*place)();
    void (*block_barrier)();
    /// Exchanges words among the lanes of a warp: all of them come here. @returns the word of each of 32 lanes
    const unsigned* (*warp_words)(unsigned word);
    void (*warp_done)();  ///< the words have been read
    bool (*yield)();      ///< to other blocks. @returns true
    /// Waits for the other blocks of a cluster of consecutive blocks. `shared`: where the caller's shared memory is
    void (*cluster_wait)(unsigned blocks, char* shared);
    char* (*cluster_shared)(unsigned block);  ///< what that block of the cluster named
    void (*pause)();                          ///< until the block's other threads have come to where they wait
};
}  // namespace emulation

#ifndef GEMEL_EMULATION_HOST

extern "C" {
__attribute__((weak)) const emulation::Runtime* gemel_runtime;  // one for all units of a program that is linked
}

#define __device__
#define __global__
#define __constant__ static const
#define __shared__ static thread_local
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __grid_constant__
#define __forceinline__ inline
#define threadIdx (gemel_runtime->place().thread)
#define blockIdx (gemel_runtime->place().block)
#define blockDim (gemel_runtime->place().block_size)
#define gridDim (gemel_runtime->place().grid_size)

inline void __syncthreads() { gemel_runtime->block_barrier(); }
inline void __syncwarp(unsigned = ~0u) {
    gemel_runtime->warp_words(0);
    gemel_runtime->warp_done();
}
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

inline unsigned gemel_word_of(unsigned word, unsigned lane) {
    const unsigned other = gemel_runtime->warp_words(word)[lane % 32];
    gemel_runtime->warp_done();
    return other;
}
inline unsigned __shfl_sync(unsigned, unsigned word, int lane) {
    return gemel_word_of(word, static_cast<unsigned>(lane));
}
inline unsigned __shfl_up_sync(unsigned, unsigned word, unsigned delta) {
    const unsigned lane = gemel_runtime->place().lane;
    return gemel_word_of(word, lane >= delta ? lane - delta : lane);
}
inline unsigned __shfl_down_sync(unsigned, unsigned word, unsigned delta) {
    const unsigned lane = gemel_runtime->place().lane;
    return gemel_word_of(word, lane + delta < 32 ? lane + delta : lane);
}
inline unsigned __shfl_xor_sync(unsigned, unsigned word, unsigned mask) {
    return gemel_word_of(word, gemel_runtime->place().lane ^ mask);
}
inline unsigned __ballot_sync(unsigned, int vote) {
    const unsigned* const words = gemel_runtime->warp_words(vote != 0);
    unsigned all = 0;
    for (unsigned lane = 0; lane < 32; ++lane) all |= (words[lane] ? 1u : 0u) << lane;
    gemel_runtime->warp_done();
    return all;
}
inline unsigned __match_any_sync(unsigned, unsigned word) {
    const unsigned* const words = gemel_runtime->warp_words(word);
    unsigned all = 0;
    for (unsigned lane = 0; lane < 32; ++lane) all |= (words[lane] == word ? 1u : 0u) << lane;
    gemel_runtime->warp_done();
    return all;
}
inline int __any_sync(unsigned mask, int vote) { return __ballot_sync(mask, vote) != 0; }

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned>(x)) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }

template <class To, class From>
To gemel_bits(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}
inline float __uint_as_float(unsigned x) { return gemel_bits<float>(x); }
inline unsigned __float_as_uint(float x) { return gemel_bits<unsigned>(x); }
inline float __int_as_float(int x) { return gemel_bits<float>(x); }
inline int __float_as_int(float x) { return gemel_bits<int>(x); }
inline double __longlong_as_double(long long x) { return gemel_bits<double>(x); }
inline long long __double_as_longlong(double x) { return gemel_bits<long long>(x); }
inline float gemel_load_float16(unsigned short bits) { return static_cast<float>(gemel_bits<_Float16>(bits)); }
inline unsigned short gemel_store_float16(float x) { return gemel_bits<unsigned short>(static_cast<_Float16>(x)); }

template <class T, class F>
T gemel_atomic(T* at, F&& next) {
    using Bits = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
    Bits seen = __atomic_load_n(reinterpret_cast<Bits*>(at), __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n(reinterpret_cast<Bits*>(at), &seen,
                                        gemel_bits<Bits>(T(next(gemel_bits<T>(seen)))), false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST)) {}
    return gemel_bits<T>(seen);
}
template <class T>
T atomicAdd(T* at, T x) {
    return gemel_atomic(at, [&](T old) { return old + x; });
}
template <class T>
T atomicMin(T* at, T x) {
    return gemel_atomic(at, [&](T old) { return x < old ? x : old; });
}
template <class T>
T atomicMax(T* at, T x) {
    return gemel_atomic(at, [&](T old) { return old < x ? x : old; });
}
template <class T>
T atomicOr(T* at, T x) {
    return gemel_atomic(at, [&](T old) { return old | x; });
}
template <class T>
T atomicExch(T* at, T x) {
    return gemel_atomic(at, [&](T) { return x; });
}
template <class T>
T atomicCAS(T* at, T expected, T desired) {
    return gemel_atomic(at, [&](T old) { return old == expected ? desired : old; });
}

#define GEMEL_VECTORS(T, name) \
    struct alignas(2 * sizeof(T)) name##2 { T x, y; }; \
    struct name##3 { T x, y, z; }; \
    struct alignas(4 * sizeof(T) > 16 ? 16 : 4 * sizeof(T)) name##4 { T x, y, z, w; }; \
    inline name##2 make_##name##2(T x, T y) { return {x, y}; } \
    inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; } \
    inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
GEMEL_VECTORS(signed char, char)
GEMEL_VECTORS(unsigned char, uchar)
GEMEL_VECTORS(short, short)
GEMEL_VECTORS(unsigned short, ushort)
GEMEL_VECTORS(int, int)
GEMEL_VECTORS(long, long)
GEMEL_VECTORS(unsigned long, ulong)
GEMEL_VECTORS(unsigned, uint)
GEMEL_VECTORS(long long, longlong)
GEMEL_VECTORS(unsigned long long, ulonglong)
GEMEL_VECTORS(float, float)
GEMEL_VECTORS(double, double)
#undef GEMEL_VECTORS

/// Calls a kernel with the arguments that a launch has: an address each.
template <class... A, std::size_t... k>
void gemel_call(void (*kernel)(A...), void** arguments, std::index_sequence<k...>) {
    kernel(*static_cast<std::remove_reference_t<A>*>(arguments[k])...);
}
template <class... A>
void gemel_call(void (*kernel)(A...), void** arguments) {
    gemel_call(kernel, arguments, std::index_sequence_for<A...>{});
}
/// How many bytes an argument has; 0 behind the last.
using gemel_size = std::size_t;
template <class... A>
gemel_size gemel_bytes(void (*)(A...), gemel_size index) {
    const gemel_size all[] = {sizeof(A)..., 0};
    return index < sizeof...(A) ? all[index] : 0;
}

#include "emulation_tensor.hpp"
#include "emulation_tiles.hpp"
#include "emulation_tiles_bulk.hpp"

// The program's own, where no name of the host's libraries is in its way; translated() goes on with it.
namespace gemel_program {

// CUDA's functions are overloaded for float without a namespace.
using std::abs, std::acos, std::acosh, std::asin, std::asinh, std::atan, std::atan2, std::atanh, std::cbrt, std::ceil,
    std::copysign, std::cos, std::cosh, std::erf, std::erfc, std::exp, std::exp2, std::expm1, std::fabs, std::fdim,
    std::floor, std::fma, std::fmax, std::fmin, std::fmod, std::frexp, std::hypot, std::ilogb, std::isfinite,
    std::isinf, std::isnan, std::ldexp, std::lgamma, std::log, std::log10, std::log1p, std::log2, std::logb, std::lrint,
    std::modf, std::nextafter, std::pow, std::remainder, std::remquo, std::rint, std::round, std::signbit, std::sin,
    std::sinh, std::sqrt, std::tan, std::tanh, std::tgamma, std::trunc;
inline float rsqrt(float x) { return 1 / std::sqrt(x); }
inline double rsqrt(double x) { return 1 / std::sqrt(x); }
inline float exp10(float x) { return std::pow(10.0f, x); }
inline double exp10(double x) { return std::pow(10.0, x); }
template <class A, class B>
auto min(A a, B b) -> std::common_type_t<A, B> {
    using C = std::common_type_t<A, B>;
    if constexpr (std::is_floating_point_v<C>) return std::fmin(C(a), C(b));
    return C(b) < C(a) ? C(b) : C(a);
}
template <class A, class B>
auto max(A a, B b) -> std::common_type_t<A, B> {
    using C = std::common_type_t<A, B>;
    if constexpr (std::is_floating_point_v<C>) return std::fmax(C(a), C(b));
    return C(a) < C(b) ? C(b) : C(a);
}

}  // namespace gemel_program

#endif
