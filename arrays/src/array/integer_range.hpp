/// Compares host integers with the range of an element type.
#pragma once

#include <gemel/core/dtype.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <utility>

namespace gemel {

/// The range of an integer type.
struct IntegerRange {
    std::int64_t least;
    std::uint64_t most;
};
constexpr IntegerRange integer_range(DType dtype) {
    const unsigned bits = 8 * dtype.size_bytes();
    if (dtype.kind() == DType::Kind::unsigned_integer) return {0, ~std::uint64_t{0} >> (64 - bits)};
    const std::int64_t most = std::numeric_limits<std::int64_t>::max() >> (64 - bits);
    return {-most - 1, static_cast<std::uint64_t>(most)};
}

/// -1 below the range, 1 above it, 0 within it or if the type is not an integer type.
template <std::integral V>
constexpr int side_of_range(V number, DType dtype) {
    if (!dtype.is_integer()) return 0;
    const IntegerRange range = integer_range(dtype);
    return std::cmp_less(number, range.least) ? -1 : std::cmp_greater(number, range.most) ? 1 : 0;
}

}  // namespace gemel
