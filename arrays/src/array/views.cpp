/// Views of an array: the same memory with another layout or type.
#include <gemel/arrays/any_array.hpp>

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include "array/layout.hpp"

#include <utility>

namespace gemel {

AnyArray AnyArray::view(std::span<const Index> indices) const { return with_layout(indexed(layout(), indices)); }

AnyArray AnyArray::reshape(const Shape& shape, Order order) const {
    const Shape complete = completed(shape, shape_);
    if (auto view = reshaped(layout(), complete, order)) return with_layout(std::move(*view));
    const AnyArray moved = copy(order);
    return AnyArray(moved.buffer(), dtype_, complete, contiguous_strides(complete, order));
}

AnyArray AnyArray::transpose() const {
    Layout reversed;
    for (std::size_t axis = rank(); axis-- > 0;) {
        reversed.shape.push_back(shape_[axis]);
        reversed.strides.push_back(strides_[axis]);
    }
    return with_layout(std::move(reversed));
}

AnyArray AnyArray::permute(const Axes& axes) const { return with_layout(permuted(layout(), axes)); }

AnyArray AnyArray::squeeze() const { return with_layout(squeezed(layout(), std::nullopt)); }
AnyArray AnyArray::squeeze(const Axes& axes) const { return with_layout(squeezed(layout(), axes)); }

AnyArray AnyArray::broadcast_to(const Shape& shape) const { return with_layout(broadcast(layout(), shape)); }

AnyArray AnyArray::diagonal(Integer offset, Integer axis1, Integer axis2) const {
    return with_layout(diagonal_of(layout(), offset, axis1, axis2));
}

namespace {

/// The real and imaginary parts of complex elements as elements, with doubled strides.
AnyArray part_of(const AnyArray& array, std::size_t which) {
    const std::uint32_t size = array.dtype().size_bytes() / 2;
    Strides strides = array.strides();
    for (auto& step : strides) step *= 2;
    return AnyArray(array.buffer(), DType(DType::Kind::floating, size), array.shape(), strides,
                    array.offset_bytes() + which * size);
}

}  // namespace

AnyArray AnyArray::real() const { return dtype_.kind() == DType::Kind::complex ? part_of(*this, 0) : *this; }

AnyArray AnyArray::imag() const {
    if (dtype_.kind() == DType::Kind::complex) return part_of(*this, 1);
    if (dtype_.layout() || dtype_.lanes() != 1)
        throw ArgumentError(text("imag: expected numbers, got ", dtype_.name()));
    require_memory("imag");
    AnyArray zeros(context(), dtype_, shape_);
    const char zero[16] = {};
    zeros.fill_bytes(zero);
    return zeros;
}

AnyArray AnyArray::view_as(DType dtype) const {
    const std::int64_t old_bytes = dtype_.size_bytes(), new_bytes = dtype.size_bytes();
    Layout result = layout();
    if (old_bytes != new_bytes) {
        const auto refuse = [&](const auto&... why) {
            throw ArgumentError(text("view_as: an array of shape ", to_string(shape_), ", strides ",
                                     to_string(strides_), " and type ", dtype_.name(), " (", old_bytes,
                                     " bytes) cannot be seen as ", dtype.name(), " (", new_bytes, " bytes): ", why...));
        };
        if (rank() == 0) refuse("the number of bytes differs, and it has no axis to absorb that");
        const std::size_t last = rank() - 1;
        if (shape_[last] > 1 && strides_[last] != 1) refuse("its last axis is not contiguous");
        if (shape_[last] * old_bytes % new_bytes != 0)
            refuse("the ", shape_[last] * old_bytes, " bytes of its last axis are not a multiple of that");
        for (std::size_t axis = 0; axis < last; ++axis) {
            if (shape_[axis] > 1 && strides_[axis] * old_bytes % new_bytes != 0)
                refuse("the stride of axis ", axis, " is not a multiple of that");
            result.strides[axis] = strides_[axis] * old_bytes / new_bytes;
        }
        result.shape[last] = shape_[last] * old_bytes / new_bytes;
        result.strides[last] = 1;
    }
    return AnyArray(buffer_, dtype, result.shape, result.strides, offset_bytes_);
}

}  // namespace gemel
