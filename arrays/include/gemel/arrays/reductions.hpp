/// Reductions of arrays and expressions, over everything or over some axes, as NumPy's. An expression is evaluated
/// inside the reduction: `sum(x * y)` is one kernel and stores nothing between. Results stay on the device; `.item()`
/// reads one.
#pragma once

#include <gemel/arrays/expression.hpp>
#include <gemel/core/export.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace gemel {

/// Which axes are reduced: all, if left out; negative ones count from the end.
class ReducedOver {
   public:
    ReducedOver() = default;
    ReducedOver(int axis) : axes_(std::vector<int>{axis}) {}
    ReducedOver(std::initializer_list<int> axes) : axes_(axes) {}
    const std::optional<std::vector<int>>& axes() const { return axes_; }

   private:
    std::optional<std::vector<int>> axes_;
};

/// What is found; see the functions below.
enum class ReductionKind : std::uint8_t { sum, product, minimum, maximum, any, all, argmin, argmax };

/// @param result  the type of the result, in which it is also accumulated (16-bit floats: in float)
GEMEL_API AnyArray reduce(ReductionKind kind, const ExpressionView& expression, DType result, const ReducedOver& over,
                          bool keepdims);
/// The number of elements that are reduced to one. @throws ArgumentError if there are none
GEMEL_API std::size_t reduced_count(const char* who, const ExpressionView& expression, const ReducedOver& over);

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
    const std::size_t count = reduced_count(nullptr, view_of(x), over);
    const GPUArray<Sum> total(reduce(ReductionKind::sum, view_of(x), dtype_of<Sum>(), over, keepdims));
    return astype<T>(total / static_cast<double>(count));
}
/// The mean of the squared distances from the mean, which is found first. @param ddof  taken off the divisor
template <ArrayOperand X>
auto var(const X& x, const ReducedOver& over = {}, bool keepdims = false, std::size_t ddof = 0) {
    if constexpr (is_sixteen_bit<X>) {
        return astype<typename OperandElement<X>::type>(var(astype<float>(x), over, keepdims, ddof)).eval();
    } else {
        const auto divisor = static_cast<double>(reduced_count(nullptr, view_of(x), over)) - static_cast<double>(ddof);
        return (sum(square(abs(x - mean(x, over, true))), over, keepdims) / (divisor > 0 ? divisor : 0)).eval();
    }
}
template <ArrayOperand X>
auto stddev(const X& x, const ReducedOver& over = {}, bool keepdims = false, std::size_t ddof = 0) {
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
    if constexpr (is_sixteen_bit<X>) {
        return astype<T>(norm(astype<float>(x), over, keepdims)).eval();
    } else if constexpr (std::is_integral_v<T>) {
        return norm(astype<double>(x), over, keepdims);
    } else {
        return sqrt(sum(square(abs(x)), over, keepdims)).eval();
    }
}
/// The sum of conj(a) * b over all elements. Shapes are broadcast.
template <ArrayOperand A, ArrayOperand B>
auto vdot(const A& a, const B& b) {
    return sum(conj(a) * b);
}
template <ArrayOperand X>
GPUArray<std::int64_t> count_nonzero(const X& x, const ReducedOver& over = {}, bool keepdims = false) {
    return sum(x != 0, over, keepdims);
}

}  // namespace gemel
