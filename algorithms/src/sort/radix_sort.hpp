/// Sorts by digits: what one call is, and how it is done.
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

/// One sort of rows that follow each other. All arrays are contiguous, have one context and rows * row_length elements;
/// none of those that are written overlaps another.
struct RadixCall {
    AnyArray keys = {};
    AnyArray sorted_keys = {};  ///< an empty handle: not wanted
    std::vector<SortedValues> values = {};
    AnyArray index = {};     ///< int64, written: places within the row; an empty handle: not wanted
    AnyArray segments = {};  ///< uint32, ascending: the elements with one number are sorted; an empty handle: rows
    std::size_t segment_count = 1;  ///< no number is as large
    std::int64_t rows = 1, row_length = 0;
    bool descending = false;
    codegen::SortTuning tuning = {};
};
/// Enqueues it. Any number of values, each of at most max_moved_bytes.
void radix_sort(const RadixSorter& sorter, const RadixCall& call);

/// Elements of more bytes do not fit into the tiles of a block.
inline constexpr std::uint32_t max_moved_bytes = 64;

}  // namespace gemel::sorting
