/// Repeating, reversing and shifting elements: NumPy's tile, repeat, roll and flip.
#pragma once

#include <gemel/arrays/evaluated.hpp>
#include <gemel/arrays/gpu_array.hpp>
#include <gemel/arrays/take.hpp>
#include <gemel/core/export.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

namespace gemel {

// Called by the templates below; the types are known at run time.
GEMEL_API AnyArray tile(const AnyArray& x, const Shape& repetitions);
GEMEL_API AnyArray repeat(const AnyArray& x, Integer times, std::optional<Integer> axis = {});
GEMEL_API AnyArray repeat(const AnyArray& x, const AnyArray& times, std::optional<Integer> axis = {});
GEMEL_API AnyArray roll(const AnyArray& x, Integer shift);
GEMEL_API AnyArray roll(const AnyArray& x, std::span<const std::int64_t> shifts, const Axes& axes);
GEMEL_API AnyArray flip(const AnyArray& x);
GEMEL_API AnyArray flip(const AnyArray& x, const Axes& axes);

/// Repeats the whole array: `tile(x, {2, 3})` twice along the first axis and three times along the second.
/// @param repetitions  one per axis, aligned at the last axis; missing axes and missing repetitions count as 1
/// @returns            a new array in C order
/// @throws ArgumentError for a negative number
/// @time one launch, enqueued
template <ArrayOrExpression X>
auto tile(const X& x, const Shape& repetitions) {
    return EvaluatedArray<X>(tile(detail::evaluated(x), repetitions));
}

/// Repeats each element a number of times in a row, along an axis or over all elements in C order.
/// @throws ArgumentError for a negative number, and if the axis is out of range
/// @time one launch, enqueued
template <ArrayOrExpression X>
auto repeat(const X& x, Integer times) {
    return EvaluatedArray<X>(repeat(detail::evaluated(x), times));
}
template <ArrayOrExpression X>
auto repeat(const X& x, Integer times, Integer axis) {
    return EvaluatedArray<X>(repeat(detail::evaluated(x), times, axis));
}
/// Repeats element k times[k] times.
/// @param times  one axis of integers: one per element, or a single one for all
/// @throws ArgumentError for negative numbers, or if `times` has another length
/// @time blocks until their sum is known; then one launch computes the indices and one moves the elements
template <ArrayOrExpression X, IndexOperand I>
auto repeat(const X& x, const I& times) {
    return EvaluatedArray<X>(repeat(detail::evaluated(x), detail::evaluated(times)));
}
template <ArrayOrExpression X, IndexOperand I>
auto repeat(const X& x, const I& times, Integer axis) {
    return EvaluatedArray<X>(repeat(detail::evaluated(x), detail::evaluated(times), axis));
}
template <ElementHolder X, NoIndexOperand I>
void repeat(const X&, const I&, auto...) = delete;  // counts are integers: astype<int>() converts

/// Shifts elements cyclically: element k moves to index k + shift modulo the extent. Without an axis all elements are
/// shifted in C order.
/// @returns a new array in C order, of the same shape
/// @throws ArgumentError if an axis is out of range, or if the numbers of shifts and axes differ
/// @time two copies per axis (four for two axes), each a device copy if its elements are contiguous; enqueued
template <ArrayOrExpression X>
auto roll(const X& x, Integer shift) {
    return EvaluatedArray<X>(roll(detail::evaluated(x), shift));
}
template <ArrayOrExpression X>
auto roll(const X& x, Integer shift, Integer axis) {
    const std::int64_t steps = shift;
    return EvaluatedArray<X>(roll(detail::evaluated(x), std::span(&steps, 1), Axes{std::int64_t{axis}}));
}
/// `roll(x, {1, -2}, {0, 1})`. An axis that is listed twice is shifted by the sum.
template <ArrayOrExpression X>
auto roll(const X& x, std::initializer_list<std::int64_t> shifts, const Axes& axes) {
    return EvaluatedArray<X>(roll(detail::evaluated(x), std::span(shifts.begin(), shifts.size()), axes));
}

/// Reverses the order along all axes, or along the given ones. @returns a view; for an expression, a view of its values
/// @throws ArgumentError if an axis is out of range or listed twice
template <ArrayOrExpression X>
auto flip(const X& x) {
    return EvaluatedArray<X>(flip(detail::evaluated(x)));
}
template <ArrayOrExpression X>
auto flip(const X& x, const Axes& axes) {
    return EvaluatedArray<X>(flip(detail::evaluated(x), axes));
}

}  // namespace gemel
