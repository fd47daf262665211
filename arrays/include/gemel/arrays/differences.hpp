/// Differences along an axis and cross products: diff, gradient, cross.
#pragma once

#include <gemel/arrays/evaluated.hpp>
#include <gemel/arrays/gpu_array.hpp>
#include <gemel/core/export.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace gemel {

/// What diff() adds before or after the elements of an axis: an array, or a number, which becomes one element.
class DiffEdge {
   public:
    template <NumberElement V>
    DiffEdge(const V& number) : value_(detail::widest(number)) {}
    DiffEdge(AnyArray array) : value_(std::move(array)) {}
    const std::variant<AnyNumber, AnyArray>& value() const { return value_; }

   private:
    std::variant<AnyNumber, AnyArray> value_;
};

struct DiffOptions {
    std::int64_t n = 1;                    ///< how many times the difference is taken
    std::int64_t axis = -1;                ///< the axis of the differences
    std::optional<DiffEdge> prepend = {};  ///< added before the first and after the last element: a number, or an array
    std::optional<DiffEdge> append = {};   ///< of x's shape along all other axes; one of fewer axes is broadcast
};

/// The spacing of the elements along an axis: a number, or their coordinates, one axis of as many numbers.
class Spacing {
   public:
    template <RealElement V>
    Spacing(const V& step) : value_(std::get<double>(detail::widest(detail::element_of<double>(step)))) {}
    Spacing(std::vector<double> coordinates) : value_(std::move(coordinates)) {}
    /// On the device, of any real type.
    Spacing(AnyArray coordinates) : value_(std::move(coordinates)) {}
    const std::variant<double, std::vector<double>, AnyArray>& value() const { return value_; }

   private:
    std::variant<double, std::vector<double>, AnyArray> value_;
};

struct GradientOptions {
    std::vector<Spacing> spacing = {};  ///< none: 1; a number: for all axes; else one for each axis
    std::optional<Axes> axes = {};      ///< none: all
    std::int64_t edge_order = 1;        ///< 1 or 2: the order of accuracy at the first and last element
};

struct CrossOptions {
    std::int64_t axis_a = -1, axis_b = -1;  ///< the axes of the vectors' components
    std::int64_t axis_c = -1;               ///< the same of the result
};

// What the templates below call, for types known at run time.
GEMEL_API AnyArray diff(const AnyArray& x, const DiffOptions& options);
GEMEL_API AnyArray gradient_along(const AnyArray& x, Integer axis, const Spacing& spacing, Integer edge_order);
GEMEL_API std::vector<AnyArray> gradient(const AnyArray& x, const GradientOptions& options);
GEMEL_API AnyArray cross(const AnyArray& a, const AnyArray& b, const CrossOptions& options);

/// x[k + 1] - x[k] along an axis, applied `n` times; for bools x[k + 1] != x[k]. `diff(x, {.n = 2, .prepend = 0})`
/// @param x   one axis at least; integers wrap around
/// @returns   a new array (x itself if n is 0) of x's type, shorter by n along the axis after prepending and appending
/// @throws ArgumentError for a negative n, an axis out of range, and edges of another shape, context or kind
/// @time one launch for each n, enqueued; edges are joined with x first
template <ArrayOrExpression X>
auto diff(const X& x, const DiffOptions& options = {}) {
    return EvaluatedArray<X>(diff(detail::evaluated(x), options));
}
template <std::same_as<AnyArray> A>
AnyArray diff(const A& x) {
    return diff(x, DiffOptions{});
}

/// The element type of gradient(): that of floating-point arrays, double for integers.
template <ArrayOrExpression X, class T = typename OperandElement<std::remove_cvref_t<X>>::type>
using GradientElement = std::conditional_t<std::is_integral_v<T>, double, T>;

/// The derivative along one axis, as NumPy's gradient(): central differences inside, one-sided ones at the edges.
/// @param x           floating-point, complex or integer numbers; at least edge_order + 1 of them along the axis
/// @param spacing     1 if left out; coordinates may be unevenly spaced and may descend
/// @param edge_order  1: two elements at the edges; 2: three, exact for parabolas
/// @returns           a new array of x's shape; double if x has integers
/// @throws ArgumentError if the axis is out of range or too short, or the number of coordinates differs from its extent
/// @time three launches, enqueued; coordinates of the host are uploaded
template <ArrayOrExpression X>
auto gradient_along(const X& x, Integer axis, const Spacing& spacing = 1.0, Integer edge_order = 1) {
    return GPUArray<GradientElement<X>>(gradient_along(detail::evaluated(x), axis, spacing, edge_order));
}
/// The same along each of several axes, in their order.
/// @throws ArgumentError unless there is one number, or one spacing per axis
template <ArrayOrExpression X>
auto gradient(const X& x, const GradientOptions& options = {}) {
    std::vector<GPUArray<GradientElement<X>>> all;
    for (AnyArray& each : gradient(detail::evaluated(x), options)) all.emplace_back(std::move(each));
    return all;
}

/// The cross product of vectors of 3 components, or of 2, whose third is 0; all other axes are broadcast. For two
/// vectors of 2 components the result is the third component, without an axis.
/// @throws ArgumentError if an axis is out of range or has neither 2 nor 3 elements, or the others cannot be broadcast
/// @time one launch per component, enqueued
template <ArrayOrExpression A, ArrayOrExpression B>
auto cross(const A& a, const B& b, const CrossOptions& options = {}) {
    using T = Promote<typename EvaluatedArray<A>::value_type, typename EvaluatedArray<B>::value_type>;
    return GPUArray<T>(cross(detail::evaluated(a), detail::evaluated(b), options));
}

}  // namespace gemel
