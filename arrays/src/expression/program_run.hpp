/// Evaluates expressions that contain reductions, and several expressions at once.
#pragma once

#include <gemel/arrays/any_expr.hpp>

#include <span>
#include <string>
#include <vector>

namespace gemel {

/// The values of all expressions, in as few passes as their shapes allow. @param out  one per expression, or null for a
/// new array; written last if other kernels still read it. @throws ArgumentError
std::vector<AnyArray> evaluate_together(std::span<const AnyExpr> expressions, std::span<const AnyArray* const> out);

/// The expression with its reductions replaced by arrays; each is evaluated by its own launch.
AnyExpr with_reductions_done(const AnyExpr& expression);

}  // namespace gemel
