/// The largest and smallest elements, medians and quantiles.
#pragma once

#include <gemel/algorithms/group.hpp>
#include <gemel/arrays/evaluated.hpp>
#include <gemel/arrays/gpu_array.hpp>
#include <gemel/core/export.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

namespace gemel {

struct TopKOptions {
    int axis = -1;        ///< negative values count from the last axis
    bool largest = true;  ///< false: the smallest, in ascending order
    /// Arrays of one axis with at least this many elements are filtered before the sort: only candidates are sorted. 0
    /// leaves the threshold to gemel.
    std::int64_t filter_above = 0;
};

struct AnyTopK {
    AnyArray values;
    GPUArray<std::int64_t> indices;
};
template <ElementType T>
struct TopK {
    GPUArray<T> values;              ///< in order, largest first (with .largest = false smallest first)
    GPUArray<std::int64_t> indices;  ///< their indices along the axis; of equal elements the lower index comes first
};

/// Options of min_k() and max_k().
struct ExtremesOptions {
    std::optional<int> axis = {};  ///< left out: over all elements
};

/// How a quantile between two elements is computed: NumPy's methods, by NumPy's names.
enum class QuantileMethod : std::uint8_t {
    linear,
    lower,
    higher,
    nearest,
    midpoint,
    inverted_cdf,
    averaged_inverted_cdf,
    closest_observation,
    interpolated_inverted_cdf,
    hazen,
    weibull,
    median_unbiased,
    normal_unbiased,
};

struct QuantileOptions {
    std::optional<int> axis = {};  ///< left out: over all elements
    QuantileMethod method = QuantileMethod::linear;
    bool keepdims = false;
};

namespace detail {
GEMEL_API AnyTopK topk(const AnyArray& x, std::int64_t k, const TopKOptions& options);
GEMEL_API AnyTopK extremes(const char* who, const AnyArray& x, std::int64_t k, bool largest,
                           const ExtremesOptions& options);
GEMEL_API AnyArray kth(const AnyArray& x, std::int64_t k, int axis);
/// @param whole  the q that means all elements: 1 for quantile(), 100 for percentile()
GEMEL_API AnyArray quantile(const char* who, const AnyArray& x, double q, double whole, DType result,
                            const QuantileOptions& options);
/// Several quantiles, along a new first axis.
GEMEL_API AnyArray quantiles(const char* who, const AnyArray& x, std::span<const double> parts, double whole,
                             DType result, const QuantileOptions& options);
GEMEL_API AnyArray median(const AnyArray& x, DType result, const QuantileOptions& options);
}  // namespace detail

/// The k largest elements along an axis, in order. NaN counts as larger than all numbers.
/// @returns values and indices of the shape of x, with extent k along the axis
/// @throws ArgumentError if the axis does not exist or has fewer than k elements
/// @time a sort along the axis. Long arrays of one axis: one pass that filters, and a sort of the remaining candidates.
///       CPU devices: one pass for k up to 16
template <ArrayOperand X>
TopK<detail::ElementOf<X>> topk(const X& x, std::int64_t k, const TopKOptions& options = {}) {
    AnyTopK top = detail::topk(detail::evaluated(x), k, options);
    return {GPUArray<detail::ElementOf<X>>(top.values), top.indices};
}
template <UntypedOperand X>
AnyTopK topk(const X& x, std::int64_t k, const TopKOptions& options = {}) {
    return detail::topk(detail::array_of(x), k, options);
}
/// The k largest elements of the whole array, or along an axis, in descending order, with their indices (in C order for
/// the whole array). Of equal elements the lower index comes first; NaN counts as larger than all numbers.
///
///     auto [values, indices] = max_k(x, 5);
///
/// @throws ArgumentError if there are fewer than k @time as topk()
template <ArrayOperand X>
TopK<detail::ElementOf<X>> max_k(const X& x, std::int64_t k, const ExtremesOptions& options = {}) {
    AnyTopK found = detail::extremes("max_k", detail::evaluated(x), k, true, options);
    return {GPUArray<detail::ElementOf<X>>(found.values), found.indices};
}
template <UntypedOperand X>
AnyTopK max_k(const X& x, std::int64_t k, const ExtremesOptions& options = {}) {
    return detail::extremes("max_k", detail::array_of(x), k, true, options);
}
/// The k smallest elements, in ascending order; otherwise as max_k().
template <ArrayOperand X>
TopK<detail::ElementOf<X>> min_k(const X& x, std::int64_t k, const ExtremesOptions& options = {}) {
    AnyTopK found = detail::extremes("min_k", detail::evaluated(x), k, false, options);
    return {GPUArray<detail::ElementOf<X>>(found.values), found.indices};
}
template <UntypedOperand X>
AnyTopK min_k(const X& x, std::int64_t k, const ExtremesOptions& options = {}) {
    return detail::extremes("min_k", detail::array_of(x), k, false, options);
}
/// The element at index k of the sorted axis; 0 is the minimum. @returns the shape of x without the axis
/// @throws ArgumentError if the axis does not exist or k is out of range @time a sort along the axis
template <ArrayOperand X>
EvaluatedArray<X> kth(const X& x, std::int64_t k, int axis = -1) {
    return EvaluatedArray<X>(detail::kth(detail::evaluated(x), k, axis));
}
template <UntypedOperand X>
AnyArray kth(const X& x, std::int64_t k, int axis = -1) {
    return detail::kth(detail::array_of(x), k, axis);
}

/// The q-quantile, 0 <= q <= 1, as NumPy's quantile. NaN if an element is NaN or there is none. Where it is an element,
/// that may be infinite; NumPy interpolates there, too, and gives NaN.
/// @returns the shape of x without the axis (rank 0 over all elements), of EdgeOf<T>: float for 16-bit floats, double
///          for integers, else T
/// @throws ArgumentError if q is outside 0 to 1, the axis does not exist, or elements are complex or structs
/// @time a sort and a launch, enqueued
template <ArrayOperand X>
GPUArray<EdgeOf<detail::ElementOf<X>>> quantile(const X& x, double q, const QuantileOptions& options = {}) {
    using E = EdgeOf<detail::ElementOf<X>>;
    return GPUArray<E>(detail::quantile("quantile", detail::evaluated(x), q, 1, dtype_of<E>(), options));
}
template <UntypedOperand X>
AnyArray quantile(const X& x, double q, const QuantileOptions& options = {}) {
    const AnyArray array = detail::array_of(x);
    return detail::quantile("quantile", array, q, 1, detail::edge_type(array.dtype()), options);
}
/// The same with q in percent, 0 to 100.
template <ArrayOperand X>
GPUArray<EdgeOf<detail::ElementOf<X>>> percentile(const X& x, double percent, const QuantileOptions& options = {}) {
    using E = EdgeOf<detail::ElementOf<X>>;
    return GPUArray<E>(detail::quantile("percentile", detail::evaluated(x), percent, 100, dtype_of<E>(), options));
}
template <UntypedOperand X>
AnyArray percentile(const X& x, double percent, const QuantileOptions& options = {}) {
    const AnyArray array = detail::array_of(x);
    return detail::quantile("percentile", array, percent, 100, detail::edge_type(array.dtype()), options);
}
/// Several at once: `quantile(x, {0.1, 0.5, 0.9}, {.axis = 1})`. @returns the quantiles along a new first axis
/// @time one sort, and a launch for each
template <ArrayOperand X>
GPUArray<EdgeOf<detail::ElementOf<X>>> quantile(const X& x, std::span<const double> parts,
                                                const QuantileOptions& options = {}) {
    using E = EdgeOf<detail::ElementOf<X>>;
    return GPUArray<E>(detail::quantiles("quantile", detail::evaluated(x), parts, 1, dtype_of<E>(), options));
}
template <UntypedOperand X>
AnyArray quantile(const X& x, std::span<const double> parts, const QuantileOptions& options = {}) {
    const AnyArray array = detail::array_of(x);
    return detail::quantiles("quantile", array, parts, 1, detail::edge_type(array.dtype()), options);
}
template <class X>
    requires(ArrayOperand<X> || UntypedOperand<X>)
auto quantile(const X& x, std::initializer_list<double> parts, const QuantileOptions& options = {}) {
    return quantile(x, std::span<const double>(parts.begin(), parts.size()), options);
}
template <ArrayOperand X>
GPUArray<EdgeOf<detail::ElementOf<X>>> percentile(const X& x, std::span<const double> percents,
                                                  const QuantileOptions& options = {}) {
    using E = EdgeOf<detail::ElementOf<X>>;
    return GPUArray<E>(detail::quantiles("percentile", detail::evaluated(x), percents, 100, dtype_of<E>(), options));
}
template <UntypedOperand X>
AnyArray percentile(const X& x, std::span<const double> percents, const QuantileOptions& options = {}) {
    const AnyArray array = detail::array_of(x);
    return detail::quantiles("percentile", array, percents, 100, detail::edge_type(array.dtype()), options);
}
template <class X>
    requires(ArrayOperand<X> || UntypedOperand<X>)
auto percentile(const X& x, std::initializer_list<double> percents, const QuantileOptions& options = {}) {
    return percentile(x, std::span<const double>(percents.begin(), percents.size()), options);
}
/// The median: the middle element, or the mean of the two middle ones, whose sum may overflow, as in NumPy. Another
/// method than `linear` is that of quantile() at 0.5. @throws, @time as quantile()
template <ArrayOperand X>
GPUArray<EdgeOf<detail::ElementOf<X>>> median(const X& x, const QuantileOptions& options = {}) {
    using E = EdgeOf<detail::ElementOf<X>>;
    return GPUArray<E>(detail::median(detail::evaluated(x), dtype_of<E>(), options));
}
template <UntypedOperand X>
AnyArray median(const X& x, const QuantileOptions& options = {}) {
    const AnyArray array = detail::array_of(x);
    return detail::median(array, detail::edge_type(array.dtype()), options);
}

}  // namespace gemel
