/// What tests of row programs share.
#pragma once

#include "generator_support.hpp"

#include <random>
#include <vector>

namespace gemel::testing {

/// Whole numbers from -6 to 6.
template <class T>
GPUArray<T> row_numbers(const Shape& shape) {
    std::mt19937 engine(static_cast<unsigned>(shape[0] + 31 * shape[1]));
    std::vector<T> values(shape.count());
    for (T& value : values) value = static_cast<T>(static_cast<float>(engine() % 13) - 6);
    return to_gpu(values).reshape(shape);
}

/// Computed in double; NaN if either array has one.
inline double greatest_difference(const AnyArray& a, const AnyArray& b) {
    REQUIRE(a.shape() == b.shape());
    const AnyExpr left = astype(AnyExpr(a), dtype_of<double>()), right = astype(AnyExpr(b), dtype_of<double>());
    return GPUArray<double>(max(abs(left - right))).item();
}

}  // namespace gemel::testing
