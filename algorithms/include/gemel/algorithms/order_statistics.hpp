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
    int axis = -1;        ///< along it; negative ones count from the end
    bool largest = true;  ///< else the smallest, from the least up
    /// Of arrays of one axis with so many elements the ends are looked for without sorting all; 0 leaves it to gemel.
    std::int64_t filter_above = 0;
};

struct AnyTopK {
    AnyArray values;
    GPUArray<std::int64_t> indices;
};
template <ElementType T>
struct TopK {
    GPUArray<T> values;              ///< in order, the largest first
    GPUArray<std::int64_t> indices;  ///< where they are along the axis; of equal ones the lower index comes first
};

/// Options of min_k() and max_k().
struct ExtremesOptions {
    std::optional<int> axis = {};  ///< of all elements if left out
};

/// What a quantile between two elements is: NumPy's methods, under its names.
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
    std::optional<int> axis = {};  ///< of all elements if left out
    QuantileMethod method = QuantileMethod::linear;
    bool keepdims = false;
};

namespace detail {
GEMEL_API AnyTopK topk(const AnyArray& x, std::int64_t k, const TopKOptions& options);
GEMEL_API AnyTopK extremes(const char* who, const AnyArray& x, std::int64_t k, bool largest,
                           const ExtremesOptions& options);
GEMEL_API AnyArray kth(const AnyArray& x, std::int64_t k, int axis);
/// @param whole  what all elements are in the caller's numbers: 1 or 100
GEMEL_API AnyArray quantile(const char* who, const AnyArray& x, double q, double whole, DType result,
                            const QuantileOptions& options);
/// One after the other along a new first axis.
GEMEL_API AnyArray quantiles(const char* who, const AnyArray& x, std::span<const double> parts, double whole,
                             DType result, const QuantileOptions& options);
}  // namespace detail

/// The k largest elements along an axis, in order. NaN counts as larger than all else.
/// @throws ArgumentError if the axis has fewer than k elements, or is not there
/// @time a sort along the axis; of long arrays of one axis one reading and little more; on CPU devices one reading for
///       up to 16 elements of a row
template <ArrayOperand X>
TopK<detail::ElementOf<X>> topk(const X& x, std::int64_t k, const TopKOptions& options = {}) {
    AnyTopK top = detail::topk(detail::evaluated(x), k, options);
    return {GPUArray<detail::ElementOf<X>>(top.values), top.indices};
}
/// The k largest elements of all, or along an axis, in order, and where they are: of all by their number in C order.
/// Of equal ones the lower index comes first; NaN counts as larger than all else.
///
///     auto [values, indices] = max_k(x, 5);
///
/// @throws ArgumentError if there are fewer than k @time as topk()
template <ArrayOperand X>
TopK<detail::ElementOf<X>> max_k(const X& x, std::int64_t k, const ExtremesOptions& options = {}) {
    AnyTopK found = detail::extremes("max_k", detail::evaluated(x), k, true, options);
    return {GPUArray<detail::ElementOf<X>>(found.values), found.indices};
}
/// The k smallest, from the least up.
template <ArrayOperand X>
TopK<detail::ElementOf<X>> min_k(const X& x, std::int64_t k, const ExtremesOptions& options = {}) {
    AnyTopK found = detail::extremes("min_k", detail::evaluated(x), k, false, options);
    return {GPUArray<detail::ElementOf<X>>(found.values), found.indices};
}
/// The element that is at place k of the sorted axis, 0 being the least. @throws ArgumentError if there is none
/// @time a sort
template <ArrayOperand X>
EvaluatedArray<X> kth(const X& x, std::int64_t k, int axis = -1) {
    return EvaluatedArray<X>(detail::kth(detail::evaluated(x), k, axis));
}

/// NumPy's: what a part q of the elements, from 0 to 1, is at or below. NaN if an element is NaN or there are none.
/// @returns floats of their own type (16-bit ones float), integers double; without the axis, or of rank 0
/// @throws ArgumentError if q is not from 0 to 1, or there is no such axis @time a sort and a launch, enqueued
template <ArrayOperand X>
GPUArray<EdgeOf<detail::ElementOf<X>>> quantile(const X& x, double q, const QuantileOptions& options = {}) {
    using E = EdgeOf<detail::ElementOf<X>>;
    return GPUArray<E>(detail::quantile("quantile", detail::evaluated(x), q, 1, dtype_of<E>(), options));
}
/// The same with 100 for all elements.
template <ArrayOperand X>
GPUArray<EdgeOf<detail::ElementOf<X>>> percentile(const X& x, double percent, const QuantileOptions& options = {}) {
    using E = EdgeOf<detail::ElementOf<X>>;
    return GPUArray<E>(detail::quantile("percentile", detail::evaluated(x), percent, 100, dtype_of<E>(), options));
}
/// Several at once: `quantile(x, {0.1, 0.5, 0.9}, {.axis = 1})`. @returns the quantiles along a new first axis
/// @time one sort, and a launch for each
template <ArrayOperand X>
GPUArray<EdgeOf<detail::ElementOf<X>>> quantile(const X& x, std::span<const double> parts,
                                                const QuantileOptions& options = {}) {
    using E = EdgeOf<detail::ElementOf<X>>;
    return GPUArray<E>(detail::quantiles("quantile", detail::evaluated(x), parts, 1, dtype_of<E>(), options));
}
template <ArrayOperand X>
GPUArray<EdgeOf<detail::ElementOf<X>>> quantile(const X& x, std::initializer_list<double> parts,
                                                const QuantileOptions& options = {}) {
    return quantile(x, std::span<const double>(parts.begin(), parts.size()), options);
}
template <ArrayOperand X>
GPUArray<EdgeOf<detail::ElementOf<X>>> percentile(const X& x, std::span<const double> percents,
                                                  const QuantileOptions& options = {}) {
    using E = EdgeOf<detail::ElementOf<X>>;
    return GPUArray<E>(detail::quantiles("percentile", detail::evaluated(x), percents, 100, dtype_of<E>(), options));
}
template <ArrayOperand X>
GPUArray<EdgeOf<detail::ElementOf<X>>> percentile(const X& x, std::initializer_list<double> percents,
                                                  const QuantileOptions& options = {}) {
    return percentile(x, std::span<const double>(percents.begin(), percents.size()), options);
}
/// The middle element, or the mean of the two.
template <ArrayOperand X>
GPUArray<EdgeOf<detail::ElementOf<X>>> median(const X& x, const QuantileOptions& options = {}) {
    using E = EdgeOf<detail::ElementOf<X>>;
    return GPUArray<E>(detail::quantile("median", detail::evaluated(x), 0.5, 1, dtype_of<E>(), options));
}

}  // namespace gemel
