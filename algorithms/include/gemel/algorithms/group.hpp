/// Grouping: what belongs to equal keys, to bins, to segments.
#pragma once

#include <gemel/algorithms/select.hpp>
#include <gemel/arrays/evaluated.hpp>
#include <gemel/arrays/gpu_array.hpp>
#include <gemel/codegen/tuning.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/stream.hpp>

#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace gemel {

/// How the values of one key are combined.
struct ReduceBy {
    std::string reduce_expr = {};  ///< of `a` and `b`, in C, associative; their sum if left out
    std::string neutral = {};      ///< its identity, for segments without elements: "0" of the sum
    std::string equal_expr = {};   ///< when two neighbouring keys are equal, of `a` and `b`; `a == b` if left out
    bool deterministic = false;    ///< the same bits every time also for sums of floats
    Stream stream = {};
    codegen::ScanTuning tuning = {};
};

/// A key for each run of equal ones, and what its values came to.
struct AnyByKey {
    AnyArray all_keys, all_values;                                               ///< with room for all
    GPUArray<std::int64_t> count;                                                ///< of groups, rank 0
    AnyArray keys() const { return AnySelection{all_keys, count}.array(); }      ///< @time waits
    AnyArray values() const { return AnySelection{all_values, count}.array(); }  ///< @time waits
};
template <ElementType K, ElementType V>
struct ByKey {
    GPUArray<K> all_keys;
    GPUArray<V> all_values;
    GPUArray<std::int64_t> count;
    GPUArray<K> keys() const { return GPUArray<K>(AnySelection{all_keys, count}.array()); }
    GPUArray<V> values() const { return GPUArray<V>(AnySelection{all_values, count}.array()); }
};

struct ScanBy {
    std::string scan_expr = {};   ///< of `a` and `b`, in C, associative; their sum if left out
    std::string neutral = {};     ///< its identity, for exclusive scans: "0" of the sum
    bool exclusive = false;       ///< element i is not in its own result
    std::string equal_expr = {};  ///< as in ReduceBy
    bool deterministic = false;
    Stream stream = {};
    codegen::ScanTuning tuning = {};
};

/// How elements are counted into bins.
enum class BinStrategy : std::uint32_t {
    automatic,
    shared,  ///< each block counts in shared memory, then adds to the result; up to some 12000 bins
    global,  ///< into the result itself; bins that occur often are counted in shared memory first
    chunks,  ///< one histogram for each thread that runs on a CPU; no atomics, the same bits every time
};

struct BincountOptions {
    std::int64_t minlength = 0;
    /// Exactly so many bins: nothing is read back, and other numbers are left out. Else the largest number is looked
    /// for first, and the call waits for it.
    std::optional<std::int64_t> length = {};
    bool deterministic = false;  ///< weights: the same bits every time, by sorting
    BinStrategy strategy = BinStrategy::automatic;
    Stream stream = {};
};

struct HistogramOptions {
    BinStrategy strategy = BinStrategy::automatic;
    Stream stream = {};
};

/// Counts, and the edges of the bins, of which there is one more.
template <ElementType E>
struct Histogram {
    GPUArray<std::int64_t> counts;
    GPUArray<E> edges;
};
template <ElementType E>
struct Histogram2d {
    GPUArray<std::int64_t> counts;  ///< shape (bins of x, bins of y)
    GPUArray<E> x_edges, y_edges;
};
struct AnyHistogram {
    GPUArray<std::int64_t> counts;
    AnyArray edges;
};

/// The type of edges: of floats their own, of 16-bit floats float, of integers and bools double.
template <NumberElement T>
using EdgeOf = std::conditional_t<std::is_same_v<T, half> || std::is_same_v<T, bfloat16>, float,
                                  std::conditional_t<std::is_floating_point_v<T>, T, double>>;

namespace detail {

GEMEL_API AnyByKey reduce_by_key(const AnyArray& keys, const AnyArray& values, const ReduceBy& by);
GEMEL_API AnyArray scan_by_key(const AnyArray& keys, const AnyArray& values, const ScanBy& by);
GEMEL_API AnyArray segment_reduce(const AnyArray& values, const AnyArray& starts, const ReduceBy& by);
GEMEL_API GPUArray<std::int64_t> bincount(const AnyArray& x, const BincountOptions& options);
GEMEL_API GPUArray<double> bincount(const AnyArray& x, const AnyArray& weights, const BincountOptions& options);

/// The edges of one axis: given, or evenly between two numbers, or between the least and the greatest element.
struct Bins {
    std::int64_t count = 0;
    std::optional<std::array<double, 2>> range = {};
    AnyArray edges = {};
};
/// @returns the edges in `dtype` on the device. @throws ArgumentError
GEMEL_API AnyArray bin_edges(const char* who, const AnyArray& x, DType dtype, const Bins& bins, const Stream& stream);
GEMEL_API GPUArray<std::int64_t> histogram(const AnyArray& x, const AnyArray& edges, bool even,
                                           const HistogramOptions& options);
GEMEL_API GPUArray<std::int64_t> histogram2d(const AnyArray& x, const AnyArray& y, const AnyArray& x_edges,
                                             const AnyArray& y_edges, std::array<bool, 2> even,
                                             const HistogramOptions& options);
GEMEL_API GPUArray<std::int64_t> digitize(const AnyArray& x, const AnyArray& edges, bool right);

template <class E, class X>
Histogram<E> histogram(const X& x, const Bins& bins, const HistogramOptions& options) {
    const AnyArray elements = evaluated(x);
    const AnyArray edges = bin_edges("histogram", elements, dtype_of<E>(), bins, options.stream);
    return {histogram(elements, edges, bins.edges.empty(), options), GPUArray<E>(edges)};
}
template <class E>
Histogram2d<E> histogram2d(const AnyArray& x, const AnyArray& y, const Bins& x_bins, const Bins& y_bins,
                           const HistogramOptions& options) {
    const AnyArray x_edges = bin_edges("histogram2d", x, dtype_of<E>(), x_bins, options.stream);
    const AnyArray y_edges = bin_edges("histogram2d", y, dtype_of<E>(), y_bins, options.stream);
    return {histogram2d(x, y, x_edges, y_edges, {x_bins.edges.empty(), y_bins.edges.empty()}, options),
            GPUArray<E>(x_edges), GPUArray<E>(y_edges)};
}

}  // namespace detail

/// One element for each run of equal keys: the key, and its values combined in their order.
///
///     auto [ids, x] = sort_by_key(id, value);
///     ByKey<int, float> largest = reduce_by_key(ids, x, {.reduce_expr = "fmax(a, b)", .neutral = "-INFINITY"});
///
/// Values are combined in their own type (16-bit floats in float).
/// @throws ArgumentError if there are not as many values as keys
/// @time enqueued: one launch where blocks see each other's writes, three elsewhere. Sums of floats by one launch may
///       differ in their last digits from run to run, unless `.deterministic`
template <ArrayOrExpression K, ArrayOrExpression V>
auto reduce_by_key(const K& keys, const V& values, const ReduceBy& by = {}) {
    const AnyByKey groups = detail::reduce_by_key(detail::evaluated(keys), detail::evaluated(values), by);
    return ByKey<detail::ElementOf<K>, detail::ElementOf<V>>{GPUArray<detail::ElementOf<K>>(groups.all_keys),
                                                             GPUArray<detail::ElementOf<V>>(groups.all_values),
                                                             groups.count};
}
/// The running result within each run of equal keys.
template <ArrayOrExpression K, ArrayOrExpression V>
EvaluatedArray<V> scan_by_key(const K& keys, const V& values, const ScanBy& by = {}) {
    return EvaluatedArray<V>(detail::scan_by_key(detail::evaluated(keys), detail::evaluated(values), by));
}
/// One element for each segment: segment k has the values starts[k], ..., starts[k + 1] - 1. Segments without values
/// give the neutral element.
/// @param starts  int32 or int64, not descending, one more than there are segments; read on the device and not checked
/// @time enqueued: on a CPU device one launch, elsewhere three and a scan, whatever the lengths are
template <ArrayOrExpression V, std::integral S>
EvaluatedArray<V> segment_reduce(const V& values, const GPUArray<S>& starts, const ReduceBy& by = {}) {
    return EvaluatedArray<V>(detail::segment_reduce(detail::evaluated(values), starts, by));
}

/// How often each number from 0 occurs, as NumPy's. @param x  integers or bools, one axis
/// @throws ArgumentError for negative numbers, unless `.length` is given
/// @time waits for the largest number, unless `.length` is given; then one launch, two on CPU devices
template <ArrayOperand X>
    requires std::integral<detail::ElementOf<X>>
GPUArray<std::int64_t> bincount(const X& x, const BincountOptions& options = {}) {
    return detail::bincount(detail::evaluated(x), options);
}
/// Sums of weights for each number, in double. They may differ in their last digits from run to run on a GPU, unless
/// `.deterministic`, which sorts.
template <ArrayOperand X, ArrayOperand W>
    requires std::integral<detail::ElementOf<X>>
GPUArray<double> bincount(const X& x, const W& weights, const BincountOptions& options = {}) {
    return detail::bincount(detail::evaluated(x), detail::evaluated(weights), options);
}

/// NumPy's: how many elements lie in each of `bins` equal parts from `low` to `high`. The last one has its upper edge;
/// NaN and what lies outside is in none. @throws ArgumentError if there are no bins, or low < high does not hold
/// @time enqueued: one launch, two on CPU devices
template <ArrayOperand X>
Histogram<EdgeOf<detail::ElementOf<X>>> histogram(const X& x, std::int64_t bins, double low, double high,
                                                  const HistogramOptions& options = {}) {
    return detail::histogram<EdgeOf<detail::ElementOf<X>>>(x, {bins, std::array{low, high}}, options);
}
/// Between the least and the greatest element, which are found first; nothing is read back.
template <ArrayOperand X>
Histogram<EdgeOf<detail::ElementOf<X>>> histogram(const X& x, std::int64_t bins = 10,
                                                  const HistogramOptions& options = {}) {
    return detail::histogram<EdgeOf<detail::ElementOf<X>>>(x, {.count = bins}, options);
}
/// With edges of your own, not descending. @throws ArgumentError if they descend or one is NaN @time waits for the
/// edges, which are checked
template <ArrayOperand X, ArrayOperand E>
Histogram<EdgeOf<detail::ElementOf<X>>> histogram(const X& x, const E& edges, const HistogramOptions& options = {}) {
    return detail::histogram<EdgeOf<detail::ElementOf<X>>>(x, {.edges = detail::evaluated(edges)}, options);
}

/// The same of pairs. @param bins  of x and of y, between their least and greatest elements
template <ArrayOperand X, ArrayOperand Y>
auto histogram2d(const X& x, const Y& y, std::array<std::int64_t, 2> bins, const HistogramOptions& options = {}) {
    return detail::histogram2d<EdgeOf<CommonElement<X, Y>>>(detail::evaluated(x), detail::evaluated(y),
                                                            {.count = bins[0]}, {.count = bins[1]}, options);
}
/// Between numbers of your own: `histogram2d(x, y, {64, 32}, {0.0, 1.0}, {-1.0, 1.0})`.
template <ArrayOperand X, ArrayOperand Y>
auto histogram2d(const X& x, const Y& y, std::array<std::int64_t, 2> bins, std::array<double, 2> x_range,
                 std::array<double, 2> y_range, const HistogramOptions& options = {}) {
    return detail::histogram2d<EdgeOf<CommonElement<X, Y>>>(detail::evaluated(x), detail::evaluated(y),
                                                            {bins[0], x_range}, {bins[1], y_range}, options);
}
template <ArrayOperand X, ArrayOperand Y, ArrayOperand EX, ArrayOperand EY>
auto histogram2d(const X& x, const Y& y, const EX& x_edges, const EY& y_edges, const HistogramOptions& options = {}) {
    return detail::histogram2d<EdgeOf<CommonElement<X, Y>>>(detail::evaluated(x), detail::evaluated(y),
                                                            {.edges = detail::evaluated(x_edges)},
                                                            {.edges = detail::evaluated(y_edges)}, options);
}

/// The number of the bin of each element, as NumPy's: k where edges[k - 1] <= x < edges[k], and with `right` where
/// edges[k - 1] < x <= edges[k]; 0 before all, edges.size() behind. Edges may descend. @time one launch
template <ArrayOperand X, ArrayOperand E>
GPUArray<std::int64_t> digitize(const X& x, const E& edges, bool right = false) {
    return detail::digitize(detail::evaluated(x), detail::evaluated(edges), right);
}

}  // namespace gemel
