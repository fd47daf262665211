/// The largest and smallest elements, medians and quantiles.
#pragma once

#include <gemel/algorithms/group.hpp>
#include <gemel/arrays/evaluated.hpp>
#include <gemel/arrays/gpu_array.hpp>
#include <gemel/core/export.hpp>

#include <cstdint>
#include <optional>

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

/// What a quantile between two elements is, as in NumPy.
enum class QuantileMethod : std::uint8_t { linear, lower, higher, nearest, midpoint };

struct QuantileOptions {
    std::optional<int> axis = {};  ///< of all elements if left out
    QuantileMethod method = QuantileMethod::linear;
    bool keepdims = false;
};

namespace detail {
GEMEL_API AnyTopK topk(const AnyArray& x, std::int64_t k, const TopKOptions& options);
GEMEL_API AnyArray kth(const AnyArray& x, std::int64_t k, int axis);
GEMEL_API AnyArray quantile(const char* who, const AnyArray& x, double q, DType result, const QuantileOptions& options);
}  // namespace detail

/// The k largest elements along an axis, in order. NaN counts as larger than all else.
/// @throws ArgumentError if the axis has fewer than k elements, or is not there
/// @time a sort along the axis; of long arrays of one axis two readings and little more, and a wait for how many
///       elements may be among them
template <ArrayOperand X>
TopK<detail::ElementOf<X>> topk(const X& x, std::int64_t k, const TopKOptions& options = {}) {
    AnyTopK top = detail::topk(detail::evaluated(x), k, options);
    return {GPUArray<detail::ElementOf<X>>(top.values), top.indices};
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
    return GPUArray<E>(detail::quantile("quantile", detail::evaluated(x), q, dtype_of<E>(), options));
}
/// The same with 100 for all elements.
template <ArrayOperand X>
GPUArray<EdgeOf<detail::ElementOf<X>>> percentile(const X& x, double percent, const QuantileOptions& options = {}) {
    using E = EdgeOf<detail::ElementOf<X>>;
    return GPUArray<E>(detail::quantile("percentile", detail::evaluated(x), percent / 100, dtype_of<E>(), options));
}
/// The middle element, or the mean of the two.
template <ArrayOperand X>
GPUArray<EdgeOf<detail::ElementOf<X>>> median(const X& x, const QuantileOptions& options = {}) {
    using E = EdgeOf<detail::ElementOf<X>>;
    return GPUArray<E>(detail::quantile("median", detail::evaluated(x), 0.5, dtype_of<E>(), options));
}

}  // namespace gemel
