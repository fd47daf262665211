/// Operations on numbers of the host.
#pragma once

#include <gemel/arrays/any_expr.hpp>

#include <optional>
#include <span>
#include <string_view>

namespace gemel {

/// The value of an operation on numbers alone, as Python's: whole numbers stay whole under + - * // % & | ^ ~ << >>,
/// abs, rounding and powers. Empty for operations that are not done on the host: casts, and special functions but erf.
/// @throws ArgumentError if a whole number becomes too large, is divided by zero with // or %, or shifted by a
///         negative one
std::optional<AnyExpr::Number> fold(std::string_view operation, std::span<const AnyExpr::Number> numbers);

}  // namespace gemel
