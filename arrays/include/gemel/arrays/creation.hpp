/// New arrays: from host values, constants, progressions. Each function exists with a context as its first argument,
/// and without, for the thread's current context.
#pragma once

#include <gemel/arrays/gpu_array.hpp>
#include <gemel/core/context.hpp>
#include <gemel/core/export.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace gemel {

/// Bounds and steps of progressions.
template <class N>
concept Number = std::is_arithmetic_v<N> && !std::is_same_v<N, bool>;

// What the templates below call, for types known at run time.
GEMEL_API AnyArray zeros(const Context& context, DType dtype, const Shape& shape, Order order = Order::C);
GEMEL_API AnyArray empty_like(const Context& context, const AnyArray& like);
/// @param value  null: all bytes zero
GEMEL_API AnyArray full_like(const Context& context, const AnyArray& like, const AnyNumber* value);
/// start, start + step, ... before stop. @throws ArgumentError if step is 0 or not finite, or a value is not one of
/// dtype
GEMEL_API AnyArray arange(const Context& context, DType dtype, std::int64_t start, std::int64_t stop,
                          std::int64_t step);
GEMEL_API AnyArray arange(const Context& context, DType dtype, double start, double stop, double step);
GEMEL_API AnyArray linspace(const Context& context, DType dtype, double start, double stop, std::int64_t count,
                            bool endpoint);
GEMEL_API AnyArray eye(const Context& context, DType dtype, std::int64_t rows, std::int64_t columns,
                       std::int64_t offset, const void* one);
namespace detail {
/// A 64-bit bound; unsigned ones beyond that are refused.
GEMEL_API std::int64_t checked_bound(std::uint64_t value);
/// @throws ArgumentError with both counts if the shape needs another number of elements
GEMEL_API void require_elements(std::size_t given, const Shape& shape);
}  // namespace detail

/// Uninitialised elements.
template <ElementType T>
GPUArray<T> empty(const Context& context, const Shape& shape, Order order = Order::C) {
    return GPUArray<T>(context, shape, order);
}
template <ElementType T>
GPUArray<T> empty(const Shape& shape, Order order = Order::C) {
    return empty<T>(current_context(), shape, order);
}

/// All bytes zero, of structs too.
template <ElementType T>
GPUArray<T> zeros(const Context& context, const Shape& shape, Order order = Order::C) {
    return GPUArray<T>(zeros(context, dtype_of<T>(), shape, order));
}
template <ElementType T>
GPUArray<T> zeros(const Shape& shape, Order order = Order::C) {
    return zeros<T>(current_context(), shape, order);
}

/// All elements equal to value. @throws ArgumentError if T cannot hold it
template <ElementType T, ValueFor<T> V>
GPUArray<T> full(const Context& context, const Shape& shape, const V& value, Order order = Order::C) {
    const GPUArray<T> result(context, shape, order);
    result.fill(value);
    return result;
}
template <ElementType T, ValueFor<T> V>
GPUArray<T> full(const Shape& shape, const V& value, Order order = Order::C) {
    return full<T>(current_context(), shape, value, order);
}

template <ElementType T>
GPUArray<T> ones(const Context& context, const Shape& shape, Order order = Order::C) {
    return full<T>(context, shape, 1, order);
}
template <ElementType T>
GPUArray<T> ones(const Shape& shape, Order order = Order::C) {
    return ones<T>(current_context(), shape, order);
}

// Of a type known at run time: `zeros({3, 4}, dtype)`. @throws ArgumentError if the type has no such value
inline AnyArray empty(const Context& context, const Shape& shape, DType dtype, Order order = Order::C) {
    return AnyArray(context, dtype, shape, order);
}
inline AnyArray empty(const Shape& shape, DType dtype, Order order = Order::C) {
    return empty(current_context(), shape, dtype, order);
}
inline AnyArray zeros(const Context& context, const Shape& shape, DType dtype, Order order = Order::C) {
    return zeros(context, dtype, shape, order);
}
inline AnyArray zeros(const Shape& shape, DType dtype, Order order = Order::C) {
    return zeros(current_context(), dtype, shape, order);
}
template <NumberElement V>
AnyArray full(const Context& context, const Shape& shape, const V& value, DType dtype, Order order = Order::C) {
    const AnyArray result(context, dtype, shape, order);
    result.fill(value);
    return result;
}
template <NumberElement V>
AnyArray full(const Shape& shape, const V& value, DType dtype, Order order = Order::C) {
    return full(current_context(), shape, value, dtype, order);
}
inline AnyArray ones(const Context& context, const Shape& shape, DType dtype, Order order = Order::C) {
    return full(context, shape, 1, dtype, order);
}
inline AnyArray ones(const Shape& shape, DType dtype, Order order = Order::C) { return full(shape, 1, dtype, order); }

// Arrays with the type, shape and context (unless one is given) of another array. They also have its order of axes in
// memory if it has no gaps, else C order.
template <ElementType T>
GPUArray<T> empty_like(const Context& context, const GPUArray<T>& like) {
    return GPUArray<T>(empty_like(context, static_cast<const AnyArray&>(like)));
}
template <ElementType T>
GPUArray<T> empty_like(const GPUArray<T>& like) {
    return empty_like(like.context(), like);
}
template <ElementType T, ValueFor<T> V>
GPUArray<T> full_like(const Context& context, const GPUArray<T>& like, const V& value) {
    const GPUArray<T> result = empty_like(context, like);
    result.fill(value);
    return result;
}
template <ElementType T, ValueFor<T> V>
GPUArray<T> full_like(const GPUArray<T>& like, const V& value) {
    return full_like(like.context(), like, value);
}
template <ElementType T>
GPUArray<T> zeros_like(const Context& context, const GPUArray<T>& like) {
    return full_like(context, like, T{});
}
template <ElementType T>
GPUArray<T> zeros_like(const GPUArray<T>& like) {
    return zeros_like(like.context(), like);
}
template <ElementType T>
GPUArray<T> ones_like(const Context& context, const GPUArray<T>& like) {
    return full_like(context, like, 1);
}
template <ElementType T>
GPUArray<T> ones_like(const GPUArray<T>& like) {
    return ones_like(like.context(), like);
}

template <std::same_as<AnyArray> A>
AnyArray empty_like(const A& like) {
    return empty_like(like.context(), like);
}
template <std::same_as<AnyArray> A, NumberElement V>
AnyArray full_like(const Context& context, const A& like, const V& value) {
    const AnyNumber number = detail::widest(value);
    return full_like(context, like, &number);
}
template <std::same_as<AnyArray> A, NumberElement V>
AnyArray full_like(const A& like, const V& value) {
    return full_like(like.context(), like, value);
}
template <std::same_as<AnyArray> A>
AnyArray zeros_like(const Context& context, const A& like) {
    return full_like(context, like, nullptr);
}
template <std::same_as<AnyArray> A>
AnyArray zeros_like(const A& like) {
    return full_like(like.context(), like, nullptr);
}
template <std::same_as<AnyArray> A>
AnyArray ones_like(const Context& context, const A& like) {
    return full_like(context, like, 1);
}
template <std::same_as<AnyArray> A>
AnyArray ones_like(const A& like) {
    return full_like(like.context(), like, 1);
}

/// start, start + step, ... up to, not including, stop: ceil((stop - start) / step) elements, each start + i * step in
/// 64-bit integers or in double, then rounded to T. Integer arrays take integers only.
/// @throws ArgumentError if step is 0, or an integer type cannot hold the last value
template <RealElement T, Number A, Number B, Number C>
GPUArray<T> arange(const Context& context, A start, B stop, C step) {
    static_assert(!std::is_same_v<T, bool>, "arange: bool has two values only; use full or a comparison");
    if constexpr (std::is_integral_v<A> && std::is_integral_v<B> && std::is_integral_v<C>) {
        const auto bound = [](auto value) {
            if constexpr (std::is_unsigned_v<decltype(value)>) {
                return detail::checked_bound(value);
            } else {
                return std::int64_t{value};
            }
        };
        return GPUArray<T>(arange(context, dtype_of<T>(), bound(start), bound(stop), bound(step)));
    } else {
        static_assert(!std::is_integral_v<T>, "arange: an integer array from floating bounds; convert them first");
        return GPUArray<T>(arange(context, dtype_of<T>(), double(start), double(stop), double(step)));
    }
}
template <RealElement T, Number A, Number B>
GPUArray<T> arange(const Context& context, A start, B stop) {
    return arange<T>(context, start, stop, 1);
}
template <RealElement T, Number B>
GPUArray<T> arange(const Context& context, B stop) {
    return arange<T>(context, 0, stop, 1);
}
template <RealElement T, Number A, Number B, Number C>
GPUArray<T> arange(A start, B stop, C step) {
    return arange<T>(current_context(), start, stop, step);
}
template <RealElement T, Number A, Number B>
GPUArray<T> arange(A start, B stop) {
    return arange<T>(current_context(), start, stop, 1);
}
template <RealElement T, Number B>
GPUArray<T> arange(B stop) {
    return arange<T>(current_context(), 0, stop, 1);
}

/// `count` evenly spaced values from start to stop; without `endpoint` the last is one step before stop. Computed in
/// double, then rounded to T (down for integers). @throws ArgumentError for a negative count
template <RealElement T, Number A, Number B>
GPUArray<T> linspace(const Context& context, A start, B stop, Integer count = 50, bool endpoint = true) {
    static_assert(!std::is_same_v<T, bool>, "linspace: there are no values between two bools");
    return GPUArray<T>(linspace(context, dtype_of<T>(), double(start), double(stop), count, endpoint));
}
template <RealElement T, Number A, Number B>
GPUArray<T> linspace(A start, B stop, Integer count = 50, bool endpoint = true) {
    return linspace<T>(current_context(), start, stop, count, endpoint);
}

/// Ones where column - row == offset, else zeros.
template <ElementType T>
GPUArray<T> eye(const Context& context, Integer rows, Integer columns, Integer offset = 0) {
    const T one = detail::element_of<T>(1);
    return GPUArray<T>(eye(context, dtype_of<T>(), rows, columns, offset, &one));
}
template <ElementType T>
GPUArray<T> eye(const Context& context, Integer rows) {
    return eye<T>(context, rows, rows);
}
template <ElementType T>
GPUArray<T> eye(Integer rows, Integer columns, Integer offset = 0) {
    return eye<T>(current_context(), rows, columns, offset);
}
template <ElementType T>
GPUArray<T> eye(Integer rows) {
    return eye<T>(current_context(), rows, rows);
}

/// Host ranges whose elements can be an array's.
template <class R>
concept ElementRange = HostRange<R> && ElementType<std::ranges::range_value_t<R>>;

/// Uploads a host range to a new array of one axis, or of `shape`, whose elements the range holds in `order`. Blocks.
/// @throws ArgumentError with both counts if they differ
template <ElementRange R>
auto to_gpu(const Context& context, const R& values, const Shape& shape, Order order = Order::C) {
    using T = std::remove_cv_t<std::ranges::range_value_t<R>>;
    detail::require_elements(std::ranges::size(values), shape);
    GPUArray<T> result(context, shape, order);
    if (result.size() != 0) result.buffer().upload(values);
    return result;
}
template <ElementRange R>
auto to_gpu(const Context& context, const R& values) {
    return to_gpu(context, values, Shape{std::ranges::size(values)});
}
template <ElementRange R>
auto to_gpu(const R& values, const Shape& shape, Order order = Order::C) {
    return to_gpu(current_context(), values, shape, order);
}
template <ElementRange R>
auto to_gpu(const R& values) {
    return to_gpu(current_context(), values);
}

/// The same for a list: `to_gpu({1.0f, 2.0f})` is an array of float, `to_gpu({0, 1, 1})` one of int32.
template <ElementType T>
GPUArray<T> to_gpu(const Context& context, std::initializer_list<T> values, const Shape& shape,
                   Order order = Order::C) {
    return to_gpu(context, std::span(values.begin(), values.size()), shape, order);
}
template <ElementType T>
GPUArray<T> to_gpu(const Context& context, std::initializer_list<T> values) {
    return to_gpu(context, values, Shape{values.size()});
}
template <ElementType T>
GPUArray<T> to_gpu(std::initializer_list<T> values, const Shape& shape, Order order = Order::C) {
    return to_gpu(current_context(), values, shape, order);
}
template <ElementType T>
GPUArray<T> to_gpu(std::initializer_list<T> values) {
    return to_gpu(current_context(), values);
}

/// The same for std::vector<bool>, whose bits are unpacked to bytes first. A list in braces does not select this
/// overload.
template <std::same_as<std::vector<bool>> V>
GPUArray<bool> to_gpu(const Context& context, const V& values, const Shape& shape, Order order = Order::C) {
    const std::vector<std::uint8_t> bytes(values.begin(), values.end());
    return to_gpu(context, bytes, shape, order).template view_as<bool>();
}
template <std::same_as<std::vector<bool>> V>
GPUArray<bool> to_gpu(const Context& context, const V& values) {
    return to_gpu(context, values, Shape{values.size()});
}
template <std::same_as<std::vector<bool>> V>
GPUArray<bool> to_gpu(const V& values, const Shape& shape, Order order = Order::C) {
    return to_gpu(current_context(), values, shape, order);
}
template <std::same_as<std::vector<bool>> V>
GPUArray<bool> to_gpu(const V& values) {
    return to_gpu(current_context(), values);
}

/// The same for host memory with any strides. The array has F order if the view has, else C order.
template <class T>
    requires ElementType<T>
auto to_gpu(const Context& context, const HostView<T>& values) {
    const bool is_c = is_contiguous(values.shape(), values.strides());
    const bool is_fortran = !is_c && is_contiguous(values.shape(), values.strides(), Order::F);
    GPUArray<std::remove_const_t<T>> result(context, values.shape(), is_fortran ? Order::F : Order::C);
    if (!is_c && !is_fortran) {
        result.set(values);
    } else if (result.size() != 0) {
        result.buffer().upload_bytes(values.data(), result.size_bytes());
    }
    return result;
}
template <class T>
    requires ElementType<T>
auto to_gpu(const HostView<T>& values) {
    return to_gpu(current_context(), values);
}
/// The same for an mdspan, in its order.
template <StridedSpan M>
auto to_gpu(const Context& context, const M& values) {
    return to_gpu(context, HostView(values));
}
template <StridedSpan M>
auto to_gpu(const M& values) {
    return to_gpu(current_context(), HostView(values));
}

/// Enqueues the upload of page-locked values on a stream. Do not change `values` before it has finished.
template <ElementType T>
GPUArray<T> to_gpu_async(const HostBuffer<T>& values, const Shape& shape, const Stream& stream) {
    detail::require_elements(values.size(), shape);
    GPUArray<T> result(stream.context(), shape);
    result.set_async(values, stream);
    return result;
}
template <ElementType T>
GPUArray<T> to_gpu_async(const HostBuffer<T>& values, const Stream& stream) {
    return to_gpu_async(values, Shape{values.size()}, stream);
}

}  // namespace gemel
