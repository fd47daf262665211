/// Indexing by arrays of integers: gather (take) and scatter (put).
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

/// How an index out of bounds is handled. For n elements, indices -n to -1 count from the end, except with `clip`.
enum class OutOfBounds : std::uint8_t {
    raise,  ///< throws ArgumentError with the index and its position; the call waits for a check on the device
    wrap,   ///< index modulo n
    clip    ///< negative indices become 0, indices beyond the end become n - 1
};

/// Integers of any width, as an array or an expression.
template <class I>
concept IndexOperand = ArrayOperand<I> && std::integral<typename OperandElement<std::remove_cvref_t<I>>::type> &&
                       !std::is_same_v<typename OperandElement<std::remove_cvref_t<I>>::type, bool>;

/// Arrays and expressions of a type that cannot be an index: floats, bools, structs.
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
namespace detail {
/// One value, the bytes of an element.
GEMEL_API void put_bytes(const AnyArray& x, const AnyArray& indices, const void* element, OutOfBounds mode);
}  // namespace detail
/// Arrays may have different types.
GEMEL_API std::vector<AnyArray> multi_take(std::span<const AnyArray> arrays, const AnyArray& indices,
                                           OutOfBounds mode = OutOfBounds::raise);
GEMEL_API void multi_put(std::span<const AnyArray> arrays, const AnyArray& indices, std::span<const AnyArray> values,
                         OutOfBounds mode = OutOfBounds::raise);

/// x[..., indices, ...]: gathers along one axis, which the axes of the indices replace.
///
///     take(x, to_gpu(std::vector<int>{2, 0, -1}), 1)   // three columns
///
/// @param x        an array with any strides, or an expression, which is evaluated first
/// @param indices  any shape
/// @returns        a new array in C order, of shape x.shape[:axis] + indices.shape + x.shape[axis + 1:]
/// @throws ArgumentError if an index is out of bounds and the mode is `raise`, if the axis does not exist or is empty,
///         or if the contexts differ
/// @time one launch, enqueued; `raise` first checks the indices by another launch and waits for it
template <ArrayOrExpression X, IndexOperand I>
auto take(const X& x, const I& indices, Integer axis, OutOfBounds mode = OutOfBounds::raise) {
    return EvaluatedArray<X>(take(detail::evaluated(x), detail::evaluated(indices), axis, mode));
}
/// Gathers from all elements in C order. @returns a new array of the shape of the indices
template <ArrayOrExpression X, IndexOperand I>
auto take(const X& x, const I& indices, OutOfBounds mode = OutOfBounds::raise) {
    return EvaluatedArray<X>(take(detail::evaluated(x), detail::evaluated(indices), std::nullopt, mode));
}

template <ElementHolder X, NoIndexOperand I>
void take(const X&, const I&, auto...) = delete;  // indices are integers: compress() takes masks; or astype<int>(i)

/// Scatters: element indices[i] of x, counted in C order, becomes values[i]. For equal indices it is unspecified which
/// value is written last. With `raise` nothing is written if an index is out of bounds.
/// @param x       any strides, but not a broadcast view
/// @param values  one per index, in C order; fewer are repeated cyclically, more are ignored. A number, or an array or
///                expression whose type converts to x's within its kind or upwards; it may share memory with x
/// @throws ArgumentError as take(), and if there are no values, or x's type cannot hold a number
/// @time one launch, enqueued, and one if values are converted; `raise` first checks the indices by another launch and
///       waits for it
template <HasDType T, IndexOperand I, ArrayOrExpression V>
void put(const GPUArray<T>& x, const I& indices, const V& values, OutOfBounds mode = OutOfBounds::raise) {
    static_assert(WritableInto<V, T>, "put: values of another kind (float to integer, signed to unsigned): use astype");
    put(detail::evaluated(x), detail::evaluated(indices), detail::evaluated(values), mode);
}
/// The same with one value for all indices.
template <HasDType T, IndexOperand I, ValueFor<T> V>
void put(const GPUArray<T>& x, const I& indices, const V& value, OutOfBounds mode = OutOfBounds::raise) {
    const T element = detail::element_of<T>(value, "put");
    detail::put_bytes(detail::evaluated(x), detail::evaluated(indices), &element, mode);
}
template <HasDType T, ValueFor<T> V>
void put(const GPUArray<T>& x, const AnyArray& indices, const V& value, OutOfBounds mode = OutOfBounds::raise) {
    const T element = detail::element_of<T>(value, "put");
    detail::put_bytes(detail::evaluated(x), indices, &element, mode);
}
template <std::same_as<AnyArray> X, NumberElement V>
void put(const X& x, const AnyArray& indices, const V& value, OutOfBounds mode = OutOfBounds::raise) {
    detail::put_bytes(x, indices, detail::element_bytes("put", x.dtype(), detail::widest(value)).data(), mode);
}

template <ElementHolder X, NoIndexOperand I>
void put(const X&, const I&, const auto&...) = delete;  // indices are integers: put_mask() takes masks

/// take() from several arrays of equal shape by the same indices, counted in C order; the indices are read and checked
/// once. `multi_take({x, y, z}, indices)`
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

/// put() into several arrays of equal shape by the same indices: `multi_put({x, y}, indices, {u, v})`. Types may
/// differ.
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
