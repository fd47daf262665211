/// Elements by their indices: reading them (take) and writing them (put).
#pragma once

#include <gemel/arrays/evaluated.hpp>
#include <gemel/arrays/gpu_array.hpp>
#include <gemel/core/export.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <span>
#include <type_traits>
#include <vector>

namespace gemel {

/// What becomes of an index that is not there. With n elements, -n to -1 count from the end, but not for `clip`.
enum class OutOfBounds : std::uint8_t {
    raise,  ///< ArgumentError with the index and its place; all are checked on the device first, and the call waits
    wrap,   ///< index modulo n
    clip    ///< the first for negative ones, the last for those beyond
};

/// Integers of any width, as an array or an expression.
template <class I>
concept IndexOperand = ArrayOperand<I> && std::integral<typename OperandElement<std::remove_cvref_t<I>>::type> &&
                       !std::is_same_v<typename OperandElement<std::remove_cvref_t<I>>::type, bool>;

/// Arrays and expressions whose type is known, and cannot be that of indices: floats, bools, structs.
template <class I>
concept NoIndexOperand = ArrayOrExpression<I> && !IndexOperand<I>;

/// Lists of arrays of one element type.
template <class R>
concept ArrayRange = std::ranges::forward_range<R> && requires(const std::ranges::range_value_t<R>& array) {
    typename std::remove_cvref_t<decltype(array)>::value_type;
    requires std::derived_from<std::remove_cvref_t<decltype(array)>, AnyArray>;
};

// What the templates below call, for types known at run time.
GEMEL_API AnyArray take(const AnyArray& x, const AnyArray& indices, std::optional<Integer> axis = {},
                        OutOfBounds mode = OutOfBounds::raise);
GEMEL_API void put(const AnyArray& x, const AnyArray& indices, const AnyArray& values,
                   OutOfBounds mode = OutOfBounds::raise);
/// One value, the bytes of an element.
GEMEL_API void put_bytes(const AnyArray& x, const AnyArray& indices, const void* element, OutOfBounds mode);
/// Arrays may have different types.
GEMEL_API std::vector<AnyArray> multi_take(std::span<const AnyArray> arrays, const AnyArray& indices,
                                           OutOfBounds mode = OutOfBounds::raise);
GEMEL_API void multi_put(std::span<const AnyArray> arrays, const AnyArray& indices, std::span<const AnyArray> values,
                         OutOfBounds mode = OutOfBounds::raise);

/// x[..., indices, ...]: along one axis, which the shape of the indices replaces.
///
///     take(x, to_gpu(std::vector<int>{2, 0, -1}), 1)   // three columns
///
/// @param x        an array of any layout, or an expression, which is evaluated first
/// @param indices  any shape
/// @returns        a new array in C order, of shape x.shape[:axis] + indices.shape + x.shape[axis + 1:]
/// @throws ArgumentError if an index is out of bounds and the mode is `raise`, if the axis is not there or has no
///         elements to take, or if the contexts differ
/// @time one launch, enqueued; `raise` checks by a launch of its own and blocks until that is done
template <ArrayOrExpression X, IndexOperand I>
auto take(const X& x, const I& indices, Integer axis, OutOfBounds mode = OutOfBounds::raise) {
    return EvaluatedArray<X>(take(detail::evaluated(x), detail::evaluated(indices), axis, mode));
}
/// The same of all elements in C order. @returns the shape of the indices
template <ArrayOrExpression X, IndexOperand I>
auto take(const X& x, const I& indices, OutOfBounds mode = OutOfBounds::raise) {
    return EvaluatedArray<X>(take(detail::evaluated(x), detail::evaluated(indices), std::nullopt, mode));
}

template <ElementHolder X, NoIndexOperand I>
void take(const X&, const I&, auto...) = delete;  // indices are integers: compress() takes masks; or astype<int>(i)

/// Element indices[i] of x, counted in C order, becomes values[i]. If an index is there twice, which value stays is
/// open. With `raise` nothing is written if an index is out of bounds.
/// @param x       any layout that does not repeat elements
/// @param values  as many as indices, in C order; fewer are repeated from the first on, more are ignored. An array or
///                expression of x's type or one that converts within its kind or upwards, or a number; arrays may
///                share memory with x
/// @throws ArgumentError as take(), and if there are no values, or a number is not one of x's type
/// @time one launch, enqueued, and one if values are converted; `raise` checks by a launch of its own and blocks until
///       that is done
template <HasDType T, IndexOperand I, ArrayOrExpression V>
void put(const GPUArray<T>& x, const I& indices, const V& values, OutOfBounds mode = OutOfBounds::raise) {
    static_assert(WritableInto<V, T>, "put: values of another kind (float to integer, signed to unsigned): use astype");
    put(detail::evaluated(x), detail::evaluated(indices), detail::evaluated(values), mode);
}
/// One value.
template <HasDType T, IndexOperand I, ValueFor<T> V>
void put(const GPUArray<T>& x, const I& indices, const V& value, OutOfBounds mode = OutOfBounds::raise) {
    const T element = element_of<T>(value);
    put_bytes(detail::evaluated(x), detail::evaluated(indices), &element, mode);
}
template <HasDType T, ValueFor<T> V>
void put(const GPUArray<T>& x, const AnyArray& indices, const V& value, OutOfBounds mode = OutOfBounds::raise) {
    const T element = element_of<T>(value);
    put_bytes(detail::evaluated(x), indices, &element, mode);
}
template <std::same_as<AnyArray> X, NumberElement V>
void put(const X& x, const AnyArray& indices, const V& value, OutOfBounds mode = OutOfBounds::raise) {
    put_bytes(x, indices, element_bytes("put", x.dtype(), widest(value)).data(), mode);
}

template <ElementHolder X, NoIndexOperand I>
void put(const X&, const I&, const auto&...) = delete;  // indices are integers: put_mask() takes masks

/// take() of several arrays of one shape, all elements in C order, by the same indices: the indices are read and
/// checked once. `multi_take({x, y, z}, indices)`
/// @throws ArgumentError as take(), and if the shapes differ
/// @time as take(); one launch for up to 16 arrays. Those with gaps between their elements are copied first
template <ArrayRange R, IndexOperand I>
auto multi_take(const R& arrays, const I& indices, OutOfBounds mode = OutOfBounds::raise) {
    const std::vector<AnyArray> given(std::ranges::begin(arrays), std::ranges::end(arrays));
    std::vector<std::ranges::range_value_t<R>> taken;
    for (AnyArray& array : multi_take(given, detail::evaluated(indices), mode)) taken.emplace_back(std::move(array));
    return taken;
}
template <HasDType T, IndexOperand I>
auto multi_take(std::initializer_list<GPUArray<T>> arrays, const I& indices, OutOfBounds mode = OutOfBounds::raise) {
    return multi_take(std::span(arrays.begin(), arrays.size()), indices, mode);
}

template <class R, NoIndexOperand I>
void multi_take(const R&, const I&, auto...) = delete;  // indices are integers: astype<int>() converts

/// put() into several arrays of one shape by the same indices: `multi_put({x, y}, indices, {u, v})`. Types may differ.
/// @throws ArgumentError as put(), and if the shapes or the numbers of arrays differ
/// @time as put(); one launch for up to 16 arrays without gaps, given as many values as indices; one each for others
template <ArrayRange R, IndexOperand I, ArrayRange V>
void multi_put(const R& arrays, const I& indices, const V& values, OutOfBounds mode = OutOfBounds::raise) {
    const std::vector<AnyArray> to(std::ranges::begin(arrays), std::ranges::end(arrays));
    const std::vector<AnyArray> from(std::ranges::begin(values), std::ranges::end(values));
    multi_put(to, detail::evaluated(indices), from, mode);
}
template <HasDType T, IndexOperand I>
void multi_put(std::initializer_list<GPUArray<T>> arrays, const I& indices,
               std::initializer_list<std::type_identity_t<GPUArray<T>>> values, OutOfBounds mode = OutOfBounds::raise) {
    multi_put(std::span(arrays.begin(), arrays.size()), indices, std::span(values.begin(), values.size()), mode);
}
/// `multi_put({x, y}, to, multi_take({u, v}, from))`
template <HasDType T, IndexOperand I, ArrayRange V>
void multi_put(std::initializer_list<GPUArray<T>> arrays, const I& indices, const V& values,
               OutOfBounds mode = OutOfBounds::raise) {
    multi_put(std::span(arrays.begin(), arrays.size()), indices, values, mode);
}
template <IndexOperand I>
void multi_put(std::initializer_list<AnyArray> arrays, const I& indices, std::initializer_list<AnyArray> values,
               OutOfBounds mode = OutOfBounds::raise) {
    multi_put(std::span(arrays.begin(), arrays.size()), detail::evaluated(indices),
              std::span(values.begin(), values.size()), mode);
}

template <class R, NoIndexOperand I>
void multi_put(const R&, const I&, const auto&...) = delete;  // indices are integers: astype<int>() converts

}  // namespace gemel
