/// Several arrays joined into one.
#pragma once

#include <gemel/arrays/gpu_array.hpp>
#include <gemel/arrays/take.hpp>
#include <gemel/core/export.hpp>

#include <cstdint>
#include <initializer_list>
#include <ranges>
#include <span>
#include <vector>

namespace gemel {

// What the templates below call, for a type known at run time.
GEMEL_API AnyArray concatenate(std::span<const AnyArray> arrays, std::int64_t axis = 0);
GEMEL_API AnyArray stack(std::span<const AnyArray> arrays, std::int64_t axis = 0);

/// One after the other along an axis that they have: `concatenate({a, b, c}, 1)`, or a range of arrays.
/// @param arrays  of any layouts; their shapes differ along `axis` at most
/// @returns       a new array in C order
/// @throws ArgumentError if there are none, if shapes or contexts differ, for single values, which stack() joins, and
/// if
///         the axis is not there
/// @time one device copy per array that is contiguous, along the first axis; else one launch per array; enqueued
template <ArrayRange R>
auto concatenate(const R& arrays, std::int64_t axis = 0) {
    const std::vector<AnyArray> given(std::ranges::begin(arrays), std::ranges::end(arrays));
    return std::ranges::range_value_t<R>(concatenate(std::span<const AnyArray>(given), axis));
}
template <HasDType T>
GPUArray<T> concatenate(std::initializer_list<GPUArray<T>> arrays, std::int64_t axis = 0) {
    return concatenate(std::span(arrays.begin(), arrays.size()), axis);
}

/// Along a new axis, which comes before `axis` of the arrays; -1 makes it the last.
/// @param arrays  of one shape
/// @throws ArgumentError, @time as concatenate()
template <ArrayRange R>
auto stack(const R& arrays, std::int64_t axis = 0) {
    const std::vector<AnyArray> given(std::ranges::begin(arrays), std::ranges::end(arrays));
    return std::ranges::range_value_t<R>(stack(std::span<const AnyArray>(given), axis));
}
template <HasDType T>
GPUArray<T> stack(std::initializer_list<GPUArray<T>> arrays, std::int64_t axis = 0) {
    return stack(std::span(arrays.begin(), arrays.size()), axis);
}

}  // namespace gemel
