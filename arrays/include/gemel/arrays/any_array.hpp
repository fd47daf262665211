/// An array whose element type is known only at run time: what GPUArray<T> is made of.
#pragma once

#include <gemel/arrays/shape.hpp>
#include <gemel/core/argument.hpp>
#include <gemel/core/buffer.hpp>
#include <gemel/core/context.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>

#include <cstddef>
#include <cstdint>

namespace gemel {

/// Elements of one type in device memory, laid out by shape and strides. A handle: copies share the memory.
class GEMEL_API AnyArray {
   public:
    AnyArray() = default;
    /// An array over existing memory.
    /// @param offset_bytes  of the element at index (0, ..., 0), from the start of `buffer`
    /// @param strides       in elements
    /// @throws ArgumentError if an element would lie outside the buffer
    AnyArray(Buffer buffer, DType dtype, Shape shape, Strides strides, std::size_t offset_bytes = 0);
    /// A new, uninitialised array. @throws OutOfMemory, ArgumentError for a negative extent
    AnyArray(const Context& context, DType dtype, Shape shape, Order order = Order::C);

    /// True for a handle that was never given an array, or was released; an array without elements is not that.
    bool empty() const { return buffer_.empty(); }
    const Shape& shape() const { return shape_; }
    const Strides& strides() const { return strides_; }
    std::size_t rank() const { return shape_.rank(); }
    /// The number of elements.
    std::size_t size() const { return size_; }
    /// The bytes of all elements, gaps not counted.
    std::size_t size_bytes() const { return size_ * dtype_.size_bytes(); }
    DType dtype() const { return dtype_; }
    /// @throws ArgumentError if the handle is empty
    Context context() const { return buffer_.context(); }
    const Buffer& buffer() const { return buffer_; }
    /// Where the element at index (0, ..., 0) lies in `buffer()`.
    std::size_t offset_bytes() const { return offset_bytes_; }
    bool is_contiguous(Order order = Order::C) const { return gemel::is_contiguous(shape_, strides_, order); }

    /// As an argument of a hand-written kernel. @throws ArgumentError if the elements have gaps between them
    Argument argument() const;
    /// Gives the memory back to the pool now, whatever other handles there are: they throw from then on.
    void release();

   protected:
    Buffer buffer_;
    DType dtype_;
    Shape shape_;
    Strides strides_;
    std::size_t offset_bytes_ = 0;
    std::size_t size_ = 0;
};

}  // namespace gemel
