#include <gemel/arrays/pad.hpp>
#include <gemel/core/text.hpp>

#include "generated/declared_arguments.hpp"
#include "rearrange/moving.hpp"
#include "rearrange/pad_kernel.hpp"

#include <algorithm>

namespace gemel {
namespace {

std::vector<PadWidth> widths_for(const AnyArray& x, const PadWidths& given, PadMode mode) {
    const auto widths = given.span();
    if (widths.size() != 1 && widths.size() != x.rank())
        throw ArgumentError(text("pad: ", widths.size(), " widths for an array of shape ", to_string(x.shape()),
                                 "; give one, or one per axis"));
    std::vector<PadWidth> all;
    for (std::size_t axis = 0; axis < x.rank(); ++axis) {
        const PadWidth width = widths[widths.size() == 1 ? 0 : axis];
        if (width.before < 0 || width.after < 0)
            throw ArgumentError(text("pad: the width {", width.before, ", ", width.after, "} of axis ", axis,
                                     " is negative; a slice takes elements away"));
        if (x.shape()[axis] == 0 && mode != PadMode::constant && !(width == PadWidth{}))
            throw ArgumentError(text("pad: axis ", axis, " of shape ", to_string(x.shape()),
                                     " has no elements to repeat; PadMode::constant needs none"));
        all.push_back(width);
    }
    return all;
}

/// An axis of the result, or several axes without borders that are contiguous in x.
struct PaddedAxis {
    std::int64_t extent, step, inner, before;
    bool has_border() const { return extent != inner; }
};

std::vector<PaddedAxis> joined_axes(const AnyArray& x, const std::vector<PadWidth>& widths, const Shape& shape) {
    std::vector<PaddedAxis> axes;
    for (std::size_t k = 0; k < x.rank(); ++k) {
        const std::int64_t inner = x.shape()[k];
        const PaddedAxis axis{shape[k], x.strides()[k], inner, widths[k].before};
        if (axis.extent == 1 && !axis.has_border()) continue;
        if (!axes.empty() && !axis.has_border() && !axes.back().has_border() &&
            axes.back().step == axis.step * axis.extent) {
            axes.back().extent *= axis.extent;
            axes.back().inner = axes.back().extent;
            axes.back().step = axis.step;
        } else {
            axes.push_back(axis);
        }
    }
    return axes;
}

std::size_t argument_count(const std::vector<PaddedAxis>& axes) {
    std::size_t count = 3;
    for (const PaddedAxis& axis : axes) count += axis.has_border() ? 4 : 2;
    return count;
}

}  // namespace

AnyArray pad(const AnyArray& x, const PadWidths& given, PadMode mode, const void* value) {
    require_array("pad", "the array", x);
    const std::vector<PadWidth> widths = widths_for(x, given, mode);
    Shape shape;
    for (std::size_t k = 0; k < x.rank(); ++k)
        shape.push_back(added_extents("pad", added_extents("pad", x.shape()[k], widths[k].before), widths[k].after));
    const std::vector<std::byte> zero(value ? 0 : x.dtype().size_bytes());
    if (!value) value = zero.data();
    const std::vector<PaddedAxis> axes = joined_axes(x, widths, shape);
    if (x.size() > 0 && argument_count(axes) > max_call_arguments) {
        // With too many axes for a kernel, half of the borders are added first. One border around a contiguous array is
        // within the limit.
        std::vector<std::size_t> bordered;
        for (std::size_t k = 0; k < x.rank(); ++k)
            if (!(widths[k] == PadWidth{})) bordered.push_back(k);
        if (bordered.size() < 2) return pad(without_gaps(x), widths, mode, value);
        std::vector<PadWidth> first = widths, second = widths;
        for (std::size_t n = 0; n < bordered.size(); ++n) (n < bordered.size() / 2 ? second : first)[bordered[n]] = {};
        return pad(pad(without_gaps(x), first, mode, value), second, mode, value);
    }
    const AnyArray result(x.context(), x.dtype(), shape);
    if (result.size() == 0) return result;
    if (x.size() == 0) {
        result.fill_bytes(value);
        return result;
    }
    const AnyArray to = as_moved(result), from = as_moved(first_element(x));
    PadForm form{
        .mode = mode, .wide = is_far(x) || result.size() > static_cast<std::size_t>(max_in_32_bits), .has_border = {}};
    std::vector<CallArgument> arguments{CallArgument(to), CallArgument(from)};
    if (mode == PadMode::constant) arguments.emplace_back(moved_value(x.dtype(), value));
    for (const PaddedAxis& axis : axes) {
        form.has_border.push_back(axis.has_border());
        arguments.emplace_back(as_argument(axis.extent));
        arguments.emplace_back(as_argument(axis.step));
        if (!axis.has_border()) continue;
        arguments.emplace_back(as_argument(axis.inner));
        arguments.emplace_back(as_argument(axis.before));
    }
    pad_kernel(form).run({}, arguments);
    return result;
}

}  // namespace gemel
