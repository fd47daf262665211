/// Expressions with reductions in them, and several expressions at once.
#pragma once

#include <gemel/arrays/any_expr.hpp>

#include <span>
#include <string>
#include <vector>

namespace gemel {

/// The values of all of them, from as few passes as their shapes allow. @param out  one per expression, or null for a
/// new array; written last where others still read it. @throws ArgumentError
std::vector<AnyArray> evaluate_together(std::span<const AnyExpr> expressions, std::span<const AnyArray* const> out);

/// The same expression with arrays in the place of its reductions, each evaluated by a launch of its own.
AnyExpr with_reductions_done(const AnyExpr& expression);

}  // namespace gemel
