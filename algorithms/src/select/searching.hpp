/// Texts of searches in sorted arrays.
#pragma once

#include <gemel/algorithms/search.hpp>
#include <gemel/arrays/elementwise_kernel.hpp>
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
    std::string arguments = {};  ///< more of them
    std::string found = "places[i] = low";
};
GEMEL_API ElementwiseKernel search_kernel(const Search& search);
/// Runs one, with `dtype`, `wide` and `pivots` filled in; `more` are the arguments behind the values.
void run_search(Search search, const AnyArray& sorted, const AnyArray& values, const SearchOptions& options,
                std::span<const CallArgument> more);
/// So many pivots fit a device and an array.
std::uint32_t pivots_for(const AnyArray& sorted, std::size_t queries, const SearchOptions& options);

}  // namespace gemel::selecting
