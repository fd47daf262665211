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
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace gemel {

/// Stands for an operation in an expression of known type that keeps the rest as an AnyExpr.
struct StoredExpression {};

/// An expression of known element type whose operations are known at run time.
template <HasDType T>
class Expr<T, StoredExpression> {
   public:
    using value_type = T;
    /// @param value  of elements T
    explicit Expr(AnyExpr value) : value_(std::move(value)) {}
    Expr(const Expr&) = default;
    Expr(Expr&&) noexcept = default;
    Expr& operator=(const Expr&) & = default;
    Expr& operator=(Expr&&) & noexcept = default;

    GPUArray<T> eval() const { return GPUArray<T>(value_.eval()); }
    std::vector<HostElement<T>> get() const { return eval().get(); }
    T item() const { return eval().item(); }
    operator GPUArray<T>() const { return eval(); }
    AnyExpr any() const { return value_; }
    const Shape& shape() const { return value_.shape(); }

    void collect(gemel::detail::ExpressionOperands& operands) const {
        const gemel::detail::ExpressionView own = value_.view();
        own.collect(own.expression, operands);
        operands.exceeds = true;  // its text is not part of the type: the whole is evaluated as an AnyExpr
    }
    static std::string print(gemel::detail::ExpressionText&, DType) { return {}; }
    gemel::detail::ExpressionView view() const { return value_.view(); }

   private:
    AnyExpr value_;
};

namespace detail {

/// @throws ArgumentError for axes that are out of range, and for complex numbers if the function compares
GEMEL_API AnyExpr lazy_of(Reducing function, const AnyExpr& x, const ReductionAxes& axis, double ddof = 0);
GEMEL_API std::vector<AnyArray> evaluate_all(std::span<const AnyExpr> expressions,
                                             std::span<const AnyArray* const> out);
GEMEL_API std::string explain_all(std::span<const AnyExpr> expressions, bool with_text);
/// The array without the axes of extent 1 that a reduction left.
GEMEL_API AnyArray without_reduced(const AnyArray& array, const ReductionAxes& axis, bool keepdims);

template <Reducing function, Reducible X>
auto lazy_reduction(const X& x, const ReductionAxes& axis, double ddof = 0) {
    check_elements<function, X>();
    AnyExpr value = lazy_of(function, AnyExpr(x), axis, ddof);
    if constexpr (ArrayOperand<X>) {
        return Expr<typename Reduced<function, X>::value_type, StoredExpression>(std::move(value));
    } else {
        return value;
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
    const std::array<AnyExpr, sizeof...(X)> all{AnyExpr(expressions)...};
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
        const std::array<AnyExpr, count> all{AnyExpr(std::get<2 * k + 1>(given))...};
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
