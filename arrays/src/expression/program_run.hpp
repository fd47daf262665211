/// Evaluates expressions that contain reductions, and several expressions at once.
#pragma once

#include <gemel/arrays/any_expr.hpp>
#include <gemel/arrays/expression_view.hpp>

namespace gemel {

/// Evaluates an expression that contains reductions. If the target has another shape, the value is broadcast.
/// @param operands  of the expression, collected
AnyArray evaluate_with_reductions(const detail::ExpressionView& expression, const detail::ExpressionOperands& operands,
                                  const AnyArray* out, LeadingAxes leading);

/// The expression with its reductions replaced by arrays; each is evaluated by its own launch.
AnyExpr with_reductions_done(const AnyExpr& expression);

}  // namespace gemel
