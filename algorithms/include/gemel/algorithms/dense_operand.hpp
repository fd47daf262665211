/// What dense algorithms take: arrays and expressions, their types known or not.
#pragma once

#include <gemel/arrays/evaluated.hpp>
#include <gemel/arrays/expression.hpp>

namespace gemel {

/// An array or expression, its type known or not. Expressions are evaluated first.
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
/// An array of the operands' common type; of AnyArray if one is known at run time only.
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
