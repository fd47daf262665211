/// Grouping: reductions and scans by key or by segment, counts and histograms.
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

/// How the values of one key or segment are combined.
struct ReduceBy {
    std::string reduce_expr = {};  ///< combines `a` and `b`, in C; associative. Their sum if left out
    std::string neutral = {};      ///< its identity, the result of an empty segment: "0" for a sum
    std::string equal_expr = {};   ///< when keys `a` and `b` are equal, in C; `a == b` if left out
    bool deterministic = false;    ///< also sums of floats have the same bits in every run
    Stream stream = {};
    codegen::ScanTuning tuning = {};
};

/// The key of each run of equal keys, and the combined values of the run.
struct AnyByKey {
    AnyArray all_keys, all_values;                                               ///< shape (n,) for n input elements
    GPUArray<std::int64_t> count;                                                ///< of runs, rank 0
    AnyArray keys() const { return AnySelection{all_keys, count}.array(); }      ///< (count,). @time waits for `count`
    AnyArray values() const { return AnySelection{all_values, count}.array(); }  ///< (count,). @time waits for `count`
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
    std::string scan_expr = {};   ///< combines `a` and `b`, in C; associative. Their sum if left out
    std::string neutral = {};     ///< its identity, for exclusive scans: "0" for a sum
    bool exclusive = false;       ///< result i combines the elements before i only
    std::string equal_expr = {};  ///< as in ReduceBy
    bool deterministic = false;
    Stream stream = {};
    codegen::ScanTuning tuning = {};
};

/// How elements are counted into bins.
enum class BinStrategy : std::uint32_t {
    automatic,
    shared,  ///< each block counts in shared memory, then adds to the result; up to about 12000 bins
    global,  ///< atomics on the result in global memory; frequent bins are counted in shared memory first
    chunks,  ///< one histogram per CPU thread; no atomics, the same bits in every run
};

struct BincountOptions {
    std::int64_t minlength = 0;  ///< the least number of bins
    /// The number of bins; numbers outside them are ignored, and the call does not wait. Left out: the largest number
    /// plus 1, for which the call waits.
    std::optional<std::int64_t> length = {};
    bool deterministic = false;  ///< with weights: the same bits in every run, by sorting
    BinStrategy strategy = BinStrategy::automatic;
    Stream stream = {};
};

struct HistogramOptions {
    BinStrategy strategy = BinStrategy::automatic;
    Stream stream = {};
};

/// Counts, shape (bins,), and the edges of the bins, shape (bins + 1,).
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
struct AnyHistogram2d {
    GPUArray<std::int64_t> counts;
    AnyArray x_edges, y_edges;
};

/// The type of bin edges: the elements' own for float and double, float for 16-bit floats, double for integers and
/// bools.
template <NumberElement T>
using EdgeOf = std::conditional_t<std::is_same_v<T, half> || std::is_same_v<T, bfloat16>, float,
                                  std::conditional_t<std::is_floating_point_v<T>, T, double>>;

namespace detail {

/// EdgeOf of a type known at run time.
GEMEL_API DType edge_type(DType element);

GEMEL_API AnyByKey reduce_by_key(const AnyArray& keys, const AnyArray& values, const ReduceBy& by);
GEMEL_API AnyArray scan_by_key(const AnyArray& keys, const AnyArray& values, const ScanBy& by);
GEMEL_API AnyArray segment_reduce(const AnyArray& values, const AnyArray& starts, const ReduceBy& by);
GEMEL_API GPUArray<std::int64_t> bincount(const AnyArray& x, const BincountOptions& options);
GEMEL_API GPUArray<double> bincount(const AnyArray& x, const AnyArray& weights, const BincountOptions& options);

/// The bins of one axis: given edges, or `count` equal bins over `range`, or over the minimum to the maximum.
struct Bins {
    std::int64_t count = 0;
    std::optional<std::array<double, 2>> range = {};
    AnyArray edges = {};
};
/// @returns the edges in `dtype` on the device. @throws ArgumentError
GEMEL_API AnyArray bin_edges(const char* who, const AnyArray& x, DType dtype, const Bins& bins, const Stream& stream);
/// @param dtype  of the edges
GEMEL_API AnyHistogram histogram(const AnyArray& x, DType dtype, const Bins& bins, const HistogramOptions& options);
GEMEL_API GPUArray<std::int64_t> histogram2d(const AnyArray& x, const AnyArray& y, const AnyArray& x_edges,
                                             const AnyArray& y_edges, std::array<bool, 2> even,
                                             const HistogramOptions& options);
GEMEL_API GPUArray<std::int64_t> digitize(const AnyArray& x, const AnyArray& edges, bool right);

template <class E, class X>
Histogram<E> histogram(const X& x, const Bins& bins, const HistogramOptions& options) {
    const AnyHistogram found = histogram(AnyArray(evaluated(x)), dtype_of<E>(), bins, options);
    return {found.counts, GPUArray<E>(found.edges)};
}
inline AnyHistogram histogram(const AnyArray& x, const Bins& bins, const HistogramOptions& options) {
    return histogram(x, edge_type(x.dtype()), bins, options);
}
/// The type of the edges of two arrays' bins.
inline DType edge_type(const AnyArray& x, const AnyArray& y) {
    return edge_type(codegen::promote(x.dtype(), y.dtype()));
}
/// @param dtype  of the edges
inline AnyHistogram2d histogram2d(const AnyArray& x, const AnyArray& y, DType dtype, const Bins& x_bins,
                                  const Bins& y_bins, const HistogramOptions& options) {
    const AnyArray x_edges = bin_edges("histogram2d", x, dtype, x_bins, options.stream);
    const AnyArray y_edges = bin_edges("histogram2d", y, dtype, y_bins, options.stream);
    return {histogram2d(x, y, x_edges, y_edges, {x_bins.edges.empty(), y_bins.edges.empty()}, options), x_edges,
            y_edges};
}
template <class E>
Histogram2d<E> histogram2d(const AnyArray& x, const AnyArray& y, const Bins& x_bins, const Bins& y_bins,
                           const HistogramOptions& options) {
    const AnyHistogram2d found = histogram2d(x, y, dtype_of<E>(), x_bins, y_bins, options);
    return {found.counts, GPUArray<E>(found.x_edges), GPUArray<E>(found.y_edges)};
}
inline AnyHistogram2d histogram2d(const AnyArray& x, const AnyArray& y, const Bins& x_bins, const Bins& y_bins,
                                  const HistogramOptions& options) {
    return histogram2d(x, y, edge_type(x, y), x_bins, y_bins, options);
}

}  // namespace detail

/// Reduces each run of equal consecutive keys to one element: its last key, and its values combined in order.
///
///     auto [ids, x] = sort_by_key(id, value);
///     ByKey<int, float> largest = reduce_by_key(ids, x, {.reduce_expr = "fmax(a, b)", .neutral = "-INFINITY"});
///
/// Values are combined in their own type (16-bit floats in float).
/// @param keys,values  arrays of equal shape
/// @throws ArgumentError if the shapes or contexts differ
/// @time enqueued: one launch on CUDA and NVIDIA's OpenCL (DeviceInfo::has_cross_block_visibility), three elsewhere.
///       With one launch, sums of floats may differ in their last digits from run to run, unless `.deterministic`
template <ArrayOrExpression K, ArrayOrExpression V>
auto reduce_by_key(const K& keys, const V& values, const ReduceBy& by = {}) {
    const AnyByKey groups = detail::reduce_by_key(detail::evaluated(keys), detail::evaluated(values), by);
    return ByKey<detail::ElementOf<K>, detail::ElementOf<V>>{GPUArray<detail::ElementOf<K>>(groups.all_keys),
                                                             GPUArray<detail::ElementOf<V>>(groups.all_values),
                                                             groups.count};
}
template <class K, class V>
    requires UntypedHolders<K, V>
AnyByKey reduce_by_key(const K& keys, const V& values, const ReduceBy& by = {}) {
    return detail::reduce_by_key(detail::array_of(keys), detail::array_of(values), by);
}
/// A scan within each run of equal keys: element i is the combination of its run's values up to i.
/// @returns of the shape of values @throws ArgumentError as reduce_by_key() @time as reduce_by_key()
template <ArrayOrExpression K, ArrayOrExpression V>
EvaluatedArray<V> scan_by_key(const K& keys, const V& values, const ScanBy& by = {}) {
    return EvaluatedArray<V>(detail::scan_by_key(detail::evaluated(keys), detail::evaluated(values), by));
}
template <class K, class V>
    requires UntypedHolders<K, V>
AnyArray scan_by_key(const K& keys, const V& values, const ScanBy& by = {}) {
    return detail::scan_by_key(detail::array_of(keys), detail::array_of(values), by);
}
/// Reduces each segment to one element: segment k has the values starts[k], ..., starts[k + 1] - 1. An empty segment
/// gives the identity.
/// @param starts  shape (segments + 1,), nondescending; not checked, because that would wait. A segment that reaches
///                beyond the values ends with them; the results of descending starts are unspecified
/// @param values  of any shape; their order is C order
/// @returns       shape (segments,)
/// @throws ArgumentError if starts has more than one axis or no element, or is not of integers
/// @time enqueued: one launch on a CPU device, elsewhere three and a scan, independent of the segments' lengths
template <ArrayOrExpression V, ArrayOperand S>
    requires std::integral<detail::ElementOf<S>>
EvaluatedArray<V> segment_reduce(const V& values, const S& starts, const ReduceBy& by = {}) {
    return EvaluatedArray<V>(detail::segment_reduce(detail::evaluated(values), detail::evaluated(starts), by));
}
template <class V, class S>
    requires UntypedHolders<V, S>
AnyArray segment_reduce(const V& values, const S& starts, const ReduceBy& by = {}) {
    return detail::segment_reduce(detail::array_of(values), detail::array_of(starts), by);
}

/// Counts the occurrences of each number 0, 1, ..., as NumPy's bincount. @param x  integers or bools, one axis
/// @returns shape (max(minlength, largest number + 1),), or (length,)
/// @throws ArgumentError for negative numbers, unless `.length` is given, and for both `.length` and `.minlength`
/// @time a fill and one launch, on CPU devices two launches; without `.length` it first waits for the largest number
template <ArrayOperand X>
    requires std::integral<detail::ElementOf<X>>
GPUArray<std::int64_t> bincount(const X& x, const BincountOptions& options = {}) {
    return detail::bincount(detail::evaluated(x), options);
}
template <UntypedOperand X>
GPUArray<std::int64_t> bincount(const X& x, const BincountOptions& options = {}) {
    return detail::bincount(detail::array_of(x), options);
}
/// Sums the weights of each number 0, 1, ..., in double. On a GPU the sums may differ in their last digits from run to
/// run, unless `.deterministic`, which sorts. @param weights  of the shape of x
template <ArrayOperand X, ArrayOperand W>
    requires std::integral<detail::ElementOf<X>>
GPUArray<double> bincount(const X& x, const W& weights, const BincountOptions& options = {}) {
    return detail::bincount(detail::evaluated(x), detail::evaluated(weights), options);
}
template <class X, class W>
    requires UntypedHolders<X, W>
GPUArray<double> bincount(const X& x, const W& weights, const BincountOptions& options = {}) {
    return detail::bincount(detail::array_of(x), detail::array_of(weights), options);
}

/// Counts the elements in each of `bins` bins of equal width from `low` to `high`, as NumPy's histogram. The last bin
/// includes its upper edge; NaN and elements outside the range are ignored.
/// @throws ArgumentError if bins < 1, or low or high is not finite, or low > high
/// @time enqueued: two launches, three on CPU devices
template <ArrayOperand X>
Histogram<EdgeOf<detail::ElementOf<X>>> histogram(const X& x, std::int64_t bins, double low, double high,
                                                  const HistogramOptions& options = {}) {
    return detail::histogram<EdgeOf<detail::ElementOf<X>>>(x, {bins, std::array{low, high}}, options);
}
template <UntypedOperand X>
AnyHistogram histogram(const X& x, std::int64_t bins, double low, double high, const HistogramOptions& options = {}) {
    return detail::histogram(detail::array_of(x), {bins, std::array{low, high}}, options);
}
/// The same over the range from the minimum to the maximum of x, which stay on the device. If x has a NaN or an
/// infinity, the edges have, too, and nothing is counted. @time enqueued: the reduction for them, then as above
template <ArrayOperand X>
Histogram<EdgeOf<detail::ElementOf<X>>> histogram(const X& x, std::int64_t bins = 10,
                                                  const HistogramOptions& options = {}) {
    return detail::histogram<EdgeOf<detail::ElementOf<X>>>(x, {.count = bins}, options);
}
template <UntypedOperand X>
AnyHistogram histogram(const X& x, std::int64_t bins = 10, const HistogramOptions& options = {}) {
    return detail::histogram(detail::array_of(x), {.count = bins}, options);
}
/// The same with given edges. @param edges  shape (bins + 1,), nondescending
/// @throws ArgumentError if edges descend or one is NaN @time waits, to check the edges
template <ArrayOperand X, ArrayOperand E>
Histogram<EdgeOf<detail::ElementOf<X>>> histogram(const X& x, const E& edges, const HistogramOptions& options = {}) {
    return detail::histogram<EdgeOf<detail::ElementOf<X>>>(x, {.edges = detail::evaluated(edges)}, options);
}
template <class X, class E>
    requires UntypedHolders<X, E>
AnyHistogram histogram(const X& x, const E& edges, const HistogramOptions& options = {}) {
    return detail::histogram(detail::array_of(x), {.edges = detail::array_of(edges)}, options);
}

/// Counts pairs (x[i], y[i]) in a grid of bins over the minimum to the maximum of x and of y. @param bins  of x, of y
template <ArrayOperand X, ArrayOperand Y>
auto histogram2d(const X& x, const Y& y, std::array<std::int64_t, 2> bins, const HistogramOptions& options = {}) {
    return detail::histogram2d<EdgeOf<CommonElement<X, Y>>>(detail::evaluated(x), detail::evaluated(y),
                                                            {.count = bins[0]}, {.count = bins[1]}, options);
}
template <class X, class Y>
    requires UntypedHolders<X, Y>
AnyHistogram2d histogram2d(const X& x, const Y& y, std::array<std::int64_t, 2> bins,
                           const HistogramOptions& options = {}) {
    return detail::histogram2d(detail::array_of(x), detail::array_of(y), {.count = bins[0]}, {.count = bins[1]},
                               options);
}
/// The same over given ranges: `histogram2d(x, y, {64, 32}, {0.0, 1.0}, {-1.0, 1.0})`.
template <ArrayOperand X, ArrayOperand Y>
auto histogram2d(const X& x, const Y& y, std::array<std::int64_t, 2> bins, std::array<double, 2> x_range,
                 std::array<double, 2> y_range, const HistogramOptions& options = {}) {
    return detail::histogram2d<EdgeOf<CommonElement<X, Y>>>(detail::evaluated(x), detail::evaluated(y),
                                                            {bins[0], x_range}, {bins[1], y_range}, options);
}
template <class X, class Y>
    requires UntypedHolders<X, Y>
AnyHistogram2d histogram2d(const X& x, const Y& y, std::array<std::int64_t, 2> bins, std::array<double, 2> x_range,
                           std::array<double, 2> y_range, const HistogramOptions& options = {}) {
    return detail::histogram2d(detail::array_of(x), detail::array_of(y), {bins[0], x_range}, {bins[1], y_range},
                               options);
}
/// The same with given edges. @throws ArgumentError if edges descend or one is NaN @time waits, to check the edges
template <ArrayOperand X, ArrayOperand Y, ArrayOperand EX, ArrayOperand EY>
auto histogram2d(const X& x, const Y& y, const EX& x_edges, const EY& y_edges, const HistogramOptions& options = {}) {
    return detail::histogram2d<EdgeOf<CommonElement<X, Y>>>(detail::evaluated(x), detail::evaluated(y),
                                                            {.edges = detail::evaluated(x_edges)},
                                                            {.edges = detail::evaluated(y_edges)}, options);
}
template <class X, class Y, class EX, class EY>
    requires UntypedHolders<X, Y, EX, EY>
AnyHistogram2d histogram2d(const X& x, const Y& y, const EX& x_edges, const EY& y_edges,
                           const HistogramOptions& options = {}) {
    return detail::histogram2d(detail::array_of(x), detail::array_of(y), {.edges = detail::array_of(x_edges)},
                               {.edges = detail::array_of(y_edges)}, options);
}

/// The index of each element's bin, as NumPy's digitize: k where edges[k - 1] <= x < edges[k], or with `right` where
/// edges[k - 1] < x <= edges[k]; 0 below all edges, edges.size() above. Edges may also descend; that they do one or the
/// other is not checked.
/// @returns of the shape of x @time one launch
template <ArrayOperand X, ArrayOperand E>
GPUArray<std::int64_t> digitize(const X& x, const E& edges, bool right = false) {
    return detail::digitize(detail::evaluated(x), detail::evaluated(edges), right);
}
template <class X, class E>
    requires UntypedHolders<X, E>
GPUArray<std::int64_t> digitize(const X& x, const E& edges, bool right = false) {
    return detail::digitize(detail::array_of(x), detail::array_of(edges), right);
}

}  // namespace gemel
