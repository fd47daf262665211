/// Arrays as sets: what is in them, each once, by sorting.
#pragma once

#include <gemel/algorithms/select.hpp>
#include <gemel/arrays/evaluated.hpp>
#include <gemel/arrays/gpu_array.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/stream.hpp>

#include <cstdint>

namespace gemel {

/// What unique() is to find besides the values.
struct UniqueOptions {
    bool index = false;    ///< where each value occurs first
    bool inverse = false;  ///< which of the values each element is: take(u.values, u.inverse) is x
    bool counts = false;   ///< how often each occurs
    Stream stream = {};
};

struct AnyUnique {
    AnyArray values;                                ///< ascending
    GPUArray<std::int64_t> index, inverse, counts;  ///< empty handles where they were not asked for
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
/// Those of a that are in b, or that are not.
GEMEL_API AnySelection common_or_not(const char* who, const AnyArray& a, const AnyArray& b, bool is_common);
}  // namespace detail

/// NumPy's: the values that occur, ascending, each once; all NaN count as one.
///
///     Unique<int> groups = unique(ids, {.inverse = true, .counts = true});
///
/// @returns arrays of exactly so many elements; `inverse` has the shape of x
/// @throws ArgumentError for structs @time a sort, one launch or three as copy_if(); then waits for the number
template <ArrayOrExpression X>
Unique<detail::ElementOf<X>> unique(const X& x, const UniqueOptions& options = {}) {
    AnyUnique u = detail::unique(detail::evaluated(x), options);
    return {GPUArray<detail::ElementOf<X>>(u.values), u.index, u.inverse, u.counts};
}
template <UntypedOperand X>
AnyUnique unique(const X& x, const UniqueOptions& options = {}) {
    return detail::unique(detail::array_of(x), options);
}
/// The values alone, with their number on the device: nothing waits.
template <ArrayOrExpression X>
Selection<detail::ElementOf<X>> unique_values(const X& x, const Stream& stream = {}) {
    return detail::typed<detail::ElementOf<X>>(detail::unique_values("unique_values", detail::evaluated(x), stream));
}

/// For each element of x whether it is among others; NaN never is. @param invert  whether it is not, instead
/// @time a sort of `among` and a search for each element, enqueued
template <ArrayOperand X, ArrayOperand A>
GPUArray<bool> isin(const X& x, const A& among, bool invert = false) {
    return detail::isin(detail::evaluated(x), detail::evaluated(among), invert);
}
/// The values that are in a or b, ascending, each once. Nothing waits. @time a copy, a sort, a scan
template <ArrayOperand A, ArrayOperand B>
Selection<CommonElement<A, B>> union1d(const A& a, const B& b) {
    return detail::typed<CommonElement<A, B>>(detail::union1d(detail::evaluated(a), detail::evaluated(b)));
}
/// The values that are in both, ascending, each once. Nothing waits. @time two sorts, two scans, a search
template <ArrayOperand A, ArrayOperand B>
Selection<CommonElement<A, B>> intersect1d(const A& a, const B& b) {
    return detail::typed<CommonElement<A, B>>(
        detail::common_or_not("intersect1d", detail::evaluated(a), detail::evaluated(b), true));
}
/// The values of a that are not in b, ascending, each once. Nothing waits. @time as intersect1d()
template <ArrayOperand A, ArrayOperand B>
Selection<CommonElement<A, B>> setdiff1d(const A& a, const B& b) {
    return detail::typed<CommonElement<A, B>>(
        detail::common_or_not("setdiff1d", detail::evaluated(a), detail::evaluated(b), false));
}

}  // namespace gemel
