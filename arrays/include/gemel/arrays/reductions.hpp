/// Reductions of arrays and expressions, over everything or over some axes, as NumPy's. An expression is evaluated
/// inside the reduction: `sum(x * y)` is one kernel and stores nothing between. Results stay on the device; `.item()`
/// reads one.
#pragma once

#include <gemel/arrays/expression.hpp>
#include <gemel/core/export.hpp>

#include <climits>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace gemel {

/// Which axes are reduced: all, if left out; negative ones count from the end.
class ReducedOver {
   public:
    ReducedOver() = default;
    template <WholeNumberType I>
    ReducedOver(I axis) : axes_(std::vector<int>{number_of(axis)}), is_one_(true) {}
    template <class V>
        requires(std::is_arithmetic_v<V> && !WholeNumberType<V>)
    ReducedOver(V) = delete;  // an axis is an integer: minimum(x, 0.5f) bounds, sum(x, {}, false, 0.5f) begins with 0.5
    ReducedOver(std::initializer_list<int> axes) : axes_(axes) {}
    ReducedOver(std::vector<int> axes) : axes_(std::move(axes)) {}
    ReducedOver(std::span<const int> axes) : axes_(std::vector<int>(axes.begin(), axes.end())) {}
    ReducedOver(const Axes& axes) : axes_(std::vector<int>()) {
        for (const std::int64_t axis : axes) axes_->push_back(number_of(axis));
    }
    const std::optional<std::vector<int>>& axes() const { return axes_; }
    /// Is it one axis, not a list of one? Such may be 0 or -1 of a single value, as in NumPy.
    bool is_one() const { return is_one_; }

   private:
    /// What is no int is no axis either, and refused as one.
    template <WholeNumberType I>
    static int number_of(I axis) {
        if (std::cmp_less(axis, INT_MIN)) return INT_MIN;
        return std::cmp_greater(axis, INT_MAX) ? INT_MAX : static_cast<int>(axis);
    }

    std::optional<std::vector<int>> axes_;
    bool is_one_ = false;
};

/// What is found; see the functions below.
enum class ReductionKind : std::uint8_t { sum, product, minimum, maximum, any, all, argmin, argmax };

/// @param result  the type of the result, in which it is also accumulated (16-bit floats: in float)
/// @param who     the function that errors name; the kind's own, if left out
GEMEL_API AnyArray reduce(ReductionKind kind, const ExpressionView& expression, DType result, const ReducedOver& over,
                          bool keepdims, const char* who = nullptr);
/// The same of what has its type at run time only, with the checks and types of the functions below.
/// @param result  of a sum or product: the type in which it is found; NumPy's choice if empty
GEMEL_API AnyArray reduce(ReductionKind kind, const AnyExpr& x, const ReducedOver& over, bool keepdims,
                          DType result = {}, const char* who = nullptr);
/// What is found, and a number to begin with: `initial` is one.
GEMEL_API AnyArray reduce_from(ReductionKind kind, const AnyExpr& x, const ReducedOver& over, bool keepdims,
                               const AnyExpr& initial, DType result = {});
/// The number of elements that are reduced to one. @throws ArgumentError naming `who` if there are none
GEMEL_API std::size_t reduced_count(const char* who, const ExpressionView& expression, const ReducedOver& over);
/// The same for a function of which nothing need be there, but all axes. @throws ArgumentError naming `who`
GEMEL_API std::size_t averaged_count(const char* who, const ExpressionView& expression, const ReducedOver& over);

template <TypeRule rule, ArrayOperand X>
using ReducedElement = ResultElement<rule, X>;

/// Integers and bools are summed in 64 bits, everything else in its own type, 16-bit floats in float. Rounding errors
/// grow with the logarithm of the length. Of no elements: 0.
/// @param keepdims  reduced axes stay, with extent 1
/// @time enqueued, returns at once; one launch on GPUs, two on CPU devices
template <ArrayOperand X>
GPUArray<ReducedElement<TypeRule::sum, X>> sum(const X& x, const ReducedOver& over = {}, bool keepdims = false) {
    using T = ReducedElement<TypeRule::sum, X>;
    return GPUArray<T>(reduce(ReductionKind::sum, view_of(x), dtype_of<T>(), over, keepdims));
}
/// The same for products. Of no elements: 1.
template <ArrayOperand X>
GPUArray<ReducedElement<TypeRule::sum, X>> prod(const X& x, const ReducedOver& over = {}, bool keepdims = false) {
    using T = ReducedElement<TypeRule::sum, X>;
    return GPUArray<T>(reduce(ReductionKind::product, view_of(x), dtype_of<T>(), over, keepdims));
}
/// The same found and given in a type of one's choice, to which the elements are converted first: `sum<double>(x)`.
template <NumberElement T, ArrayOperand X>
GPUArray<T> sum(const X& x, const ReducedOver& over = {}, bool keepdims = false) {
    return GPUArray<T>(reduce(ReductionKind::sum, view_of(astype<T>(x)), dtype_of<T>(), over, keepdims));
}
template <NumberElement T, ArrayOperand X>
GPUArray<T> prod(const X& x, const ReducedOver& over = {}, bool keepdims = false) {
    return GPUArray<T>(reduce(ReductionKind::product, view_of(astype<T>(x)), dtype_of<T>(), over, keepdims));
}
/// The smallest and the largest element; NaN if there is one. @throws ArgumentError if there are no elements
template <ArrayOperand X>
GPUArray<typename OperandElement<X>::type> min(const X& x, const ReducedOver& over = {}, bool keepdims = false) {
    using T = typename OperandElement<X>::type;
    static_assert(!is_complex<T>, "complex numbers have no order: take real(), imag() or abs()");
    reduced_count("min", view_of(x), over);
    return GPUArray<T>(reduce(ReductionKind::minimum, view_of(x), dtype_of<T>(), over, keepdims));
}
template <ArrayOperand X>
GPUArray<typename OperandElement<X>::type> max(const X& x, const ReducedOver& over = {}, bool keepdims = false) {
    using T = typename OperandElement<X>::type;
    static_assert(!is_complex<T>, "complex numbers have no order: take real(), imag() or abs()");
    reduced_count("max", view_of(x), over);
    return GPUArray<T>(reduce(ReductionKind::maximum, view_of(x), dtype_of<T>(), over, keepdims));
}
/// A result combined with a number to begin with, in the result's type.
template <class Op, NumberElement T, ValueFor<T> V>
GPUArray<T> with_initial(const GPUArray<T>& found, const V& initial) {
    write_expression(found, make_expression<Op>(found, element_of<T>(initial)));
    return found;
}
/// What is found and `initial` together: `sum(x, {}, false, 10)`. There need be no elements: min() and max() give
/// `initial` then. @throws ArgumentError if the result's type has no such value @time one launch more
template <ArrayOperand X, HostNumber V>
auto sum(const X& x, const ReducedOver& over, bool keepdims, const V& initial) {
    return with_initial<Add>(sum(x, over, keepdims), initial);
}
template <NumberElement T, ArrayOperand X, HostNumber V>
GPUArray<T> sum(const X& x, const ReducedOver& over, bool keepdims, const V& initial) {
    return with_initial<Add>(sum<T>(x, over, keepdims), initial);
}
template <ArrayOperand X, HostNumber V>
auto prod(const X& x, const ReducedOver& over, bool keepdims, const V& initial) {
    return with_initial<Multiply>(prod(x, over, keepdims), initial);
}
template <NumberElement T, ArrayOperand X, HostNumber V>
GPUArray<T> prod(const X& x, const ReducedOver& over, bool keepdims, const V& initial) {
    return with_initial<Multiply>(prod<T>(x, over, keepdims), initial);
}
template <ArrayOperand X, HostNumber V>
auto min(const X& x, const ReducedOver& over, bool keepdims, const V& initial) {
    using T = typename OperandElement<X>::type;
    static_assert(!is_complex<T>, "complex numbers have no order: take real(), imag() or abs()");
    return with_initial<Minimum>(GPUArray<T>(reduce(ReductionKind::minimum, view_of(x), dtype_of<T>(), over, keepdims)),
                                 initial);
}
template <ArrayOperand X, HostNumber V>
auto max(const X& x, const ReducedOver& over, bool keepdims, const V& initial) {
    using T = typename OperandElement<X>::type;
    static_assert(!is_complex<T>, "complex numbers have no order: take real(), imag() or abs()");
    return with_initial<Maximum>(GPUArray<T>(reduce(ReductionKind::maximum, view_of(x), dtype_of<T>(), over, keepdims)),
                                 initial);
}
/// Is any, are all elements other than zero? Of no elements: false, and true.
template <ArrayOperand X>
GPUArray<bool> any(const X& x, const ReducedOver& over = {}, bool keepdims = false) {
    return GPUArray<bool>(reduce(ReductionKind::any, view_of(x), dtype_of<bool>(), over, keepdims));
}
template <ArrayOperand X>
GPUArray<bool> all(const X& x, const ReducedOver& over = {}, bool keepdims = false) {
    return GPUArray<bool>(reduce(ReductionKind::all, view_of(x), dtype_of<bool>(), over, keepdims));
}
/// Where the extreme element is, the first of several: in C order of the reduced axes. The first NaN, if there is one.
/// @throws ArgumentError if there are no elements
template <ArrayOperand X>
GPUArray<std::int64_t> argmin(const X& x, const ReducedOver& over = {}, bool keepdims = false) {
    static_assert(!is_complex<typename OperandElement<X>::type>, "complex numbers have no order");
    reduced_count("argmin", view_of(x), over);
    return GPUArray<std::int64_t>(reduce(ReductionKind::argmin, view_of(x), dtype_of<std::int64_t>(), over, keepdims));
}
template <ArrayOperand X>
GPUArray<std::int64_t> argmax(const X& x, const ReducedOver& over = {}, bool keepdims = false) {
    static_assert(!is_complex<typename OperandElement<X>::type>, "complex numbers have no order");
    reduced_count("argmax", view_of(x), over);
    return GPUArray<std::int64_t>(reduce(ReductionKind::argmax, view_of(x), dtype_of<std::int64_t>(), over, keepdims));
}

template <ArrayOperand X>
inline constexpr bool is_sixteen_bit = SixteenBitFloat<typename OperandElement<X>::type>;

/// Of integers a double, of 16-bit floats found in float. NaN of no elements. @time one launch more than a sum's
template <ArrayOperand X>
GPUArray<ReducedElement<TypeRule::mean, X>> mean(const X& x, const ReducedOver& over = {}, bool keepdims = false) {
    using T = ReducedElement<TypeRule::mean, X>;
    using Sum = std::conditional_t<is_sixteen_bit<X>, float, T>;
    const std::size_t count = averaged_count("mean", view_of(x), over);
    const GPUArray<Sum> total(reduce(ReductionKind::sum, view_of(x), dtype_of<Sum>(), over, keepdims, "mean"));
    return astype<T>(total / static_cast<double>(count));
}
/// The mean of the squared distances from the mean, which is found first.
/// @param ddof  taken off the divisor; as NumPy's it need not be whole
template <ArrayOperand X>
auto var(const X& x, const ReducedOver& over = {}, bool keepdims = false, double ddof = 0) {
    const std::size_t count = averaged_count("var", view_of(x), over);
    if constexpr (is_sixteen_bit<X>) {
        return astype<typename OperandElement<X>::type>(var(astype<float>(x), over, keepdims, ddof)).eval();
    } else {
        const double divisor = static_cast<double>(count) - ddof;
        return (sum(square(abs(x - mean(x, over, true))), over, keepdims) / (divisor > 0 ? divisor : 0)).eval();
    }
}
template <ArrayOperand X>
auto stddev(const X& x, const ReducedOver& over = {}, bool keepdims = false, double ddof = 0) {
    averaged_count("stddev", view_of(x), over);
    if constexpr (is_sixteen_bit<X>) {
        return astype<typename OperandElement<X>::type>(stddev(astype<float>(x), over, keepdims, ddof)).eval();
    } else {
        return sqrt(var(x, over, keepdims, ddof)).eval();
    }
}
/// The square root of the sum of the squared magnitudes. Of integers a double.
template <ArrayOperand X>
auto norm(const X& x, const ReducedOver& over = {}, bool keepdims = false) {
    using T = typename OperandElement<X>::type;
    averaged_count("norm", view_of(x), over);
    if constexpr (is_sixteen_bit<X>) {
        return astype<T>(norm(astype<float>(x), over, keepdims)).eval();
    } else if constexpr (std::is_integral_v<T>) {
        return norm(astype<double>(x), over, keepdims);
    } else {
        return sqrt(sum(square(abs(x)), over, keepdims)).eval();
    }
}
/// The same found in a type of one's choice, to which the elements are converted first: `mean<double>(x)`.
template <NumberElement T, ArrayOperand X>
auto mean(const X& x, const ReducedOver& over = {}, bool keepdims = false) {
    return mean(astype<T>(x), over, keepdims);
}
template <NumberElement T, ArrayOperand X>
auto var(const X& x, const ReducedOver& over = {}, bool keepdims = false, double ddof = 0) {
    return var(astype<T>(x), over, keepdims, ddof);
}
template <NumberElement T, ArrayOperand X>
auto stddev(const X& x, const ReducedOver& over = {}, bool keepdims = false, double ddof = 0) {
    return stddev(astype<T>(x), over, keepdims, ddof);
}
template <NumberElement T, ArrayOperand X>
auto norm(const X& x, const ReducedOver& over = {}, bool keepdims = false) {
    return norm(astype<T>(x), over, keepdims);
}
/// The sum of conj(a) * b over all elements. Shapes are broadcast.
template <ArrayOperand A, ArrayOperand B>
auto vdot(const A& a, const B& b) {
    const auto product = conj(a) * b;
    using T = ReducedElement<TypeRule::sum, decltype(product)>;
    return GPUArray<T>(reduce(ReductionKind::sum, product.view(), dtype_of<T>(), {}, false, "vdot"));
}
/// The operands of inner() so that their product, summed along the last axis, is it.
GEMEL_API std::pair<AnyArray, AnyArray> inner_operands(const AnyArray& a, const AnyArray& b);
/// The sum of a * b over the last axis of both, nothing conjugated: of shapes (..., n) and (---, n) one of (..., ---).
/// Sums are found in the elements' common type, as NumPy's; an operand of rank 0 multiplies. Expressions are evaluated
/// first; `sum(a * b)` is one kernel. @throws ArgumentError if the last extents differ @time enqueued
template <ArrayOperand A, ArrayOperand B>
auto inner(const A& a, const B& b) {
    using L = typename OperandElement<A>::type;
    using R = typename OperandElement<B>::type;
    const GPUArray<L> left = a;
    const GPUArray<R> right = b;
    if (left.rank() == 0 || right.rank() == 0) return (left * right).eval();
    const auto [x, y] = inner_operands(left, right);
    using T = Promote<L, R>;
    const auto product = astype<T>(GPUArray<L>(x) * GPUArray<R>(y));
    return GPUArray<T>(reduce(ReductionKind::sum, product.view(), dtype_of<T>(), -1, false, "inner"));
}
template <ArrayOperand X>
GPUArray<std::int64_t> count_nonzero(const X& x, const ReducedOver& over = {}, bool keepdims = false) {
    const auto counted = x != 0;
    const DType type = dtype_of<std::int64_t>();
    return GPUArray<std::int64_t>(reduce(ReductionKind::sum, counted.view(), type, over, keepdims, "count_nonzero"));
}

// Of arrays and expressions whose type is known at run time only: the same, and ArgumentError where the above do not
// compile.

/// @param dtype  of the result, in which it is found; elements are converted first
template <UntypedOperand X>
AnyArray sum(const X& x, const ReducedOver& over = {}, bool keepdims = false, DType dtype = {}) {
    return reduce(ReductionKind::sum, AnyExpr(x), over, keepdims, dtype);
}
template <UntypedOperand X>
AnyArray prod(const X& x, const ReducedOver& over = {}, bool keepdims = false, DType dtype = {}) {
    return reduce(ReductionKind::product, AnyExpr(x), over, keepdims, dtype);
}
template <UntypedOperand X>
AnyArray min(const X& x, const ReducedOver& over = {}, bool keepdims = false) {
    return reduce(ReductionKind::minimum, AnyExpr(x), over, keepdims);
}
template <UntypedOperand X>
AnyArray max(const X& x, const ReducedOver& over = {}, bool keepdims = false) {
    return reduce(ReductionKind::maximum, AnyExpr(x), over, keepdims);
}
template <UntypedOperand X>
AnyArray any(const X& x, const ReducedOver& over = {}, bool keepdims = false) {
    return reduce(ReductionKind::any, AnyExpr(x), over, keepdims);
}
template <UntypedOperand X>
AnyArray all(const X& x, const ReducedOver& over = {}, bool keepdims = false) {
    return reduce(ReductionKind::all, AnyExpr(x), over, keepdims);
}
template <UntypedOperand X>
AnyArray argmin(const X& x, const ReducedOver& over = {}, bool keepdims = false) {
    return reduce(ReductionKind::argmin, AnyExpr(x), over, keepdims);
}
template <UntypedOperand X>
AnyArray argmax(const X& x, const ReducedOver& over = {}, bool keepdims = false) {
    return reduce(ReductionKind::argmax, AnyExpr(x), over, keepdims);
}

template <UntypedOperand X>
AnyArray count_nonzero(const X& x, const ReducedOver& over = {}, bool keepdims = false) {
    return reduce(ReductionKind::sum, x != 0, over, keepdims, {}, "count_nonzero");
}
/// What is found and `initial` together. @throws ArgumentError if the result's type has no such value
template <UntypedOperand X, HostNumber V>
AnyArray sum(const X& x, const ReducedOver& over, bool keepdims, const V& initial, DType dtype = {}) {
    return reduce_from(ReductionKind::sum, AnyExpr(x), over, keepdims, AnyExpr(initial), dtype);
}
template <UntypedOperand X, HostNumber V>
AnyArray prod(const X& x, const ReducedOver& over, bool keepdims, const V& initial, DType dtype = {}) {
    return reduce_from(ReductionKind::product, AnyExpr(x), over, keepdims, AnyExpr(initial), dtype);
}
template <UntypedOperand X, HostNumber V>
AnyArray min(const X& x, const ReducedOver& over, bool keepdims, const V& initial) {
    return reduce_from(ReductionKind::minimum, AnyExpr(x), over, keepdims, AnyExpr(initial));
}
template <UntypedOperand X, HostNumber V>
AnyArray max(const X& x, const ReducedOver& over, bool keepdims, const V& initial) {
    return reduce_from(ReductionKind::maximum, AnyExpr(x), over, keepdims, AnyExpr(initial));
}

GEMEL_API AnyArray mean_of(const AnyExpr& x, const ReducedOver& over, bool keepdims);
GEMEL_API AnyArray var_of(const AnyExpr& x, const ReducedOver& over, bool keepdims, double ddof);
GEMEL_API AnyArray stddev_of(const AnyExpr& x, const ReducedOver& over, bool keepdims, double ddof);
GEMEL_API AnyArray norm_of(const AnyExpr& x, const ReducedOver& over, bool keepdims);
GEMEL_API AnyArray inner_of(const AnyExpr& a, const AnyExpr& b);
template <UntypedOperand X>
AnyArray mean(const X& x, const ReducedOver& over = {}, bool keepdims = false) {
    return mean_of(AnyExpr(x), over, keepdims);
}
template <UntypedOperand X>
AnyArray var(const X& x, const ReducedOver& over = {}, bool keepdims = false, double ddof = 0) {
    return var_of(AnyExpr(x), over, keepdims, ddof);
}
template <UntypedOperand X>
AnyArray stddev(const X& x, const ReducedOver& over = {}, bool keepdims = false, double ddof = 0) {
    return stddev_of(AnyExpr(x), over, keepdims, ddof);
}
template <UntypedOperand X>
AnyArray norm(const X& x, const ReducedOver& over = {}, bool keepdims = false) {
    return norm_of(AnyExpr(x), over, keepdims);
}

/// Two operands, neither a number, of which one at least has its type at run time only.
template <class A, class B>
concept UntypedPair =
    UntypedCombinable<A, B> && (UntypedOperand<A> || ArrayOperand<A>) && (UntypedOperand<B> || ArrayOperand<B>);
template <class A, class B>
    requires UntypedPair<A, B>
AnyArray vdot(const A& a, const B& b) {
    return reduce(ReductionKind::sum, conj(AnyExpr(a)) * AnyExpr(b), {}, false, {}, "vdot");
}
template <class A, class B>
    requires UntypedPair<A, B>
AnyArray inner(const A& a, const B& b) {
    return inner_of(AnyExpr(a), AnyExpr(b));
}

}  // namespace gemel
