/// The launches of reductions of expressions.
#pragma once

#include "expression/derived_expression.hpp"
#include "expression/reduction_texts.hpp"

#include <gemel/arrays/reductions.hpp>

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace gemel {

/// The reduced axes and the destination.
struct Target {
    const ReductionAxes& axis;
    bool keepdims;
    const AnyArray* out = nullptr;  ///< written if possible: same type, contiguous, apart from operands
};

/// As in NumPy, functions that take one axis accept the axes 0 and -1 of a single value.
bool is_single_value(const Shape& shape, const ReductionAxes& over);
inline int axis_number(const Shape& shape, int axis) { return axis < 0 ? axis + static_cast<int>(shape.rank()) : axis; }
/// @throws ArgumentError for an axis that is out of range or occurs twice
void check_axes(const Shape& shape, const std::vector<int>& axes, std::string_view who = "expression");

/// One launch of the kernel of this kind. @returns the destination, or a new array
AnyArray launch(ReductionKind kind, const detail::ExpressionView& whole, DType result, const Target& target);
/// The sums of the elements and of their squares, in one pass. @param whole  of a real type, in which the sums are
/// computed
std::array<AnyArray, 2> launch_moments(const detail::ExpressionView& whole, const Target& target);
/// What is stored of the sum in the type `computed`, in one launch. @returns the destination, or a new array
AnyArray launch_from_sum(const FromSum& from, const detail::ExpressionView& whole, DType computed,
                         const Target& target);
/// The same of the sum of squared distances from the mean, in one pass. @param whole  of double
AnyArray launch_from_squared_distances(const FromSum& from, const detail::ExpressionView& whole, const Target& target);

/// The values of an expression, into `out` if there is one.
AnyArray store(DerivedExpression& value, const AnyArray* out);
AnyArray store(const AnyArray& found, const AnyArray* out);

}  // namespace gemel
