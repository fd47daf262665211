/// Histograms of weights and densities, and of points in any number of dimensions: NumPy's options of histogram().
#pragma once

#include <gemel/algorithms/group.hpp>
#include <gemel/arrays/evaluated.hpp>
#include <gemel/arrays/gpu_array.hpp>
#include <gemel/core/export.hpp>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

namespace gemel {

/// Options of histograms that sum weights or give a density.
struct Weighting {
    AnyArray weights = {};  ///< real numbers, of the shape of the elements; left out: 1 for each element
    /// Divides each sum by the total and by the bin's width (area, volume), so that the integral is 1.
    bool density = false;
    /// The same bits in every run on one device, by sorting. Otherwise a GPU sums by atomics, and sums may differ in
    /// their last digits from run to run; sums of integers below 2^53 are always exact.
    bool deterministic = false;
    HistogramOptions binning = {};
};

/// Sums of weights, or the density, and the edges of the bins.
template <ElementType E>
struct WeightedHistogram {
    GPUArray<double> sums;
    GPUArray<E> edges;
};
template <ElementType E>
struct WeightedHistogram2d {
    GPUArray<double> sums;  ///< shape (bins of x, bins of y)
    GPUArray<E> x_edges, y_edges;
};
struct AnyWeightedHistogram {
    GPUArray<double> sums;
    AnyArray edges;
};
struct AnyWeightedHistogram2d {
    GPUArray<double> sums;
    AnyArray x_edges, y_edges;
};

/// The bins of one coordinate: `count` bins of equal width over `range`, or over the minimum to the maximum if it is
/// left out; or given edges.
struct BinAxis {
    std::int64_t count = 10;
    std::optional<std::array<double, 2>> range = {};
    AnyArray edges = {};
};
template <ElementType E>
struct HistogramDd {
    GPUArray<std::int64_t> counts;  ///< one axis per coordinate
    std::vector<GPUArray<E>> edges;
};
template <ElementType E>
struct WeightedHistogramDd {
    GPUArray<double> sums;
    std::vector<GPUArray<E>> edges;
};
struct AnyHistogramDd {
    GPUArray<std::int64_t> counts;
    std::vector<AnyArray> edges;
};
struct AnyWeightedHistogramDd {
    GPUArray<double> sums;
    std::vector<AnyArray> edges;
};

namespace detail {

/// One coordinate of the elements, and the edges of its bins.
struct BinnedAxis {
    AnyArray elements, edges;
    bool even = false;  ///< the bins have equal widths
};
/// @returns the coordinate with its edges in `dtype`
GEMEL_API BinnedAxis binned_axis(const char* who, const AnyArray& x, DType dtype, const Bins& bins,
                                 const Stream& stream);
/// The columns of points. @throws ArgumentError
GEMEL_API std::vector<BinnedAxis> binned_columns(const AnyArray& points, DType dtype, const std::vector<BinAxis>& bins,
                                                 const Stream& stream);
/// @param zeros  int64, one per bin of one coordinate, which become the counts; empty for a new array
GEMEL_API GPUArray<std::int64_t> count_points(const char* who, const std::vector<BinnedAxis>& axes,
                                              const HistogramOptions& options, const AnyArray& zeros = {});
GEMEL_API GPUArray<double> weigh_points(const char* who, const std::vector<BinnedAxis>& axes,
                                        const Weighting& weighting);

/// @param dtype  of the edges
inline AnyWeightedHistogram weighted_histogram(const AnyArray& x, DType dtype, const Bins& bins,
                                               const Weighting& weighting) {
    const BinnedAxis axis = binned_axis("histogram", x, dtype, bins, weighting.binning.stream);
    return {weigh_points("histogram", {axis}, weighting), axis.edges};
}
template <class E, class X>
WeightedHistogram<E> weighted_histogram(const X& x, const Bins& bins, const Weighting& weighting) {
    const AnyWeightedHistogram found = weighted_histogram(AnyArray(evaluated(x)), dtype_of<E>(), bins, weighting);
    return {found.sums, GPUArray<E>(found.edges)};
}
inline AnyWeightedHistogram weighted_histogram(const AnyArray& x, const Bins& bins, const Weighting& weighting) {
    return weighted_histogram(x, edge_type(x.dtype()), bins, weighting);
}
inline AnyWeightedHistogram2d weighted_histogram2d(const AnyArray& x, const AnyArray& y, DType dtype,
                                                   const Bins& x_bins, const Bins& y_bins, const Weighting& weighting) {
    const char* who = "histogram2d";
    const BinnedAxis a = binned_axis(who, x, dtype, x_bins, weighting.binning.stream),
                     b = binned_axis(who, y, dtype, y_bins, weighting.binning.stream);
    return {weigh_points(who, {a, b}, weighting), a.edges, b.edges};
}
template <class E>
WeightedHistogram2d<E> weighted_histogram2d(const AnyArray& x, const AnyArray& y, const Bins& x_bins,
                                            const Bins& y_bins, const Weighting& weighting) {
    const AnyWeightedHistogram2d found = weighted_histogram2d(x, y, dtype_of<E>(), x_bins, y_bins, weighting);
    return {found.sums, GPUArray<E>(found.x_edges), GPUArray<E>(found.y_edges)};
}
inline AnyWeightedHistogram2d weighted_histogram2d(const AnyArray& x, const AnyArray& y, const Bins& x_bins,
                                                   const Bins& y_bins, const Weighting& weighting) {
    return weighted_histogram2d(x, y, edge_type(x, y), x_bins, y_bins, weighting);
}
template <class A>
std::vector<A> edges_of(const std::vector<BinnedAxis>& axes) {
    std::vector<A> edges;
    for (const BinnedAxis& axis : axes) edges.push_back(A(axis.edges));
    return edges;
}

}  // namespace detail

/// Sums of weights in each bin, or a density, as NumPy's histogram:
///
///     WeightedHistogram<float> mass = histogram(x, 64, 0.0, 1.0, {.weights = w});
///     WeightedHistogram<float> p = histogram(x, 64, 0.0, 1.0, {.density = true});
///
/// Weights of any type are added in double. A density without weights is computed from exact counts.
/// @throws ArgumentError as histogram() without weights; if weights are not real numbers, or differ from x in shape or
///         context; if the device has no double
/// @time enqueued: as histogram() without weights; two launches more for a density. `.deterministic` on a GPU: a
///       launch, a sort of bin indices with weights, and a scan
template <ArrayOperand X>
WeightedHistogram<EdgeOf<detail::ElementOf<X>>> histogram(const X& x, std::int64_t bins, double low, double high,
                                                          const Weighting& weighting) {
    return detail::weighted_histogram<EdgeOf<detail::ElementOf<X>>>(x, {bins, std::array{low, high}}, weighting);
}
template <UntypedOperand X>
AnyWeightedHistogram histogram(const X& x, std::int64_t bins, double low, double high, const Weighting& weighting) {
    return detail::weighted_histogram(detail::array_of(x), {bins, std::array{low, high}}, weighting);
}
/// The same over the range from the minimum to the maximum of x.
template <ArrayOperand X>
WeightedHistogram<EdgeOf<detail::ElementOf<X>>> histogram(const X& x, std::int64_t bins, const Weighting& weighting) {
    return detail::weighted_histogram<EdgeOf<detail::ElementOf<X>>>(x, {.count = bins}, weighting);
}
template <UntypedOperand X>
AnyWeightedHistogram histogram(const X& x, std::int64_t bins, const Weighting& weighting) {
    return detail::weighted_histogram(detail::array_of(x), {.count = bins}, weighting);
}
/// The same with given edges. @time waits, to check the edges
template <ArrayOperand X, ArrayOperand E>
WeightedHistogram<EdgeOf<detail::ElementOf<X>>> histogram(const X& x, const E& edges, const Weighting& weighting) {
    return detail::weighted_histogram<EdgeOf<detail::ElementOf<X>>>(x, {.edges = detail::evaluated(edges)}, weighting);
}
template <class X, class E>
    requires UntypedHolders<X, E>
AnyWeightedHistogram histogram(const X& x, const E& edges, const Weighting& weighting) {
    return detail::weighted_histogram(detail::array_of(x), {.edges = detail::array_of(edges)}, weighting);
}

/// Sums of weights, or a density, of pairs (x[i], y[i]); otherwise as histogram().
template <ArrayOperand X, ArrayOperand Y>
auto histogram2d(const X& x, const Y& y, std::array<std::int64_t, 2> bins, const Weighting& weighting) {
    return detail::weighted_histogram2d<EdgeOf<CommonElement<X, Y>>>(detail::evaluated(x), detail::evaluated(y),
                                                                     {.count = bins[0]}, {.count = bins[1]}, weighting);
}
template <class X, class Y>
    requires UntypedHolders<X, Y>
AnyWeightedHistogram2d histogram2d(const X& x, const Y& y, std::array<std::int64_t, 2> bins,
                                   const Weighting& weighting) {
    return detail::weighted_histogram2d(detail::array_of(x), detail::array_of(y), {.count = bins[0]},
                                        {.count = bins[1]}, weighting);
}
template <ArrayOperand X, ArrayOperand Y>
auto histogram2d(const X& x, const Y& y, std::array<std::int64_t, 2> bins, std::array<double, 2> x_range,
                 std::array<double, 2> y_range, const Weighting& weighting) {
    return detail::weighted_histogram2d<EdgeOf<CommonElement<X, Y>>>(detail::evaluated(x), detail::evaluated(y),
                                                                     {bins[0], x_range}, {bins[1], y_range}, weighting);
}
template <class X, class Y>
    requires UntypedHolders<X, Y>
AnyWeightedHistogram2d histogram2d(const X& x, const Y& y, std::array<std::int64_t, 2> bins,
                                   std::array<double, 2> x_range, std::array<double, 2> y_range,
                                   const Weighting& weighting) {
    return detail::weighted_histogram2d(detail::array_of(x), detail::array_of(y), {bins[0], x_range},
                                        {bins[1], y_range}, weighting);
}
template <ArrayOperand X, ArrayOperand Y, ArrayOperand EX, ArrayOperand EY>
auto histogram2d(const X& x, const Y& y, const EX& x_edges, const EY& y_edges, const Weighting& weighting) {
    return detail::weighted_histogram2d<EdgeOf<CommonElement<X, Y>>>(detail::evaluated(x), detail::evaluated(y),
                                                                     {.edges = detail::evaluated(x_edges)},
                                                                     {.edges = detail::evaluated(y_edges)}, weighting);
}
template <class X, class Y, class EX, class EY>
    requires UntypedHolders<X, Y, EX, EY>
AnyWeightedHistogram2d histogram2d(const X& x, const Y& y, const EX& x_edges, const EY& y_edges,
                                   const Weighting& weighting) {
    return detail::weighted_histogram2d(detail::array_of(x), detail::array_of(y), {.edges = detail::array_of(x_edges)},
                                        {.edges = detail::array_of(y_edges)}, weighting);
}

/// Counts of points in several dimensions: `histogramdd(points, {{.count = 8}, {.count = 4, .range = {{0.0, 1.0}}}})`.
/// @param points  shape (points, coordinates), up to 8 coordinates
/// @param bins    one BinAxis per coordinate
/// @throws ArgumentError if the number of BinAxis differs from that of coordinates, or there are 2^31 bins or more
template <ArrayOperand X>
HistogramDd<EdgeOf<detail::ElementOf<X>>> histogramdd(const X& points, const std::vector<BinAxis>& bins,
                                                      const HistogramOptions& options = {}) {
    using E = EdgeOf<detail::ElementOf<X>>;
    const auto axes = detail::binned_columns(detail::evaluated(points), dtype_of<E>(), bins, options.stream);
    return {detail::count_points("histogramdd", axes, options), detail::edges_of<GPUArray<E>>(axes)};
}
template <UntypedOperand X>
AnyHistogramDd histogramdd(const X& points, const std::vector<BinAxis>& bins, const HistogramOptions& options = {}) {
    const AnyArray array = detail::array_of(points);
    const auto axes = detail::binned_columns(array, detail::edge_type(array.dtype()), bins, options.stream);
    return {detail::count_points("histogramdd", axes, options), detail::edges_of<AnyArray>(axes)};
}
template <ArrayOperand X>
WeightedHistogramDd<EdgeOf<detail::ElementOf<X>>> histogramdd(const X& points, const std::vector<BinAxis>& bins,
                                                              const Weighting& weighting) {
    using E = EdgeOf<detail::ElementOf<X>>;
    const auto axes = detail::binned_columns(detail::evaluated(points), dtype_of<E>(), bins, weighting.binning.stream);
    return {detail::weigh_points("histogramdd", axes, weighting), detail::edges_of<GPUArray<E>>(axes)};
}
template <UntypedOperand X>
AnyWeightedHistogramDd histogramdd(const X& points, const std::vector<BinAxis>& bins, const Weighting& weighting) {
    const AnyArray array = detail::array_of(points);
    const auto axes = detail::binned_columns(array, detail::edge_type(array.dtype()), bins, weighting.binning.stream);
    return {detail::weigh_points("histogramdd", axes, weighting), detail::edges_of<AnyArray>(axes)};
}

}  // namespace gemel
