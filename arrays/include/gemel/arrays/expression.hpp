/// Lazy expressions: `5 * x + sin(y)` is a description; assigning it, get(), printing it or reducing it runs one
/// kernel.
///
/// An expression holds its arrays by handle, so that it may be kept; what is written into them before it is evaluated
/// is seen: `auto e = x + y; x.fill(0);` evaluates with zeros. Shapes are broadcast and types promoted as in NumPy 2;
/// numbers of the host are weak, and their values are arguments of the kernel, not text.
#pragma once

#include <gemel/arrays/elementwise_kernel.hpp>
#include <gemel/arrays/expression_types.hpp>
#include <gemel/arrays/gpu_array.hpp>
#include <gemel/core/export.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace gemel {

/// How an operation is spelled: `#1`, `#2`, ... stand for operands, `$` for the type that they are computed in.
struct Operation {
    const char* text;
    const char* complex_text;  ///< the same for complex numbers; empty if there is none
    const char* helper;        ///< a function that the text calls, printed once per type; empty if none is needed
    TypeRule rule;
};

/// The arrays and numbers of one evaluation, in the order in which the expression names them.
class GEMEL_API ExpressionOperands {
   public:
    void add(const AnyArray& array);
    void add(const Argument& number);

    static constexpr std::size_t most_arrays = 30, most_numbers = 16, most_uses = 64;
    std::array<const AnyArray*, most_arrays> arrays;  ///< each once
    std::array<Argument, most_numbers> numbers;
    std::array<std::uint8_t, most_uses> uses;  ///< which array each use names
    std::size_t array_count = 0, number_count = 0, use_count = 0;
};

/// The text of an expression in the making; operands come in the same order.
class GEMEL_API ExpressionText {
   public:
    explicit ExpressionText(const ExpressionOperands& operands) : operands_(operands) {}
    /// The next array's element, or the next number, as a value of a type.
    std::string array(DType own, DType as);
    std::string number(DType as);
    std::string apply(const Operation& operation, DType common, DType result, DType as,
                      std::span<const std::string> operands);

    std::vector<Parameter> numbers;  ///< as declared
    std::string preamble;

   private:
    const ExpressionOperands& operands_;
    std::size_t use_ = 0;
};

/// Any expression with its type forgotten: what evaluation needs.
struct ExpressionView {
    const void* expression;
    const void* type;  ///< tells types of expressions apart
    DType dtype;
    void (*collect)(const void* expression, ExpressionOperands& operands);
    std::string (*print)(ExpressionText& text);
};

/// One launch: into `out`, or a new array. @throws ArgumentError if the shapes cannot be broadcast
GEMEL_API AnyArray evaluate(const ExpressionView& expression, const AnyArray* out = nullptr);
/// The kernel's text for contiguous arrays.
GEMEL_API std::string source(const ExpressionView& expression, const Dialect& dialect);

template <class X>
inline void collect_operand(const X& operand, ExpressionOperands& operands) {
    if constexpr (std::derived_from<X, AnyArray>) {
        operands.add(operand);
    } else if constexpr (HostNumber<X>) {
        operands.add(as_argument(operand));
    } else {
        operand.collect(operands);
    }
}
template <class X>
inline std::string print_operand(ExpressionText& text, DType as) {
    if constexpr (std::derived_from<X, AnyArray>) {
        return text.array(dtype_of<typename X::value_type>(), as);
    } else if constexpr (HostNumber<X>) {
        return text.number(as);
    } else {
        return X::print(text, as);
    }
}

/// An operation on arrays, numbers and other expressions; elements of type T.
template <HasDType T, class Op, class... X>
class Expr {
   public:
    using value_type = T;
    explicit Expr(X... operands) : operands_(std::move(operands)...) {}

    /// Runs the kernel. @returns a new array @time enqueued, returns at once; compiles when an expression of this kind
    /// is first met
    GPUArray<T> eval() const { return GPUArray<T>(evaluate(view())); }
    /// The values, as GPUArray::get(). Blocks.
    std::vector<HostElement<T>> get() const { return eval().get(); }
    /// The one value of an expression that has one. Blocks.
    T item() const { return eval().item(); }
    operator GPUArray<T>() const { return eval(); }

    void collect(ExpressionOperands& operands) const {
        std::apply([&](const X&... operand) { (collect_operand(operand, operands), ...); }, operands_);
    }
    static std::string print(ExpressionText& text, DType as) {
        constexpr DType common = common_dtype<Op::operation.rule, X...>();
        const std::array<std::string, sizeof...(X)> operands{
            print_operand<X>(text, Op::operand_dtype(common, dtype_of<T>()))...};
        return text.apply(Op::operation, Op::operand_dtype(common, dtype_of<T>()), dtype_of<T>(), as, operands);
    }
    ExpressionView view() const {
        return {
            this, &type_, dtype_of<T>(),
            [](const void* self, ExpressionOperands& operands) { static_cast<const Expr*>(self)->collect(operands); },
            [](ExpressionText& text) { return print(text, dtype_of<T>()); }};
    }

   private:
    static inline const char type_ = 0;
    std::tuple<X...> operands_;
};

template <HasDType T, class Op, class... X>
struct OperandElement<Expr<T, Op, X...>> {
    using type = T;
};

template <class X>
inline constexpr bool is_expression = false;
template <HasDType T, class Op, class... X>
inline constexpr bool is_expression<Expr<T, Op, X...>> = true;
template <class X>
concept Expression = is_expression<std::remove_cvref_t<X>>;

/// An array as an expression of itself.
template <ArrayOperand X>
ExpressionView view_of(const X& operand) {
    if constexpr (Expression<X>) {
        return operand.view();
    } else {
        using T = typename X::value_type;
        static const char type = 0;
        return {&operand, &type, dtype_of<T>(),
                [](const void* self, ExpressionOperands& operands) { operands.add(*static_cast<const X*>(self)); },
                [](ExpressionText& text) { return text.array(dtype_of<T>(), dtype_of<T>()); }};
    }
}

/// The text of an expression's kernel in a dialect.
template <Expression E>
std::string source(const E& expression, const Dialect& dialect) {
    return source(expression.view(), dialect);
}

template <class Op, class... X>
auto make_expression(X&&... operands) {
    static_assert(
        common_dtype<Op::operation.rule, X...>().kind() != DType::Kind::complex || Op::operation.complex_text[0],
        "the operation is not defined for complex numbers, which have no order: take real(), imag() or abs()");
    return Expr<ResultElement<Op::operation.rule, X...>, Op, std::remove_cvref_t<X>...>(std::forward<X>(operands)...);
}

/// Operands are computed in the result's type where that is wider than their own (as / of integers), else in their
/// common type.
struct ComputeInCommon {
    static constexpr DType operand_dtype(DType common, DType) { return common; }
};
struct ComputeInResult {
    static constexpr DType operand_dtype(DType, DType result) { return result; }
};

#define GEMEL_OPERATION(Name, compute, rule, text, complex_text, helper) \
    struct Name : compute { \
        static constexpr Operation operation{text, complex_text, helper, TypeRule::rule}; \
    };
#define GEMEL_UNARY(function, Name, compute, rule, text, complex_text, helper) \
    GEMEL_OPERATION(Name, compute, rule, text, complex_text, helper) \
    template <class A> \
        requires Combinable<TypeRule::rule, A> \
    auto function(A&& a) { \
        return make_expression<Name>(std::forward<A>(a)); \
    }
#define GEMEL_BINARY(function, Name, compute, rule, text, complex_text, helper) \
    GEMEL_OPERATION(Name, compute, rule, text, complex_text, helper) \
    template <class A, class B> \
        requires Combinable<TypeRule::rule, A, B> \
    auto function(A&& a, B&& b) { \
        return make_expression<Name>(std::forward<A>(a), std::forward<B>(b)); \
    }

GEMEL_BINARY(operator+, Add, ComputeInCommon, common, "#1 + #2", "c_add(#1, #2)", "")
GEMEL_BINARY(operator-, Subtract, ComputeInCommon, difference, "#1 - #2", "c_sub(#1, #2)", "")
GEMEL_BINARY(operator*, Multiply, ComputeInCommon, common, "#1 * #2", "c_mul(#1, #2)", "")
/// Of integers a double, as in NumPy; floor_divide() stays among integers.
GEMEL_BINARY(operator/, Divide, ComputeInResult, quotient, "#1 / #2", "c_div(#1, #2)", "")
GEMEL_UNARY(operator-, Negate, ComputeInCommon, difference, "-#1", "c_neg(#1)", "")
GEMEL_UNARY(operator+, Plus, ComputeInCommon, difference, "+#1", "#1", "")
// Not ~, which C computes in int: of a bool it would always be true.
GEMEL_UNARY(operator~, Invert, ComputeInCommon, bitwise, "#1 ^ ($)-1", "", "")
GEMEL_BINARY(operator&, BitAnd, ComputeInCommon, bitwise, "#1 & #2", "", "")
GEMEL_BINARY(operator|, BitOr, ComputeInCommon, bitwise, "#1 | #2", "", "")
GEMEL_BINARY(operator^, BitXor, ComputeInCommon, bitwise, "#1 ^ #2", "", "")
GEMEL_BINARY(operator<<, ShiftLeft, ComputeInCommon, shift, "#1 << #2", "", "")
GEMEL_BINARY(operator>>, ShiftRight, ComputeInCommon, shift, "#1 >> #2", "", "")
GEMEL_BINARY(operator==, Equal, ComputeInCommon, truth, "#1 == #2",
             "(c_real(#1) == c_real(#2) && c_imag(#1) == c_imag(#2))", "")
GEMEL_BINARY(operator!=, NotEqual, ComputeInCommon, truth, "#1 != #2",
             "(c_real(#1) != c_real(#2) || c_imag(#1) != c_imag(#2))", "")
GEMEL_BINARY(operator<, Less, ComputeInCommon, truth, "#1 < #2", "", "")
GEMEL_BINARY(operator>, Greater, ComputeInCommon, truth, "#1 > #2", "", "")
GEMEL_BINARY(operator<=, LessEqual, ComputeInCommon, truth, "#1 <= #2", "", "")
GEMEL_BINARY(operator>=, GreaterEqual, ComputeInCommon, truth, "#1 >= #2", "", "")
GEMEL_BINARY(logical_and, LogicalAnd, ComputeInCommon, truth, "#1 != 0 && #2 != 0",
             "((c_real(#1) != 0 || c_imag(#1) != 0) && (c_real(#2) != 0 || c_imag(#2) != 0))", "")
GEMEL_BINARY(logical_or, LogicalOr, ComputeInCommon, truth, "#1 != 0 || #2 != 0",
             "(c_real(#1) != 0 || c_imag(#1) != 0 || c_real(#2) != 0 || c_imag(#2) != 0)", "")
GEMEL_UNARY(logical_not, LogicalNot, ComputeInCommon, truth, "#1 == 0", "(c_real(#1) == 0 && c_imag(#1) == 0)", "")

/// Rounds towards minus infinity, as Python's //: consistent with remainder(), so that 1 and 0.1 give 9.
/// Integers divided by zero give anything.
GEMEL_BINARY(floor_divide, FloorDivide, ComputeInResult, remainder, "floor_divide_$(#1, #2)", "",
             "WITHIN_KERNEL $ floor_divide_$($ a, $ b)\n{\n"
             "    %real if (b == 0) return a / b;\n"
             "    %real $ r = fmod(a, b), q = (a - r) / b;\n"
             "    %real if (r != 0 && (r < 0) != (b < 0)) q -= 1;\n"
             "    %real if (q == 0) return copysign(q, a / b);\n"
             "    %real $ f = floor(q);\n"
             "    %real return 2 * (q - f) > 1 ? f + 1 : f;\n"
             "    %whole $ q = a / b;\n"
             "    %whole return q * b != a && ((a < 0) != (b < 0)) ? q - 1 : q;\n}\n")
/// Has the sign of the divisor, as Python's %.
GEMEL_BINARY(remainder, Remainder, ComputeInResult, remainder, "remainder_$(#1, #2)", "",
             "WITHIN_KERNEL $ remainder_$($ a, $ b)\n{\n"
             "    %real $ r = fmod(a, b);\n"
             "    %real if (r == 0) return copysign(r, b);\n"
             "    %whole $ r = a % b;\n"
             "    return r != 0 && ((r < 0) != (b < 0)) ? r + b : r;\n}\n")
GEMEL_BINARY(operator%, Modulo, ComputeInResult, remainder, "remainder_$(#1, #2)", "", Remainder::operation.helper)
/// a to the power of b; of integers with wrapping multiplication, negative exponents give 0 but for 1 and -1.
GEMEL_BINARY(pow, Power, ComputeInResult, power, "power_$(#1, #2)", "c_pow(#1, #2)",
             "WITHIN_KERNEL $ power_$($ a, $ b)\n{\n    %real return pow(a, b);\n    %whole $ p = 1;\n    %whole if (b "
             "< 0) return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;\n    %whole for (; b > 0; b /= 2, a *= a) if (b "
             "% 2) p *= a;\n    %whole return p;\n}\n")
/// The smaller and the larger; NaN if either is, as in NumPy.
GEMEL_BINARY(minimum, Minimum, ComputeInCommon, common, "minimum_$(#1, #2)", "",
             "WITHIN_KERNEL $ minimum_$($ a, $ b)\n{\n    %real return a < b || a != a ? a : b;\n    %whole return a < "
             "b ? a : b;\n}\n")
GEMEL_BINARY(maximum, Maximum, ComputeInCommon, common, "maximum_$(#1, #2)", "",
             "WITHIN_KERNEL $ maximum_$($ a, $ b)\n{\n    %real return a > b || a != a ? a : b;\n    %whole return a > "
             "b ? a : b;\n}\n")
GEMEL_UNARY(abs, Abs, ComputeInCommon, magnitude, "abs_$(#1)", "c_abs(#1)",
            "WITHIN_KERNEL $ abs_$($ a)\n{\n    %real return fabs(a);\n    %whole return a < 0 ? -a : a;\n}\n")
GEMEL_UNARY(real, RealPartOf, ComputeInCommon, magnitude, "#1", "c_real(#1)", "")
/// Of real numbers zeros.
GEMEL_UNARY(imag, ImaginaryPartOf, ComputeInCommon, magnitude, "0", "c_imag(#1)", "")
GEMEL_UNARY(conj, Conj, ComputeInCommon, common, "#1", "c_conj(#1)", "")
GEMEL_UNARY(square, Square, ComputeInCommon, common, "square_$(#1)", "square_$(#1)",
            "WITHIN_KERNEL $ square_$($ a)\n{\n    %real return a * a;\n    %whole return a * a;\n    %complex return "
            "c_mul(a, a);\n}\n")

#define GEMEL_ELEMENTARY(function, Name) \
    GEMEL_UNARY(function, Name, ComputeInResult, elementary, #function "(#1)", "", "")
#define GEMEL_ELEMENTARY_COMPLEX(function, Name) \
    GEMEL_UNARY(function, Name, ComputeInResult, elementary, #function "(#1)", "c_" #function "(#1)", "")
GEMEL_ELEMENTARY_COMPLEX(sin, Sin)
GEMEL_ELEMENTARY_COMPLEX(cos, Cos)
GEMEL_ELEMENTARY_COMPLEX(tan, Tan)
GEMEL_ELEMENTARY_COMPLEX(sinh, Sinh)
GEMEL_ELEMENTARY_COMPLEX(cosh, Cosh)
GEMEL_ELEMENTARY_COMPLEX(tanh, Tanh)
GEMEL_ELEMENTARY_COMPLEX(exp, Exp)
GEMEL_ELEMENTARY_COMPLEX(log, Log)
GEMEL_ELEMENTARY_COMPLEX(sqrt, Sqrt)
GEMEL_ELEMENTARY(asin, Asin)
GEMEL_ELEMENTARY(acos, Acos)
GEMEL_ELEMENTARY(atan, Atan)
GEMEL_ELEMENTARY(asinh, Asinh)
GEMEL_ELEMENTARY(acosh, Acosh)
GEMEL_ELEMENTARY(atanh, Atanh)
GEMEL_ELEMENTARY(exp2, Exp2)
GEMEL_ELEMENTARY(expm1, Expm1)
GEMEL_ELEMENTARY(log2, Log2)
GEMEL_ELEMENTARY(log10, Log10)
GEMEL_ELEMENTARY(log1p, Log1p)
GEMEL_ELEMENTARY(cbrt, Cbrt)
GEMEL_ELEMENTARY(rsqrt, Rsqrt)
GEMEL_ELEMENTARY(erf, Erf)
GEMEL_ELEMENTARY(erfc, Erfc)
GEMEL_BINARY(atan2, Atan2, ComputeInResult, real_elementary, "atan2(#1, #2)", "", "")
GEMEL_BINARY(hypot, Hypot, ComputeInResult, real_elementary, "hypot(#1, #2)", "", "")
GEMEL_UNARY(floor, Floor, ComputeInCommon, rounding, "floor_$(#1)", "",
            "WITHIN_KERNEL $ floor_$($ a)\n{\n    %real return floor(a);\n    %whole return a;\n}\n")
GEMEL_UNARY(ceil, Ceil, ComputeInCommon, rounding, "ceil_$(#1)", "",
            "WITHIN_KERNEL $ ceil_$($ a)\n{\n    %real return ceil(a);\n    %whole return a;\n}\n")
GEMEL_UNARY(trunc, Trunc, ComputeInCommon, rounding, "trunc_$(#1)", "",
            "WITHIN_KERNEL $ trunc_$($ a)\n{\n    %real return trunc(a);\n    %whole return a;\n}\n")
GEMEL_UNARY(rint, Rint, ComputeInCommon, rounding, "rint_$(#1)", "",
            "WITHIN_KERNEL $ rint_$($ a)\n{\n    %real return rint(a);\n    %whole return a;\n}\n")
GEMEL_UNARY(isnan, IsNan, ComputeInCommon, truth, "isnan_$(#1)",
            "(c_real(#1) != c_real(#1) || c_imag(#1) != c_imag(#1))",
            "WITHIN_KERNEL int isnan_$($ a)\n{\n    %real return a != a;\n    %whole return 0;\n}\n")

#undef GEMEL_ELEMENTARY_COMPLEX
#undef GEMEL_ELEMENTARY
#undef GEMEL_BINARY
#undef GEMEL_UNARY

/// condition ? a : b for every element; a condition other than bool holds where it is not zero.
struct Where {
    static constexpr Operation operation{"#1 ? #2 : #3", "#1 ? #2 : #3", "", TypeRule::common};
};
template <HasDType T, class C, class A, class B>
class Expr<T, Where, C, A, B> {
   public:
    using value_type = T;
    Expr(C condition, A a, B b) : condition_(std::move(condition)), a_(std::move(a)), b_(std::move(b)) {}
    GPUArray<T> eval() const { return GPUArray<T>(evaluate(view())); }
    std::vector<HostElement<T>> get() const { return eval().get(); }
    T item() const { return eval().item(); }
    operator GPUArray<T>() const { return eval(); }

    void collect(ExpressionOperands& operands) const {
        collect_operand(condition_, operands);
        collect_operand(a_, operands);
        collect_operand(b_, operands);
    }
    static std::string print(ExpressionText& text, DType as) {
        std::array<std::string, 3> operands;
        operands[0] = print_operand<C>(text, dtype_of<bool>());
        operands[1] = print_operand<A>(text, dtype_of<T>());
        operands[2] = print_operand<B>(text, dtype_of<T>());
        return text.apply(Where::operation, dtype_of<T>(), dtype_of<T>(), as, operands);
    }
    ExpressionView view() const {
        return {
            this, &type_, dtype_of<T>(),
            [](const void* self, ExpressionOperands& operands) { static_cast<const Expr*>(self)->collect(operands); },
            [](ExpressionText& text) { return print(text, dtype_of<T>()); }};
    }

   private:
    static inline const char type_ = 0;
    C condition_;
    A a_;
    B b_;
};
template <ArrayOperand C, Operand A, Operand B>
auto where(C&& condition, A&& a, B&& b) {
    using T = CommonElement<A, B>;
    return Expr<T, Where, std::remove_cvref_t<C>, std::remove_cvref_t<A>, std::remove_cvref_t<B>>(
        std::forward<C>(condition), std::forward<A>(a), std::forward<B>(b));
}

/// condition > 0 ? a : b for every element; PyCUDA's.
template <ArrayOperand C, Operand A, Operand B>
auto if_positive(C&& condition, A&& a, B&& b) {
    return where(std::forward<C>(condition) > 0, std::forward<A>(a), std::forward<B>(b));
}

/// The elements as another type, within the kernel. Out of range or NaN to integer is undefined, as in C.
GEMEL_OPERATION(Cast, ComputeInResult, common, "#1", "#1", "")
template <HasDType T, ArrayOperand X>
auto astype(X&& x) {
    static_assert(
        !is_complex<typename OperandElement<std::remove_cvref_t<X>>::type> || is_complex<T> || std::is_same_v<T, bool>,
        "astype from complex to real would drop the imaginary parts: take real() first");
    return Expr<T, Cast, std::remove_cvref_t<X>>(std::forward<X>(x));
}

/// What GPUArray::assign and the operators below do with an expression.
template <HasDType T, Expression E>
void write_expression(const GPUArray<T>& to, const E& expression) {
    using U = typename E::value_type;
    static_assert(is_same_kind(dtype_of<U>(), dtype_of<T>()),
                  "the expression's elements are of another kind than the array's (float to integer, complex to real): "
                  "use astype");
    if constexpr (std::is_same_v<T, U>) {
        evaluate(expression.view(), &to);
    } else {
        evaluate(astype<T>(expression).view(), &to);
    }
}

// In place: the array's memory and type stay. An operand that would change the kind of the elements does not compile.
#define GEMEL_IN_PLACE(op, Name) \
    template <HasDType T, Operand X> \
        requires Combinable<Name::operation.rule, GPUArray<T>, X> \
    const GPUArray<T>& operator op##=(const GPUArray<T>& a, X&& x) { \
        write_expression(a, make_expression<Name>(a, std::forward<X>(x))); \
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

/// Elements between `low` and `high`.
template <ArrayOperand X, HostNumber L, HostNumber H>
auto clip(X&& x, L low, H high) {
    return minimum(maximum(std::forward<X>(x), low), high);
}

#undef GEMEL_OPERATION

/// NumPy's printing, of the evaluated expression.
template <Expression E>
std::ostream& operator<<(std::ostream& out, const E& expression) {
    return out << expression.eval();
}

}  // namespace gemel
