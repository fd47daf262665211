/// Lazy expressions: `5 * x + sin(y)` is a description; assigning it, get(), printing it or reducing it runs one
/// kernel.
///
/// An expression holds its arrays by handle, so that it may be kept; what is written into them before it is evaluated
/// is seen: `auto e = x + y; x.fill(0);` evaluates with zeros. Shapes are broadcast and types promoted as in NumPy 2;
/// numbers of the host are weak, and their values are arguments of the kernel, not text.
#pragma once

#include <gemel/arrays/complex_texts.hpp>
#include <gemel/arrays/expr.hpp>

#include <array>
#include <concepts>
#include <limits>
#include <ostream>
#include <type_traits>
#include <utility>

namespace gemel {

// Each function is there twice: for operands whose types are known, and for those of which one is not.
#define GEMEL_OPERATION(Name, function, compute, rule, text, complex_text, helper) \
    struct Name { \
        static constexpr Operation operation{#function, text, complex_text, helper, TypeRule::rule, Compute::compute}; \
    };
#define GEMEL_UNARY(function, Name, compute, rule, text, complex_text, helper) \
    GEMEL_OPERATION(Name, function, compute, rule, text, complex_text, helper) \
    template <class A> \
        requires Combinable<TypeRule::rule, A> \
    auto function(A&& a) { \
        return detail::make_expression<Name>(std::forward<A>(a)); \
    } \
    template <UntypedOperand A> \
    AnyExpr function(const A& a) { \
        return AnyExpr(Name::operation, std::array<AnyExpr, 1>{AnyExpr(a)}); \
    }
#define GEMEL_BINARY(function, Name, compute, rule, text, complex_text, helper) \
    GEMEL_OPERATION(Name, function, compute, rule, text, complex_text, helper) \
    template <class A, class B> \
        requires Combinable<TypeRule::rule, A, B> \
    auto function(A&& a, B&& b) { \
        return detail::make_expression<Name>(std::forward<A>(a), std::forward<B>(b)); \
    } \
    template <class A, class B> \
        requires UntypedCombinable<A, B> \
    AnyExpr function(const A& a, const B& b) { \
        return AnyExpr(Name::operation, std::array<AnyExpr, 2>{AnyExpr(a), AnyExpr(b)}); \
    }

GEMEL_BINARY(operator+, Add, in_common, common, "@#1 + @#2", "c_add(#1, #2)", "")
GEMEL_BINARY(operator-, Subtract, in_common, difference, "@#1 - @#2", "c_sub(#1, #2)", "")
GEMEL_BINARY(operator*, Multiply, in_common, common, "@#1 * @#2", "c_mul(#1, #2)", "")
/// Of integers a double, as in NumPy; floor_divide() stays among integers.
GEMEL_BINARY(operator/, Divide, in_result, quotient, "#1 / #2", "c_div(#1, #2)", "")
GEMEL_UNARY(operator-, Negate, in_common, difference, "-@#1", "c_neg(#1)", "")
GEMEL_UNARY(operator+, Plus, in_common, difference, "+#1", "#1", "")
// Not ~, which C computes in int: of a bool it would always be true.
GEMEL_UNARY(operator~, Invert, in_common, bitwise, "#1 ^ ($)-1", "", "")
GEMEL_BINARY(operator&, BitAnd, in_common, bitwise, "#1 & #2", "", "")
GEMEL_BINARY(operator|, BitOr, in_common, bitwise, "#1 | #2", "", "")
GEMEL_BINARY(operator^, BitXor, in_common, bitwise, "#1 ^ #2", "", "")
/// By the width and more, and by negative numbers: 0, and -1 of negative numbers to the right.
GEMEL_BINARY(operator<<, ShiftLeft, in_result, shift, "shift_left_$(#1, #2)", "",
             "WITHIN_KERNEL $ shift_left_$($ a, $ b)\n{\n"
             "    return (uint64_t)b < 8 * sizeof(a) ? ($)(@a << b) : 0;\n}\n")
GEMEL_BINARY(operator>>, ShiftRight, in_result, shift, "shift_right_$(#1, #2)", "",
             "WITHIN_KERNEL $ shift_right_$($ a, $ b)\n{\n"
             "    return (uint64_t)b < 8 * sizeof(a) ? ($)(a >> b) : a < 0 ? -1 : 0;\n}\n")
GEMEL_BINARY(operator==, Equal, in_common, comparison, "#1 == #2",
             "(c_real(#1) == c_real(#2) && c_imag(#1) == c_imag(#2))", "")
GEMEL_BINARY(operator!=, NotEqual, in_common, comparison, "#1 != #2",
             "(c_real(#1) != c_real(#2) || c_imag(#1) != c_imag(#2))", "")
GEMEL_BINARY(operator<, Less, in_common, comparison, "#1 < #2", "", "")
GEMEL_BINARY(operator>, Greater, in_common, comparison, "#1 > #2", "", "")
GEMEL_BINARY(operator<=, LessEqual, in_common, comparison, "#1 <= #2", "", "")
GEMEL_BINARY(operator>=, GreaterEqual, in_common, comparison, "#1 >= #2", "", "")

namespace detail {
/// Of numbers in logic only the truth counts: they need not be values of the arrays beside them.
template <class X>
decltype(auto) truth_of(X&& x) {
    using Plain = std::remove_cvref_t<X>;
    if constexpr (is_complex<Plain>) {
        return x != Plain{};
    } else if constexpr (HostNumber<Plain>) {
        return element_of<bool>(x);
    } else {
        return std::forward<X>(x);
    }
}
}  // namespace detail
#define GEMEL_LOGICAL(function, Name, text, complex_text) \
    GEMEL_OPERATION(Name, function, in_common, truth, text, complex_text, "") \
    template <class A, class B> \
        requires Combinable<TypeRule::truth, A, B> \
    auto function(A&& a, B&& b) { \
        return detail::make_expression<Name>(detail::truth_of(std::forward<A>(a)), \
                                             detail::truth_of(std::forward<B>(b))); \
    } \
    template <class A, class B> \
        requires UntypedCombinable<A, B> \
    AnyExpr function(const A& a, const B& b) { \
        return AnyExpr(Name::operation, std::array<AnyExpr, 2>{AnyExpr(a), AnyExpr(b)}); \
    }
GEMEL_LOGICAL(logical_and, LogicalAnd, "#1 != 0 && #2 != 0",
              "((c_real(#1) != 0 || c_imag(#1) != 0) && (c_real(#2) != 0 || c_imag(#2) != 0))")
GEMEL_LOGICAL(logical_or, LogicalOr, "#1 != 0 || #2 != 0",
              "(c_real(#1) != 0 || c_imag(#1) != 0 || c_real(#2) != 0 || c_imag(#2) != 0)")
GEMEL_LOGICAL(logical_xor, LogicalXor, "(#1 != 0) != (#2 != 0)",
              "(c_real(#1) != 0 || c_imag(#1) != 0) != (c_real(#2) != 0 || c_imag(#2) != 0)")
#undef GEMEL_LOGICAL
GEMEL_UNARY(logical_not, LogicalNot, in_common, truth, "#1 == 0", "(c_real(#1) == 0 && c_imag(#1) == 0)", "")

/// The same as logical_not().
template <class A>
    requires Combinable<TypeRule::truth, A>
auto operator!(A&& a) {
    return logical_not(std::forward<A>(a));
}
template <UntypedOperand A>
AnyExpr operator!(const A& a) {
    return logical_not(a);
}

/// Rounds towards minus infinity, as Python's //: consistent with remainder(), so that 1 and 0.1 give 9.
/// Integers divided by zero give 0.
GEMEL_BINARY(floor_divide, FloorDivide, in_result, remainder, "floor_divide_$(#1, #2)", "",
             "WITHIN_KERNEL $ floor_divide_$($ a, $ b)\n{\n"
             "    %real if (b == 0) return a / b;\n"
             "    %real $ r = fmod(a, b), q = (a - r) / b;\n"
             "    %real if (r != 0 && (r < 0) != (b < 0)) q -= 1;\n"
             "    %real if (q == 0) return copysign(q, a / b);\n"
             "    %real $ f = floor(q);\n"
             "    %real return 2 * (q - f) > 1 ? f + 1 : f;\n"
             "    %whole if (b == 0) return 0;\n"
             "    %whole if (b < 0 && b + 1 == 0) return ($)-@a;\n"
             "    %whole $ q = a / b;\n"
             "    %whole return q * b != a && ((a < 0) != (b < 0)) ? q - 1 : q;\n}\n")
/// Has the sign of the divisor, as Python's %. Integers divided by zero give 0.
GEMEL_BINARY(remainder, Remainder, in_result, remainder, "remainder_$(#1, #2)", "",
             "WITHIN_KERNEL $ remainder_$($ a, $ b)\n{\n"
             "    %real $ r = fmod(a, b);\n"
             "    %real if (r == 0) return copysign(r, b);\n"
             "    %whole $ r = b == 0 || (b < 0 && b + 1 == 0) ? 0 : a % b;\n"
             "    return r != 0 && ((r < 0) != (b < 0)) ? r + b : r;\n}\n")
GEMEL_BINARY(operator%, Modulo, in_result, remainder, "remainder_$(#1, #2)", "", Remainder::operation.helper)
/// a to the power of b; of integers with wrapping multiplication, negative exponents give 0 but for 1 and -1.
GEMEL_BINARY(pow, Power, in_result, power, "power_$(#1, #2)", "c_pow(#1, #2)",
             "WITHIN_KERNEL $ power_$($ a, $ b)\n{\n    %real return pow(a, b);\n    %whole $ p = 1;\n"
             "    %whole if (b < 0) return a == 1 ? 1 : a == ($)-1 ? (b % 2 ? -1 : 1) : 0;\n"
             "    %whole for (; b > 0; b /= 2, a = ($)(@a * @a)) if (b % 2) p = ($)(@p * @a);\n"
             "    %whole return p;\n}\n")
/// The smaller and the larger; NaN if either is, as in NumPy.
GEMEL_BINARY(minimum, Minimum, in_common, common, "minimum_$(#1, #2)", "",
             "WITHIN_KERNEL $ minimum_$($ a, $ b)\n{\n    %real return a < b || a != a ? a : b;\n    %whole return a < "
             "b ? a : b;\n}\n")
GEMEL_BINARY(maximum, Maximum, in_common, common, "maximum_$(#1, #2)", "",
             "WITHIN_KERNEL $ maximum_$($ a, $ b)\n{\n    %real return a > b || a != a ? a : b;\n    %whole return a > "
             "b ? a : b;\n}\n")
GEMEL_UNARY(abs, Abs, in_common, magnitude, "abs_$(#1)", "c_abs(#1)",
            "WITHIN_KERNEL $ abs_$($ a)\n{\n    %real return fabs(a);\n    %whole return ($)(a < 0 ? -@a : @a);\n}\n")
GEMEL_UNARY(real, RealPartOf, in_common, magnitude, "#1", "c_real(#1)", "")
/// Of real numbers zeros.
GEMEL_UNARY(imag, ImaginaryPartOf, in_common, magnitude, "0", "c_imag(#1)", "")
GEMEL_UNARY(conj, Conj, in_common, common, "#1", "c_conj(#1)", "")
GEMEL_UNARY(
    square, Square, in_common, common, "square_$(#1)", "square_$(#1)",
    "WITHIN_KERNEL $ square_$($ a)\n{\n    %real return a * a;\n    %whole return ($)(@a * @a);\n    %complex return "
    "c_mul(a, a);\n}\n")

#define GEMEL_ELEMENTARY(function, Name) GEMEL_UNARY(function, Name, in_result, elementary, #function "(#1)", "", "")
#define GEMEL_ELEMENTARY_COMPLEX(function, Name) \
    GEMEL_UNARY(function, Name, in_result, elementary, #function "(#1)", "c_" #function "(#1)", "")
#define GEMEL_ELEMENTARY_HELPED(function, Name, complex_body) \
    GEMEL_UNARY(function, Name, in_result, elementary, #function "(#1)", #function "_$(#1)", \
                "%complex WITHIN_KERNEL $ " #function "_$($ z)\n%complex {\n" complex_body "%complex }\n")
GEMEL_ELEMENTARY_COMPLEX(sin, Sin)
GEMEL_ELEMENTARY_COMPLEX(cos, Cos)
GEMEL_ELEMENTARY_COMPLEX(tan, Tan)
GEMEL_ELEMENTARY_COMPLEX(sinh, Sinh)
GEMEL_ELEMENTARY_COMPLEX(cosh, Cosh)
GEMEL_ELEMENTARY_COMPLEX(tanh, Tanh)
GEMEL_ELEMENTARY_COMPLEX(exp, Exp)
GEMEL_ELEMENTARY_COMPLEX(log, Log)
GEMEL_ELEMENTARY_COMPLEX(sqrt, Sqrt)
GEMEL_ELEMENTARY_COMPLEX(log10, Log10)
GEMEL_ELEMENTARY_HELPED(asin, Asin, GEMEL_COMPLEX_ASIN)
GEMEL_ELEMENTARY_HELPED(acos, Acos, GEMEL_COMPLEX_ACOS)
GEMEL_ELEMENTARY_HELPED(asinh, Asinh, GEMEL_COMPLEX_ASINH)
GEMEL_ELEMENTARY_HELPED(acosh, Acosh, GEMEL_COMPLEX_ACOSH)
GEMEL_ELEMENTARY_HELPED(atanh, Atanh, GEMEL_COMPLEX_ATANH("c_real(z)", "c_imag(z)", "%complex return w;\n"))
GEMEL_ELEMENTARY_HELPED(atan, Atan,
                        GEMEL_COMPLEX_ATANH("-c_imag(z)", "c_real(z)",
                                            "%complex return $_new(c_imag(w), -c_real(w));\n"))
GEMEL_ELEMENTARY_HELPED(exp2, Exp2, "%complex return c_exp(c_mul(z, c_real(c_log($_new(2, 0)))));\n")
GEMEL_ELEMENTARY_HELPED(log2, Log2, "%complex return c_div(c_log(z), c_real(c_log($_new(2, 0))));\n")
GEMEL_ELEMENTARY_HELPED(expm1, Expm1,
                        "%complex $ s = $_new(sin(c_imag(z) / 2), 0);\n"
                        "%complex return $_new(expm1(c_real(z)) * cos(c_imag(z)) - 2 * c_real(s) * c_real(s), "
                        "exp(c_real(z)) * sin(c_imag(z)));\n")
GEMEL_ELEMENTARY_HELPED(log1p, Log1p,
                        "%complex if (2 * fabs(c_real(z)) > 1 || 2 * fabs(c_imag(z)) > 1) return c_log(c_add(1, z));\n"
                        "%complex return $_new(log1p(c_real(z) * (2 + c_real(z)) + c_imag(z) * c_imag(z)) / 2, "
                        "atan2(c_imag(z), 1 + c_real(z)));\n")
GEMEL_ELEMENTARY_HELPED(rsqrt, Rsqrt, "%complex return c_div(1, c_sqrt(z));\n")
GEMEL_ELEMENTARY(exp10, Exp10)
GEMEL_ELEMENTARY(cbrt, Cbrt)
GEMEL_ELEMENTARY(erf, Erf)
GEMEL_ELEMENTARY(erfc, Erfc)
GEMEL_ELEMENTARY(tgamma, Tgamma)
GEMEL_ELEMENTARY(lgamma, Lgamma)
/// Of pi times x: exact at whole and half x.
GEMEL_ELEMENTARY(sinpi, Sinpi)
GEMEL_ELEMENTARY(cospi, Cospi)
/// Of pi times x; of odd multiples of a half infinite, the sign open.
GEMEL_ELEMENTARY(tanpi, Tanpi)
/// Angles divided by pi: asinpi(1) is 0.5.
GEMEL_ELEMENTARY(asinpi, Asinpi)
GEMEL_ELEMENTARY(acospi, Acospi)
GEMEL_ELEMENTARY(atanpi, Atanpi)
GEMEL_BINARY(atan2pi, Atan2pi, in_result, real_elementary, "atan2pi(#1, #2)", "", "")
/// The exponent to the base 2, rounded down: 3 of 8 and of 15; -infinity of 0, infinity of infinities.
GEMEL_ELEMENTARY(logb, Logb)
/// The same as int32: the least one of 0 and NaN, the greatest of infinities.
GEMEL_UNARY(ilogb, Ilogb, in_common, exponent, "ilogb_$(#1)", "",
            "WITHIN_KERNEL int ilogb_$($ a)\n{\n    if (a == 0 || a != a) return -2147483647 - 1;\n"
            "    return fabs(a) == INFINITY ? 2147483647 : ilogb(a);\n}\n")
/// The first of the two that frexp() gives.
GEMEL_UNARY(frexp_mantissa, FrexpMantissa, in_result, real_elementary, "frexp_mantissa_$(#1)", "",
            "WITHIN_KERNEL $ frexp_mantissa_$($ a)\n{\n    int n;\n"
            "    return a == 0 || !(fabs(a) < INFINITY) ? a : frexp(a, &n);\n}\n")
/// The second, int32.
GEMEL_UNARY(frexp_exponent, FrexpExponent, in_common, exponent, "frexp_exponent_$(#1)", "",
            "WITHIN_KERNEL int frexp_exponent_$($ a)\n{\n    int n;\n"
            "    if (a == 0 || !(fabs(a) < INFINITY)) return 0;\n    frexp(a, &n);\n    return n;\n}\n")
/// The first of the two that modf() gives.
GEMEL_UNARY(modf_fraction, ModfFraction, in_result, real_elementary, "modf_fraction_$(#1)", "",
            "WITHIN_KERNEL $ modf_fraction_$($ a)\n{\n"
            "    return copysign(fabs(a) == INFINITY ? ($)0 : a - trunc(a), a);\n}\n")
/// The second. Unlike trunc() of integers a floating-point number.
GEMEL_UNARY(modf_whole, ModfWhole, in_result, real_elementary, "trunc(#1)", "", "")
GEMEL_BINARY(atan2, Atan2, in_result, real_elementary, "atan2(#1, #2)", "", "")
GEMEL_BINARY(hypot, Hypot, in_result, real_elementary, "hypot(#1, #2)", "", "")
/// The magnitude of the first with the sign of the second.
GEMEL_BINARY(copysign, Copysign, in_result, real_elementary, "copysign(#1, #2)", "", "")
/// Has the sign of the dividend, as in C; remainder() has the divisor's. Integers divided by zero give 0.
GEMEL_BINARY(fmod, Fmod, in_result, remainder, "fmod_$(#1, #2)", "",
             "WITHIN_KERNEL $ fmod_$($ a, $ b)\n{\n    %real return fmod(a, b);\n"
             "    %whole return b == 0 || (b < 0 && b + 1 == 0) ? 0 : a % b;\n}\n")
/// -1, 0 or 1; NaN stays.
GEMEL_UNARY(
    sign, Sign, in_common, rounding, "sign_$(#1)", "",
    "WITHIN_KERNEL $ sign_$($ a)\n{\n    %real if (a != a) return a;\n    return a > 0 ? 1 : a < 0 ? -1 : 0;\n}\n")
GEMEL_UNARY(floor, Floor, in_common, rounding, "floor_$(#1)", "",
            "WITHIN_KERNEL $ floor_$($ a)\n{\n    %real return floor(a);\n    %whole return a;\n}\n")
GEMEL_UNARY(ceil, Ceil, in_common, rounding, "ceil_$(#1)", "",
            "WITHIN_KERNEL $ ceil_$($ a)\n{\n    %real return ceil(a);\n    %whole return a;\n}\n")
GEMEL_UNARY(trunc, Trunc, in_common, rounding, "trunc_$(#1)", "",
            "WITHIN_KERNEL $ trunc_$($ a)\n{\n    %real return trunc(a);\n    %whole return a;\n}\n")
GEMEL_UNARY(rint, Rint, in_common, rounding, "rint_$(#1)", "",
            "WITHIN_KERNEL $ rint_$($ a)\n{\n    %real return rint(a);\n    %whole return a;\n}\n")
/// The same as rint(), as NumPy's: halves to even. C's round(), away from zero, is a word of the kernel language.
GEMEL_UNARY(round, Round, in_common, rounding, "rint_$(#1)", "", Rint::operation.helper)
GEMEL_UNARY(isnan, IsNan, in_common, truth, "isnan_$(#1)", "(c_real(#1) != c_real(#1) || c_imag(#1) != c_imag(#1))",
            "WITHIN_KERNEL int isnan_$($ a)\n{\n    %real return a != a;\n    %whole return 0;\n}\n")

GEMEL_UNARY(isinf, IsInf, in_common, truth, "isinf_$(#1)",
            "(fabs(c_real(#1)) == INFINITY || fabs(c_imag(#1)) == INFINITY)",
            "WITHIN_KERNEL int isinf_$($ a)\n{\n    %real return fabs(a) == INFINITY;\n    %whole return 0;\n}\n")
GEMEL_UNARY(isfinite, IsFinite, in_common, truth, "isfinite_$(#1)",
            "(fabs(c_real(#1)) < INFINITY && fabs(c_imag(#1)) < INFINITY)",
            "WITHIN_KERNEL int isfinite_$($ a)\n{\n    %real return fabs(a) < INFINITY;\n    %whole return 1;\n}\n")

#define GEMEL_HANKEL(order, which) \
    "WITHIN_KERNEL $ hankel_" order \
    "_$($ z)\n{\n    cdouble a, b;\n    c_hankel_01(cdouble_new(c_real(z), c_imag(z)), &a, &b);\n" \
    "    return $_new(c_real(" which "), c_imag(" which "));\n}\n"
/// The first of the two that hankel_01() gives.
GEMEL_UNARY(hankel_0, Hankel0, in_result, complex_alone, "", "hankel_0_$(#1)", GEMEL_HANKEL("0", "a"))
/// The second.
GEMEL_UNARY(hankel_1, Hankel1, in_result, complex_alone, "", "hankel_1_$(#1)", GEMEL_HANKEL("1", "b"))
#undef GEMEL_HANKEL

#undef GEMEL_COMPLEX_ASIN
#undef GEMEL_COMPLEX_ACOS
#undef GEMEL_COMPLEX_ASINH
#undef GEMEL_COMPLEX_ACOSH
#undef GEMEL_COMPLEX_ATANH
#undef GEMEL_COMPLEX_INFINITE
#undef GEMEL_ELEMENTARY_HELPED
#undef GEMEL_ELEMENTARY_COMPLEX
#undef GEMEL_ELEMENTARY
#undef GEMEL_BINARY
#undef GEMEL_UNARY

/// What frexp() and modf() give: two lazy expressions, each of which runs as a kernel of its own, or within what it
/// stands in: `auto [m, n] = frexp(x); y = ldexp(m, n + 1);` is one. Integers count as for sin().
///
/// A mantissa of magnitude from 0.5 to below 1 and an int32 exponent: x = mantissa * 2^exponent. Of 0, infinities and
/// NaN: x itself and 0.
template <class X>
    requires Combinable<TypeRule::real_elementary, X> || UntypedOperand<X>
auto frexp(const X& x) {
    return std::pair{frexp_mantissa(x), frexp_exponent(x)};
}
/// The fractional and the integral part, each with the sign of x: of -0.0 twice -0.0, of infinities 0 and x.
template <class X>
    requires Combinable<TypeRule::real_elementary, X> || UntypedOperand<X>
auto modf(const X& x) {
    return std::pair{modf_fraction(x), modf_whole(x)};
}

// Of numbers and integers beside them, which have no part in the type of the result.
#define GEMEL_BESIDE_EXPONENT(function, Name, compute, rule, complex_text, helper, First, first, Second, second) \
    GEMEL_OPERATION(Name, function, compute, rule, #function "_$(#1, #2)", complex_text, helper) \
    template <Operand First, Operand Second> \
        requires ExponentOperand<N> && (ArrayOperand<X> || ArrayOperand<N>) && \
                 requires { typename ResultElement<TypeRule::rule, X>; } \
    auto function(First&& first, Second&& second) { \
        using T = ResultElement<TypeRule::rule, X>; \
        return Expr<T, Name, std::remove_cvref_t<First>, std::remove_cvref_t<Second>>(std::forward<First>(first), \
                                                                                      std::forward<Second>(second)); \
    } \
    template <class First, class Second> \
        requires UntypedCombinable<First, Second> \
    AnyExpr function(const First& first, const Second& second) { \
        return AnyExpr(Name::operation, std::array<AnyExpr, 2>{AnyExpr(first), AnyExpr(second)}); \
    }
/// x * 2^n, rounded once. `n`: bools or integers other than uint64.
GEMEL_BESIDE_EXPONENT(ldexp, Ldexp, by_exponent, real_elementary, "",
                      "WITHIN_KERNEL $ ldexp_$($ x, int64_t n)\n{\n"
                      "    return ldexp(x, (int)(n > 10000 ? 10000 : n < -10000 ? -10000 : n));\n}\n",
                      X, x, N, n)
#define GEMEL_BESSEL(function, Name) \
    GEMEL_BESIDE_EXPONENT(function, Name, after_order, elementary, #function "_$(#1, #2)", \
                          "WITHIN_KERNEL $ " #function \
                          "_$(int64_t n, $ x)\n{\n" \
                          "%real if (n > 1000000000 || n < -1000000000) return NAN;\n" \
                          "%complex if (n > 1000000000 || n < -1000000000) return $_new(NAN, NAN);\n" \
                          "%real return ($)" #function \
                          "((int)n, (double)x);\n" \
                          "%complex cdouble w = c_" #function \
                          "((int)n, cdouble_new(c_real(x), c_imag(x)));\n" \
                          "%complex return $_new(c_real(w), c_imag(w));\n}\n", \
                          N, n, X, x)
/// Bessel functions of the first kind, J, and of the second, Y, of whole order: `bessel_jn(0, x)`. Found in double, so
/// that a device must have it, and rounded to the type of the result. Orders are integers other than uint64; beyond
/// 10^9 they give NaN, as negative real x do for Y; of complex numbers Y is cut along the negative real axis.
/// @time about `|x| + n + 30` steps an element for |x| below 50 (complex: 25), `n` above
GEMEL_BESSEL(bessel_jn, BesselJ)
GEMEL_BESSEL(bessel_yn, BesselY)
#undef GEMEL_BESSEL

/// The Hankel functions of the first kind, H = J + iY, of orders 0 and 1, of complex numbers: two lazy expressions.
/// Exact also where J and Y are large and H is small. Found in double, so that a device must have it.
template <class Z>
    requires Combinable<TypeRule::complex_alone, Z> || UntypedOperand<Z>
auto hankel_01(const Z& z) {
    return std::pair{hankel_0(z), hankel_1(z)};
}
#undef GEMEL_BESIDE_EXPONENT

/// condition ? a : b for every element; a condition other than bool holds where it is not zero. Of the three one at
/// least is an array. Between two numbers the result has their type in C++: two floats give float, float and double
/// give double; of integers int64.
GEMEL_OPERATION(Where, where, by_condition, common, "#1 ? #2 : #3", "#1 ? #2 : #3", "")
template <Operand C, Operand A, Operand B>
    requires(ArrayOperand<C> || ArrayOperand<A> || ArrayOperand<B>)
auto where(C&& condition, A&& a, B&& b) {
    using T = CommonElement<A, B>;
    if constexpr (ArrayOperand<C>) {
        return Expr<T, Where, std::remove_cvref_t<C>, std::remove_cvref_t<A>, std::remove_cvref_t<B>>(
            std::forward<C>(condition), std::forward<A>(a), std::forward<B>(b));
    } else {
        return Expr<T, Where, bool, std::remove_cvref_t<A>, std::remove_cvref_t<B>>(
            detail::truth_of(condition), std::forward<A>(a), std::forward<B>(b));
    }
}

template <class C, class A, class B>
    requires UntypedCombinable<C, A, B>
AnyExpr where(const C& condition, const A& a, const B& b) {
    return AnyExpr(Where::operation, std::array<AnyExpr, 3>{AnyExpr(condition), AnyExpr(a), AnyExpr(b)});
}

/// condition > 0 ? a : b for every element; PyCUDA's.
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

/// The elements as another type, within the kernel. Out of range or NaN to integer is undefined, as in C.
GEMEL_OPERATION(Cast, astype, by_cast, common, "#1", "#1", "")
template <HasDType T, ArrayOperand X>
auto astype(X&& x) {
    static_assert(
        !is_complex<typename OperandElement<std::remove_cvref_t<X>>::type> || is_complex<T> || std::is_same_v<T, bool>,
        "astype from complex to real would drop the imaginary parts: take real() first");
    return Expr<T, Cast, std::remove_cvref_t<X>>(std::forward<X>(x));
}

/// The same with a type known at run time only. @throws ArgumentError for complex to real: take real() first
template <class X>
    requires(ArrayOperand<X> || UntypedOperand<X>)
AnyExpr astype(const X& x, DType dtype) {
    return AnyExpr(Cast::operation, std::array<AnyExpr, 1>{AnyExpr(x)}, dtype);
}

namespace detail {
/// What GPUArray::assign and, with leading axes refused, the operators below do with an expression.
template <HasDType T, class E>
void write_expression(const GPUArray<T>& to, const E& expression, LeadingAxes leading) {
    using U = typename E::value_type;
    static_assert(is_same_kind(dtype_of<U>(), dtype_of<T>()),
                  "the expression's elements are of another kind than the array's (float to integer, complex to real): "
                  "use astype");
    if constexpr (std::is_same_v<T, U>) {
        evaluate(expression.view(), &to, leading);
    } else {
        evaluate(astype<T>(expression).view(), &to, leading);
    }
}
}  // namespace detail

// In place: the array's memory and type stay. An operand that would change the kind of the elements does not compile.
#define GEMEL_IN_PLACE(op, Name) \
    template <HasDType T, Operand X> \
        requires Combinable<Name::operation.rule, GPUArray<T>, X> \
    const GPUArray<T>& operator op##=(const GPUArray<T>& a, X && x) { \
        detail::write_expression(a, detail::make_expression<Name>(a, std::forward<X>(x)), LeadingAxes::refused); \
        return a; \
    } \
    template <std::derived_from<AnyArray> A, class X> \
        requires UntypedCombinable<A, X> \
    const A& operator op##=(const A & a, const X & x) { \
        update(a, AnyExpr(Name::operation, std::array<AnyExpr, 2>{AnyExpr(a), AnyExpr(x)})); \
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

namespace detail {
/// A whole number beside integers of type T: beyond their range it is as good as the end of it.
template <class T, class V>
constexpr auto bound_within(V&& bound) {
    using Plain = std::remove_cvref_t<V>;
    constexpr bool whole = std::is_integral_v<T> && !std::is_same_v<T, bool>;
    if constexpr (whole && std::is_integral_v<Plain> && !std::is_same_v<Plain, bool>) {
        using Limits = std::numeric_limits<T>;
        if (std::cmp_less(bound, Limits::min())) return Limits::min();
        return std::cmp_greater(bound, Limits::max()) ? Limits::max() : static_cast<T>(bound);
    } else {
        return Plain(std::forward<V>(bound));
    }
}
}  // namespace detail

/// Elements between `low` and `high`: numbers, arrays or expressions, broadcast and promoted as by minimum() and
/// maximum(). Whole numbers beyond the range of integer elements bound nothing.
template <Operand X, Operand L, Operand H>
    requires Combinable<TypeRule::common, X, L, H>
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
    return clip_of(AnyExpr(x), AnyExpr(low), AnyExpr(high));
}

/// The angle of complex numbers, from -pi to pi; 0 or pi of real ones.
template <class X>
    requires ArrayOperand<X> || UntypedOperand<X>
auto arg(const X& x) {
    return atan2(imag(x), real(x));
}

#undef GEMEL_OPERATION

/// NumPy's printing, of the evaluated expression.
template <Expression E>
std::ostream& operator<<(std::ostream& out, const E& expression) {
    return out << expression.eval();
}

}  // namespace gemel
