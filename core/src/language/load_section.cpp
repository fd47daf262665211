#include "language/load_section.hpp"

namespace gemel {
namespace {

const char* const cuda_loads = R"(#ifdef __CUDA_ARCH__
GEMEL_FUNCTION unsigned int gemel_load_once(const unsigned int *p) { return __ldcs(p); }
GEMEL_FUNCTION int gemel_load_once(const int *p) { return __ldcs(p); }
GEMEL_FUNCTION long long gemel_load_once(const long long *p) { return __ldcs(p); }
GEMEL_FUNCTION uint2 gemel_load_once(const uint2 *p) { return __ldcs(p); }
GEMEL_FUNCTION uint4 gemel_load_once(const uint4 *p) { return __ldcs(p); }
#endif
template <class T> GEMEL_FUNCTION T gemel_load_once(const T *p) { return *p; }
)";

const char* const opencl_loads = R"(#ifdef __NV_CL_C_VERSION
#define GEMEL_LOAD_ONCE(T, U, SIZE, R) \
GEMEL_FUNCTION T gemel_load_once(__global const T *p) { U v; asm volatile("ld.global.cs." SIZE " %0, [%1];" : "=" R(v) : "l"(p)); return (T)v; }
GEMEL_LOAD_ONCE(uint, uint, "u32", "r")
GEMEL_LOAD_ONCE(int, uint, "u32", "r")
GEMEL_LOAD_ONCE(long, ulong, "u64", "l")
GEMEL_FUNCTION uint2 gemel_load_once(__global const uint2 *p) {
    uint2 v;
    asm volatile("ld.global.cs.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(p));
    return v;
}
GEMEL_FUNCTION uint4 gemel_load_once(__global const uint4 *p) {
    uint4 v;
    asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
    return v;
}
GEMEL_FUNCTION ushort gemel_load_once(__global const ushort *p) { return *p; }
#else
#define gemel_load_once(p) (*(p))
#endif
)";

Dialect::Section section(const char* text) { return {.name = "load_once", .words = {"gemel_load_once"}, .text = text}; }

}  // namespace

Dialect::Section cuda_load_section() { return section(cuda_loads); }
Dialect::Section opencl_load_section() { return section(opencl_loads); }

}  // namespace gemel
