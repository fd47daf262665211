/// Merge sort by a comparison: the description of one call, and its execution.
#pragma once

#include "generated/kernel_cache.hpp"

#include <gemel/arrays/any_array.hpp>
#include <gemel/codegen/merge_sort.hpp>
#include <gemel/core/source.hpp>

#include <cstdint>

namespace gemel::sorting {

struct MergeSorter {
    codegen::MergeSortRequest request = {};
    CompileOptions compile = {};
    std::uint64_t id = KernelCache::new_generator();
};

/// One sort of contiguous rows into another contiguous array.
struct MergeCall {
    AnyArray from, to;
    AnyArray elements = {};  ///< `from` has the indices of these, int32 or, if positions need it, int64
    std::int64_t rows = 1, row_length = 0;
    bool descending = false;
    codegen::SortTuning tuning = {};
};
/// Whether positions among so many elements are int64.
bool has_wide_indices(std::int64_t count);
/// Enqueues the sort.
void merge_sort(const MergeSorter& sorter, const MergeCall& call);

}  // namespace gemel::sorting
