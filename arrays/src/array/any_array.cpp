#include <gemel/arrays/any_array.hpp>

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include "array/byte_bounds.hpp"
#include "array/layout.hpp"
#include "array/require.hpp"

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <span>
#include <utility>

namespace gemel {
namespace {

std::size_t bytes_of(const Shape& shape, const DType& dtype) {
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(shape.count(), std::size_t{dtype.size_bytes()}, &bytes))
        throw OutOfMemory(text("GPUArray: shape ", to_string(shape), " and type ", dtype.name(),
                               " need more bytes than 64 bits can count; use a smaller shape"));
    return bytes;
}

/// The required alignment of an element on a device.
std::size_t alignment_of(const DType& dtype) {
    if (dtype.layout()) return dtype.layout()->alignment_bytes;
    if (dtype.kind() == DType::Kind::complex) return dtype.size_bytes() / 2;
    return std::max<std::size_t>(dtype.size_bytes(), 1);
}

/// An axis longer than 1, with its absolute stride; axes are sorted by stride, the smallest first.
struct SteppedAxis {
    std::int64_t step, extent;
    std::int64_t reach;  ///< from the first element to the last, along this axis and all previous ones
};

/// Whether two different indices refer to elements `distance` apart: whether multiples of the strides, in either
/// direction and smaller than the extents, add up to `distance`. Returns false if `tries` are used up.
/// @param moved  whether the indices already differ
bool meets(std::span<const SteppedAxis> axes, std::int64_t distance, bool moved, int& tries) {
    if (axes.empty()) return moved && distance == 0;
    const SteppedAxis& axis = axes.back();
    const std::int64_t below = axis.reach - axis.step * (axis.extent - 1);
    // Outside these limits the rest cannot be reached. Of two mirrored pairs one suffices, so the first multiple is not
    // negative.
    const std::int64_t most = std::min(axis.extent - 1, (distance + below) / axis.step),
                       least = moved ? std::max(1 - axis.extent, -((below - distance) / axis.step)) : 0;
    for (std::int64_t k = least; k <= most; ++k) {
        if (--tries < 0) return false;
        if (meets(axes.first(axes.size() - 1), distance - k * axis.step, moved || k != 0, tries)) return true;
    }
    return false;
}

/// Whether several indices refer to one element, for an array without axes of stride 0.
bool meets_itself(const Shape& shape, const Strides& strides) {
    boost::container::small_vector<SteppedAxis, 8> axes;
    for (std::size_t axis = 0; axis < shape.rank(); ++axis)
        if (shape[axis] > 1) axes.push_back({std::abs(strides[axis]), shape[axis], 0});
    std::sort(axes.begin(), axes.end(), [](const auto& a, const auto& b) { return a.step < b.step; });
    bool nested = true;
    std::int64_t reach = 0;
    for (SteppedAxis& axis : axes) {
        nested &= axis.step > reach;
        axis.reach = reach += axis.step * (axis.extent - 1);
    }
    if (nested) return false;
    // Two axes meet after s / gcd steps along each, where s is the other axis' stride.
    for (std::size_t b = 1; b < axes.size(); ++b)
        for (std::size_t a = 0; a < b; ++a) {
            const std::int64_t divisor = std::gcd(axes[a].step, axes[b].step);
            if (axes[b].step / divisor < axes[a].extent && axes[a].step / divisor < axes[b].extent) return true;
        }
    int tries = 10000;
    return axes.size() > 2 && meets({axes.data(), axes.size()}, 0, false, tries);
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
        throw ArgumentError(text("GPUArray: expected one stride per axis, got shape ", to_string(shape_),
                                 " and strides ", to_string(strides_), "; give as many strides as extents"));
    if (size_ == 0) {
        strides_ = contiguous_strides(shape_);  // strides of an array without elements have no meaning
        return;
    }
    // An axis of extent 1 has no second element, so its stride may be any number.
    const auto most = static_cast<std::int64_t>(std::min<std::size_t>(buffer_.size_bytes(), INT64_MAX / 2));
    for (std::size_t axis = 0; axis < shape_.rank(); ++axis)
        if (shape_[axis] == 1 && (strides_[axis] > most || strides_[axis] < -most)) strides_[axis] = 1;
    const auto [first, last] = byte_bounds(*this, offset_bytes_);
    if (first < 0 || last > static_cast<__int128>(buffer_.size_bytes()))
        throw ArgumentError(text("GPUArray: shape ", to_string(shape_), ", strides ", to_string(strides_), " and type ",
                                 dtype_.name(), " at byte ", offset_bytes_, " do not fit into a buffer of ",
                                 buffer_.size_bytes(), " bytes; use a larger buffer or a smaller shape"));
    if ((buffer_.offset_bytes() + offset_bytes_) % alignment_of(dtype_) != 0)
        throw ArgumentError(text("GPUArray: expected elements of type ", dtype_.name(), " at multiples of ",
                                 alignment_of(dtype_), " bytes, got byte ", buffer_.offset_bytes() + offset_bytes_,
                                 "; choose such an offset"));
}

AnyArray::AnyArray(const Context& context, DType dtype, Shape shape, Order order)
    : buffer_(context.allocate(bytes_of(shape, dtype))),
      dtype_(dtype),
      shape_(std::move(shape)),
      strides_(contiguous_strides(shape_, order)),
      size_(shape_.count()) {}

AnyArray& AnyArray::operator=(AnyArray&& other) & noexcept {
    buffer_ = std::move(other.buffer_);
    dtype_ = other.dtype_;
    shape_ = std::move(other.shape_);
    strides_ = std::move(other.strides_);
    offset_bytes_ = std::exchange(other.offset_bytes_, 0);
    size_ = std::exchange(other.size_, 0);
    return *this;
}

bool AnyArray::repeats() const {
    if (size_ == 0) return false;
    bool nested = true;  // in C order each stride exceeds the reach of all later axes
    std::int64_t reach = 0;
    for (std::size_t axis = rank(); axis-- > 0;) {
        if (shape_[axis] == 1) continue;
        const std::int64_t step = std::abs(strides_[axis]);
        if (step == 0) return true;
        nested &= step > reach;
        reach += step * (shape_[axis] - 1);
    }
    return !nested && meets_itself(shape_, strides_);
}

Argument AnyArray::argument() const {
    if (!is_contiguous(Order::C) && !is_contiguous(Order::F))
        throw ArgumentError(text("kernel argument: expected a contiguous array, got shape ", to_string(shape_),
                                 " and strides ", to_string(strides_),
                                 "; pass .copy(), or its buffer() and strides()"));
    Argument argument = as_argument(buffer_);
    argument.dtype = dtype_;
    argument.offset_bytes += offset_bytes_;
    argument.bytes = size_bytes();
    return argument;
}

bool AnyArray::may_overlap(const AnyArray& other) const {
    if (!is_view_of(other) || size_ == 0 || other.size_ == 0) return false;
    return overlap(byte_bounds(*this, buffer_.offset_bytes() + offset_bytes_),
                   byte_bounds(other, other.buffer_.offset_bytes() + other.offset_bytes_));
}

bool AnyArray::is_view_of(const AnyArray& other) const {
    return !buffer_.empty() && buffer_.block() == other.buffer_.block();
}

void AnyArray::release() { buffer_.release(); }

void AnyArray::require_memory(const char* who) const { require_array(who, "the array", *this); }

void AnyArray::require_writable(const char* who) const {
    require_memory(who);
    if (repeats())
        throw ArgumentError(text(who, ": an array of shape ", to_string(shape_), " and strides ", to_string(strides_),
                                 " repeats its elements and can only be read; copy() gives each its own"));
}

void AnyArray::require_dtype(DType dtype) const {
    if (!(dtype_ == dtype) && !(empty() && dtype_.empty()))
        throw ArgumentError(text("GPUArray: expected elements of ", dtype.name(), ", got ", dtype_.name(),
                                 "; astype() converts the values, view_as() reinterprets the bytes"));
}

void AnyArray::require_count(std::size_t count, const char* who) const {
    if (count != size_)
        throw ArgumentError(text(who, ": the host range has ", counted(count, "element"), ", the array of shape ",
                                 to_string(shape_), " has ", size_, "; pass a range of that size"));
}

void AnyArray::require_shape(const Shape& shape, const char* who) const {
    if (!(shape == shape_))
        throw ArgumentError(text(who, ": the host view has shape ", to_string(shape), ", the array ", to_string(shape_),
                                 "; pass a view of that shape"));
}

void AnyArray::require_single() const {
    require_memory("item");
    if (size_ != 1)
        throw ArgumentError(text("item: an array of shape ", to_string(shape_), " has ", counted(size_, "element"),
                                 ", expected exactly 1; select one element first"));
}

Layout AnyArray::layout() const { return {shape_, strides_, 0}; }

AnyArray AnyArray::with_layout(Layout layout) const {
    const auto shift = layout.offset * static_cast<std::int64_t>(dtype_.size_bytes());
    return AnyArray(buffer_, dtype_, std::move(layout.shape), std::move(layout.strides),
                    static_cast<std::size_t>(static_cast<std::int64_t>(offset_bytes_) + shift));
}

}  // namespace gemel
