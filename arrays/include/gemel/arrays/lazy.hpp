/// Reductions as parts of an expression, several results of one pass, and functions built from them (softmax, norms).
///
///     auto e = exp(x - lazy::max(x, 1));
///     GPUArray<float> softmax = e / lazy::sum(e, 1);     // one kernel: each row is read once and written once
///     auto [scaled, largest] = evaluate(2 * x, lazy::max(x, 1));
///
/// A reduction in namespace lazy has extent 1 along the axes that it reduces, so that it broadcasts against its
/// operand. It is evaluated with the expression: in the same kernel if a row fits a block, or if there are enough rows
/// to fill the device; otherwise by a launch of its own before. explain() says which.
#pragma once

#include <gemel/arrays/evaluated.hpp>
#include <gemel/arrays/reductions.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace gemel {

namespace detail {

/// @param axes  a bit per axis, the lowest for the last axis
/// @throws ArgumentError for complex numbers if the function compares, and for numbers
GEMEL_API AnyExpr lazy_of(Reducing function, const AnyExpr& x, std::uint64_t axes, double ddof = 0);
/// @throws ArgumentError for axes that are out of range, too
GEMEL_API AnyExpr lazy_of(Reducing function, const AnyExpr& x, const ReductionAxes& axis, double ddof = 0);
/// The bits of the axes. @throws ArgumentError for axes that are out of range
GEMEL_API std::uint64_t lazy_axes(Reducing function, const ExpressionView& x, std::size_t rank,
                                  const ReductionAxes& axis);
GEMEL_API std::vector<AnyArray> evaluate_all(std::span<const ExpressionView> expressions,
                                             std::span<const AnyArray* const> out);
GEMEL_API std::string explain_all(std::span<const AnyExpr> expressions, bool with_text);
/// The array without the axes of extent 1 that a reduction left.
GEMEL_API AnyArray without_reduced(const AnyArray& array, const ReductionAxes& axis, bool keepdims);

/// Stands for a reduction of namespace lazy in the type of an expression.
template <Reducing function>
struct LazyReduction {};

}  // namespace detail

/// A reduction of an array or an expression, as a part of an expression.
template <HasDType T, detail::Reducing function, class X>
class Expr<T, detail::LazyReduction<function>, X> {
   public:
    using value_type = T;
    /// @param axes  a bit per axis of x, the lowest for the last axis
    Expr(X x, std::uint64_t axes, double ddof) : operand_(std::move(x)), axes_(axes), ddof_(ddof) {}
    Expr(const Expr&) = default;
    Expr(Expr&&) noexcept = default;
    Expr& operator=(const Expr&) & = default;
    Expr& operator=(Expr&&) & noexcept = default;

    GPUArray<T> eval() const { return GPUArray<T>(evaluate(view())); }
    std::vector<HostElement<T>> get() const { return eval().get(); }
    T item() const { return eval().item(); }
    operator GPUArray<T>() const { return eval(); }
    AnyExpr any() const { return detail::lazy_of(function, AnyExpr(operand_), axes_, ddof_); }
    Shape shape() const { return any().shape(); }
    std::size_t rank() const { return operand_.rank(); }

    void collect(detail::ExpressionOperands& operands) const {
        detail::collect_operand(operand_, operands);
        operands.add_reduction(axes_, ddof_);
    }
    /// Unused: expressions with reductions are printed from their AnyExpr.
    static std::string print(detail::ExpressionText&, DType) { return {}; }
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
    static inline const char type_ = 0;
    X operand_;
    std::uint64_t axes_;
    double ddof_;
};

namespace detail {

template <Reducing function, Reducible X, AxisLike A>
auto lazy_reduction(const X& x, const A& axis, double ddof = 0) {
    check_elements<function, X>();
    if constexpr (ArrayOperand<X>) {
        using T = typename Reduced<function, X>::value_type;
        const std::size_t rank = x.rank();
        if constexpr (std::is_integral_v<A> && std::is_signed_v<A>) {  // the common case, without allocation
            const std::int64_t last = static_cast<std::int64_t>(rank) - 1, at = axis < 0 ? -1 - axis : last - axis;
            if (at >= 0 && at <= last) return Expr<T, LazyReduction<function>, X>(x, std::uint64_t{1} << at, ddof);
        }
        return Expr<T, LazyReduction<function>, X>(x, lazy_axes(function, view_of(x), rank, axis), ddof);
    } else {
        return lazy_of(function, AnyExpr(x), ReductionAxes(axis), ddof);
    }
}

/// The operand as floating-point numbers: integers and bools become double.
template <Reducible X>
auto floating(const X& x) {
    if constexpr (!ArrayOperand<X>) {
        const AnyExpr any(x);
        return codegen::is_bool_or_integer(any.dtype()) ? astype(any, dtype_of<double>()) : any;
    } else if constexpr (codegen::is_bool_or_integer(dtype_of<typename OperandElement<X>::type>())) {
        return astype<double>(x);
    } else {
        return x;
    }
}

/// A positive number as a bound or summand of a type's numbers: those of half begin at 2^-24, and less would become 0.
template <Reducible X>
double at_least_tiny(const X& x, double number) {
    DType dtype;
    if constexpr (ArrayOperand<X>)
        dtype = dtype_of<typename OperandElement<X>::type>();
    else
        dtype = AnyExpr(x).dtype();
    const bool is_half = dtype.kind() == DType::Kind::floating && dtype.size_bytes() == 2;
    return is_half && number > 0 ? std::max(number, 0x1p-24) : number;
}

/// The array of an expression's values.
template <class X>
struct ValueArray {
    using type = AnyArray;
};
template <ArrayOperand X>
struct ValueArray<X> {
    using type = EvaluatedArray<X>;
};
template <class X>
using ValuesOf = typename ValueArray<X>::type;

}  // namespace detail

/// Reductions as parts of expressions. Each takes the axes that it reduces (all if left out), which have extent 1 in
/// the result. Types and values are those of the functions of the same names in namespace gemel.
/// @throws ArgumentError for an axis out of range, when the expression is made
namespace lazy {

#define GEMEL_LAZY(name) \
    template <Reducible X, gemel::detail::AxisLike A = ReductionAxes> \
    auto name(const X& x, const A& axis = {}) { \
        return gemel::detail::lazy_reduction<gemel::detail::Reducing::name>(x, axis); \
    }
GEMEL_LAZY(sum)
GEMEL_LAZY(prod)
GEMEL_LAZY(min)
GEMEL_LAZY(max)
GEMEL_LAZY(any)
GEMEL_LAZY(all)
GEMEL_LAZY(argmin)
GEMEL_LAZY(argmax)
GEMEL_LAZY(count_nonzero)
GEMEL_LAZY(mean)
GEMEL_LAZY(norm)
#undef GEMEL_LAZY

/// @param ddof  the divisor is the number of elements minus ddof
template <Reducible X, gemel::detail::AxisLike A = ReductionAxes>
auto var(const X& x, const A& axis = {}, double ddof = 0) {
    return gemel::detail::lazy_reduction<gemel::detail::Reducing::var>(x, axis, ddof);
}
template <Reducible X, gemel::detail::AxisLike A = ReductionAxes>
auto stddev(const X& x, const A& axis = {}, double ddof = 0) {
    return gemel::detail::lazy_reduction<gemel::detail::Reducing::stddev>(x, axis, ddof);
}

}  // namespace lazy

/// Evaluates several expressions together: `auto [y, s] = evaluate(2 * x, lazy::sum(x, 1));`. If their shapes allow one
/// kernel, operands are read once and common subexpressions computed once.
/// @returns a tuple of arrays @throws ArgumentError as eval() of each expression @time enqueued, returns at once
template <Reducible... X>
    requires(sizeof...(X) > 0)
auto evaluate(const X&... expressions) {
    const std::array<detail::ExpressionView, sizeof...(X)> all{detail::view_of(expressions)...};
    constexpr std::array<const AnyArray*, sizeof...(X)> none{};
    const std::vector<AnyArray> values = detail::evaluate_all(all, none);
    return [&]<std::size_t... k>(std::index_sequence<k...>) {
        return std::tuple<detail::ValuesOf<X>...>{detail::ValuesOf<X>(values[k])...};
    }(std::index_sequence_for<X...>{});
}

/// The same into existing arrays: `evaluate_into(a, sin(x), b, cos(x))`. Arrays may have any strides and may overlap
/// the operands; where two of them overlap, the later one's values stay. Each expression is broadcast to its array's
/// shape and converted to its type within the same kind.
/// @throws ArgumentError if an expression cannot be broadcast or converted, or contexts differ
template <class... Args>
    requires(sizeof...(Args) > 0 && sizeof...(Args) % 2 == 0)
void evaluate_into(const Args&... arrays_and_expressions) {
    constexpr std::size_t count = sizeof...(Args) / 2;
    const auto given = std::forward_as_tuple(arrays_and_expressions...);
    [&]<std::size_t... k>(std::index_sequence<k...>) {
        static_assert(
            (std::derived_from<std::remove_cvref_t<std::tuple_element_t<2 * k, decltype(given)>>, AnyArray> && ...),
            "evaluate_into takes an array, its expression, the next array, its expression, ...");
        const std::array<const AnyArray*, count> out{&std::get<2 * k>(given)...};
        const std::array<detail::ExpressionView, count> all{detail::view_of(std::get<2 * k + 1>(given))...};
        detail::evaluate_all(all, out);
    }(std::make_index_sequence<count>{});
}

/// Describes what evaluate() of these expressions would launch: kernels, bytes read and written, how rows are divided
/// among blocks, and which parts are not fused and why. Launches nothing.
template <Reducible... X>
    requires(sizeof...(X) > 0)
std::string explain(const X&... expressions) {
    const std::array<AnyExpr, sizeof...(X)> all{AnyExpr(expressions)...};
    return detail::explain_all(all, false);
}
/// The same with the source of the row kernels.
template <Reducible... X>
    requires(sizeof...(X) > 0)
std::string explain_with_text(const X&... expressions) {
    const std::array<AnyExpr, sizeof...(X)> all{AnyExpr(expressions)...};
    return detail::explain_all(all, true);
}

// Functions built from these. They are expressions too, and fuse with the expression that contains them.

/// exp(x - max) / sum(exp(x - max)) along some axes (the last, if left out). Double for integers; 16-bit floats are
/// computed in float. A row of -infinity gives NaN.
template <Reducible X, detail::AxisLike A = ReductionAxes>
auto softmax(const X& x, const A& axis = -1) {
    const auto numbers = detail::floating(x);
    const auto e = exp(numbers - lazy::max(numbers, axis));
    return e * (1 / lazy::sum(e, axis));  // one division for each row; the sum is 1 at least
}
/// log(softmax(x)) computed directly, so that small probabilities do not become log(0).
template <Reducible X, detail::AxisLike A = ReductionAxes>
auto log_softmax(const X& x, const A& axis = -1) {
    const auto numbers = detail::floating(x);
    const auto shifted = numbers - lazy::max(numbers, axis);
    return shifted - log(lazy::sum(exp(shifted), axis));
}
namespace lazy {
/// log(sum(exp(x))) without overflow, of extent 1 along the axes.
template <Reducible X, gemel::detail::AxisLike A = ReductionAxes>
auto logsumexp(const X& x, const A& axis = {}) {
    const auto numbers = gemel::detail::floating(x);
    const auto largest = lazy::max(numbers, axis);
    const auto shift = where(isfinite(largest), largest, 0);
    return log(lazy::sum(exp(numbers - shift), axis)) + shift;
}
}  // namespace lazy
/// log(sum(exp(x))) without overflow, over all axes or some. @returns an array, as sum() does
template <Reducible X, detail::AxisLike A = ReductionAxes>
auto logsumexp(const X& x, const A& axis = {}, bool keepdims = false) {
    const auto value = lazy::logsumexp(x, axis);
    return detail::ValuesOf<std::remove_cvref_t<decltype(value)>>(
        detail::without_reduced(detail::array_of(value), axis, keepdims));
}
/// (x - mean) / sqrt(variance + epsilon) along some axes (the last, if left out). A positive epsilon is at least 2^-24
/// for half, here and below.
template <Reducible X, detail::AxisLike A = ReductionAxes>
auto standardize(const X& x, const A& axis = -1, double epsilon = 0) {
    const auto centred = x - lazy::mean(x, axis);
    return centred / sqrt(lazy::mean(square(abs(centred)), axis) + detail::at_least_tiny(x, epsilon));
}
/// standardize(x) * weight + bias, both broadcast against x. @source Ba, Kiros and Hinton, "Layer Normalization"
template <Reducible X, class W, class B, detail::AxisLike A = ReductionAxes>
auto layer_norm(const X& x, const W& weight, const B& bias, const A& axis = -1, double epsilon = 1e-5) {
    return standardize(x, axis, epsilon) * weight + bias;
}
/// x / sqrt(mean(|x|^2) + epsilon) * weight. @source Zhang and Sennrich, "Root Mean Square Layer Normalization"
template <Reducible X, class W, detail::AxisLike A = ReductionAxes>
auto rms_norm(const X& x, const W& weight, const A& axis = -1, double epsilon = 1e-6) {
    const auto numbers = detail::floating(x);
    return numbers / sqrt(lazy::mean(square(abs(numbers)), axis) + detail::at_least_tiny(numbers, epsilon)) * weight;
}
/// x / max(norm(x), least) with the Euclidean norm along some axes (the last, if left out).
template <Reducible X, detail::AxisLike A = ReductionAxes>
auto normalize(const X& x, const A& axis = -1, double least = 1e-12) {
    return x / maximum(lazy::norm(x, axis), detail::at_least_tiny(x, least));
}

}  // namespace gemel
