/// Source text of searches in sorted arrays.
#pragma once

#include <gemel/algorithms/search.hpp>
#include <gemel/arrays/elementwise_kernel.hpp>
#include <gemel/codegen/promotion.hpp>
#include <gemel/core/export.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace gemel::selecting {

/// The function `is_less(a, b)` for a type, under a type name that the text declares; NaN comes last.
std::string order_text(DType dtype);

/// A search for each element of `values` in `sorted`, a contiguous array of one axis.
struct Search {
    DType dtype;
    Side side = Side::left;
    bool wide = false;           ///< `sorted` is too long for 32-bit indices
    std::uint32_t pivots = 1;    ///< pivots that a block loads into shared memory; 1: none
    bool tree = false;           ///< searches in a tree, whose top has at most `pivots` entries
    std::string arguments = {};  ///< additional arguments
    std::string found = "indices[i] = low";
};
GEMEL_API ElementwiseKernel search_kernel(const Search& search);

/// A search tree over a sorted array of `count` elements: a search reads one sector of 32 bytes per level. Entry k of
/// level s is element (k + 1) * 2^s - 1, or the last element if there are fewer: the last of its 2^s elements. The
/// levels are stored one after the other, the top first, each padded to a whole sector. A sector has `fanout()`
/// entries.
struct SearchTree {
    std::int64_t count = 0;
    DType dtype;
    std::uint32_t max_top = 1024;

    /// Only elements of 4 and 8 bytes have trees.
    static bool has(DType dtype) {
        return codegen::is_number(dtype) && dtype.kind() != DType::Kind::complex && dtype.size_bytes() >= 4;
    }
    std::int64_t fanout() const { return 32 / static_cast<std::int64_t>(dtype.size_bytes()); }
    int bits() const { return fanout() == 8 ? 3 : 2; }
    /// The level of the top.
    int top() const;
    /// The number of entries of all levels.
    std::int64_t entries() const;
};
/// Fills a tree: arguments `const T *sorted, int64_t count, int top, T *tree`, one thread per entry.
GEMEL_API ElementwiseKernel search_tree_kernel(DType dtype);
/// Runs a search after setting `dtype`, `wide` and `pivots`; `more` are the arguments after the values.
void run_search(Search search, const AnyArray& sorted, const AnyArray& values, const SearchOptions& options,
                std::span<const CallArgument> more);
/// The number of pivots for a device and an array.
std::uint32_t pivots_for(const AnyArray& sorted, std::size_t queries, const SearchOptions& options);

}  // namespace gemel::selecting
