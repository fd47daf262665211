/// Radix sort: the description of one call, and its execution.
#pragma once

#include "generated/kernel_cache.hpp"

#include <gemel/arrays/any_array.hpp>
#include <gemel/codegen/sort.hpp>
#include <gemel/core/source.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gemel::sorting {

/// What is sorted by.
struct RadixSorter {
    codegen::SortRequest request;
    CompileOptions compile = {};
    std::uint64_t id = KernelCache::new_generator();
};
/// By the own order of numbers. @param dtype  a number's
const RadixSorter& plain_sorter(DType dtype);

/// Arrays that move with the keys.
struct SortedValues {
    AnyArray from, to;
};

/// One sort of contiguous rows. All arrays have the same context and rows * row_length elements; no array that is
/// written overlaps another.
struct RadixCall {
    AnyArray keys = {};
    AnyArray sorted_keys = {};  ///< an empty handle: not wanted
    std::vector<SortedValues> values = {};
    AnyArray index = {};     ///< int64, written: indices within the row; an empty handle: not wanted
    AnyArray segments = {};  ///< uint32, ascending: the elements with one number are sorted; an empty handle: rows
    std::size_t segment_count = 1;  ///< no number is as large
    std::int64_t rows = 1, row_length = 0;
    bool descending = false;
    codegen::SortTuning tuning = {};
};
/// Enqueues the sort. Any number of arrays of values, with elements of at most max_moved_bytes.
void radix_sort(const RadixSorter& sorter, const RadixCall& call);

/// Larger elements do not fit a block's tile in shared memory.
inline constexpr std::uint32_t max_moved_bytes = 64;

}  // namespace gemel::sorting
