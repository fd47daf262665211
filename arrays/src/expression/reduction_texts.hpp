/// The kernels of reductions of expressions.
#pragma once

#include "expression/expression_kernel.hpp"

#include <gemel/arrays/reduction_kernel.hpp>
#include <gemel/arrays/reductions.hpp>

namespace gemel {

/// @param result  the type of the result, in which it is also found (16-bit floats: in float)
Reduction make_reduction(ReductionKind kind, const ExpressionView& expression, const ExpressionOperands& operands,
                         DType result);
/// To two doubles: the sums of the elements and of their squares.
Reduction make_moments(const ExpressionView& expression, const ExpressionOperands& operands);

}  // namespace gemel
