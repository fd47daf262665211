#include <gemel/arrays/rearrange.hpp>
#include <gemel/core/text.hpp>

#include "array/layout.hpp"
#include "rearrange/index_kernels.hpp"
#include "rearrange/moving.hpp"
#include "rearrange/take_axes.hpp"

#include <algorithm>
#include <array>

namespace gemel {
namespace {

void require_count(std::string_view who, std::int64_t count) {
    if (count < 0) throw ArgumentError(text(who, ": expected a count of at least 0, got ", count));
}

/// A new array of the elements of a view that repeats them.
AnyArray copied_as(const AnyArray& view, const Shape& shape) {
    const AnyArray copy = view.copy(Order::C);
    return relaid(copy, shape, contiguous_strides(shape));
}

/// Repeats each element along `axis` by its own count.
AnyArray repeat_each(const AnyArray& x, std::size_t axis, const AnyArray& times) {
    const DType number = dtype_of<std::int64_t>();
    const AnyArray counts = times.dtype() == number ? times : times.astype(number);
    // The last end is the total; after it, whether a count is negative, and whether a sum is.
    const AnyArray ends(x.context(), number, Shape{times.size() + 2});
    const AnyArray sums = ends(slice(-2)), negative = ends(slice(-2, {}));
    const std::int64_t zero = 0;
    negative.fill_bytes(&zero);
    std::array<std::int64_t, 3> last{};
    repeat_ends_scan().run({}, std::array{CallArgument(counts), CallArgument(sums), CallArgument(negative)});
    ends(slice(-3, {})).get_bytes(last.data());
    if (last[1]) throw ArgumentError("repeat: expected counts of at least 0, got a negative one");
    if (last[2]) throw ArgumentError("repeat: the sum of the counts does not fit 64 bits");
    const AnyArray sources(x.context(), number, Shape{last[0]});
    if (last[0] > 0) repeat_sources_kernel()(sources, sums, static_cast<std::int64_t>(sums.size()));
    return take_axes("repeat", x, axis, 1, sources, OutOfBounds::wrap);
}

}  // namespace

AnyArray tile(const AnyArray& x, const Shape& repetitions) {
    require_array("tile", "the array", x);
    const std::size_t rank = std::max(x.rank(), repetitions.rank());
    // The repetitions are contiguous with the extents: (2, d0, 3, d1) becomes (2 * d0, 3 * d1).
    Shape spread, all, result;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        const std::size_t missing = rank - x.rank(), unnamed = rank - repetitions.rank();
        const std::int64_t extent = axis < missing ? 1 : x.shape()[axis - missing];
        const std::int64_t times = axis < unnamed ? 1 : repetitions[axis - unnamed];
        require_count("tile", times);
        spread.push_back(1);
        spread.push_back(extent);
        all.push_back(times);
        all.push_back(extent);
        result.push_back(multiplied_extents("tile", times, extent));
    }
    return copied_as(x.reshape(spread).broadcast_to(all), result);
}

AnyArray repeat(const AnyArray& x, Integer times, std::optional<Integer> axis) {
    require_array("repeat", "the array", x);
    require_count("repeat", times);
    if (axis) checked_axis(*axis, std::max<std::size_t>(x.rank(), 1), "repeat");
    if (!axis || x.rank() == 0) {
        // The axes are kept until the copy, so that no layout is needed before.
        Shape all = x.shape();
        all.push_back(times);
        std::vector<Index> indices{ellipsis, newaxis};
        const std::int64_t total = multiplied_extents("repeat", static_cast<std::int64_t>(x.size()), times);
        return copied_as(x.view(indices).broadcast_to(all), Shape{total});
    }
    const std::size_t along = checked_axis(*axis, x.rank(), "repeat");
    Shape all = x.shape(), result = x.shape();
    all.insert(along + 1, times);
    result[along] = multiplied_extents("repeat", result[along], times);
    std::vector<Index> indices(along + 1, Index(slice()));
    indices.emplace_back(newaxis);
    return copied_as(x.view(indices).broadcast_to(all), result);
}

AnyArray repeat(const AnyArray& x, const AnyArray& times, std::optional<Integer> axis) {
    require_array("repeat", "the array", x);
    require_context("repeat", "the array of times", times, x);
    if (!times.dtype().is_integer() || times.dtype().lanes() != 1)
        throw ArgumentError(text("repeat: expected integer counts, got ", times.dtype().name(), "; astype() converts"));
    const AnyArray from = axis && x.rank() > 0 ? x : x.ravel();
    const std::size_t along = axis ? checked_axis(*axis, from.rank(), "repeat") : 0;
    const std::int64_t extent = from.shape()[along];
    if (times.rank() > 1 || (times.size() != 1 && times.size() != static_cast<std::size_t>(extent)))
        throw ArgumentError(text("repeat: times of shape ", to_string(times.shape()), " for ", extent,
                                 extent == 1 ? " element" : " elements",
                                 "; expected one axis with one count per element"));
    if (extent == 0) return from.copy(Order::C);
    return repeat_each(from, along, times.reshape({-1}).broadcast_to({extent}));
}

AnyArray roll(const AnyArray& x, Integer shift) {
    require_array("roll", "the array", x);
    const std::int64_t steps = shift;
    const AnyArray rolled = roll(x.ravel(), std::span(&steps, 1), Axes{0});
    return relaid(rolled, x.shape(), contiguous_strides(x.shape()));
}

AnyArray roll(const AnyArray& x, std::span<const std::int64_t> shifts, const Axes& axes) {
    require_array("roll", "the array", x);
    if (shifts.size() != axes.size())
        throw ArgumentError(text("roll: expected one shift per axis, got ", counted(shifts.size(), "shift"), " for ",
                                 axes.size(), axes.size() == 1 ? " axis" : " axes", "; give as many of each"));
    std::vector<std::int64_t> by(x.rank());
    for (std::size_t k = 0; k < axes.size(); ++k) {
        const std::size_t axis = checked_axis(axes[k], x.rank(), "roll");
        if (const std::int64_t extent = x.shape()[axis])
            by[axis] = ((by[axis] + shifts[k] % extent) % extent + extent) % extent;
    }
    const AnyArray result(x.context(), x.dtype(), x.shape());
    if (result.size() == 0) return result;
    // Along each shifted axis, the parts before and after the cut are exchanged.
    std::vector<Index> from(x.rank(), Index(slice())), to = from;
    const auto copy_parts = [&](const auto& self, std::size_t axis) -> void {
        if (axis == x.rank()) return result.view(to).assign(x.view(from));
        if (by[axis] == 0) return self(self, axis + 1);
        const std::int64_t cut = x.shape()[axis] - by[axis];
        from[axis] = slice(cut);
        to[axis] = slice(by[axis], {});
        self(self, axis + 1);
        from[axis] = slice(cut, {});
        to[axis] = slice(by[axis]);
        self(self, axis + 1);
        from[axis] = to[axis] = slice();
    };
    copy_parts(copy_parts, 0);
    return result;
}

AnyArray flip(const AnyArray& x) {
    require_array("flip", "the array", x);
    return x.view(std::vector<Index>(x.rank(), Index(slice({}, {}, -1))));
}

AnyArray flip(const AnyArray& x, const Axes& axes) {
    require_array("flip", "the array", x);
    std::vector<Index> indices(x.rank(), Index(slice()));
    for (const std::int64_t given : axes) {
        const std::size_t axis = checked_axis(given, x.rank(), "flip");
        if (indices[axis].range().step.given()) refuse_repeated_axis("flip", given);
        indices[axis] = slice({}, {}, -1);
    }
    return x.view(indices);
}

}  // namespace gemel
