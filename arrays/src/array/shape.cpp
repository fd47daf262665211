#include <gemel/arrays/shape.hpp>

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <ostream>

namespace gemel {

void Integer::refuse(std::uint64_t value) {
    throw ArgumentError(text("integer: expected at most 2^63 - 1, got ", value, "; use a smaller number"));
}

void AxisVector::assign(std::span<const std::int64_t> values) {
    if (values.size() > inline_size) {
        many_.assign(values.begin(), values.end());
    } else {
        std::copy(values.begin(), values.end(), few_.begin());
    }
    size_ = values.size();
}

void AxisVector::insert(std::size_t axis, std::int64_t value) {
    resize(size_ + 1);
    std::copy_backward(begin() + axis, end() - 1, end());
    data()[axis] = value;
}

void AxisVector::erase(std::size_t axis) {
    std::copy(begin() + axis + 1, end(), begin() + axis);
    resize(size_ - 1);
}

void AxisVector::resize(std::size_t size, std::int64_t value) {
    const std::size_t kept = std::min(size, size_);
    if (size > inline_size) {
        if (size_ <= inline_size) many_.assign(few_.begin(), few_.begin() + kept);
        many_.resize(size, value);
    } else {
        if (size_ > inline_size) std::copy_n(many_.begin(), kept, few_.begin());
        std::fill(few_.begin() + kept, few_.begin() + size, value);
    }
    size_ = size;
}

void AxisVector::refuse_large(std::uint64_t value) {
    throw ArgumentError(text("shape: expected extents of at most 2^63 - 1, got ", value, "; use a smaller shape"));
}

std::size_t Shape::count() const {
    std::size_t count = 1;
    bool empty = false;
    for (const std::int64_t extent : *this) {
        if (extent < 0)
            throw ArgumentError(
                text("shape: expected extents of at least 0, got ", to_string(*this), "; only reshape() takes -1"));
        if (extent == 0) empty = true;
        if (__builtin_mul_overflow(count, static_cast<std::size_t>(std::max<std::int64_t>(extent, 1)), &count) ||
            count > static_cast<std::size_t>(INT64_MAX))
            throw ArgumentError(
                text("shape: ", to_string(*this), " has more elements than 64 bits can count; use a smaller shape"));
    }
    return empty ? 0 : count;
}

Strides contiguous_strides(const Shape& shape, Order order) {
    Strides strides;
    strides.resize(shape.rank());
    std::int64_t step = 1;
    for (std::size_t k = 0; k < shape.rank(); ++k) {
        const std::size_t axis = order == Order::C ? shape.rank() - 1 - k : k;
        strides[axis] = step;
        if (__builtin_mul_overflow(step, std::max<std::int64_t>(shape[axis], 1), &step)) (void)shape.count();  // throws
    }
    return strides;
}

bool is_contiguous(const Shape& shape, const Strides& strides, Order order) {
    std::int64_t step = 1;
    bool contiguous = true;
    for (std::size_t k = 0; k < shape.rank(); ++k) {
        const std::size_t axis = order == Order::C ? shape.rank() - 1 - k : k;
        if (shape[axis] == 0) return true;
        if (shape[axis] == 1) continue;
        contiguous &= strides[axis] == step;
        // Shapes of more elements than 64 bits can count have no memory.
        if (__builtin_mul_overflow(step, shape[axis], &step)) contiguous = false;
    }
    return contiguous;
}

std::string to_string(const AxisVector& values) {
    std::string out = "(";
    for (std::size_t i = 0; i < values.size(); ++i) out += (i ? ", " : "") + std::to_string(values[i]);
    return out + (values.size() == 1 ? ",)" : ")");
}

std::ostream& operator<<(std::ostream& out, const AxisVector& values) { return out << to_string(values); }

}  // namespace gemel
