/// Searching in sorted arrays, and merging them.
#pragma once

#include <gemel/algorithms/select.hpp>
#include <gemel/arrays/evaluated.hpp>
#include <gemel/arrays/gpu_array.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/stream.hpp>

#include <cstdint>

namespace gemel {

/// Where an element that is there already would go: before its equals, or behind them.
enum class Side : std::uint8_t { left, right };

struct SearchOptions {
    Stream stream = {};
    /// Elements of the sorted array that each block looks at first, in its shared memory: 0 leaves the choice to gemel,
    /// 1 is none.
    std::uint32_t pivots = 0;
};

namespace detail {
GEMEL_API GPUArray<std::int64_t> searchsorted(const char* who, const AnyArray& sorted, const AnyArray& values,
                                              Side side, const SearchOptions& options);
GEMEL_API AnyArray merge(const AnyArray& a, const AnyArray& b, const Stream& stream);
}  // namespace detail

/// For each value the place in a sorted array before which it would be put, as NumPy's: with Side::left the number of
/// elements below it, with Side::right of those not above it. NaN is greater than all else, complex numbers are
/// ordered by real part first.
/// @param sorted  one axis, ascending; this is not checked
/// @param values  any shape, in any order; both are compared in their common type
/// @returns       of the shape of `values`
/// @throws ArgumentError if `sorted` has not one axis, or for structs
/// @time one launch, enqueued
template <ArrayOperand A, ArrayOperand V>
GPUArray<std::int64_t> searchsorted(const A& sorted, const V& values, Side side = Side::left,
                                    const SearchOptions& options = {}) {
    return detail::searchsorted("searchsorted", detail::evaluated(sorted), detail::evaluated(values), side, options);
}

/// Two sorted arrays as one. Of equal elements those of `a` come first, each array's in their order.
/// @param a,b  one axis each, ascending as searchsorted() orders @time two launches, enqueued
template <ArrayOperand A, ArrayOperand B>
    requires std::same_as<detail::ElementOf<A>, detail::ElementOf<B>>
EvaluatedArray<A> merge(const A& a, const B& b, const Stream& stream = {}) {
    return EvaluatedArray<A>(detail::merge(detail::evaluated(a), detail::evaluated(b), stream));
}

}  // namespace gemel
