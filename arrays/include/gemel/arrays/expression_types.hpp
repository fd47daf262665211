/// The C++ element types of operations' results, by the rules of gemel/codegen/promotion.hpp.
#pragma once

#include <gemel/arrays/element.hpp>
#include <gemel/codegen/promotion.hpp>
#include <gemel/core/dtype.hpp>

#include <array>
#include <complex>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace gemel {

template <ElementType T>
class GPUArray;

using codegen::promote;

// The same with C++ types.

/// The C++ type of a number's DType.
template <DType::Kind kind, std::uint32_t size_bytes>
struct NumberOf {};
// clang-format off
template <> struct NumberOf<DType::Kind::boolean, 1> { using type = bool; };
template <> struct NumberOf<DType::Kind::signed_integer, 1> { using type = std::int8_t; };
template <> struct NumberOf<DType::Kind::signed_integer, 2> { using type = std::int16_t; };
template <> struct NumberOf<DType::Kind::signed_integer, 4> { using type = std::int32_t; };
template <> struct NumberOf<DType::Kind::signed_integer, 8> { using type = std::int64_t; };
template <> struct NumberOf<DType::Kind::unsigned_integer, 1> { using type = std::uint8_t; };
template <> struct NumberOf<DType::Kind::unsigned_integer, 2> { using type = std::uint16_t; };
template <> struct NumberOf<DType::Kind::unsigned_integer, 4> { using type = std::uint32_t; };
template <> struct NumberOf<DType::Kind::unsigned_integer, 8> { using type = std::uint64_t; };
template <> struct NumberOf<DType::Kind::floating, 2> { using type = half; };
template <> struct NumberOf<DType::Kind::floating, 4> { using type = float; };
template <> struct NumberOf<DType::Kind::floating, 8> { using type = double; };
template <> struct NumberOf<DType::Kind::bfloat, 2> { using type = bfloat16; };
template <> struct NumberOf<DType::Kind::complex, 8> { using type = cfloat; };
template <> struct NumberOf<DType::Kind::complex, 16> { using type = cdouble; };
// clang-format on

/// Host numbers that may be operands together with arrays.
template <class V>
concept HostNumber = NumberElement<V>;

namespace detail {
template <HostNumber V>
inline constexpr codegen::ScalarKind scalar_kind =
    is_complex<V>                                       ? codegen::ScalarKind::complex
    : std::is_floating_point_v<V> || SixteenBitFloat<V> ? codegen::ScalarKind::floating
    : std::is_same_v<V, bool>                           ? codegen::ScalarKind::boolean
                                                        : codegen::ScalarKind::integer;
}  // namespace detail

/// The element type of an operand. Expressions specialise it; numbers have none.
template <class X>
struct OperandElement {};
template <HasDType T>
struct OperandElement<GPUArray<T>> {
    using type = T;
};

template <class X>
concept ArrayOperand = NumberElement<typename OperandElement<std::remove_cvref_t<X>>::type>;
/// The operands of operators: arrays, expressions, numbers.
template <class X>
concept Operand = ArrayOperand<X> || HostNumber<std::remove_cvref_t<X>>;

/// Arrays, expressions and numbers that may be the exponent of ldexp() or the order of a Bessel function.
template <class X>
concept ExponentOperand =
    (ArrayOperand<X> && codegen::is_exponent(dtype_of<typename OperandElement<std::remove_cvref_t<X>>::type>())) ||
    std::is_integral_v<std::remove_cvref_t<X>>;

namespace detail {
template <codegen::TypeRule rule, Operand Plain>
constexpr codegen::CommonType with_operand(const codegen::CommonType& common) {
    if constexpr (ArrayOperand<Plain>) {
        return common.with(rule, dtype_of<typename OperandElement<Plain>::type>());
    } else {
        return common.with(scalar_kind<Plain>, codegen::number_type(dtype_of<Plain>()));
    }
}
template <codegen::TypeRule rule, Operand... X>
constexpr DType common_dtype() {
    codegen::CommonType common;
    ((common = with_operand<rule, std::remove_cvref_t<X>>(common)), ...);
    return common.dtype();
}

template <codegen::TypeRule rule, Operand... X>
constexpr DType result_dtype() {
    return codegen::result_type(rule, common_dtype<rule, X...>());
}
}  // namespace detail

/// The common type of the operands, used by where() and comparisons.
template <Operand... X>
using CommonElement = typename NumberOf<detail::common_dtype<codegen::TypeRule::common, X...>().kind(),
                                        detail::common_dtype<codegen::TypeRule::common, X...>().size_bytes()>::type;

/// The element type of the result. It does not exist for operands that the operation is not defined for; the operator
/// then does not exist either.
template <codegen::TypeRule rule, Operand... X>
using ResultElement =
    typename NumberOf<detail::result_dtype<rule, X...>().kind(), detail::result_dtype<rule, X...>().size_bytes()>::type;

/// Valid operands of an operation, at least one of them an array.
template <codegen::TypeRule rule, class... X>
concept Combinable =
    (Operand<X> && ...) && (ArrayOperand<X> || ...) && requires { typename ResultElement<rule, X...>; };

/// The common element type of arrays of these types: `Promote<std::int32_t, float>` is double.
template <NumberElement... T>
inline constexpr DType promoted = codegen::promote(std::array{dtype_of<T>()...});
template <NumberElement... T>
using Promote = typename NumberOf<promoted<T...>.kind(), promoted<T...>.size_bytes()>::type;

}  // namespace gemel
