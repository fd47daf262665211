/// Operands of functions that move elements: arrays, and expressions, which are evaluated first.
#pragma once

#include <gemel/arrays/expression.hpp>
#include <gemel/arrays/gpu_array.hpp>

#include <concepts>
#include <type_traits>

namespace gemel {

/// An array of any element type, structs included, or an expression.
template <class X>
concept ArrayOrExpression = HasDType<typename OperandElement<std::remove_cvref_t<X>>::type>;

/// A typed or untyped array, or an expression.
template <class X>
concept ElementHolder = ArrayOrExpression<X> || UntypedOperand<X>;

/// Typed and untyped arrays or expressions, at least one of them untyped.
template <class... X>
concept UntypedHolders = (UntypedOperand<X> || ...) && (ElementHolder<X> && ...);

/// An array of the operand's elements.
template <ArrayOrExpression X>
using EvaluatedArray = GPUArray<typename OperandElement<std::remove_cvref_t<X>>::type>;

namespace detail {
/// The array itself, or a new one with the expression's values; type-erased.
template <ArrayOrExpression X>
AnyArray evaluated(const X& x) {
    if constexpr (std::derived_from<X, AnyArray>) {
        return x;
    } else {
        return x.eval();
    }
}
}  // namespace detail

/// Whether put() and related functions can write this operand's values to elements of type T. They convert within a
/// kind.
template <class V, class T>
concept WritableInto = std::same_as<typename OperandElement<V>::type, T> ||
                       (NumberElement<T> && NumberElement<typename OperandElement<V>::type> &&
                        codegen::is_same_kind(dtype_of<typename OperandElement<V>::type>(), dtype_of<T>()));

}  // namespace gemel
