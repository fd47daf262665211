/// Texts of searches in sorted arrays.
#pragma once

#include <gemel/algorithms/search.hpp>
#include <gemel/arrays/elementwise_kernel.hpp>
#include <gemel/codegen/promotion.hpp>
#include <gemel/core/export.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace gemel::selecting {

/// `is_less(a, b)` for values of a type, under a name for the type that the text declares: NaN last.
std::string order_text(DType dtype);

/// A search for each element of `values` in `sorted`, an array of one axis without gaps.
struct Search {
    DType dtype;
    Side side = Side::left;
    bool wide = false;           ///< `sorted` is longer than 32 bits can count
    std::uint32_t pivots = 1;    ///< of a block in shared memory; 1: none
    bool tree = false;           ///< goes down a tree, whose top has at most `pivots` entries
    std::string arguments = {};  ///< more of them
    std::string found = "places[i] = low";
};
GEMEL_API ElementwiseKernel search_kernel(const Search& search);

/// A search tree over a sorted array of `count` elements, so that a search fetches one sector of 32 bytes a level.
/// Entry k of level s is element (k + 1) * 2^s - 1, or the last element where there is none: 2^s elements end there.
/// Levels lie one behind the other, the top first, each filled up to a whole sector. Entries of a sector: `fanout()`.
struct SearchTree {
    std::int64_t count = 0;
    DType dtype;
    std::uint32_t max_top = 1024;

    /// Elements of 4 and 8 bytes; others have none.
    static bool has(DType dtype) {
        return is_number(dtype) && dtype.kind() != DType::Kind::complex && dtype.size_bytes() >= 4;
    }
    std::int64_t fanout() const { return 32 / static_cast<std::int64_t>(dtype.size_bytes()); }
    int bits() const { return fanout() == 8 ? 3 : 2; }
    /// The level of the top.
    int top() const;
    /// Of all levels.
    std::int64_t entries() const;
};
/// Fills a tree: arguments `const T *sorted, int64_t count, int top, T *tree`, one thread an entry.
GEMEL_API ElementwiseKernel search_tree_kernel(DType dtype);
/// Runs one, with `dtype`, `wide` and `pivots` filled in; `more` are the arguments behind the values.
void run_search(Search search, const AnyArray& sorted, const AnyArray& values, const SearchOptions& options,
                std::span<const CallArgument> more);
/// So many pivots fit a device and an array.
std::uint32_t pivots_for(const AnyArray& sorted, std::size_t queries, const SearchOptions& options);

}  // namespace gemel::selecting
