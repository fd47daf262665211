/// Means, variances, norms and argument reductions by row programs: one launch instead of several.
#pragma once

#include "expression/reduction_launch.hpp"

#include <gemel/arrays/reductions.hpp>

#include <cstddef>

namespace gemel {

/// Fewer elements take less time than launches and the host's work.
constexpr std::size_t few_elements = 1 << 22;

/// Whether there are so few elements that one launch instead of several decides. @param count  elements per result
bool are_few_for_rows(const detail::ExpressionView& elements, const ReductionAxes& over, std::size_t count);
/// Whether there are few elements in long columns, which the kernel of argument reductions reads by few threads.
bool are_few_columns(const detail::ExpressionView& elements, const ReductionAxes& over, std::size_t count);
/// Whether there are few elements, or runs so short that a row program keeps their elements between the two loops of a
/// variance. Limits measured on an H200, against sums in double in one pass.
bool is_for_rows(const detail::ExpressionView& elements, const ReductionAxes& over, std::size_t count);

struct RowReduction {
    detail::Reducing function;  ///< mean, var, stddev, norm, argmin or argmax
    std::size_t count;          ///< elements per result, above ddof
    double ddof = 0;
    DType result;
};
AnyArray in_rows(const RowReduction& reduction, const detail::ExpressionView& elements, const Target& target);

}  // namespace gemel
