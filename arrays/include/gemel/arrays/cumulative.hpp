/// Cumulative sums, products, minima and maxima of arrays and expressions, as NumPy's.
#pragma once

#include <gemel/arrays/reductions.hpp>
#include <gemel/core/export.hpp>

#include <cstdint>
#include <optional>

namespace gemel {

namespace detail {

enum class Cumulating : std::uint8_t { sum, product, minimum, maximum };
/// @param dtype  of the result and the running sum (16-bit floats: float); NumPy's choice if empty
GEMEL_API AnyArray cumulate(Cumulating kind, const ExpressionView& x, std::optional<Integer> axis, DType dtype = {});

}  // namespace detail

/// Element i is the sum of the elements 0 to i: over all elements in C order, as an array with one axis; or along an
/// axis, negative ones counted from the end, in the shape of `x`. Integers and bools are summed in 64 bits, everything
/// else in its own type, 16-bit floats in float. An expression is evaluated in the same kernel.
/// @throws ArgumentError if the axis is out of range
/// @time enqueued, returns at once. Along the last axis one launch on NVIDIA GPUs, three elsewhere; along others one
///       launch, or more where there are few columns.
///       Sums of floats by one launch along the last axis may differ in their last
///       digits from run to run.
template <Reducible X>
detail::Reduced<detail::Reducing::sum, X> cumsum(const X& x, std::optional<Integer> axis = {}) {
    using Result = detail::Reduced<detail::Reducing::sum, X>;
    return Result(detail::cumulate(detail::Cumulating::sum, detail::view_of(x), axis));
}
/// The same in a type of your choice, to which the elements are converted first: `cumsum<double>(x)`.
template <NumberElement T, ArrayOperand X>
GPUArray<T> cumsum(const X& x, std::optional<Integer> axis = {}) {
    detail::check_conversion<T, X>();
    return GPUArray<T>(detail::cumulate(detail::Cumulating::sum, detail::view_of(x), axis, dtype_of<T>()));
}
template <UntypedOperand X>
AnyArray cumsum(const X& x, std::optional<Integer> axis, DType dtype) {
    return detail::cumulate(detail::Cumulating::sum, detail::view_of(x), axis, dtype);
}
/// Cumulative products; otherwise as cumsum().
template <Reducible X>
detail::Reduced<detail::Reducing::prod, X> cumprod(const X& x, std::optional<Integer> axis = {}) {
    using Result = detail::Reduced<detail::Reducing::prod, X>;
    return Result(detail::cumulate(detail::Cumulating::product, detail::view_of(x), axis));
}
template <NumberElement T, ArrayOperand X>
GPUArray<T> cumprod(const X& x, std::optional<Integer> axis = {}) {
    detail::check_conversion<T, X>();
    return GPUArray<T>(detail::cumulate(detail::Cumulating::product, detail::view_of(x), axis, dtype_of<T>()));
}
template <UntypedOperand X>
AnyArray cumprod(const X& x, std::optional<Integer> axis, DType dtype) {
    return detail::cumulate(detail::Cumulating::product, detail::view_of(x), axis, dtype);
}

/// Element i is the maximum of the elements 0 to i (NumPy's maximum.accumulate), in the type of `x`: over all elements
/// in C order, or along an axis. From the first NaN on all are NaN.
/// @throws ArgumentError as cumsum(), and for complex numbers @time as cumsum()
template <Reducible X>
detail::Reduced<detail::Reducing::max, X> cumulative_max(const X& x, std::optional<Integer> axis = {}) {
    detail::check_elements<detail::Reducing::max, X>();
    using Result = detail::Reduced<detail::Reducing::max, X>;
    return Result(detail::cumulate(detail::Cumulating::maximum, detail::view_of(x), axis));
}
/// Cumulative minima; otherwise as cumulative_max().
template <Reducible X>
detail::Reduced<detail::Reducing::min, X> cumulative_min(const X& x, std::optional<Integer> axis = {}) {
    detail::check_elements<detail::Reducing::min, X>();
    using Result = detail::Reduced<detail::Reducing::min, X>;
    return Result(detail::cumulate(detail::Cumulating::minimum, detail::view_of(x), axis));
}

}  // namespace gemel
