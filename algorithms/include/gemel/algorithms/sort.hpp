/// Sorting on the device: keys, places, keys with their values; along any axis, of any layout. Nothing is read back.
///
/// The order is NumPy's: NaN last, -0.0 and 0.0 equal, complex numbers by their real parts, then the imaginary ones.
/// Every sort is stable, descending ones too: equal elements keep their order. Results are the same every time.
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
    int axis = -1;            ///< sorted along it; negative ones count from the end
    bool descending = false;  ///< the largest first, NaN before it
    /// Written instead of a new array, and returned: of the result's shape and type, any strides. It may be what is
    /// sorted.
    AnyArray out = {};
    codegen::SortTuning tuning = {};  ///< overrides what is given here, member by member
};

// What the templates below call, for types known at run time.
GEMEL_API AnyArray sort(const AnyArray& x, const SortOptions& options = {});
GEMEL_API AnyArray argsort(const AnyArray& x, const SortOptions& options = {});
/// The keys, then the values.
GEMEL_API std::vector<AnyArray> sort_by_key(const AnyArray& keys, std::span<const AnyArray> values,
                                            const SortOptions& options = {});
GEMEL_API AnyArray lexsort(std::span<const AnyArray> keys);
GEMEL_API AnyArray sort_segments(const AnyArray& values, const AnyArray& starts, const SortOptions& options = {});

/// The elements in ascending order along one axis.
///
///     GPUArray<float> y = sort(x);
///     sort(table, {.axis = 0, .descending = true, .out = table});   // in place
///
/// @param x  an array of any layout, or an expression, which is evaluated first
/// @returns  a new array in C order, of the shape of x
/// @throws ArgumentError if there is no such axis, for elements without an order (structs: SortKernel), and if .out
///         does not fit
/// @time enqueued, returns at once. One launch for rows of up to 8192 elements of 4 bytes; above, one reading for the
///       digits and a reading and writing for each 8 bits of the key that are not the same in all keys. An axis that
///       is not the last one costs two copies.
template <ArrayOrExpression X>
EvaluatedArray<X> sort(const X& x, const SortOptions& options = {}) {
    return EvaluatedArray<X>(sort(detail::evaluated(x), options));
}
/// Where the elements of the sorted array come from: take(x, argsort(x)) is sort(x), along an axis within it.
/// @time as sort(), with the places moved beside the keys
template <ArrayOrExpression X>
GPUArray<std::int64_t> argsort(const X& x, const SortOptions& options = {}) {
    return GPUArray<std::int64_t>(argsort(detail::evaluated(x), options));
}

/// The keys in order and the values as their keys went; any number of arrays of any element types, structs included.
///
///     auto [cells, masses, places] = sort_by_key(cell, mass, place);
///     auto [keys, values] = sort_by_key({.descending = true}, k, v);
///
/// @param values  each of the shape of the keys
/// @returns       a tuple of new arrays
/// @throws ArgumentError as sort(), if a shape differs from that of the keys, or if contexts differ
/// @time as sort(), with the values moved beside the keys; those of more than 64 bytes once, by their places, at the
/// end
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

/// Places that sort by several keys: by the last one, equal ones by the one before it, and so on, as NumPy's.
/// `lexsort({given_name, surname})`
/// @param keys  one axis each, of one length
/// @throws ArgumentError if there is no key, or their shapes or contexts differ
/// @time an argsort for each key, and a gather for each but the first
inline GPUArray<std::int64_t> lexsort(std::initializer_list<AnyArray> keys) {
    return GPUArray<std::int64_t>(lexsort(std::span<const AnyArray>(keys.begin(), keys.size())));
}

/// Sorts each segment by itself: segment s has the elements from starts[s] to starts[s + 1], the last one those to the
/// end. Segments may have any lengths, none included.
/// @param values  one axis
/// @param starts  integers, ascending, the first of them 0
/// @throws ArgumentError if the arrays have other shapes or types. Starts are on the device and are not looked at: a
///         start that is too large, or not ascending, gives an order that means nothing
/// @time enqueued: one sort by the key and the segment's number, whatever the lengths
template <ArrayOrExpression X, ArrayOrExpression S>
EvaluatedArray<X> sort_segments(const X& values, const S& starts, const SortOptions& options = {}) {
    return EvaluatedArray<X>(sort_segments(detail::evaluated(values), detail::evaluated(starts), options));
}

}  // namespace gemel
