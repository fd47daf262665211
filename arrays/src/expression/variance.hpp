/// Means and variances of expressions.
#pragma once

#include "expression/reduction_launch.hpp"

#include <cstddef>

namespace gemel {

/// The sum of the elements as a type, divided by their number, as another.
AnyArray mean_of(const ExpressionView& elements, const Target& target, std::size_t count, DType result);

struct VarianceOptions {
    double ddof;
    bool root;  ///< its square root instead
    DType result;
};
/// @param elements  operations are added to it
/// @param count     how many elements become one
AnyArray variance_of(DerivedExpression& elements, const Target& target, std::size_t count,
                     const VarianceOptions& options);

}  // namespace gemel
