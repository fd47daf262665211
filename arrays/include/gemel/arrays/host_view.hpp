/// HostView: host memory with a shape and strides, for uploads and downloads without an intermediate copy by the user.
#pragma once

#include <gemel/arrays/shape.hpp>
#include <gemel/core/export.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace gemel {

/// std::mdspan over plain memory with fixed strides, and any type with the same members.
template <class M>
concept StridedSpan = requires(const M& span, std::size_t axis) {
    typename M::element_type;
    { span.data_handle() } -> std::same_as<typename M::element_type*>;
    { span.extent(axis) } -> std::convertible_to<std::int64_t>;
    { span.stride(axis) } -> std::convertible_to<std::int64_t>;
    { M::rank() } -> std::convertible_to<std::size_t>;
    requires M::is_always_strided();
};

/// Elements in host memory with any strides. A non-owning view: the memory must outlive it.
template <class T>
class HostView {
   public:
    /// @param data     the element at index (0, ..., 0)
    /// @param strides  in elements; may be negative
    HostView(T* data, Shape shape, Strides strides)
        : data_(data), shape_(std::move(shape)), strides_(std::move(strides)) {}
    /// Without gaps.
    HostView(T* data, Shape shape, Order order = Order::C)
        : data_(data), shape_(std::move(shape)), strides_(contiguous_strides(shape_, order)) {}

    /// A view of an mdspan's elements.
    template <StridedSpan M>
        requires std::convertible_to<typename M::element_type (*)[], T (*)[]>
    HostView(const M& span) : data_(span.data_handle()) {
        for (std::size_t axis = 0; axis < M::rank(); ++axis) {
            shape_.push_back(static_cast<std::int64_t>(span.extent(axis)));
            strides_.push_back(static_cast<std::int64_t>(span.stride(axis)));
        }
    }

    T* data() const { return data_; }
    const Shape& shape() const { return shape_; }
    const Strides& strides() const { return strides_; }

   private:
    T* data_;
    Shape shape_;
    Strides strides_;
};

template <StridedSpan M>
HostView(const M&) -> HostView<typename M::element_type>;

/// Copy between a host view, whose elements have `bytes` bytes, and the same elements in C order without gaps.
GEMEL_API void scatter(void* to, const Shape& shape, const Strides& strides, const void* from, std::size_t bytes);
GEMEL_API void gather(void* to, const void* from, const Shape& shape, const Strides& strides, std::size_t bytes);

}  // namespace gemel
