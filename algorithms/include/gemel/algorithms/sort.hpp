/// Sorting on the device: keys, indices (argsort), keys with values; along any axis, with any strides. No function
/// waits for the device.
///
/// The order is NumPy's: NaN last, -0.0 equal to 0.0, complex numbers by their real parts, then their imaginary parts.
/// Every sort is stable, also a descending one: equal elements keep their order. Results are the same in every run.
#pragma once

#include <gemel/arrays/any_expr.hpp>
#include <gemel/arrays/evaluated.hpp>
#include <gemel/arrays/gpu_array.hpp>
#include <gemel/codegen/sort.hpp>
#include <gemel/core/export.hpp>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace gemel {

/// Options of sorts, by name: `sort(x, {.axis = 0, .descending = true})`.
struct SortOptions {
    int axis = -1;            ///< the axis to sort along; negative values count from the last axis
    bool descending = false;  ///< largest first, NaN before all
    /// The array to write the result to instead of a new one: of the result's shape and type, with any strides. It may
    /// be the input.
    AnyArray out = {};
    /// The same for sort_by_key: one array for the keys, then one for each array of values. They may be the inputs, in
    /// any order, but must not overlap each other (ArgumentError).
    std::vector<AnyArray> outs = {};
    codegen::SortTuning tuning = {};  ///< members given here override the library's choice
};

// What the templates below call, for types known at run time.
GEMEL_API AnyArray sort(const AnyArray& x, const SortOptions& options = {});
GEMEL_API AnyArray argsort(const AnyArray& x, const SortOptions& options = {});
/// @returns the sorted keys, then the values in the same order
GEMEL_API std::vector<AnyArray> sort_by_key(const AnyArray& keys, std::span<const AnyArray> values,
                                            const SortOptions& options = {});
GEMEL_API AnyArray lexsort(std::span<const AnyArray> keys, int axis = -1);
GEMEL_API AnyArray sort_segments(const AnyArray& values, const AnyArray& starts, const SortOptions& options = {});

/// The elements in ascending order along one axis.
///
///     GPUArray<float> y = sort(x);
///     sort(table, {.axis = 0, .descending = true, .out = table});   // in place
///
/// @param x  an array with any strides, or an expression, which is evaluated first
/// @returns  a new array in C order, of the shape of x; or options.out
/// @throws ArgumentError if the axis does not exist, for structs (use SortKernel), and if .out has another shape, type
///         or context
/// @time enqueued, returns at once. Rows of up to 8192 elements of 4 bytes, and one row of up to 2^20: one launch.
///       Longer rows: one pass that reads the keys to count digits, then one that reads and writes them for each 8
///       bits of the key, except for bits that are equal in all keys. Sorting along an axis other than the last adds
///       two copies.
/// @source Adinets and Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs" (2022)
template <ArrayOrExpression X>
EvaluatedArray<X> sort(const X& x, const SortOptions& options = {}) {
    return EvaluatedArray<X>(sort(detail::evaluated(x), options));
}
/// The indices that sort x along an axis: for one axis, take(x, argsort(x)) equals sort(x).
/// @returns of the shape of x; of shape (1,) for rank 0, as NumPy
/// @throws ArgumentError as sort() @time as sort(), which moves an index with each key
template <ArrayOrExpression X>
GPUArray<std::int64_t> argsort(const X& x, const SortOptions& options = {}) {
    return GPUArray<std::int64_t>(argsort(detail::evaluated(x), options));
}

/// The keys in ascending order and the values permuted with them: any number of arrays, of any element types including
/// structs.
///
///     auto [cells, masses, positions] = sort_by_key(cell, mass, position);
///     auto [keys, values] = sort_by_key({.descending = true}, k, v);
///     sort_by_key({.outs = {k, v}}, k, v);   // in place
///
/// @param values  each of the shape of the keys
/// @returns       a tuple of new arrays, or options.outs: keys, then values
/// @throws ArgumentError as sort(); if a shape or context differs from that of the keys; if .out is given, or .outs
/// does
///         not have an array for each result
/// @time as sort(), which moves the values with the keys in every pass. Values of more than 64 bytes are moved once, by
///       a gather at the end
template <ArrayOrExpression K, ArrayOrExpression... V>
std::tuple<EvaluatedArray<K>, EvaluatedArray<V>...> sort_by_key(const SortOptions& options, const K& keys,
                                                                const V&... values) {
    const std::array<AnyArray, sizeof...(V)> packed{detail::evaluated(values)...};
    std::vector<AnyArray> sorted = sort_by_key(detail::evaluated(keys), std::span<const AnyArray>(packed), options);
    return [&]<std::size_t... k>(std::index_sequence<k...>) {
        return std::tuple<EvaluatedArray<K>, EvaluatedArray<V>...>(EvaluatedArray<K>(std::move(sorted[0])),
                                                                   EvaluatedArray<V>(std::move(sorted[k + 1]))...);
    }(std::index_sequence_for<V...>());
}
template <ArrayOrExpression K, ArrayOrExpression... V>
std::tuple<EvaluatedArray<K>, EvaluatedArray<V>...> sort_by_key(const K& keys, const V&... values) {
    return sort_by_key(SortOptions{}, keys, values...);
}

/// The indices that sort by several keys, as NumPy's lexsort: the last key is the primary one, ties are broken by the
/// key before it, and so on. `lexsort({given_name, surname})`
/// @param keys  of equal shape, with at least one axis
/// @returns the indices along the axis, of the shape of the keys
/// @throws ArgumentError if there is no key or no such axis, or the keys' shapes or contexts differ
/// @time one argsort per key, and one gather per key but the first
inline GPUArray<std::int64_t> lexsort(std::initializer_list<AnyArray> keys, int axis = -1) {
    return GPUArray<std::int64_t>(lexsort(std::span<const AnyArray>(keys.begin(), keys.size()), axis));
}

/// Sorts each segment separately: segment s has the elements starts[s] to starts[s + 1] - 1, the last one those to the
/// end. A segment may be empty.
/// @param values  one axis
/// @param starts  one axis of integers, ascending, starting at 0; one per segment. They are not checked, because that
///                would wait for the device: starts that are out of range or not ascending give an unspecified order
/// @returns       of the shape of values
/// @throws ArgumentError if the arrays have more than one axis, starts are not integers, or contexts differ
/// @time enqueued: one sort by key and segment number, independent of the segments' lengths
template <ArrayOrExpression X, ArrayOrExpression S>
EvaluatedArray<X> sort_segments(const X& values, const S& starts, const SortOptions& options = {}) {
    return EvaluatedArray<X>(sort_segments(detail::evaluated(values), detail::evaluated(starts), options));
}

}  // namespace gemel
