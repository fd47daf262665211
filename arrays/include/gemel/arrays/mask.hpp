/// Writing elements selected by a mask: put_mask, place. gemel/algorithms/compress.hpp reads them.
///
/// A mask is an array of bools or an expression of them, `x > 3`. An expression is evaluated first, by one launch.
#pragma once

#include <gemel/arrays/evaluated.hpp>
#include <gemel/arrays/gpu_array.hpp>
#include <gemel/core/export.hpp>

#include <concepts>
#include <string_view>
#include <type_traits>

namespace gemel {

template <class M>
concept Mask = ArrayOrExpression<M> && std::is_same_v<typename OperandElement<std::remove_cvref_t<M>>::type, bool>;

/// Arrays and expressions whose type is known, and is not that of masks.
template <class M>
concept NoMask = ArrayOrExpression<M> && !Mask<M>;

// What the templates below call, for types known at run time.
GEMEL_API void put_mask(const AnyArray& x, const AnyArray& mask, const AnyArray& values);
namespace detail {
/// One value, the bytes of an element; errors name `who`.
GEMEL_API void put_mask_bytes(std::string_view who, const AnyArray& x, const AnyArray& mask, const void* element);
}  // namespace detail
GEMEL_API void place(const AnyArray& x, const AnyArray& mask, const AnyArray& values);

/// x[i] = values[i % values.size()] where the mask is true, with i counted in C order, as NumPy's putmask.
/// @param x       any strides, but not a broadcast view
/// @param mask    the shape of x
/// @param values  an array or expression of x's type or one that converts within its kind or upwards, or a number.
///                Arrays may share memory with x
/// @throws ArgumentError if the shapes do not fit, if there are no values or a number is not one of x's type, or if the
///         contexts differ
/// @time one launch, enqueued
template <HasDType T, Mask M, ArrayOrExpression V>
void put_mask(const GPUArray<T>& x, const M& mask, const V& values) {
    static_assert(WritableInto<V, T>,
                  "put_mask: values of another kind (float to integer, signed to unsigned): use astype");
    put_mask(detail::evaluated(x), detail::evaluated(mask), detail::evaluated(values));
}
/// The same with one value: NumPy's x[mask] = value.
template <HasDType T, Mask M, ValueFor<T> V>
void put_mask(const GPUArray<T>& x, const M& mask, const V& value) {
    const T element = detail::element_of<T>(value, "put_mask");
    detail::put_mask_bytes("put_mask", detail::evaluated(x), detail::evaluated(mask), &element);
}
template <HasDType T, ValueFor<T> V>
void put_mask(const GPUArray<T>& x, const AnyArray& mask, const V& value) {
    const T element = detail::element_of<T>(value, "put_mask");
    detail::put_mask_bytes("put_mask", detail::evaluated(x), mask, &element);
}
template <std::same_as<AnyArray> X, NumberElement V>
void put_mask(const X& x, const AnyArray& mask, const V& value) {
    detail::put_mask_bytes("put_mask", x, mask,
                           detail::element_bytes("put_mask", x.dtype(), detail::widest(value)).data());
}

template <ElementHolder X, NoMask M>
void put_mask(const X&, const M&, const auto&) = delete;  // a mask is of bools: mask != 0, or put(x, indices, values)

/// NumPy's x[mask] = values: the k-th element where the mask is true becomes values[k % values.size()].
/// @throws ArgumentError as put_mask()
/// @time one scan, enqueued; does not wait, so too few or too many values are not an error
template <HasDType T, Mask M, ArrayOrExpression V>
void place(const GPUArray<T>& x, const M& mask, const V& values) {
    static_assert(WritableInto<V, T>,
                  "place: values of another kind (float to integer, signed to unsigned): use astype");
    place(detail::evaluated(x), detail::evaluated(mask), detail::evaluated(values));
}
/// One value: the same as put_mask().
template <HasDType T, Mask M, ValueFor<T> V>
void place(const GPUArray<T>& x, const M& mask, const V& value) {
    const T element = detail::element_of<T>(value, "place");
    detail::put_mask_bytes("place", detail::evaluated(x), detail::evaluated(mask), &element);
}
template <HasDType T, ValueFor<T> V>
void place(const GPUArray<T>& x, const AnyArray& mask, const V& value) {
    const T element = detail::element_of<T>(value, "place");
    detail::put_mask_bytes("place", detail::evaluated(x), mask, &element);
}
template <std::same_as<AnyArray> X, NumberElement V>
void place(const X& x, const AnyArray& mask, const V& value) {
    detail::put_mask_bytes("place", x, mask, detail::element_bytes("place", x.dtype(), detail::widest(value)).data());
}

template <ElementHolder X, NoMask M>
void place(const X&, const M&, const auto&) = delete;  // a mask is of bools: mask != 0, or put(x, indices, values)

}  // namespace gemel
