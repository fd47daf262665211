/// New arrays like another one, but of another element type, order of axes or shape.
#pragma once

#include <gemel/arrays/creation.hpp>
#include <gemel/arrays/gpu_array.hpp>
#include <gemel/core/context.hpp>
#include <gemel/core/export.hpp>

#include <concepts>
#include <optional>

namespace gemel {

/// Properties that differ from those of the other array: NumPy's `order=` and `shape=`.
struct LikeOptions {
    std::optional<Order> order = {};      ///< none: the other array's order of axes if it has no gaps, else C
    std::optional<Shape> shape = {};      ///< none: the other array's. Of another rank, `order` none means C
    std::optional<Context> context = {};  ///< none: the other array's
};

// What the templates below call, for types known at run time. @param dtype  empty: the other array's
GEMEL_API AnyArray empty_like(const AnyArray& like, DType dtype, const LikeOptions& options);
GEMEL_API AnyArray zeros_like(const AnyArray& like, DType dtype, const LikeOptions& options);
/// @throws ArgumentError if the type has no such value
GEMEL_API AnyArray full_like(const AnyArray& like, const AnyNumber& value, DType dtype, const LikeOptions& options);
template <std::same_as<AnyArray> A>
AnyArray ones_like(const A& like, DType dtype, const LikeOptions& options = {}) {
    return full_like(like, AnyNumber(std::int64_t{1}), dtype, options);
}
template <std::same_as<AnyArray> A>
AnyArray empty_like(const A& like, DType dtype) {
    return empty_like(like, dtype, LikeOptions{});
}
template <std::same_as<AnyArray> A>
AnyArray zeros_like(const A& like, DType dtype) {
    return zeros_like(like, dtype, LikeOptions{});
}
template <std::same_as<AnyArray> A, NumberElement V>
AnyArray full_like(const A& like, const V& value, DType dtype, const LikeOptions& options = {}) {
    return full_like(like, detail::widest(value), dtype, options);
}

/// `zeros_like(x, {.order = Order::F})`: x's type, other order or shape.
/// @throws ArgumentError for a negative extent, OutOfMemory
/// @time enqueued, returns at once
template <ElementType T>
GPUArray<T> empty_like(const GPUArray<T>& like, const LikeOptions& options) {
    return GPUArray<T>(empty_like(like, like.dtype(), options));
}
template <ElementType T>
GPUArray<T> zeros_like(const GPUArray<T>& like, const LikeOptions& options) {
    return GPUArray<T>(zeros_like(like, like.dtype(), options));
}
template <ElementType T, ValueFor<T> V>
GPUArray<T> full_like(const GPUArray<T>& like, const V& value, const LikeOptions& options) {
    const GPUArray<T> result = empty_like(like, options);
    result.fill(value);
    return result;
}
template <ElementType T>
GPUArray<T> ones_like(const GPUArray<T>& like, const LikeOptions& options) {
    return full_like(like, 1, options);
}

/// `zeros_like<double>(x)`: NumPy's `dtype=`. The order of axes is x's.
template <ElementType U, ElementType T>
    requires(!std::same_as<U, T>)
GPUArray<U> empty_like(const GPUArray<T>& like, const LikeOptions& options = {}) {
    return GPUArray<U>(empty_like(like, dtype_of<U>(), options));
}
template <ElementType U, ElementType T>
    requires(!std::same_as<U, T>)
GPUArray<U> zeros_like(const GPUArray<T>& like, const LikeOptions& options = {}) {
    return GPUArray<U>(zeros_like(like, dtype_of<U>(), options));
}
template <ElementType U, ElementType T, ValueFor<U> V>
    requires(!std::same_as<U, T>)
GPUArray<U> full_like(const GPUArray<T>& like, const V& value, const LikeOptions& options = {}) {
    const GPUArray<U> result = empty_like<U>(like, options);
    result.fill(value);
    return result;
}
template <ElementType U, ElementType T>
    requires(!std::same_as<U, T>)
GPUArray<U> ones_like(const GPUArray<T>& like, const LikeOptions& options = {}) {
    return full_like<U>(like, 1, options);
}

}  // namespace gemel
