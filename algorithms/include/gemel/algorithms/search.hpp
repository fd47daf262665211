/// Searching in sorted arrays, and merging them.
#pragma once

#include <gemel/algorithms/select.hpp>
#include <gemel/arrays/evaluated.hpp>
#include <gemel/arrays/gpu_array.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/stream.hpp>

#include <cstdint>

namespace gemel {

/// Whether a value is inserted before (left) or after (right) equal elements.
enum class Side : std::uint8_t { left, right };

/// Whether searchsorted() first builds a search tree, in one pass. A tree saves memory accesses in each search and
/// needs temporary memory of 1/7 of the sorted array (8-byte elements: 1/3). `automatic` builds it on GPUs for at least
/// 2^20 sorted elements and 2^17 values, if there is at least one value per 16 sorted elements (8-byte elements: per
/// 8). Only elements of 4 and 8 bytes have trees.
enum class SearchTreeUse : std::uint8_t { automatic, always, never };

struct SearchOptions {
    Stream stream = {};
    /// The number of sorted elements that each block caches in shared memory for the first steps of its searches. 0:
    /// gemel chooses; 1: no cache.
    std::uint32_t pivots = 0;
    SearchTreeUse tree = SearchTreeUse::automatic;
};

namespace detail {
GEMEL_API GPUArray<std::int64_t> searchsorted(const char* who, const AnyArray& sorted, const AnyArray& values,
                                              Side side, const SearchOptions& options);
GEMEL_API AnyArray merge(const AnyArray& a, const AnyArray& b, const Stream& stream);
}  // namespace detail

/// For each value, the index at which to insert it into a sorted array, like NumPy's searchsorted: the number of
/// elements less than the value (Side::left), or less than or equal to it (Side::right). NaN is greater than all
/// numbers; complex numbers are compared by real part, then by imaginary part.
/// @param sorted  one axis, ascending (not checked)
/// @param values  any shape, in any order; compared with `sorted` in their common type
/// @returns       of the shape of `values`
/// @throws ArgumentError if `sorted` does not have exactly one axis, if contexts differ, or for structs
/// @time one launch, enqueued; two with a tree
template <ArrayOperand A, ArrayOperand V>
GPUArray<std::int64_t> searchsorted(const A& sorted, const V& values, Side side = Side::left,
                                    const SearchOptions& options = {}) {
    return detail::searchsorted("searchsorted", detail::evaluated(sorted), detail::evaluated(values), side, options);
}
template <class A, class V>
    requires UntypedHolders<A, V>
GPUArray<std::int64_t> searchsorted(const A& sorted, const V& values, Side side = Side::left,
                                    const SearchOptions& options = {}) {
    return detail::searchsorted("searchsorted", detail::array_of(sorted), detail::array_of(values), side, options);
}

/// Merges two sorted arrays into one. The merge is stable: equal elements of `a` precede those of `b`.
/// @param a,b  shapes (n,) and (m,), ascending in searchsorted()'s order (not checked)
/// @returns    shape (n + m,)
/// @throws ArgumentError as searchsorted(), and if untyped arrays have different types @time two launches, enqueued
template <ArrayOperand A, ArrayOperand B>
    requires std::same_as<detail::ElementOf<A>, detail::ElementOf<B>>
EvaluatedArray<A> merge(const A& a, const B& b, const Stream& stream = {}) {
    return EvaluatedArray<A>(detail::merge(detail::evaluated(a), detail::evaluated(b), stream));
}
template <class A, class B>
    requires UntypedHolders<A, B>
AnyArray merge(const A& a, const B& b, const Stream& stream = {}) {
    return detail::merge(detail::array_of(a), detail::array_of(b), stream);
}

}  // namespace gemel
