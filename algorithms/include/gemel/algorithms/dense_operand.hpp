/// Operands of einsum and convolutions: arrays and expressions, with element types known at compile time or at run
/// time.
#pragma once

#include <gemel/arrays/evaluated.hpp>
#include <gemel/arrays/expression.hpp>

namespace gemel {

/// An array or expression whose element type is known at compile time or at run time. Expressions are evaluated first.
template <class X>
concept DenseOperand = ArrayOperand<X> || UntypedOperand<X>;

namespace detail {
template <DenseOperand X>
AnyArray dense_operand(const X& x) {
    if constexpr (ArrayOperand<X>) {
        return evaluated(x);
    } else {
        return x;
    }
}
/// GPUArray of the operands' common type; AnyArray if the type of one is known at run time only.
template <class... X>
struct DenseResult {
    using type = AnyArray;
};
template <ArrayOperand... X>
struct DenseResult<X...> {
    using type = GPUArray<Promote<typename OperandElement<X>::type...>>;
};
/// Whether elements of X become T without losing their imaginary parts.
template <class T, class X>
constexpr bool keeps_parts() {
    if constexpr (ArrayOperand<X>) return is_complex<T> || !is_complex<typename OperandElement<X>::type>;
    return true;
}
}  // namespace detail

}  // namespace gemel
