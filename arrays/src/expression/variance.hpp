/// Means and variances of expressions.
#pragma once

#include "expression/reduction_launch.hpp"

#include <cstddef>

namespace gemel {

/// The sum of the elements in one type, divided by their number, as another type.
AnyArray mean_of(const detail::ExpressionView& elements, const Target& target, std::size_t count, DType result);

struct VarianceOptions {
    double ddof;
    bool root;  ///< the standard deviation instead
    DType result;
};
/// @param elements  operations are appended to it
/// @param count     elements per result
AnyArray variance_of(DerivedExpression& elements, const Target& target, std::size_t count,
                     const VarianceOptions& options);

}  // namespace gemel
