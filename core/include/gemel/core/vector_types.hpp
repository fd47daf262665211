/// Short vectors on the host, with the same names and layout as in kernels.
#pragma once

#include <gemel/core/dtype.hpp>

#include <cstdint>

namespace gemel {

/// Two, three, four, eight or sixteen numbers, aligned to their size; three numbers take the space of four, as in
/// OpenCL.
template <class T, int lanes>
struct Vector;
template <class T>
struct alignas(2 * sizeof(T)) Vector<T, 2> {
    T x, y;
    friend bool operator==(const Vector&, const Vector&) = default;
};
template <class T>
struct alignas(4 * sizeof(T)) Vector<T, 4> {
    T x, y, z, w;
    friend bool operator==(const Vector&, const Vector&) = default;
};

template <class T>
struct alignas(4 * sizeof(T)) Vector<T, 3> {
    T x, y, z;
    friend bool operator==(const Vector&, const Vector&) = default;
};
template <class T>
struct alignas(8 * sizeof(T)) Vector<T, 8> {
    T s0, s1, s2, s3, s4, s5, s6, s7;
    friend bool operator==(const Vector&, const Vector&) = default;
};
template <class T>
struct alignas(16 * sizeof(T)) Vector<T, 16> {
    T s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, sa, sb, sc, sd, se, sf;
    friend bool operator==(const Vector&, const Vector&) = default;
};

template <class T, int lanes>
struct DTypeOf<Vector<T, lanes>> {
    static constexpr DType value{DTypeOf<T>::value.kind(), sizeof(Vector<T, lanes>), lanes};
};

using char2 = Vector<std::int8_t, 2>;
using char3 = Vector<std::int8_t, 3>;
using char4 = Vector<std::int8_t, 4>;
using char8 = Vector<std::int8_t, 8>;
using char16 = Vector<std::int8_t, 16>;
using uchar2 = Vector<std::uint8_t, 2>;
using uchar3 = Vector<std::uint8_t, 3>;
using uchar4 = Vector<std::uint8_t, 4>;
using uchar8 = Vector<std::uint8_t, 8>;
using uchar16 = Vector<std::uint8_t, 16>;
using short2 = Vector<std::int16_t, 2>;
using short3 = Vector<std::int16_t, 3>;
using short4 = Vector<std::int16_t, 4>;
using short8 = Vector<std::int16_t, 8>;
using short16 = Vector<std::int16_t, 16>;
using ushort2 = Vector<std::uint16_t, 2>;
using ushort3 = Vector<std::uint16_t, 3>;
using ushort4 = Vector<std::uint16_t, 4>;
using ushort8 = Vector<std::uint16_t, 8>;
using ushort16 = Vector<std::uint16_t, 16>;
using int2 = Vector<std::int32_t, 2>;
using int3 = Vector<std::int32_t, 3>;
using int4 = Vector<std::int32_t, 4>;
using int8 = Vector<std::int32_t, 8>;
using int16 = Vector<std::int32_t, 16>;
using uint2 = Vector<std::uint32_t, 2>;
using uint3 = Vector<std::uint32_t, 3>;
using uint4 = Vector<std::uint32_t, 4>;
using uint8 = Vector<std::uint32_t, 8>;
using uint16 = Vector<std::uint32_t, 16>;
using float2 = Vector<float, 2>;
using float3 = Vector<float, 3>;
using float4 = Vector<float, 4>;
using float8 = Vector<float, 8>;
using float16 = Vector<float, 16>;
using long2 = Vector<std::int64_t, 2>;
using long3 = Vector<std::int64_t, 3>;
using long4 = Vector<std::int64_t, 4>;
using long8 = Vector<std::int64_t, 8>;
using long16 = Vector<std::int64_t, 16>;
using ulong2 = Vector<std::uint64_t, 2>;
using ulong3 = Vector<std::uint64_t, 3>;
using ulong4 = Vector<std::uint64_t, 4>;
using ulong8 = Vector<std::uint64_t, 8>;
using ulong16 = Vector<std::uint64_t, 16>;
using double2 = Vector<double, 2>;
using double3 = Vector<double, 3>;
using double4 = Vector<double, 4>;
using double8 = Vector<double, 8>;
using double16 = Vector<double, 16>;

}  // namespace gemel
