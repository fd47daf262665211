/// Function: makes a snippet of C callable in expressions.
#pragma once

#include <gemel/arrays/expression.hpp>
#include <gemel/core/export.hpp>

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace gemel {

/// A function whose types are known only at run time, for expressions from text.
class GEMEL_API AnyFunction {
   public:
    /// @param parameters  the names of the parameters: "a, b"
    /// @param body        C statements in the kernel language, with a `return`
    /// @param types       of the parameters
    /// @param preamble    text at file scope before it: helpers (WITHIN_KERNEL), constants
    /// @throws ArgumentError that names the function, if a name is not an identifier or is reserved in kernels, or if
    /// the numbers of names and types differ
    AnyFunction(const std::string& name, std::string_view parameters, const std::string& body, DType result,
                std::span<const DType> types, const std::string& preamble = "");

    const std::string& name() const;
    /// A call with untyped operands, which are converted as by astype().
    /// @throws ArgumentError if their number, types or shapes do not fit
    AnyExpr call(std::span<const AnyExpr> operands) const { return detail::call_of(*definition_, operands); }
    const FunctionDefinition& definition() const { return *definition_; }

   private:
    const FunctionDefinition* definition_;
};

namespace detail {
template <class X>
void collect_call(const FunctionDefinition& function, const X& operand_tuple, ExpressionOperands& operands) {
    operands.add(function);
    std::apply([&](const auto&... operand) { (detail::collect_operand(operand, operands), ...); }, operand_tuple);
}
}  // namespace detail

template <class Signature, class... X>
class CallExpr;

/// A lazy call of a user's function, like Expr.
template <class R, class... A, class... X>
class CallExpr<R(A...), X...> {
   public:
    using value_type = R;
    explicit CallExpr(const FunctionDefinition& function, X... operands)
        : function_(&function), operands_(std::move(operands)...) {}
    CallExpr(const CallExpr&) = default;
    CallExpr(CallExpr&&) noexcept = default;
    CallExpr& operator=(const CallExpr&) & = default;  // lvalues only, as Expr
    CallExpr& operator=(CallExpr&&) & noexcept = default;

    /// As the functions of Expr.
    GPUArray<R> eval() const { return GPUArray<R>(evaluate(view())); }
    std::vector<HostElement<R>> get() const { return eval().get(); }
    R item() const { return eval().item(); }
    operator GPUArray<R>() const { return eval(); }
    AnyExpr any() const {
        return std::apply(
            [&](const X&... operand) {
                return detail::call_of(*function_, std::array<AnyExpr, sizeof...(X)>{AnyExpr(operand)...});
            },
            operands_);
    }

    void collect(detail::ExpressionOperands& operands) const { detail::collect_call(*function_, operands_, operands); }
    static std::string print(detail::ExpressionText& text, DType as) {
        const FunctionDefinition& function = text.function();
        const std::array<std::string, sizeof...(X)> operands{detail::print_operand<X>(text, dtype_of<A>())...};
        return text.call(function, as, operands);
    }
    detail::ExpressionView view() const {
        return {.expression = this,
                .type = reinterpret_cast<std::uintptr_t>(&type_),
                .dtype = dtype_of<R>(),
                .collect =
                    [](const void* self, detail::ExpressionOperands& operands) {
                        static_cast<const CallExpr*>(self)->collect(operands);
                    },
                .print = [](const void*, detail::ExpressionText& text, DType as) { return print(text, as); },
                .any = [](const void* self) { return static_cast<const CallExpr*>(self)->any(); }};
    }

   private:
    static inline const char type_ = 0;
    const FunctionDefinition* function_;
    std::tuple<X...> operands_;
};

template <class R, class... A, class... X>
struct OperandElement<CallExpr<R(A...), X...>> {
    using type = R;
};
template <class Signature, class... X>
inline constexpr bool is_expression<CallExpr<Signature, X...>> = true;

template <class Signature>
class Function;

/// A user's function in expressions:
///
///     const gemel::Function<float(float, float)> smooth("smooth", "a, b", "return a * a / (b + 1);");
///     GPUArray<float> z = smooth(x, y + 1) * 2;
///
/// It is compiled into the expression's kernel. Operands are arrays, expressions and numbers; at least one is not a
/// number. They are broadcast, and converted to the types of the parameters as by astype(). 16-bit floats are computed
/// in float and rounded. Errors in the text are found when the expression compiles: a CompileError, whose source()
/// shows the text. One expression may contain functions with equal names and different bodies, but not preambles whose
/// helpers have equal names and different texts.
template <NumberElement R, NumberElement... A>
class Function<R(A...)> : public AnyFunction {
   public:
    static_assert(sizeof...(A) > 0, "a function in an expression has one parameter at least");
    /// @throws as AnyFunction
    Function(const std::string& name, std::string_view parameters, const std::string& body,
             const std::string& preamble = "")
        : AnyFunction(name, parameters, body, dtype_of<R>(), std::array{dtype_of<A>()...}, preamble) {}

    template <Operand... X>
        requires(sizeof...(X) == sizeof...(A)) && (ArrayOperand<X> || ...)
    auto operator()(X&&... operands) const {
        static_assert(((detail::common_dtype<codegen::TypeRule::common, X>().kind() != DType::Kind::complex ||
                        is_complex<A> || std::is_same_v<A, bool>) &&
                       ...),
                      "a complex operand of a real parameter would lose its imaginary part: take real(), imag() or "
                      "abs()");
        return CallExpr<R(A...), std::remove_cvref_t<X>...>(definition(), std::forward<X>(operands)...);
    }
    template <class... X>
        requires(sizeof...(X) == sizeof...(A)) && UntypedCombinable<X...>
    AnyExpr operator()(const X&... operands) const {
        return call(std::array<AnyExpr, sizeof...(X)>{AnyExpr(operands)...});
    }
};

/// expression() with user-defined functions in addition to those of the library:
/// `expression("smooth(x, y) + 1", {{"x", x}, {"y", y}}, {smooth})`
/// @throws ArgumentError as expression() without functions, and if two functions have the same name
GEMEL_API AnyExpr expression(std::string_view text, std::span<const NamedOperand> operands,
                             std::span<const AnyFunction> functions);
inline AnyExpr expression(std::string_view text, std::initializer_list<NamedOperand> operands,
                          std::initializer_list<AnyFunction> functions) {
    return expression(text, std::span(operands.begin(), operands.size()),
                      std::span(functions.begin(), functions.size()));
}

}  // namespace gemel
