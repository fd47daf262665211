/// Expressions that are too large for one kernel.
#pragma once

#include <gemel/arrays/any_expr.hpp>

namespace gemel {

/// The expression with as many parts evaluated as necessary for one kernel to do the rest.
AnyExpr split(const AnyExpr& expression);

}  // namespace gemel
