/// Options of sum(), max(), mean() and the other reductions.
#pragma once

#include <gemel/arrays/any_array.hpp>
#include <gemel/arrays/expression_types.hpp>

#include <climits>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace gemel {

/// The axes to reduce over. Default: all axes. Negative values count from the last axis.
class ReductionAxes {
   public:
    ReductionAxes() = default;
    template <IntegerType I>
    ReductionAxes(I axis) : axes_(std::vector<int>{number_of(axis)}), is_one_(true) {}
    template <class V>
        requires(std::is_arithmetic_v<V> && !IntegerType<V>)
    ReductionAxes(V) =
        delete;  // an axis is an integer; minimum(x, 0.5f) bounds elements, sum(x, {.initial = 0.5f}) starts at a value
    ReductionAxes(std::initializer_list<int> axes) : axes_(axes) {}
    ReductionAxes(std::vector<int> axes) : axes_(std::move(axes)) {}
    ReductionAxes(std::span<const int> axes) : axes_(std::vector<int>(axes.begin(), axes.end())) {}
    ReductionAxes(const Axes& axes) : axes_(std::vector<int>()) {
        for (const std::int64_t axis : axes) axes_->push_back(number_of(axis));
    }
    const std::optional<std::vector<int>>& axes() const { return axes_; }
    /// Whether a single axis was given, not a list. On rank 0 the axes 0 and -1 are then allowed, as in NumPy.
    bool is_one() const { return is_one_; }

   private:
    /// Values beyond the range of int are clamped; no array has such an axis.
    template <IntegerType I>
    static int number_of(I axis) {
        if (std::cmp_less(axis, INT_MIN)) return INT_MIN;
        return std::cmp_greater(axis, INT_MAX) ? INT_MAX : static_cast<int>(axis);
    }

    std::optional<std::vector<int>> axes_;
    bool is_one_ = false;
};

/// A host number, or none.
class InitialNumber {
   public:
    InitialNumber() = default;
    template <HostNumber V>
    InitialNumber(const V& number) : number_(detail::widest(number)) {}
    const std::optional<AnyNumber>& number() const { return number_; }

   private:
    std::optional<AnyNumber> number_;
};

/// An empty first member: it forces options to be named, so that `sum(x, {0, 1})` lists axes.
class ByName {
   public:
    constexpr ByName() {}
};

/// Named options of reductions: `sum(x, {.axis = 1, .keepdims = true})`. A function throws ArgumentError for an option
/// that it does not support. (ReductionKernel, which reduces by your own expression, takes ReductionOptions.)
struct ReduceOptions {
    ByName by_name = {};
    ReductionAxes axis = {};          ///< one, several (`{0, 1}`) or all
    bool keepdims = false;            ///< keep reduced axes, with extent 1
    DType dtype = {};                 ///< elements are converted to it first; for a typed result use sum<T>(x)
    InitialNumber initial = {};       ///< combined with the elements
    std::optional<double> ddof = {};  ///< the divisor is the number of elements minus ddof, which may be fractional
    /// The array that receives the result, instead of a new one. It has the result's shape, any strides, and the
    /// result's type (of untyped operands: a type to which the result converts within its kind). It may overlap the
    /// operands.
    AnyArray out = {};
};

}  // namespace gemel
