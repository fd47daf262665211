/// The kernels of reductions of expressions.
#pragma once

#include "expression/expression_kernel.hpp"

#include <gemel/arrays/reduction_kernel.hpp>
#include <gemel/arrays/reductions.hpp>

namespace gemel {

/// The texts of a reduction of elements whose value has the text `map`. Functions that it calls are added to the
/// preamble; their names end with `at`. @param own  the elements' type
ReductionResult reduced_value(ReductionKind kind, DType own, DType result, std::string map, const std::string& at,
                              std::string& preamble);

/// @param result  the type of the result and of the computation (float for 16-bit floats)
Reduction make_reduction(ReductionKind kind, const detail::ExpressionView& expression,
                         const detail::ExpressionOperands& operands, DType result);
/// Two doubles: the sums of the elements and of their squares.
Reduction make_moments(const detail::ExpressionView& expression, const detail::ExpressionOperands& operands);

}  // namespace gemel
