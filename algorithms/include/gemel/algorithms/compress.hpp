/// NumPy's x[mask] and nonzero. The results have the exact size, so each call waits for the number of elements;
/// copy_if() does not wait.
#pragma once

#include <gemel/arrays/evaluated.hpp>
#include <gemel/arrays/gpu_array.hpp>
#include <gemel/arrays/mask.hpp>
#include <gemel/core/export.hpp>

#include <cstdint>
#include <vector>

namespace gemel {

namespace detail {
GEMEL_API AnyArray compress(const AnyArray& x, const ExpressionView& mask);
GEMEL_API AnyArray compress(const AnyArray& x, const ExpressionView& mask, Integer axis);
GEMEL_API AnyArray flatnonzero(const ExpressionView& x);
GEMEL_API std::vector<AnyArray> nonzero(const ExpressionView& x);
}  // namespace detail

// For types known at run time.
inline AnyArray compress(const AnyArray& x, const AnyArray& mask) { return detail::compress(x, detail::view_of(mask)); }
inline AnyArray compress(const AnyArray& x, const AnyArray& mask, Integer axis) {
    return detail::compress(x, detail::view_of(mask), axis);
}
/// For elements of any number type.
inline AnyArray flatnonzero(const AnyArray& x) { return detail::flatnonzero(detail::view_of(x)); }
inline std::vector<AnyArray> nonzero(const AnyArray& x) { return detail::nonzero(detail::view_of(x)); }

/// NumPy's x[mask]: the elements where the mask is true, in C order.
///
///     GPUArray<float> large = compress(x, x > 3);
///
/// @param mask  an array or expression of bools with the shape of x, or of its leading axes: it then selects rows,
///              planes and so on, as in x[rows > 0]. An expression is evaluated in the same kernel
/// @returns     a new array of shape (number of true elements,) + x.shape[mask.rank():]
/// @throws ArgumentError if the shapes do not match or the contexts differ
/// @time waits for the number of true elements: copy_if(x, mask).array(). One launch more for a mask of fewer axes
template <ArrayOrExpression X, Mask M>
auto compress(const X& x, const M& mask) {
    return EvaluatedArray<X>(detail::compress(detail::evaluated(x), detail::view_of(mask)));
}
/// Selects along one axis by a mask of one axis. Elements beyond the end of a shorter mask are not selected.
template <ArrayOrExpression X, Mask M>
auto compress(const X& x, const M& mask, Integer axis) {
    return EvaluatedArray<X>(detail::compress(detail::evaluated(x), detail::view_of(mask), axis));
}

template <ElementHolder X, NoMask M>
void compress(const X&, const M&, auto...) = delete;  // a mask is of bools: compress(x, mask != 0), or take(x, indices)

/// The indices in C order of the nonzero elements, shape (number,). An expression is evaluated in the same kernel.
/// @time waits for their number
template <ArrayOperand X>
GPUArray<std::int64_t> flatnonzero(const X& x) {
    return GPUArray<std::int64_t>(detail::flatnonzero(detail::view_of(x)));
}
/// The coordinates of the nonzero elements: one array of shape (number,) per axis. @throws ArgumentError for rank 0
/// @time one launch more than flatnonzero()
template <ArrayOperand X>
std::vector<GPUArray<std::int64_t>> nonzero(const X& x) {
    std::vector<GPUArray<std::int64_t>> coordinates;
    for (AnyArray& axis : detail::nonzero(detail::view_of(x))) coordinates.emplace_back(std::move(axis));
    return coordinates;
}

}  // namespace gemel
