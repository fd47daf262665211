/// Several arrays joined into one.
#pragma once

#include <gemel/arrays/gpu_array.hpp>
#include <gemel/arrays/take.hpp>
#include <gemel/core/export.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <ranges>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

namespace gemel {

// Called by the templates below; the types are known at run time.
GEMEL_API AnyArray concatenate(std::span<const AnyArray> arrays, Integer axis = 0);
GEMEL_API AnyArray stack(std::span<const AnyArray> arrays, Integer axis = 0);
GEMEL_API AnyArray hstack(std::span<const AnyArray> arrays);
GEMEL_API AnyArray vstack(std::span<const AnyArray> arrays);

/// The members of a tuple to join: arrays, typed or untyped, and expressions.
template <class X>
concept JoinOperand = ArrayOperand<X> || std::same_as<std::remove_cvref_t<X>, AnyArray>;

/// The type of the joined array: an AnyArray if any operand is one, else a GPUArray.
template <class... X>
struct Joined {
    using Array = AnyArray;
};
template <ArrayOperand... X>
struct Joined<X...> {
    using Array = GPUArray<Promote<typename OperandElement<std::remove_cvref_t<X>>::type...>>;
};
template <class... X>
using JoinedArray = typename Joined<X...>::Array;

namespace detail {
template <JoinOperand... X>
std::array<AnyArray, sizeof...(X)> joined_operands(const std::tuple<X...>& operands) {
    constexpr auto as_array = []<class Y>(const Y& x) -> AnyArray {
        if constexpr (ArrayOperand<Y>) {
            return detail::evaluated(x);
        } else {
            return x;
        }
    };
    return std::apply([&](const auto&... x) { return std::array<AnyArray, sizeof...(X)>{as_array(x)...}; }, operands);
}
}  // namespace detail

/// Joins arrays along an existing axis: `concatenate({a, b, c}, 1)`, or a range of arrays.
///
/// Arrays of different types are converted to their common type, as in NumPy. A tuple of arrays or expressions,
/// `concatenate(std::tuple{a, b}, 1)`, gives a GPUArray; a list in braces, `{a, b}`, or a tuple that contains an
/// AnyArray gives an AnyArray.
/// @param arrays  of any layouts; their shapes may differ only along `axis`
/// @returns       a new array in C order
/// @throws ArgumentError if the list is empty, shapes or contexts differ, the axis is out of range, or the arrays have
/// rank 0 (stack() joins those)
/// @time along the first axis, one device copy per contiguous array; else one launch per array; enqueued
template <ArrayRange R>
auto concatenate(const R& arrays, Integer axis = 0) {
    const std::vector<AnyArray> given(std::ranges::begin(arrays), std::ranges::end(arrays));
    return std::ranges::range_value_t<R>(concatenate(std::span<const AnyArray>(given), axis));
}
template <HasDType T>
GPUArray<T> concatenate(std::initializer_list<GPUArray<T>> arrays, Integer axis = 0) {
    return concatenate(std::span(arrays.begin(), arrays.size()), axis);
}
inline AnyArray concatenate(std::initializer_list<AnyArray> arrays, Integer axis = 0) {
    return concatenate(std::span(arrays.begin(), arrays.size()), axis);
}
template <JoinOperand X, JoinOperand... More>
JoinedArray<X, More...> concatenate(const std::tuple<X, More...>& arrays, Integer axis = 0) {
    return JoinedArray<X, More...>(concatenate(detail::joined_operands(arrays), axis));
}

/// Joins arrays along a new axis, inserted before `axis`; -1 makes it the last.
/// @param arrays  of one shape
/// @throws ArgumentError, @time as concatenate()
template <ArrayRange R>
auto stack(const R& arrays, Integer axis = 0) {
    const std::vector<AnyArray> given(std::ranges::begin(arrays), std::ranges::end(arrays));
    return std::ranges::range_value_t<R>(stack(std::span<const AnyArray>(given), axis));
}
template <HasDType T>
GPUArray<T> stack(std::initializer_list<GPUArray<T>> arrays, Integer axis = 0) {
    return stack(std::span(arrays.begin(), arrays.size()), axis);
}
inline AnyArray stack(std::initializer_list<AnyArray> arrays, Integer axis = 0) {
    return stack(std::span(arrays.begin(), arrays.size()), axis);
}
template <JoinOperand X, JoinOperand... More>
JoinedArray<X, More...> stack(const std::tuple<X, More...>& arrays, Integer axis = 0) {
    return JoinedArray<X, More...>(stack(detail::joined_operands(arrays), axis));
}

/// NumPy's hstack: joins along the second axis; one-dimensional arrays along their only axis.
template <ArrayRange R>
auto hstack(const R& arrays) {
    const std::vector<AnyArray> given(std::ranges::begin(arrays), std::ranges::end(arrays));
    return std::ranges::range_value_t<R>(hstack(std::span<const AnyArray>(given)));
}
template <HasDType T>
GPUArray<T> hstack(std::initializer_list<GPUArray<T>> arrays) {
    return hstack(std::span(arrays.begin(), arrays.size()));
}
inline AnyArray hstack(std::initializer_list<AnyArray> arrays) {
    return hstack(std::span(arrays.begin(), arrays.size()));
}
template <JoinOperand X, JoinOperand... More>
JoinedArray<X, More...> hstack(const std::tuple<X, More...>& arrays) {
    return JoinedArray<X, More...>(hstack(detail::joined_operands(arrays)));
}
/// NumPy's vstack: joins along the first axis; one-dimensional arrays are rows.
template <ArrayRange R>
auto vstack(const R& arrays) {
    const std::vector<AnyArray> given(std::ranges::begin(arrays), std::ranges::end(arrays));
    return std::ranges::range_value_t<R>(vstack(std::span<const AnyArray>(given)));
}
template <HasDType T>
GPUArray<T> vstack(std::initializer_list<GPUArray<T>> arrays) {
    return vstack(std::span(arrays.begin(), arrays.size()));
}
inline AnyArray vstack(std::initializer_list<AnyArray> arrays) {
    return vstack(std::span(arrays.begin(), arrays.size()));
}
template <JoinOperand X, JoinOperand... More>
JoinedArray<X, More...> vstack(const std::tuple<X, More...>& arrays) {
    return JoinedArray<X, More...>(vstack(detail::joined_operands(arrays)));
}

}  // namespace gemel
