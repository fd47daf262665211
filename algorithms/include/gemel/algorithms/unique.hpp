/// Arrays as sets: distinct values, unions, intersections and differences, by sorting.
#pragma once

#include <gemel/algorithms/select.hpp>
#include <gemel/arrays/evaluated.hpp>
#include <gemel/arrays/gpu_array.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/stream.hpp>

#include <cstdint>

namespace gemel {

/// What unique() returns besides the values.
struct UniqueOptions {
    bool index = false;    ///< the index in C order of each value's first occurrence
    bool inverse = false;  ///< for each element of x the index of its value: take(u.values, u.inverse) equals x
    bool counts = false;   ///< how often each value occurs
    Stream stream = {};
};

struct AnyUnique {
    AnyArray values;                                ///< ascending
    GPUArray<std::int64_t> index, inverse, counts;  ///< empty handles unless requested
};
template <ElementType T>
struct Unique {
    GPUArray<T> values;
    GPUArray<std::int64_t> index, inverse, counts;
};

namespace detail {
GEMEL_API AnyUnique unique(const AnyArray& x, const UniqueOptions& options);
GEMEL_API AnySelection unique_values(const char* who, const AnyArray& x, const Stream& stream);
GEMEL_API GPUArray<bool> isin(const AnyArray& x, const AnyArray& among, bool invert);
GEMEL_API AnySelection union1d(const AnyArray& a, const AnyArray& b);
/// The values of a that are in b (is_common), or that are not.
GEMEL_API AnySelection common_or_not(const char* who, const AnyArray& a, const AnyArray& b, bool is_common);
}  // namespace detail

/// The distinct values of x in ascending order, as NumPy's unique; all NaN count as one value.
///
///     Unique<int> groups = unique(ids, {.inverse = true, .counts = true});
///
/// @returns values, index and counts of shape (distinct values,); inverse of the shape of x
/// @throws ArgumentError for structs @time a sort and one launch (three where copy_if() takes three), then a wait for
///         the number of values
template <ArrayOrExpression X>
Unique<detail::ElementOf<X>> unique(const X& x, const UniqueOptions& options = {}) {
    AnyUnique u = detail::unique(detail::evaluated(x), options);
    return {GPUArray<detail::ElementOf<X>>(u.values), u.index, u.inverse, u.counts};
}
template <UntypedOperand X>
AnyUnique unique(const X& x, const UniqueOptions& options = {}) {
    return detail::unique(detail::array_of(x), options);
}
/// The distinct values as a Selection, whose count stays on the device. @time as unique(), enqueued
template <ArrayOrExpression X>
Selection<detail::ElementOf<X>> unique_values(const X& x, const Stream& stream = {}) {
    return detail::typed<detail::ElementOf<X>>(detail::unique_values("unique_values", detail::evaluated(x), stream));
}
template <UntypedOperand X>
AnySelection unique_values(const X& x, const Stream& stream = {}) {
    return detail::unique_values("unique_values", detail::array_of(x), stream);
}

/// Whether each element of x occurs in `among`; always false for NaN. @param invert  negates the result
/// @returns of the shape of x @time a sort of `among` and one launch of binary searches, enqueued
template <ArrayOperand X, ArrayOperand A>
GPUArray<bool> isin(const X& x, const A& among, bool invert = false) {
    return detail::isin(detail::evaluated(x), detail::evaluated(among), invert);
}
template <class X, class A>
    requires UntypedHolders<X, A>
GPUArray<bool> isin(const X& x, const A& among, bool invert = false) {
    return detail::isin(detail::array_of(x), detail::array_of(among), invert);
}
/// The distinct values of a and b together, ascending. @time enqueued: a copy, a sort and a scan
template <ArrayOperand A, ArrayOperand B>
Selection<CommonElement<A, B>> union1d(const A& a, const B& b) {
    return detail::typed<CommonElement<A, B>>(detail::union1d(detail::evaluated(a), detail::evaluated(b)));
}
template <class A, class B>
    requires UntypedHolders<A, B>
AnySelection union1d(const A& a, const B& b) {
    return detail::union1d(detail::array_of(a), detail::array_of(b));
}
/// The distinct values that are in both a and b, ascending. @time enqueued: two sorts, two scans and a search
template <ArrayOperand A, ArrayOperand B>
Selection<CommonElement<A, B>> intersect1d(const A& a, const B& b) {
    return detail::typed<CommonElement<A, B>>(
        detail::common_or_not("intersect1d", detail::evaluated(a), detail::evaluated(b), true));
}
template <class A, class B>
    requires UntypedHolders<A, B>
AnySelection intersect1d(const A& a, const B& b) {
    return detail::common_or_not("intersect1d", detail::array_of(a), detail::array_of(b), true);
}
/// The distinct values of a that are not in b, ascending, in the type of a. @time as intersect1d()
template <ArrayOperand A, ArrayOperand B>
Selection<detail::ElementOf<A>> setdiff1d(const A& a, const B& b) {
    return detail::typed<detail::ElementOf<A>>(
        detail::common_or_not("setdiff1d", detail::evaluated(a), detail::evaluated(b), false));
}
template <class A, class B>
    requires UntypedHolders<A, B>
AnySelection setdiff1d(const A& a, const B& b) {
    return detail::common_or_not("setdiff1d", detail::array_of(a), detail::array_of(b), false);
}

}  // namespace gemel
