/// Copies, conversions, assignment, filling and transfers of an array's elements.
#include <gemel/arrays/any_array.hpp>

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include "array/layout.hpp"
#include "elements/copy_elements.hpp"
#include "expression/any_number.hpp"

#include <string_view>

namespace gemel {
namespace {

void require_conversion(const DType& from, const DType& to, std::string_view who) {
    if (from == to) return;
    if (!codegen::is_number(from) || !codegen::is_number(to))
        throw ArgumentError(text(who, ": there is no conversion from ", from.name(), " to ", to.name()));
    if (from.kind() == DType::Kind::complex && to.kind() != DType::Kind::complex && to.kind() != DType::Kind::boolean)
        throw ArgumentError(
            text(who, ": ", from.name(), " to ", to.name(), " would drop the imaginary parts; take real() first"));
}

/// The range of memory of an array without gaps.
Buffer memory_of(const AnyArray& array, const DenseRange& dense) {
    const auto item = static_cast<std::int64_t>(array.dtype().size_bytes());
    return array.buffer().view(array.offset_bytes() + static_cast<std::size_t>(dense.first * item), array.size_bytes());
}

}  // namespace

AnyArray AnyArray::copy() const {
    require_memory("copy");
    AnyArray result(context(), dtype_, shape_);
    result.strides_ = strides_like(shape_, strides_);
    copy_elements(result, *this);
    return result;
}

AnyArray AnyArray::copy(Order order) const {
    require_memory("copy");
    AnyArray result(context(), dtype_, shape_, order);
    copy_elements(result, *this);
    return result;
}

AnyArray AnyArray::astype(DType dtype) const {
    require_memory("astype");
    require_conversion(dtype_, dtype, "astype");
    AnyArray result(context(), dtype, shape_);
    result.strides_ = strides_like(shape_, strides_);
    copy_elements(result, *this);
    return result;
}

AnyArray AnyArray::copy_to(const Context& target) const {
    require_memory("copy_to");
    if (target == context()) return copy();
    const DenseRange here = dense_range(layout());
    if (!here.dense) return copy().copy_to(target);
    AnyArray result(target, dtype_, shape_);
    if (size_ == 0) return result;
    result.buffer_.copy_from(memory_of(*this, here));
    // With the layout of this array, including reversed axes, so that the elements need not move.
    result.strides_ = strides_;
    result.offset_bytes_ = static_cast<std::size_t>(-here.first) * dtype_.size_bytes();
    return result;
}

void AnyArray::assign(const AnyArray& other) const {
    require_writable("assign");
    other.require_memory("assign: the source");
    if (!codegen::is_same_kind(other.dtype_, dtype_))
        throw ArgumentError(text("assign: ", other.dtype_.name(), " to ", dtype_.name(),
                                 " would change the kind of number; astype() converts"));
    // NumPy drops leading axes of extent 1 here, and nowhere else.
    std::size_t extra = 0;
    while (other.rank() - extra > rank() && other.shape()[extra] == 1) ++extra;
    const AnyArray trimmed = extra == 0 ? other : other.view(std::vector<Index>(extra, Index(0)));
    const AnyArray source = trimmed.broadcast_to(shape_);
    if (size_ == 0) return;
    if (!(context() == source.context()))
        throw ArgumentError("assign: the arrays are in different contexts; copy_to(context) copies one to the other");
    if (!may_overlap(source)) return copy_elements(*this, source);
    const bool is_same =
        buffer_.offset_bytes() + offset_bytes_ == source.buffer_.offset_bytes() + source.offset_bytes_ &&
        strides_ == source.strides_ && dtype_ == source.dtype_;
    if (!is_same) copy_elements(*this, trimmed.copy().broadcast_to(shape_));
}

void AnyArray::fill(const AnyNumber& value) const { fill_bytes(detail::element_bytes("fill", dtype_, value).data()); }

void AnyArray::fill_bytes(const void* element) const {
    require_writable("fill");
    if (size_ == 0) return;
    const DenseRange here = dense_range(layout());
    if (here.dense && dtype_.size_bytes() <= 16) return memory_of(*this, here).fill_bytes(element, dtype_.size_bytes());
    if (fill_elements(*this, element)) return;
    const AnyArray one(context(), dtype_, Shape{});
    one.set_bytes(element);
    copy_elements(*this, one.broadcast_to(shape_));
}

void AnyArray::get_bytes(void* to) const {
    require_memory("get");
    if (size_ == 0) return;
    if (!is_contiguous()) return copy(Order::C).get_bytes(to);
    buffer_.download_bytes(to, size_bytes(), offset_bytes_);
}

AnyNumber AnyArray::item() const {
    require_memory("item");
    require_single();
    if (codegen::kind_rank(dtype_) == 0)
        throw ArgumentError(text("item: an element of ", dtype_.name(), " is not a number"));
    std::array<std::byte, 16> element;
    get_bytes(element.data());
    return number_at("item", dtype_, element.data());
}

void AnyArray::set_bytes(const void* from) const {
    require_writable("set");
    if (size_ == 0) return;
    if (is_contiguous()) return buffer_.upload_bytes(from, size_bytes(), offset_bytes_);
    const AnyArray staged(context(), dtype_, shape_);
    staged.set_bytes(from);
    copy_elements(*this, staged);
}

}  // namespace gemel
