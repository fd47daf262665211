#include "linear/matmul_maps.hpp"

#include "array/byte_bounds.hpp"
#include "linear/matmul_layout.hpp"

#include <algorithm>
#include <cstdint>

namespace gemel {
namespace {

constexpr std::int64_t max_extent = std::int64_t{1} << 31, max_step_bytes = std::int64_t{1} << 40;

/// Whether the device can copy boxes of x. Lines may be along either of the last two axes.
bool can_map(const AnyArray& x) {
    const auto item = static_cast<std::int64_t>(x.dtype().size_bytes());
    const auto unit = static_cast<std::int64_t>(plugin::TensorMapShape::alignment) / item;
    const auto is_step = [&](std::int64_t extent, std::int64_t stride) {
        return extent == 1 || (stride % unit == 0 && stride > 0 && stride * item < max_step_bytes);
    };
    const auto& strides = x.strides();
    const bool is_inside = std::ranges::all_of(x.shape(), [](std::int64_t extent) { return extent < max_extent; });
    const std::size_t slow = has_last_lines(x) ? 1 : 2;
    return is_inside && has_lines(x) && is_step(x.shape()[slow], strides[slow]) &&
           begin_address(x) % plugin::TensorMapShape::alignment == 0 &&
           (strides[0] == 0 || is_step(x.shape()[0], strides[0]));
}

/// Whether lines begin at multiples of 128 bytes.
bool has_aligned_lines(const AnyArray& x) {
    const std::int64_t unit =
        std::int64_t{plugin::TensorMapShape::line_bytes} / static_cast<std::int64_t>(x.dtype().size_bytes());
    const std::size_t slow = has_last_lines(x) ? 1 : 2;
    return begin_address(x) % plugin::TensorMapShape::line_bytes == 0 &&
           (x.shape()[slow] == 1 || x.strides()[slow] % unit == 0);
}

}  // namespace

Mapped how_mapped(const DeviceInfo& device, DType dtype, codegen::MatmulForm form, const AnyArray& a,
                  const AnyArray& b) {
    const bool has_maps = device.has_tensor_maps && form == codegen::MatmulForm::tensor && can_map(a) && can_map(b);
    if (!has_maps || (dtype.size_bytes() == 4 && has_last_lines(b) && !has_last_lines(a))) return Mapped::no;
    return has_aligned_lines(a) && has_aligned_lines(b) ? Mapped::aligned : Mapped::crossing;
}

MappedOperand::MappedOperand(const AnyArray& x, const codegen::MatmulLayout& layout, bool is_a) : array_(x) {
    const std::size_t fast = (is_a ? layout.a_by_columns : layout.b_by_columns) ? 2 : 1, slow = 3 - fast;
    const auto item = static_cast<std::uint64_t>(x.dtype().size_bytes());
    const auto extent = [&](std::size_t axis) { return static_cast<std::uint64_t>(x.shape()[axis]); };
    // The step along an axis of extent 1 is never taken, but checked by the driver.
    const auto step = [&](std::size_t axis) {
        return extent(axis) == 1 || x.strides()[axis] == 0 ? plugin::TensorMapShape::alignment
                                                           : static_cast<std::uint64_t>(x.strides()[axis]) * item;
    };
    shape_ = {.element_bytes = static_cast<std::uint32_t>(item),
              .extent = {extent(fast), extent(slow), x.strides()[0] == 0 ? 1 : extent(0)},
              .step_bytes = {step(slow), step(0)},
              .box_lines = codegen::matmul_box_lines(layout, is_a)};
}

Argument MappedOperand::argument() const {
    Argument argument = as_argument(array_.buffer());
    argument.kind = Argument::Kind::tensor_map;
    argument.data = &shape_;
    // From the first element to the end of the buffer.
    argument.offset_bytes += array_.offset_bytes();
    argument.bytes -= std::min(argument.bytes, array_.offset_bytes());
    return argument;
}

}  // namespace gemel
