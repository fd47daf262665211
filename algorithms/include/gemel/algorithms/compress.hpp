/// NumPy's x[mask] and nonzero: selections of exactly so many elements as there are.
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
/// Elements of any number type: where they are not zero.
inline AnyArray flatnonzero(const AnyArray& x) { return detail::flatnonzero(detail::view_of(x)); }
inline std::vector<AnyArray> nonzero(const AnyArray& x) { return detail::nonzero(detail::view_of(x)); }

/// NumPy's x[mask]: the elements where the mask holds, in C order.
///
///     GPUArray<float> large = compress(x, x > 3);
///
/// @param mask  the shape of x, or of its first axes: it then selects rows, planes and so on, as in x[rows > 0]; an
///              expression is evaluated within
/// @returns     a new array of shape (number that hold,) + x.shape[mask.rank():]
/// @throws ArgumentError if the shapes do not fit or the contexts differ
/// @time waits for the number that hold: it is copy_if(x, mask).array(). For masks of fewer axes a launch more
template <ArrayOrExpression X, Mask M>
auto compress(const X& x, const M& mask) {
    return EvaluatedArray<X>(detail::compress(detail::evaluated(x), detail::view_of(mask)));
}
/// Along one axis, by a mask of one axis. A shorter mask leaves out the elements beyond its end.
template <ArrayOrExpression X, Mask M>
auto compress(const X& x, const M& mask, Integer axis) {
    return EvaluatedArray<X>(detail::compress(detail::evaluated(x), detail::view_of(mask), axis));
}

template <ElementHolder X, NoMask M>
void compress(const X&, const M&, auto...) = delete;  // a mask is of bools: compress(x, mask != 0), or take(x, indices)

/// The indices, in C order, of what is not zero; an expression is evaluated within. @time waits for their number
template <ArrayOperand X>
GPUArray<std::int64_t> flatnonzero(const X& x) {
    return GPUArray<std::int64_t>(detail::flatnonzero(detail::view_of(x)));
}
/// The same as one array per axis. @throws ArgumentError for rank 0 @time one launch more
template <ArrayOperand X>
std::vector<GPUArray<std::int64_t>> nonzero(const X& x) {
    std::vector<GPUArray<std::int64_t>> places;
    for (AnyArray& axis : detail::nonzero(detail::view_of(x))) places.emplace_back(std::move(axis));
    return places;
}

}  // namespace gemel
