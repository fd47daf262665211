/// Expr: a lazy expression whose element type is known when the program is compiled.
#pragma once

#include <gemel/arrays/any_expr.hpp>
#include <gemel/arrays/expression_types.hpp>
#include <gemel/arrays/expression_view.hpp>
#include <gemel/arrays/gpu_array.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace gemel {

namespace detail {

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
std::size_t rank_of(const X& operand) {
    if constexpr (HostNumber<X>) {
        return 0;
    } else {
        return operand.rank();
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

/// The type that an operation's operands have together: those that decide it.
template <class Op, Operand... X>
constexpr DType operation_dtype() {
    codegen::CommonType common;
    std::size_t k = 0;
    ((common = codegen::decides_type(Op::operation, k++) ? with_operand<Op::operation.rule, X>(common) : common), ...);
    return common.dtype();
}

/// Numbers in logical operations count only as true or false: the arrays' type need not be able to hold them.
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

/// An integer bound for elements of integer type T, clamped to the range of T.
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

/// An operation on arrays, numbers and other expressions; elements of type T.
template <HasDType T, class Op, class... X>
class Expr {
   public:
    using value_type = T;
    explicit Expr(X... operands) : operands_(std::move(operands)...) {}
    Expr(const Expr&) = default;
    Expr(Expr&&) noexcept = default;
    // Lvalues only: assigning to a temporary such as `x + y` would have no effect.
    Expr& operator=(const Expr&) & = default;
    Expr& operator=(Expr&&) & noexcept = default;

    /// Runs the kernel. @returns a new array @time enqueued, returns at once; the first expression of each structure
    /// compiles
    GPUArray<T> eval() const { return GPUArray<T>(evaluate(view())); }
    /// The values, as GPUArray::get(). Blocks.
    std::vector<HostElement<T>> get() const { return eval().get(); }
    /// The value of an expression of one element. Blocks.
    T item() const { return eval().item(); }
    operator GPUArray<T>() const { return eval(); }
    /// The same with its type known at run time only.
    AnyExpr any() const {
        return std::apply(
            [](const X&... operand) {
                return AnyExpr(Op::operation, std::array<AnyExpr, sizeof...(X)>{AnyExpr(operand)...}, dtype_of<T>());
            },
            operands_);
    }

    /// The number of axes. Whether the shapes can be broadcast is found out by the evaluation.
    std::size_t rank() const {
        return std::apply([](const X&... operand) { return std::max({detail::rank_of(operand)...}); }, operands_);
    }

    void collect(detail::ExpressionOperands& operands) const {
        std::apply([&](const X&... operand) { (detail::collect_operand(operand, operands), ...); }, operands_);
        if constexpr (Op::operation.rule == codegen::TypeRule::power)
            if constexpr (HostNumber<std::tuple_element_t<1, std::tuple<X...>>>)
                operands.is_exponent(detail::widest(std::get<1>(operands_)));
        if constexpr (Op::operation.rule == codegen::TypeRule::comparison && (HostNumber<X> || ...)) {
            const auto check = [&]<class V>(const V& operand) {
                using Whole = std::conditional_t<std::is_signed_v<V>, std::int64_t, std::uint64_t>;
                if constexpr (std::is_integral_v<V>) operands.check_compared(static_cast<Whole>(operand), common_);
            };
            std::apply([&](const X&... operand) { (check(operand), ...); }, operands_);
        }
    }
    static std::string print(detail::ExpressionText& text, DType as) {
        std::size_t k = 0;  // operands come in their order: braces see to that
        const std::array<std::string, sizeof...(X)> operands{
            detail::print_operand<X>(text, codegen::operand_type(Op::operation, k++, common_, dtype_of<T>()))...};
        return text.apply(Op::operation, common_, dtype_of<T>(), as, operands);
    }
    detail::ExpressionView view() const {
        return {
            .expression = this,
            .type = reinterpret_cast<std::uintptr_t>(&type_),
            .dtype = dtype_of<T>(),
            .collect = [](const void* self,
                          detail::ExpressionOperands& operands) { static_cast<const Expr*>(self)->collect(operands); },
            .print = [](const void*, detail::ExpressionText& text, DType as) { return print(text, as); },
            .any = [](const void* self) { return static_cast<const Expr*>(self)->any(); }};
    }

   private:
    static constexpr DType common_ = detail::operation_dtype<Op, X...>();
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

namespace detail {

/// An array as an expression of itself.
template <ArrayOperand X>
ExpressionView view_of(const X& operand) {
    if constexpr (Expression<X>) {
        return operand.view();
    } else {
        using T = typename X::value_type;
        static const char type = 0;
        return {.expression = &operand,
                .type = reinterpret_cast<std::uintptr_t>(&type),
                .dtype = dtype_of<T>(),
                .collect = [](const void* self,
                              ExpressionOperands& operands) { operands.add(*static_cast<const X*>(self)); },
                .print = [](const void*, ExpressionText& text, DType as) { return text.array(dtype_of<T>(), as); },
                .any = [](const void* self) { return AnyExpr(*static_cast<const X*>(self)); },
                .is_array = true};
    }
}
/// The same of what has its type at run time only.
GEMEL_API ExpressionView view_of(const AnyArray& array);
inline ExpressionView view_of(const AnyExpr& expression) { return expression.view(); }

/// The array itself, or a new one with the expression's values.
template <ArrayOperand X>
AnyArray array_of(const X& operand) {
    if constexpr (Expression<X>) {
        return operand.eval();
    } else {
        return operand;
    }
}
inline const AnyArray& array_of(const AnyArray& array) { return array; }
GEMEL_API AnyArray array_of(const AnyExpr& expression);

}  // namespace detail

/// The text of an expression's kernel in a dialect.
template <Expression E>
std::string source(const E& expression, const Dialect& dialect) {
    return source(expression.view(), dialect);
}

namespace detail {

template <class Op, class... X>
auto make_expression(X&&... operands) {
    static_assert(
        common_dtype<Op::operation.rule, X...>().kind() != DType::Kind::complex ||
            Op::operation.numbers == codegen::Numbers::complex,
        "the operation is not defined for complex numbers, which have no order: take real(), imag() or abs()");
    return Expr<ResultElement<Op::operation.rule, X...>, Op, std::remove_cvref_t<X>...>(std::forward<X>(operands)...);
}

}  // namespace detail
}  // namespace gemel
