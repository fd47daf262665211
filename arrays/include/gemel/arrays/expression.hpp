/// Lazy expressions: `5 * x + sin(y)` only describes a computation. Assigning, get(), printing or reducing it runs one
/// kernel.
///
/// An expression shares its arrays and may be stored. It reads their elements when it is evaluated: after `auto e = x +
/// y; x.fill(0);` e evaluates with zeros. Shapes are broadcast and types promoted as in NumPy 2. Host numbers are
/// weakly typed and passed as kernel arguments, so a new value needs no new kernel.
#pragma once

#include <gemel/arrays/expr.hpp>

#include <array>
#include <concepts>
#include <ostream>
#include <type_traits>
#include <utility>

namespace gemel {

// Each function has two overloads: all operand types known at compile time, or at least one known only at run time.
// The types are here; text and folding are in codegen/src/operations/operations.cpp.
#define GEMEL_OPERATION(Name, function, operands, compute, rule, numbers) \
    namespace operations { \
    struct Name { \
        static constexpr codegen::OperationType operation{#function, operands, codegen::TypeRule::rule, \
                                                          codegen::Compute::compute, codegen::Numbers::numbers}; \
    }; \
    }
#define GEMEL_UNARY(function, Name, compute, rule, numbers) \
    GEMEL_OPERATION(Name, function, 1, compute, rule, numbers) \
    template <class A> \
        requires Combinable<codegen::TypeRule::rule, A> \
    auto function(A&& a) { \
        return detail::make_expression<operations::Name>(std::forward<A>(a)); \
    } \
    template <UntypedOperand A> \
    AnyExpr function(const A& a) { \
        return AnyExpr(operations::Name::operation, std::array<AnyExpr, 1>{AnyExpr(a)}); \
    }
#define GEMEL_BINARY(function, Name, compute, rule, numbers) \
    GEMEL_OPERATION(Name, function, 2, compute, rule, numbers) \
    template <class A, class B> \
        requires Combinable<codegen::TypeRule::rule, A, B> \
    auto function(A&& a, B&& b) { \
        return detail::make_expression<operations::Name>(std::forward<A>(a), std::forward<B>(b)); \
    } \
    template <class A, class B> \
        requires UntypedCombinable<A, B> \
    AnyExpr function(const A& a, const B& b) { \
        return AnyExpr(operations::Name::operation, std::array<AnyExpr, 2>{AnyExpr(a), AnyExpr(b)}); \
    }

GEMEL_BINARY(operator+, Add, in_common, common, complex)
GEMEL_BINARY(operator-, Subtract, in_common, difference, complex)
GEMEL_BINARY(operator*, Multiply, in_common, common, complex)
/// Integers give double, as in NumPy; floor_divide() gives an integer.
GEMEL_BINARY(operator/, Divide, in_result, quotient, complex)
GEMEL_UNARY(operator-, Negate, in_common, difference, complex)
GEMEL_UNARY(operator+, Plus, in_common, difference, complex)
// Its text is not ~, which C computes in int: for a bool it would always be true.
GEMEL_UNARY(operator~, Invert, in_common, bitwise, real)
GEMEL_BINARY(operator&, BitAnd, in_common, bitwise, real)
GEMEL_BINARY(operator|, BitOr, in_common, bitwise, real)
GEMEL_BINARY(operator^, BitXor, in_common, bitwise, real)
/// Shifts by negative counts or by at least the width give 0; right shifts of negative numbers give -1.
GEMEL_BINARY(operator<<, ShiftLeft, in_result, shift, real)
GEMEL_BINARY(operator>>, ShiftRight, in_result, shift, real)
GEMEL_BINARY(operator==, Equal, in_common, comparison, complex)
GEMEL_BINARY(operator!=, NotEqual, in_common, comparison, complex)
GEMEL_BINARY(operator<, Less, in_common, comparison, real)
GEMEL_BINARY(operator>, Greater, in_common, comparison, real)
GEMEL_BINARY(operator<=, LessEqual, in_common, comparison, real)
GEMEL_BINARY(operator>=, GreaterEqual, in_common, comparison, real)

#define GEMEL_LOGICAL(function, Name) \
    GEMEL_OPERATION(Name, function, 2, in_common, truth, complex) \
    template <class A, class B> \
        requires Combinable<codegen::TypeRule::truth, A, B> \
    auto function(A&& a, B&& b) { \
        return detail::make_expression<operations::Name>(detail::truth_of(std::forward<A>(a)), \
                                                         detail::truth_of(std::forward<B>(b))); \
    } \
    template <class A, class B> \
        requires UntypedCombinable<A, B> \
    AnyExpr function(const A& a, const B& b) { \
        return AnyExpr(operations::Name::operation, std::array<AnyExpr, 2>{AnyExpr(a), AnyExpr(b)}); \
    }
GEMEL_LOGICAL(logical_and, LogicalAnd)
GEMEL_LOGICAL(logical_or, LogicalOr)
GEMEL_LOGICAL(logical_xor, LogicalXor)
#undef GEMEL_LOGICAL
GEMEL_UNARY(logical_not, LogicalNot, in_common, truth, complex)

/// The same as logical_not().
template <class A>
    requires Combinable<codegen::TypeRule::truth, A>
auto operator!(A&& a) {
    return logical_not(std::forward<A>(a));
}
template <UntypedOperand A>
AnyExpr operator!(const A& a) {
    return logical_not(a);
}

/// Rounds towards minus infinity, like Python's //. It is consistent with remainder(): 1 and 0.1 give 9. Integers
/// divided by zero give 0.
GEMEL_BINARY(floor_divide, FloorDivide, in_result, remainder, real)
/// Has the sign of the divisor, like Python's %. Integers divided by zero give 0.
GEMEL_BINARY(remainder, Remainder, in_result, remainder, real)
GEMEL_BINARY(operator%, Modulo, in_result, remainder, real)
/// a to the power of b; integers wrap around, and negative exponents give 0 unless a is 1 or -1.
GEMEL_BINARY(pow, Power, in_result, power, complex)
/// The smaller and the larger operand; NaN if either is NaN, as in NumPy.
GEMEL_BINARY(minimum, Minimum, in_common, common, real)
GEMEL_BINARY(maximum, Maximum, in_common, common, real)
GEMEL_UNARY(abs, Abs, in_common, magnitude, complex)
GEMEL_UNARY(real, RealPartOf, in_common, magnitude, complex)
/// Zeros for real numbers.
GEMEL_UNARY(imag, ImaginaryPartOf, in_common, magnitude, complex)
GEMEL_UNARY(conj, Conj, in_common, common, complex)
GEMEL_UNARY(square, Square, in_common, common, complex)

#define GEMEL_ELEMENTARY(function, Name, numbers) GEMEL_UNARY(function, Name, in_result, elementary, numbers)
GEMEL_ELEMENTARY(sin, Sin, complex)
GEMEL_ELEMENTARY(cos, Cos, complex)
GEMEL_ELEMENTARY(tan, Tan, complex)
GEMEL_ELEMENTARY(sinh, Sinh, complex)
GEMEL_ELEMENTARY(cosh, Cosh, complex)
GEMEL_ELEMENTARY(tanh, Tanh, complex)
GEMEL_ELEMENTARY(exp, Exp, complex)
GEMEL_ELEMENTARY(log, Log, complex)
GEMEL_ELEMENTARY(sqrt, Sqrt, complex)
GEMEL_ELEMENTARY(log10, Log10, complex)
GEMEL_ELEMENTARY(asin, Asin, complex)
GEMEL_ELEMENTARY(acos, Acos, complex)
GEMEL_ELEMENTARY(asinh, Asinh, complex)
GEMEL_ELEMENTARY(acosh, Acosh, complex)
GEMEL_ELEMENTARY(atanh, Atanh, complex)
GEMEL_ELEMENTARY(atan, Atan, complex)
GEMEL_ELEMENTARY(exp2, Exp2, complex)
GEMEL_ELEMENTARY(log2, Log2, complex)
GEMEL_ELEMENTARY(expm1, Expm1, complex)
GEMEL_ELEMENTARY(log1p, Log1p, complex)
GEMEL_ELEMENTARY(rsqrt, Rsqrt, complex)
GEMEL_ELEMENTARY(exp10, Exp10, real)
GEMEL_ELEMENTARY(cbrt, Cbrt, real)
GEMEL_ELEMENTARY(erf, Erf, real)
GEMEL_ELEMENTARY(erfc, Erfc, real)
GEMEL_ELEMENTARY(tgamma, Tgamma, real)
GEMEL_ELEMENTARY(lgamma, Lgamma, real)
/// sin(pi * x) and cos(pi * x): exact at integers and halves.
GEMEL_ELEMENTARY(sinpi, Sinpi, real)
GEMEL_ELEMENTARY(cospi, Cospi, real)
/// tan(pi * x): infinite at odd multiples of 0.5, with unspecified sign.
GEMEL_ELEMENTARY(tanpi, Tanpi, real)
/// Inverse functions divided by pi: asinpi(1) is 0.5.
GEMEL_ELEMENTARY(asinpi, Asinpi, real)
GEMEL_ELEMENTARY(acospi, Acospi, real)
GEMEL_ELEMENTARY(atanpi, Atanpi, real)
GEMEL_BINARY(atan2pi, Atan2pi, in_result, real_elementary, real)
/// floor(log2(|x|)): 3 for 8 and for 15, -infinity for 0, infinity for infinities.
GEMEL_ELEMENTARY(logb, Logb, real)
/// The same as int32: its minimum for 0 and NaN, its maximum for infinities.
GEMEL_UNARY(ilogb, Ilogb, in_common, exponent, real)
/// The mantissa of frexp().
GEMEL_UNARY(frexp_mantissa, FrexpMantissa, in_result, real_elementary, real)
/// The exponent of frexp(), int32.
GEMEL_UNARY(frexp_exponent, FrexpExponent, in_common, exponent, real)
/// The fractional part of modf().
GEMEL_UNARY(modf_fraction, ModfFraction, in_result, real_elementary, real)
/// The integral part of modf(): floating-point also for integers, unlike trunc().
GEMEL_UNARY(modf_whole, ModfWhole, in_result, real_elementary, real)
GEMEL_BINARY(atan2, Atan2, in_result, real_elementary, real)
GEMEL_BINARY(hypot, Hypot, in_result, real_elementary, real)
/// The magnitude of the first operand with the sign of the second.
GEMEL_BINARY(copysign, Copysign, in_result, real_elementary, real)
/// Has the sign of the dividend, as in C; remainder() has the divisor's. Integers divided by zero give 0.
GEMEL_BINARY(fmod, Fmod, in_result, remainder, real)
/// -1, 0 or 1; NaN for NaN.
GEMEL_UNARY(sign, Sign, in_common, rounding, real)
GEMEL_UNARY(floor, Floor, in_common, rounding, real)
GEMEL_UNARY(ceil, Ceil, in_common, rounding, real)
GEMEL_UNARY(trunc, Trunc, in_common, rounding, real)
GEMEL_UNARY(rint, Rint, in_common, rounding, real)
/// The same as rint(), as in NumPy: halves round to even. In the kernel language, round() is C's: halves round away
/// from zero.
GEMEL_UNARY(round, Round, in_common, rounding, real)
GEMEL_UNARY(isnan, IsNan, in_common, truth, complex)

GEMEL_UNARY(isinf, IsInf, in_common, truth, complex)
GEMEL_UNARY(isfinite, IsFinite, in_common, truth, complex)

/// Order 0 of hankel_01().
GEMEL_UNARY(hankel_0, Hankel0, in_result, complex_alone, complex)
/// Order 1 of hankel_01().
GEMEL_UNARY(hankel_1, Hankel1, in_result, complex_alone, complex)

#undef GEMEL_ELEMENTARY
#undef GEMEL_BINARY
#undef GEMEL_UNARY

/// frexp() and modf() return two lazy expressions. Each fuses with the expression that contains it: `auto [m, n] =
/// frexp(x); y = ldexp(m, n + 1);` is one kernel. Integers are converted as by sin().
///
/// A mantissa of magnitude 0.5 <= m < 1 and an int32 exponent: x = mantissa * 2^exponent. For 0, infinities and NaN
/// they are x and 0.
template <class X>
    requires Combinable<codegen::TypeRule::real_elementary, X> || UntypedOperand<X>
auto frexp(const X& x) {
    return std::pair{frexp_mantissa(x), frexp_exponent(x)};
}
/// The fractional and the integral part, both with the sign of x: -0.0 and -0.0 for -0.0, 0 and x for infinities.
template <class X>
    requires Combinable<codegen::TypeRule::real_elementary, X> || UntypedOperand<X>
auto modf(const X& x) {
    return std::pair{modf_fraction(x), modf_whole(x)};
}

// Functions of a number and an integer; the integer does not affect the type of the result.
#define GEMEL_BESIDE_EXPONENT(function, Name, compute, rule, numbers, First, first, Second, second) \
    GEMEL_OPERATION(Name, function, 2, compute, rule, numbers) \
    template <Operand First, Operand Second> \
        requires ExponentOperand<N> && (ArrayOperand<X> || ArrayOperand<N>) && \
                 requires { typename ResultElement<codegen::TypeRule::rule, X>; } \
    auto function(First&& first, Second&& second) { \
        using T = ResultElement<codegen::TypeRule::rule, X>; \
        return Expr<T, operations::Name, std::remove_cvref_t<First>, std::remove_cvref_t<Second>>( \
            std::forward<First>(first), std::forward<Second>(second)); \
    } \
    template <class First, class Second> \
        requires UntypedCombinable<First, Second> \
    AnyExpr function(const First& first, const Second& second) { \
        return AnyExpr(operations::Name::operation, std::array<AnyExpr, 2>{AnyExpr(first), AnyExpr(second)}); \
    }
/// x * 2^n, rounded once. `n`: bools or integers other than uint64.
GEMEL_BESIDE_EXPONENT(ldexp, Ldexp, by_exponent, real_elementary, real, X, x, N, n)
/// Bessel functions of the first kind, J, and of the second kind, Y, of integer order: `bessel_jn(0, x)`. Computed in
/// double, which the device must support, and rounded to the type of the result. Orders are integers other than uint64.
/// Orders beyond 10^9 give NaN, and so does Y for negative real x. For complex numbers, Y has a branch cut along the
/// negative real axis.
/// @time about `|x| + n + 30` steps per element for |x| below 50 (complex: 25), `n` above
GEMEL_BESIDE_EXPONENT(bessel_jn, BesselJ, after_order, elementary, complex, N, n, X, x)
GEMEL_BESIDE_EXPONENT(bessel_yn, BesselY, after_order, elementary, complex, N, n, X, x)

/// The Hankel functions of the first kind, H = J + iY, of orders 0 and 1, for complex numbers: two lazy expressions.
/// Accurate also where J and Y are large and H is small. Computed in double, which the device must support.
template <class Z>
    requires Combinable<codegen::TypeRule::complex_alone, Z> || UntypedOperand<Z>
auto hankel_01(const Z& z) {
    return std::pair{hankel_0(z), hankel_1(z)};
}
#undef GEMEL_BESIDE_EXPONENT

/// condition ? a : b for every element; a condition other than bool is true if nonzero. At least one of the three is an
/// array. If a and b are numbers, the result has their C++ type: two floats give float, float and double give double;
/// integers give int64.
GEMEL_OPERATION(Where, where, 3, by_condition, common, complex)
template <Operand C, Operand A, Operand B>
    requires(ArrayOperand<C> || ArrayOperand<A> || ArrayOperand<B>)
auto where(C&& condition, A&& a, B&& b) {
    using T = CommonElement<A, B>;
    if constexpr (ArrayOperand<C>) {
        return Expr<T, operations::Where, std::remove_cvref_t<C>, std::remove_cvref_t<A>, std::remove_cvref_t<B>>(
            std::forward<C>(condition), std::forward<A>(a), std::forward<B>(b));
    } else {
        return Expr<T, operations::Where, bool, std::remove_cvref_t<A>, std::remove_cvref_t<B>>(
            detail::truth_of(condition), std::forward<A>(a), std::forward<B>(b));
    }
}

template <class C, class A, class B>
    requires UntypedCombinable<C, A, B>
AnyExpr where(const C& condition, const A& a, const B& b) {
    return AnyExpr(operations::Where::operation, std::array<AnyExpr, 3>{AnyExpr(condition), AnyExpr(a), AnyExpr(b)});
}

/// condition > 0 ? a : b for every element, as in PyCUDA.
template <Operand C, Operand A, Operand B>
    requires(ArrayOperand<C> || ArrayOperand<A> || ArrayOperand<B>)
auto if_positive(C&& condition, A&& a, B&& b) {
    return where(std::forward<C>(condition) > 0, std::forward<A>(a), std::forward<B>(b));
}

template <class C, class A, class B>
    requires UntypedCombinable<C, A, B>
AnyExpr if_positive(const C& condition, const A& a, const B& b) {
    return where(AnyExpr(condition) > 0, a, b);
}

/// Converts the elements to another type, within the kernel. Conversions of NaN or out-of-range values to integers are
/// undefined, as in C.
GEMEL_OPERATION(Cast, astype, 1, by_cast, common, complex)
template <HasDType T, ArrayOperand X>
auto astype(X&& x) {
    static_assert(
        !is_complex<typename OperandElement<std::remove_cvref_t<X>>::type> || is_complex<T> || std::is_same_v<T, bool>,
        "astype from complex to real would drop the imaginary parts: take real() first");
    return Expr<T, operations::Cast, std::remove_cvref_t<X>>(std::forward<X>(x));
}

/// The same with a type known only at run time. @throws ArgumentError for complex to real: take real() first
template <class X>
    requires(ArrayOperand<X> || UntypedOperand<X>)
AnyExpr astype(const X& x, DType dtype) {
    return AnyExpr(operations::Cast::operation, std::array<AnyExpr, 1>{AnyExpr(x)}, dtype);
}

namespace detail {
/// Evaluates an expression into an array, for GPUArray::assign() and the compound operators (which refuse extra leading
/// axes).
template <HasDType T, class E>
void write_expression(const GPUArray<T>& to, const E& expression, LeadingAxes leading) {
    using U = typename E::value_type;
    static_assert(codegen::is_same_kind(dtype_of<U>(), dtype_of<T>()),
                  "the expression's elements are of another kind than the array's (float to integer, complex to real): "
                  "use astype");
    if constexpr (requires { expression.lanes(); }) {
        write_expression(lanes(to), expression.lanes(), leading);  // of vectors: see vectors.hpp
    } else if constexpr (std::is_same_v<T, U>) {
        evaluate(expression.view(), &to, leading);
    } else {
        evaluate(astype<T>(expression).view(), &to, leading);
    }
}
}  // namespace detail

// In place: the array's memory and type stay. An operand that would change the kind of the elements does not compile.
#define GEMEL_IN_PLACE(op, Name) \
    template <HasDType T, Operand X> \
        requires Combinable<operations::Name::operation.rule, GPUArray<T>, X> \
    const GPUArray<T>& operator op##=(const GPUArray<T>& a, X && x) { \
        detail::write_expression(a, detail::make_expression<operations::Name>(a, std::forward<X>(x)), \
                                 LeadingAxes::refused); \
        return a; \
    } \
    template <std::derived_from<AnyArray> A, class X> \
        requires UntypedCombinable<A, X> \
    const A& operator op##=(const A & a, const X & x) { \
        detail::update(a, AnyExpr(operations::Name::operation, std::array<AnyExpr, 2>{AnyExpr(a), AnyExpr(x)})); \
        return a; \
    }
GEMEL_IN_PLACE(+, Add)
GEMEL_IN_PLACE(-, Subtract)
GEMEL_IN_PLACE(*, Multiply)
GEMEL_IN_PLACE(/, Divide)
GEMEL_IN_PLACE(%, Modulo)
GEMEL_IN_PLACE(&, BitAnd)
GEMEL_IN_PLACE(|, BitOr)
GEMEL_IN_PLACE(^, BitXor)
GEMEL_IN_PLACE(<<, ShiftLeft)
GEMEL_IN_PLACE(>>, ShiftRight)
#undef GEMEL_IN_PLACE

/// Limits elements to the range from `low` to `high`. The bounds are numbers, arrays or expressions, broadcast and
/// promoted as by minimum() and maximum(). A bound beyond the range of integer elements has no effect.
template <Operand X, Operand L, Operand H>
    requires Combinable<codegen::TypeRule::common, X, L, H>
auto clip(X&& x, L&& low, H&& high) {
    if constexpr (ArrayOperand<X>) {
        using T = typename OperandElement<std::remove_cvref_t<X>>::type;
        auto raised = maximum(std::forward<X>(x), detail::bound_within<T>(std::forward<L>(low)));
        using U = typename decltype(raised)::value_type;
        return minimum(std::move(raised), detail::bound_within<U>(std::forward<H>(high)));
    } else if constexpr (ArrayOperand<L>) {
        auto raised = maximum(std::forward<L>(low), std::forward<X>(x));
        using U = typename decltype(raised)::value_type;
        return minimum(std::move(raised), detail::bound_within<U>(std::forward<H>(high)));
    } else {  // two numbers below an array: min(max(x, low), high) = max(min(x, high), min(low, high))
        using T = typename OperandElement<std::remove_cvref_t<H>>::type;
        return maximum(minimum(std::forward<X>(x), high), minimum(detail::bound_within<T>(std::forward<L>(low)), high));
    }
}

template <class X, class L, class H>
    requires UntypedCombinable<X, L, H>
AnyExpr clip(const X& x, const L& low, const H& high) {
    return detail::clip_of(AnyExpr(x), AnyExpr(low), AnyExpr(high));
}

/// The angle of complex numbers, from -pi to pi; for real numbers 0 or pi.
template <class X>
    requires ArrayOperand<X> || UntypedOperand<X>
auto arg(const X& x) {
    return atan2(imag(x), real(x));
}

#undef GEMEL_OPERATION

/// Prints the evaluated expression in NumPy's format.
template <Expression E>
std::ostream& operator<<(std::ostream& out, const E& expression) {
    return out << expression.eval();
}

}  // namespace gemel
