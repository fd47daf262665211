#include "language/atomics_opencl.hpp"

namespace gemel {
namespace {

// Functions with other names, since the words may already be macros (NVIDIA's and PoCL's are); at the end the words are
// defined. Floats of one sign are ordered like their bits, so minimum and maximum need no loop.
const char* const of_32_bits = R"(#define GEMEL_ATOMICS(S, T, prefix) \
GEMEL_FUNCTION T gemel_atomic_add(volatile S T *p, T v) { return prefix##_add(p, v); } \
GEMEL_FUNCTION T gemel_atomic_min(volatile S T *p, T v) { return prefix##_min(p, v); } \
GEMEL_FUNCTION T gemel_atomic_max(volatile S T *p, T v) { return prefix##_max(p, v); } \
GEMEL_FUNCTION T gemel_atomic_exchange(volatile S T *p, T v) { return prefix##_xchg(p, v); } \
GEMEL_FUNCTION T gemel_atomic_cas(volatile S T *p, T expected, T desired) { return prefix##_cmpxchg(p, expected, desired); }
#define GEMEL_ATOMIC_ADD(S, F, I, prefix, as_integer, as_real) \
GEMEL_FUNCTION F gemel_atomic_add(volatile S F *p, F v) { \
    I seen, old = as_integer(*p); \
    do { seen = old; old = prefix##_cmpxchg((volatile S I *)p, seen, as_integer(as_real(seen) + v)); } while (old != seen); \
    return as_real(old); \
}
#define GEMEL_ATOMICS_REAL(S, F, I, U, prefix, as_integer, as_real) \
GEMEL_FUNCTION F gemel_atomic_min(volatile S F *p, F v) { \
    I b = as_integer(v); \
    if (v != v) return *p; \
    return as_real(b >= 0 ? prefix##_min((volatile S I *)p, b) : (I)prefix##_max((volatile S U *)p, (U)b)); \
} \
GEMEL_FUNCTION F gemel_atomic_max(volatile S F *p, F v) { \
    I b = as_integer(v); \
    if (v != v) return *p; \
    return as_real(b >= 0 ? prefix##_max((volatile S I *)p, b) : (I)prefix##_min((volatile S U *)p, (U)b)); \
} \
GEMEL_FUNCTION F gemel_atomic_exchange(volatile S F *p, F v) { \
    return as_real(prefix##_xchg((volatile S I *)p, as_integer(v))); \
} \
GEMEL_FUNCTION F gemel_atomic_cas(volatile S F *p, F expected, F desired) { \
    return as_real(prefix##_cmpxchg((volatile S I *)p, as_integer(expected), as_integer(desired))); \
}
GEMEL_ATOMICS(__global, int, atomic)
GEMEL_ATOMICS(__global, uint, atomic)
GEMEL_ATOMICS(__local, int, atomic)
GEMEL_ATOMICS(__local, uint, atomic)
#ifdef __NV_CL_C_VERSION
GEMEL_FUNCTION float gemel_atomic_add(volatile __global float *p, float v) {
    float old;
    asm volatile("atom.global.add.f32 %0, [%1], %2;" : "=f"(old) : "l"(p), "f"(v) : "memory");
    return old;
}
#else
GEMEL_ATOMIC_ADD(__global, float, int, atomic, as_int, as_float)
#endif
GEMEL_ATOMIC_ADD(__local, float, int, atomic, as_int, as_float)
GEMEL_ATOMICS_REAL(__global, float, int, uint, atomic, as_int, as_float)
GEMEL_ATOMICS_REAL(__local, float, int, uint, atomic, as_int, as_float)
)";

const char* const of_64_bits = R"(#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#ifdef cl_khr_int64_extended_atomics
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#else
#define GEMEL_LEAST(S, T, name, less) \
GEMEL_FUNCTION T name(volatile S T *p, T v) { \
    T seen, old = *p; \
    do { seen = old; old = atom_cmpxchg(p, seen, v less seen ? v : seen); } while (old != seen); \
    return old; \
}
#define GEMEL_LEAST_OF(S, T) GEMEL_LEAST(S, T, atom_min, <) GEMEL_LEAST(S, T, atom_max, >)
GEMEL_LEAST_OF(__global, long)
GEMEL_LEAST_OF(__global, ulong)
GEMEL_LEAST_OF(__local, long)
GEMEL_LEAST_OF(__local, ulong)
#endif
GEMEL_ATOMICS(__global, long, atom)
GEMEL_ATOMICS(__global, ulong, atom)
GEMEL_ATOMICS(__local, long, atom)
GEMEL_ATOMICS(__local, ulong, atom)
#ifdef cl_khr_fp64
#ifdef __NV_CL_C_VERSION
GEMEL_FUNCTION double gemel_atomic_add(volatile __global double *p, double v) {
    double old;
    asm volatile("atom.global.add.f64 %0, [%1], %2;" : "=d"(old) : "l"(p), "d"(v) : "memory");
    return old;
}
#else
GEMEL_ATOMIC_ADD(__global, double, long, atom, as_long, as_double)
#endif
GEMEL_ATOMIC_ADD(__local, double, long, atom, as_long, as_double)
GEMEL_ATOMICS_REAL(__global, double, long, ulong, atom, as_long, as_double)
GEMEL_ATOMICS_REAL(__local, double, long, ulong, atom, as_long, as_double)
#endif
#endif
#undef atomic_add
#undef atomic_min
#undef atomic_max
#undef atomic_exchange
#undef atomic_cas
#define atomic_add gemel_atomic_add
#define atomic_min gemel_atomic_min
#define atomic_max gemel_atomic_max
#define atomic_exchange gemel_atomic_exchange
#define atomic_cas gemel_atomic_cas
)";

}  // namespace

std::string opencl_atomics() { return std::string(of_32_bits) + of_64_bits; }

}  // namespace gemel
