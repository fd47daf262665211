/// GPUArray<T>: the n-dimensional array.
#pragma once

#include <gemel/arrays/any_array.hpp>

#include <type_traits>
#include <vector>

namespace gemel {

/// What the host sees of an element: bool as the byte that it is stored as, everything else as itself.
template <class T>
using HostElement = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

/// An n-dimensional array on a device. A cheap handle: copies and views share the memory, which lives as long as any of
/// them. `a = b` makes `a` a handle of b's memory; what writes into memory is spelled out (fill, assign, +=).
template <HasDType T>
class GPUArray : public AnyArray {
   public:
    using value_type = T;
    GPUArray() = default;
    /// A new, uninitialised array.
    GPUArray(const Context& context, Shape shape, Order order = Order::C)
        : AnyArray(context, dtype_of<T>(), std::move(shape), order) {}
    /// An array over existing memory; see AnyArray.
    GPUArray(Buffer buffer, Shape shape, Strides strides, std::size_t offset_bytes = 0)
        : AnyArray(std::move(buffer), dtype_of<T>(), std::move(shape), std::move(strides), offset_bytes) {}
    GPUArray(const GPUArray&) = default;
    GPUArray(GPUArray&&) noexcept = default;
    GPUArray& operator=(const GPUArray&) & = default;
    GPUArray& operator=(GPUArray&&) & noexcept = default;
};

}  // namespace gemel
