#include <gemel/arrays/any_array.hpp>

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

namespace gemel {
namespace {

std::size_t bytes_of(const Shape& shape, const DType& dtype) {
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(shape.count(), std::size_t{dtype.size_bytes()}, &bytes))
        throw OutOfMemory(text("an array of shape ", to_string(shape), " and type ", dtype.name(),
                               " has more bytes than 64 bits can count"));
    return bytes;
}

}  // namespace

AnyArray::AnyArray(Buffer buffer, DType dtype, Shape shape, Strides strides, std::size_t offset_bytes)
    : buffer_(std::move(buffer)),
      dtype_(dtype),
      shape_(std::move(shape)),
      strides_(std::move(strides)),
      offset_bytes_(offset_bytes),
      size_(shape_.count()) {
    if (shape_.rank() != strides_.size())
        throw ArgumentError(text("shape ", to_string(shape_), " and strides ", to_string(strides_),
                                 " differ in their number of axes"));
    if (size_ == 0) return;
    // The elements reached lie between the sums of the negative and of the positive steps.
    __int128 lowest = 0, highest = 0;
    for (std::size_t axis = 0; axis < shape_.rank(); ++axis) {
        const __int128 reach = __int128{strides_[axis]} * (shape_[axis] - 1);
        (reach < 0 ? lowest : highest) += reach;
    }
    const __int128 item = dtype_.size_bytes(), first = static_cast<__int128>(offset_bytes_);
    if (first + lowest * item < 0 || first + (highest + 1) * item > static_cast<__int128>(buffer_.size_bytes()))
        throw ArgumentError(text("an array of shape ", to_string(shape_), ", strides ", to_string(strides_), " and type ",
                                 dtype_.name(), " at byte ", offset_bytes_, " does not fit into a buffer of ",
                                 buffer_.size_bytes(), " bytes"));
}

AnyArray::AnyArray(const Context& context, DType dtype, Shape shape, Order order)
    : buffer_(context.allocate(bytes_of(shape, dtype))),
      dtype_(dtype),
      shape_(std::move(shape)),
      strides_(contiguous_strides(shape_, order)),
      size_(shape_.count()) {}

Argument AnyArray::argument() const {
    if (!is_contiguous(Order::C) && !is_contiguous(Order::F))
        throw ArgumentError(text("an array of shape ", to_string(shape_), " and strides ", to_string(strides_),
                                 " has gaps between its elements; a hand-written kernel takes contiguous arrays: pass "
                                 ".copy(), or its buffer() and strides()"));
    Argument argument = as_argument(buffer_);
    argument.dtype = dtype_;
    argument.offset_bytes += offset_bytes_;
    argument.bytes = size_bytes();
    return argument;
}

void AnyArray::release() { buffer_.release(); }

}  // namespace gemel
