/// Running sums and products of arrays and expressions, as NumPy's.
#pragma once

#include <gemel/arrays/reductions.hpp>
#include <gemel/core/export.hpp>

#include <cstdint>
#include <optional>

namespace gemel {

enum class CumulativeKind : std::uint8_t { sum, product };

/// @param result  the type of the result, in which it is also found (16-bit floats: in float)
GEMEL_API AnyArray cumulate(CumulativeKind kind, const ExpressionView& expression, DType result,
                            std::optional<WholeNumber> axis);

/// Element i is the sum of the elements 0 to i: over all elements in C order, as an array with one axis; or along an
/// axis, negative ones counted from the end, in the shape of `x`. Integers and bools are summed in 64 bits, everything
/// else in its own type, 16-bit floats in float. An expression is evaluated within, and nothing stored between.
/// @throws ArgumentError if there is no such axis
/// @time enqueued, returns at once: one launch on NVIDIA GPUs, three elsewhere. Sums of floats by one launch may differ
///       in their last digits from run to run.
template <ArrayOperand X>
GPUArray<ResultElement<TypeRule::sum, X>> cumsum(const X& x, std::optional<WholeNumber> axis = {}) {
    using T = ResultElement<TypeRule::sum, X>;
    return GPUArray<T>(cumulate(CumulativeKind::sum, detail::view_of(x), dtype_of<T>(), axis));
}
/// The same found and given in a type of one's choice, to which the elements are converted first: `cumsum<double>(x)`.
template <NumberElement T, ArrayOperand X>
GPUArray<T> cumsum(const X& x, std::optional<WholeNumber> axis = {}) {
    return GPUArray<T>(cumulate(CumulativeKind::sum, detail::view_of(astype<T>(x)), dtype_of<T>(), axis));
}
/// The same for products.
template <ArrayOperand X>
GPUArray<ResultElement<TypeRule::sum, X>> cumprod(const X& x, std::optional<WholeNumber> axis = {}) {
    using T = ResultElement<TypeRule::sum, X>;
    return GPUArray<T>(cumulate(CumulativeKind::product, detail::view_of(x), dtype_of<T>(), axis));
}
template <NumberElement T, ArrayOperand X>
GPUArray<T> cumprod(const X& x, std::optional<WholeNumber> axis = {}) {
    return GPUArray<T>(cumulate(CumulativeKind::product, detail::view_of(astype<T>(x)), dtype_of<T>(), axis));
}

// Of arrays and expressions whose type is known at run time only. @param dtype  as of sum()
GEMEL_API AnyArray cumulate(CumulativeKind kind, const AnyExpr& x, std::optional<WholeNumber> axis, DType dtype);
template <UntypedOperand X>
AnyArray cumsum(const X& x, std::optional<WholeNumber> axis = {}, DType dtype = {}) {
    return cumulate(CumulativeKind::sum, AnyExpr(x), axis, dtype);
}
template <UntypedOperand X>
AnyArray cumprod(const X& x, std::optional<WholeNumber> axis = {}, DType dtype = {}) {
    return cumulate(CumulativeKind::product, AnyExpr(x), axis, dtype);
}

}  // namespace gemel
