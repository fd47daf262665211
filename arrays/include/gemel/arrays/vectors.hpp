/// Arithmetic on arrays whose elements are short vectors: `2 * x + y` of GPUArray<float4>.
///
/// An array of vectors is treated as an array of its components with an additional last axis. Operators work on that
/// array, so layouts, promotion and fusion are those of scalar arrays: the expression is evaluated by one kernel, with
/// vector accesses if the alignment allows them.
#pragma once

#include <gemel/arrays/creation.hpp>
#include <gemel/arrays/evaluated.hpp>
#include <gemel/arrays/expression.hpp>
#include <gemel/arrays/gpu_array.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/vector_types.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

namespace gemel {

template <class V>
struct LanesOf {};
template <class T, int n>
struct LanesOf<Vector<T, n>> {
    using type = T;
    static constexpr int count = n;
};
template <class V>
concept VectorElement = requires { typename LanesOf<V>::type; };

// Called by the templates below; the types are known at run time.
namespace detail {
/// @throws ArgumentError if the elements are not vectors
GEMEL_API AnyArray lanes_of(const AnyArray& x);
GEMEL_API AnyArray vectors_of(const AnyArray& lanes, DType vector);
}  // namespace detail

/// The components of an array of vectors as a view: shape (..., 4) for GPUArray<float4>.
template <VectorElement V>
GPUArray<typename LanesOf<V>::type> lanes(const GPUArray<V>& x) {
    return GPUArray<typename LanesOf<V>::type>(detail::lanes_of(x));
}
/// The inverse of lanes(): `from_lanes<float4>(sqrt(lanes(x)))`. A view if each vector's components are contiguous and
/// aligned, else a copy. @throws ArgumentError if the extent of the last axis is not the number of V's components
template <VectorElement V, ArrayOrExpression X>
    requires std::same_as<typename OperandElement<std::remove_cvref_t<X>>::type, typename LanesOf<V>::type>
GPUArray<V> from_lanes(const X& x) {
    return GPUArray<V>(detail::vectors_of(detail::evaluated(x), dtype_of<V>()));
}

/// A lazy expression whose elements are vectors; E is the expression of their components.
template <VectorElement V, Expression E>
class VectorExpr {
   public:
    using value_type = V;
    VectorExpr(E lanes, Context context) : lanes_(std::move(lanes)), context_(std::move(context)) {}
    /// Of shape (..., lanes).
    const E& lanes() const { return lanes_; }
    const Context& context() const { return context_; }
    /// Runs the kernel. @returns a new array @time enqueued, returns at once
    GPUArray<V> eval() const { return from_lanes<V>(lanes_); }
    /// The values. Blocks.
    std::vector<V> get() const { return eval().get(); }
    operator GPUArray<V>() const { return eval(); }

   private:
    E lanes_;
    Context context_;
};

template <VectorElement V, class E>
struct OperandElement<VectorExpr<V, E>> {
    using type = V;
};

/// Arrays of vectors, and expressions whose elements are vectors.
template <class X>
concept VectorOperand = VectorElement<typename OperandElement<std::remove_cvref_t<X>>::type>;

namespace detail {

template <class X>
struct LaneCount : std::integral_constant<int, 0> {};  // numbers fit vectors of any length
template <VectorOperand X>
struct LaneCount<X> : std::integral_constant<int, LanesOf<typename OperandElement<X>::type>::count> {};
template <VectorElement X>
struct LaneCount<X> : std::integral_constant<int, LanesOf<X>::count> {};

/// One operand as an array, an expression or a number that broadcasts to (..., lanes).
template <class X>
auto lane_operand(const X& x, const Context& context) {
    if constexpr (HostNumber<X>) {
        return x;
    } else if constexpr (VectorElement<X>) {
        using T = typename LanesOf<X>::type;
        std::array<T, LanesOf<X>::count> values;
        static_assert(sizeof(values) <= sizeof(X));  // three lanes are padded
        std::memcpy(values.data(), &x, sizeof(values));
        return to_gpu(context, values);
    } else if constexpr (VectorOperand<X> && std::derived_from<X, AnyArray>) {
        return gemel::lanes(x);
    } else if constexpr (VectorOperand<X>) {
        return x.lanes();
    } else {
        return EvaluatedArray<X>(evaluated(x)(ellipsis, newaxis));
    }
}

template <class E, int count>
auto vector_expression(E lanes, const Context& context) {
    return VectorExpr<Vector<typename E::value_type, count>, E>(std::move(lanes), context);
}

}  // namespace detail

/// Operands of vector operators. At least one is an array of vectors; the others may be host vectors of that length,
/// numbers, or arrays of numbers (one element per vector). Expressions of numbers are evaluated first.
template <class A, class B>
concept VectorCombinable =
    (VectorOperand<A> || VectorOperand<B>) && (Operand<A> || VectorOperand<A> || VectorElement<A>) &&
    (Operand<B> || VectorOperand<B> || VectorElement<B>) &&
    (detail::LaneCount<A>::value == 0 || detail::LaneCount<B>::value == 0 ||
     detail::LaneCount<A>::value == detail::LaneCount<B>::value);

#define GEMEL_OF_VECTORS(function, Name) \
    template <class A, class B> \
        requires VectorCombinable<A, B> \
    auto function(const A& a, const B& b) { \
        constexpr int count = std::max(detail::LaneCount<A>::value, detail::LaneCount<B>::value); \
        const Context context = [&] { \
            if constexpr (VectorOperand<A>) { \
                return Context(a.context()); \
            } else { \
                return Context(b.context()); \
            } \
        }(); \
        auto lanes = detail::make_expression<operations::Name>(detail::lane_operand(a, context), \
                                                               detail::lane_operand(b, context)); \
        return detail::vector_expression<decltype(lanes), count>(std::move(lanes), context); \
    }
GEMEL_OF_VECTORS(operator+, Add)
GEMEL_OF_VECTORS(operator-, Subtract)
GEMEL_OF_VECTORS(operator*, Multiply)
GEMEL_OF_VECTORS(operator/, Divide)
GEMEL_OF_VECTORS(operator%, Modulo)
GEMEL_OF_VECTORS(operator&, BitAnd)
GEMEL_OF_VECTORS(operator|, BitOr)
GEMEL_OF_VECTORS(operator^, BitXor)
GEMEL_OF_VECTORS(minimum, Minimum)
GEMEL_OF_VECTORS(maximum, Maximum)
#undef GEMEL_OF_VECTORS

template <VectorOperand A>
auto operator-(const A& a) {
    auto lanes = detail::make_expression<operations::Negate>(detail::lane_operand(a, a.context()));
    return detail::vector_expression<decltype(lanes), detail::LaneCount<A>::value>(std::move(lanes), a.context());
}

// In place: the array's memory and type stay.
#define GEMEL_VECTORS_IN_PLACE(op) \
    template <VectorElement V, class X> \
        requires VectorCombinable<GPUArray<V>, X> \
    const GPUArray<V>& operator op##=(const GPUArray<V>& a, const X & x) { \
        detail::write_expression(lanes(a), (a op x).lanes(), LeadingAxes::refused); \
        return a; \
    }
GEMEL_VECTORS_IN_PLACE(+)
GEMEL_VECTORS_IN_PLACE(-)
GEMEL_VECTORS_IN_PLACE(*)
GEMEL_VECTORS_IN_PLACE(/)
GEMEL_VECTORS_IN_PLACE(%)
#undef GEMEL_VECTORS_IN_PLACE

}  // namespace gemel
