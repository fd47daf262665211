/// Short vectors on the host, with the names and the layout that they have in kernels.
#pragma once

#include <gemel/core/dtype.hpp>

#include <cstdint>

namespace gemel {

/// Two or four numbers, aligned to their size.
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

template <class T, int lanes>
struct DTypeOf<Vector<T, lanes>> {
    static constexpr DType value{DTypeOf<T>::value.kind(), lanes * sizeof(T), lanes};
};

using char2 = Vector<std::int8_t, 2>;
using char4 = Vector<std::int8_t, 4>;
using uchar2 = Vector<std::uint8_t, 2>;
using uchar4 = Vector<std::uint8_t, 4>;
using short2 = Vector<std::int16_t, 2>;
using short4 = Vector<std::int16_t, 4>;
using ushort2 = Vector<std::uint16_t, 2>;
using ushort4 = Vector<std::uint16_t, 4>;
using int2 = Vector<std::int32_t, 2>;
using int4 = Vector<std::int32_t, 4>;
using uint2 = Vector<std::uint32_t, 2>;
using uint4 = Vector<std::uint32_t, 4>;
using float2 = Vector<float, 2>;
using float4 = Vector<float, 4>;
using long2 = Vector<std::int64_t, 2>;
using ulong2 = Vector<std::uint64_t, 2>;
using double2 = Vector<double, 2>;

}  // namespace gemel
