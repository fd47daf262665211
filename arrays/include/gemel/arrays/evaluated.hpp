/// Operands of functions that move elements: arrays as they are, expressions by their values.
#pragma once

#include <gemel/arrays/expression.hpp>
#include <gemel/arrays/gpu_array.hpp>

#include <concepts>
#include <type_traits>

namespace gemel {

/// An array of any element type, structs included, or an expression.
template <class X>
concept ArrayOrExpression = HasDType<typename OperandElement<std::remove_cvref_t<X>>::type>;

/// What elements are taken from and put into, of a type known or not.
template <class X>
concept ElementHolder = ArrayOrExpression<X> || UntypedOperand<X>;

/// An array of the operand's elements.
template <ArrayOrExpression X>
using EvaluatedArray = GPUArray<typename OperandElement<std::remove_cvref_t<X>>::type>;

namespace detail {
/// The array itself, or a new one with the expression's values, its element type forgotten.
template <ArrayOrExpression X>
AnyArray evaluated(const X& x) {
    if constexpr (std::derived_from<X, AnyArray>) {
        return x;
    } else {
        return x.eval();
    }
}
}  // namespace detail

/// Whether put() and its siblings write values of this operand into elements of type T: they convert within a kind.
template <class V, class T>
concept WritableInto = std::same_as<typename OperandElement<V>::type, T> ||
                       (NumberElement<T> && NumberElement<typename OperandElement<V>::type> &&
                        is_same_kind(dtype_of<typename OperandElement<V>::type>(), dtype_of<T>()));

}  // namespace gemel
