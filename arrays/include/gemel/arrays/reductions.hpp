/// NumPy's reductions of arrays and expressions, over all elements or over some axes. An expression is evaluated inside
/// the reduction: `sum(x * y)` is one kernel without a temporary array. Results stay on the device; `.item()` reads
/// one.
///
/// Each function takes its options by name, or the first of them by position: `max(x, {.axis = 1, .keepdims = true})`
/// and `max(x, 1, true)` are the same. For arrays and expressions whose type is known only at run time (AnyArray,
/// AnyExpr) the result is an AnyArray, and calls that the typed functions reject at compile time throw ArgumentError.
#pragma once

#include <gemel/arrays/expression.hpp>
#include <gemel/arrays/reduce_options.hpp>
#include <gemel/core/export.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>

namespace gemel {

/// Operands of reductions: arrays and expressions with a type known at compile time or at run time.
template <class X>
concept Reducible = ArrayOperand<X> || UntypedOperand<X>;

/// The result of one kernel.
enum class ReductionKind : std::uint8_t { sum, product, minimum, maximum, any, all, argmin, argmax };
/// @param result  the type of the result and of the accumulator (16-bit floats accumulate in float)
/// @param who     the function that error messages name
GEMEL_API AnyArray reduce(ReductionKind kind, const detail::ExpressionView& expression, DType result,
                          const ReductionAxes& over, bool keepdims, const char* who);

namespace detail {

/// The functions below.
enum class Reducing : std::uint8_t {
    sum,
    prod,
    min,
    max,
    any,
    all,
    argmin,
    argmax,
    count_nonzero,
    mean,
    var,
    stddev,
    norm,
};
/// The element type of a function's result.
constexpr DType reduced_type(Reducing function, DType own) {
    switch (function) {
        case Reducing::sum:
        case Reducing::prod: return codegen::result_type(codegen::TypeRule::sum, own);
        case Reducing::min:
        case Reducing::max: return own;
        case Reducing::any:
        case Reducing::all: return dtype_of<bool>();
        case Reducing::argmin:
        case Reducing::argmax:
        case Reducing::count_nonzero: return dtype_of<std::int64_t>();
        case Reducing::mean: return codegen::result_type(codegen::TypeRule::mean, own);
        case Reducing::var:
        case Reducing::stddev:
        case Reducing::norm:
            return codegen::result_type(codegen::TypeRule::magnitude,
                                        codegen::result_type(codegen::TypeRule::mean, own));
    }
    return {};
}
/// The same if the elements are converted first.
constexpr DType reduced_type_in(Reducing function, DType chosen) {
    return function == Reducing::sum || function == Reducing::prod ? chosen : reduced_type(function, chosen);
}

/// One call of such a function.
struct ReduceCall {
    Reducing function;
    const ReductionAxes& axis;
    bool keepdims = false;
    DType result = {};  ///< the result's type, if known at compile time
    DType dtype = {};
    const InitialNumber* initial = nullptr;
    std::optional<double> ddof = {};
    const AnyArray* out = nullptr;
};
GEMEL_API AnyArray reduce(const ExpressionView& x, const ReduceCall& call);
GEMEL_API AnyArray inner(const AnyArray& a, const AnyArray& b);

template <Reducing function, class X>
struct ReducedArray {
    using type = AnyArray;
};
template <Reducing function, ArrayOperand X>
struct ReducedArray<function, X> {
    static constexpr DType dtype = reduced_type(function, dtype_of<typename OperandElement<X>::type>());
    using type = GPUArray<typename NumberOf<dtype.kind(), dtype.size_bytes()>::type>;
};
/// The result array of a function of X.
template <Reducing function, class X>
using Reduced = typename ReducedArray<function, X>::type;
/// The same if the elements are converted to T first.
template <Reducing function, NumberElement T>
using ReducedIn = GPUArray<typename NumberOf<reduced_type_in(function, dtype_of<T>()).kind(),
                                             reduced_type_in(function, dtype_of<T>()).size_bytes()>::type>;

/// What converts to axes. Braces without names become ReductionAxes, the default of a parameter of this concept. Braces
/// with names become ReduceOptions, because that overload is the more specialised one.
template <class A>
concept AxisLike = std::convertible_to<const A&, ReductionAxes>;

template <Reducing function, class X>
constexpr void check_elements() {
    constexpr bool orders = function == Reducing::min || function == Reducing::max || function == Reducing::argmin ||
                            function == Reducing::argmax;
    if constexpr (orders && ArrayOperand<X>)
        static_assert(!is_complex<typename OperandElement<X>::type>,
                      "complex numbers have no order: take real(), imag() or abs()");
}
template <class T, class X>
constexpr void check_conversion() {
    static_assert(!is_complex<typename OperandElement<X>::type> || is_complex<T> || std::is_same_v<T, bool>,
                  "the conversion from complex to real would drop the imaginary parts: take real() first");
}

/// One body for all types. If the result's type is known at compile time, the result is cast.
template <class Result, Reducible X>
Result reduced(const X& x, ReduceCall call) {
    if constexpr (!std::same_as<Result, AnyArray>) call.result = dtype_of<typename Result::value_type>();
    return Result(reduce(view_of(x), call));
}
/// @param dtype  the type to which elements are converted if the options name none
template <class Result, Reducible X>
Result reduced(const X& x, Reducing function, const ReduceOptions& options, DType dtype = {}) {
    return reduced<Result>(x, {.function = function,
                               .axis = options.axis,
                               .keepdims = options.keepdims,
                               .dtype = options.dtype.empty() ? dtype : options.dtype,
                               .initial = &options.initial,
                               .ddof = options.ddof,
                               .out = &options.out});
}
/// `initial` must be representable in the result type, if that is known.
template <class Result, Reducible X, HostNumber V>
Result reduced_from(const X& x, ReduceCall call, const V& initial) {
    if constexpr (!std::same_as<Result, AnyArray>)
        static_assert(ValueFor<V, typename Result::value_type>, "a complex number is not a value of a real type");
    const InitialNumber number(initial);
    call.initial = &number;
    return reduced<Result>(x, call);
}

}  // namespace detail

// name(x, axis, keepdims) and name(x, {.axis = ..., ...}).
#define GEMEL_REDUCTION(name) \
    template <Reducible X, detail::AxisLike A = ReductionAxes> \
    detail::Reduced<detail::Reducing::name, X> name(const X& x, const A& axis = {}, bool keepdims = false) { \
        detail::check_elements<detail::Reducing::name, X>(); \
        return detail::reduced<detail::Reduced<detail::Reducing::name, X>>( \
            x, {.function = detail::Reducing::name, .axis = axis, .keepdims = keepdims}); \
    } \
    template <Reducible X> \
    detail::Reduced<detail::Reducing::name, X> name(const X& x, const ReduceOptions& options) { \
        detail::check_elements<detail::Reducing::name, X>(); \
        return detail::reduced<detail::Reduced<detail::Reducing::name, X>>(x, detail::Reducing::name, options); \
    }
// name<T>(x, ...): elements are converted to T first.
#define GEMEL_REDUCTION_IN(name) \
    template <NumberElement T, ArrayOperand X, detail::AxisLike A = ReductionAxes> \
    detail::ReducedIn<detail::Reducing::name, T> name(const X& x, const A& axis = {}, bool keepdims = false) { \
        detail::check_conversion<T, X>(); \
        return detail::reduced<detail::ReducedIn<detail::Reducing::name, T>>( \
            x, {.function = detail::Reducing::name, .axis = axis, .keepdims = keepdims, .dtype = dtype_of<T>()}); \
    } \
    template <NumberElement T, ArrayOperand X> \
    detail::ReducedIn<detail::Reducing::name, T> name(const X& x, const ReduceOptions& options) { \
        detail::check_conversion<T, X>(); \
        return detail::reduced<detail::ReducedIn<detail::Reducing::name, T>>(x, detail::Reducing::name, options, \
                                                                             dtype_of<T>()); \
    }
// name(x, axis, keepdims, initial)
#define GEMEL_REDUCTION_FROM(name) \
    template <Reducible X, HostNumber V> \
    detail::Reduced<detail::Reducing::name, X> name(const X& x, const ReductionAxes& axis, bool keepdims, \
                                                    const V& initial) { \
        detail::check_elements<detail::Reducing::name, X>(); \
        return detail::reduced_from<detail::Reduced<detail::Reducing::name, X>>( \
            x, {.function = detail::Reducing::name, .axis = axis, .keepdims = keepdims}, initial); \
    }
// name<T>(x, axis, keepdims, initial), and with a dtype that is known only at run time.
#define GEMEL_SUM(name) \
    GEMEL_REDUCTION(name) \
    GEMEL_REDUCTION_IN(name) \
    GEMEL_REDUCTION_FROM(name) \
    template <NumberElement T, ArrayOperand X, HostNumber V> \
    GPUArray<T> name(const X& x, const ReductionAxes& axis, bool keepdims, const V& initial) { \
        detail::check_conversion<T, X>(); \
        return detail::reduced_from<GPUArray<T>>( \
            x, {.function = detail::Reducing::name, .axis = axis, .keepdims = keepdims, .dtype = dtype_of<T>()}, \
            initial); \
    } \
    template <UntypedOperand X> \
    AnyArray name(const X& x, const ReductionAxes& axis, bool keepdims, DType dtype) { \
        return detail::reduced<AnyArray>( \
            x, {.function = detail::Reducing::name, .axis = axis, .keepdims = keepdims, .dtype = dtype}); \
    } \
    template <UntypedOperand X, HostNumber V> \
    AnyArray name(const X& x, const ReductionAxes& axis, bool keepdims, const V& initial, DType dtype) { \
        return detail::reduced_from<AnyArray>( \
            x, {.function = detail::Reducing::name, .axis = axis, .keepdims = keepdims, .dtype = dtype}, initial); \
    }
// name(x, axis, keepdims, ddof) and name<T>(x, axis, keepdims, ddof)
#define GEMEL_SPREAD(name) \
    GEMEL_REDUCTION(name) \
    GEMEL_REDUCTION_IN(name) \
    template <Reducible X> \
    detail::Reduced<detail::Reducing::name, X> name(const X& x, const ReductionAxes& axis, bool keepdims, \
                                                    double ddof) { \
        return detail::reduced<detail::Reduced<detail::Reducing::name, X>>( \
            x, {.function = detail::Reducing::name, .axis = axis, .keepdims = keepdims, .ddof = ddof}); \
    } \
    template <NumberElement T, ArrayOperand X> \
    detail::ReducedIn<detail::Reducing::name, T> name(const X& x, const ReductionAxes& axis, bool keepdims, \
                                                      double ddof) { \
        detail::check_conversion<T, X>(); \
        return detail::reduced<detail::ReducedIn<detail::Reducing::name, T>>(x, {.function = detail::Reducing::name, \
                                                                                 .axis = axis, \
                                                                                 .keepdims = keepdims, \
                                                                                 .dtype = dtype_of<T>(), \
                                                                                 .ddof = ddof}); \
    }

/// The sum. Options: axis, keepdims, dtype, initial, out. Integers and bools are summed in 64 bits, 16-bit floats in
/// float, other types in their own. Rounding errors grow with the logarithm of the length. The sum of no elements is 0.
/// `sum<double>(x)` converts the elements to double, sums them in double and returns double. `initial` is added to the
/// sum by one more launch: `sum(x, {.initial = 10})` or `sum(x, {}, false, 10)`.
/// @throws ArgumentError for an axis out of range, an `out` of another shape or type, or an `initial` that the result's
/// type cannot hold
/// @time enqueued, returns at once; one launch on GPUs, two on CPU devices
GEMEL_SUM(sum)
/// The product; otherwise like sum(). The product of no elements is 1.
GEMEL_SUM(prod)
/// The minimum and the maximum. Options: axis, keepdims, initial, out. NaN if an element is NaN.
/// @throws ArgumentError as sum(), and if there are no elements and no `initial` @time as sum()
GEMEL_REDUCTION(min)
GEMEL_REDUCTION_FROM(min)
GEMEL_REDUCTION(max)
GEMEL_REDUCTION_FROM(max)
/// Whether any element, or every element, is nonzero. Options: axis, keepdims, out. For no elements, any() is false and
/// all() is true.
GEMEL_REDUCTION(any)
GEMEL_REDUCTION(all)
/// The index of the minimum or maximum, in C order of the reduced axes: the first of equal elements, or the first NaN.
/// Options: axis, keepdims, out. @throws ArgumentError if there are no elements
GEMEL_REDUCTION(argmin)
GEMEL_REDUCTION(argmax)
/// The number of nonzero elements. Options: axis, keepdims, out.
GEMEL_REDUCTION(count_nonzero)
/// The mean. Options: axis, keepdims, dtype, out. Integers are averaged in double, 16-bit floats in float. The mean of
/// no elements is NaN. `mean<double>(x)` converts the elements first.
/// @time one launch more than sum(); on GPUs one launch below 2^22 elements
GEMEL_REDUCTION(mean)
GEMEL_REDUCTION_IN(mean)
/// The variance: the mean of the squared distances from the mean. Options: axis, keepdims, dtype, ddof, out. The
/// divisor is the number of elements minus `ddof`, which may be fractional, as in NumPy.
/// @time on GPUs one launch below 2^22 elements, over distances from the mean, whose rounding is corrected. Otherwise one
/// pass, accumulated in double; two for complex numbers, short integers, and doubles and integers on CPUs
GEMEL_SPREAD(var)
/// The standard deviation, the square root of var().
GEMEL_SPREAD(stddev)
/// The Euclidean norm: the square root of the sum of squared magnitudes. The norm of integers is a double. Options:
/// axis, keepdims, dtype, out.
GEMEL_REDUCTION(norm)
GEMEL_REDUCTION_IN(norm)

#undef GEMEL_SPREAD
#undef GEMEL_SUM
#undef GEMEL_REDUCTION_FROM
#undef GEMEL_REDUCTION_IN
#undef GEMEL_REDUCTION

/// The sum of conj(a) * b over all elements. Shapes are broadcast.
template <Reducible A, Reducible B>
auto vdot(const A& a, const B& b) {
    const auto product = conj(a) * b;
    using Result = detail::Reduced<detail::Reducing::sum, std::remove_const_t<decltype(product)>>;
    const detail::ExpressionView view = detail::view_of(product);
    return Result(
        reduce(ReductionKind::sum, view, codegen::result_type(codegen::TypeRule::sum, view.dtype), {}, false, "vdot"));
}
/// The sum of a * b over the last axis of both, without conjugation; shapes (..., n) and (---, n) give (..., ---). Sums
/// are computed in the elements' common type, as in NumPy. An operand of rank 0 multiplies the other one. Expressions
/// are evaluated first; `sum(a * b)` is one kernel. @throws ArgumentError if the last extents differ @time enqueued
template <Reducible A, Reducible B>
auto inner(const A& a, const B& b) {
    const AnyArray product = detail::inner(detail::array_of(a), detail::array_of(b));
    if constexpr (ArrayOperand<A> && ArrayOperand<B>) {
        return GPUArray<Promote<typename OperandElement<A>::type, typename OperandElement<B>::type>>(product);
    } else {
        return product;
    }
}

}  // namespace gemel
