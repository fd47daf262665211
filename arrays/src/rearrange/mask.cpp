#include <gemel/arrays/mask.hpp>

#include "array/layout.hpp"
#include "generated/declared_arguments.hpp"
#include "rearrange/mask_kernels.hpp"
#include "rearrange/moving.hpp"
#include "rearrange/take_axes.hpp"

#include <gemel/arrays/reductions.hpp>

#include <array>
#include <span>
#include <vector>

namespace gemel {
namespace {

bool is_long(const AnyArray& mask) { return mask.size() > static_cast<std::size_t>(max_in_32_bits); }

void require_mask(std::string_view who, const AnyArray& mask, const AnyArray& x) {
    require_context(who, "the mask", mask, x);
    if (mask.dtype().kind() != DType::Kind::boolean)
        throw ArgumentError(text(who, ": the mask has elements of ", mask.dtype().name(),
                                 ", expected bool; `mask != 0` is such a mask"));
}

void require_mask_of(std::string_view who, const AnyArray& mask, const AnyArray& x) {
    require_writable(who, x);
    require_mask(who, mask, x);
    if (!(mask.shape() == x.shape()))
        throw ArgumentError(text(who, ": the mask has shape ", to_string(mask.shape()), ", the array ",
                                 to_string(x.shape()), "; broadcast_to() repeats a mask"));
}

/// The values in x's type and, if need be, in memory of their own.
AnyArray values_for(std::string_view who, const AnyArray& values, const AnyArray& x) {
    require_context(who, "the array of values", values, x);
    if (values.size() == 0) throw ArgumentError(text(who, ": there are no values"));
    return apart_from(x, converted_values(who, "the array of values", values, x.dtype()));
}

std::int64_t count_true(const AnyArray& mask) { return sum(GPUArray<bool>(mask)).item(); }

AnyArray places(const AnyArray& mask, std::int64_t count) {
    const AnyArray found(mask.context(), dtype_of<std::int64_t>(), Shape{count});
    if (count > 0) places_scan(is_long(mask)).run({}, std::array{CallArgument(mask), CallArgument(found)});
    return found;
}

/// From places counted in C order the index along each axis.
void unravel(const AnyArray& flat, std::span<const std::int64_t> extents, std::span<const AnyArray> found, bool wide) {
    const std::size_t rank = extents.size(), half = rank / 2;
    if (2 * rank > max_call_arguments) {
        // Half of the axes at a time, and before that each half as if it were one.
        std::vector<AnyArray> halves;
        std::array<std::int64_t, 2> counts{};
        for (std::size_t k = 0; k < 2; ++k) {
            halves.emplace_back(flat.context(), flat.dtype(), flat.shape());
            counts[k] = static_cast<std::int64_t>(Shape(k ? extents.subspan(half) : extents.first(half)).count());
        }
        unravel(flat, counts, halves, wide);
        unravel(halves[0], extents.first(half), found.first(half), wide);
        return unravel(halves[1], extents.subspan(half), found.subspan(half), wide);
    }
    std::vector<CallArgument> arguments{CallArgument(flat)};
    for (std::size_t axis = 1; axis < rank; ++axis) arguments.emplace_back(as_argument(extents[axis]));
    for (const AnyArray& axis : found) arguments.emplace_back(axis);
    unravel_kernel(rank, wide).run({}, arguments);
}

/// The places of elements other than zero.
AnyArray flat_places(std::string_view who, const AnyArray& x) {
    if (!is_number(x.dtype()))
        throw ArgumentError(text(who, ": elements of ", x.dtype().name(), " are no numbers, and none is zero"));
    const AnyArray mask = x.dtype().kind() == DType::Kind::boolean ? x : x.astype(dtype_of<bool>());
    return places(mask, count_true(mask));
}

}  // namespace

AnyArray compress(const AnyArray& x, const AnyArray& mask) {
    require_array("compress", "the array", x);
    require_mask("compress", mask, x);
    bool fits = mask.rank() <= x.rank();
    for (std::size_t axis = 0; fits && axis < mask.rank(); ++axis) fits = mask.shape()[axis] == x.shape()[axis];
    if (!fits)
        throw ArgumentError(text("compress: the mask has shape ", to_string(mask.shape()), ", the array ",
                                 to_string(x.shape()), "; a mask has the shape of the array or of its first axes"));
    const std::int64_t count = count_true(mask);
    if (mask.rank() < x.rank()) return take_axes("compress", x, 0, mask.rank(), places(mask, count), OutOfBounds::wrap);
    const AnyArray result(x.context(), x.dtype(), Shape{count});
    if (count == 0) return result;
    const AnyArray from = as_moved(x), to = as_moved(result);
    compress_scan(is_long(mask)).run({}, std::array{CallArgument(mask), CallArgument(from), CallArgument(to)});
    return result;
}

AnyArray compress(const AnyArray& x, const AnyArray& mask, Integer axis) {
    require_array("compress", "the array", x);
    require_mask("compress", mask, x);
    const std::size_t along = checked_axis(axis, x.rank(), "compress");
    if (mask.rank() != 1 || mask.shape()[0] > x.shape()[along])
        throw ArgumentError(text("compress: a mask of shape ", to_string(mask.shape()), " along axis ", along,
                                 " of an array of shape ", to_string(x.shape()),
                                 "; it must have one axis and be no longer"));
    return take_axes("compress", x, along, 1, places(mask, count_true(mask)), OutOfBounds::wrap);
}

void put_mask(const AnyArray& x, const AnyArray& mask, const AnyArray& values) {
    require_mask_of("put_mask", mask, x);
    if (x.size() == 0) return;
    AnyArray from = as_moved(values_for("put_mask", values, x));
    const AnyArray to = as_moved(x), where = apart_from(x, mask);
    if (from.size() == 1) from = from.reshape({}).broadcast_to(x.shape());
    if (from.shape() == x.shape()) {
        put_mask_kernel(ValueForm::each)(where, to, from);
    } else {
        put_mask_kernel(ValueForm::repeated)(where, to, without_gaps(from), static_cast<std::int64_t>(from.size()));
    }
}

void put_mask_bytes(std::string_view who, const AnyArray& x, const AnyArray& mask, const void* element) {
    require_mask_of(who, mask, x);
    if (x.size() == 0) return;
    const AnyArray to = as_moved(x), where = apart_from(x, mask);
    put_mask_kernel(ValueForm::one)
        .run({}, std::array{CallArgument(where), CallArgument(to), CallArgument(moved_value(x.dtype(), element))});
}

void place(const AnyArray& x, const AnyArray& mask, const AnyArray& values) {
    require_mask_of("place", mask, x);
    if (x.size() == 0) return;
    const AnyArray to = as_moved(x), where = apart_from(x, mask);
    const AnyArray from = as_moved(without_gaps(values_for("place", values, x)));
    const auto count = as_argument(static_cast<std::int64_t>(from.size()));
    place_scan(is_long(mask))
        .run({}, std::array{CallArgument(where), CallArgument(to), CallArgument(from), CallArgument(count)});
}

AnyArray flatnonzero(const AnyArray& x) {
    require_array("flatnonzero", "the array", x);
    return flat_places("flatnonzero", x);
}

std::vector<AnyArray> nonzero(const AnyArray& x) {
    require_array("nonzero", "the array", x);
    if (x.rank() == 0) throw ArgumentError("nonzero: a single value has no axes; item() reads it");
    const AnyArray flat = flat_places("nonzero", x);
    std::vector<AnyArray> found{flat};
    if (x.rank() == 1) return found;
    found.clear();
    for (std::size_t axis = 0; axis < x.rank(); ++axis) found.emplace_back(x.context(), flat.dtype(), flat.shape());
    if (flat.size() == 0) return found;
    unravel(flat, x.shape().span(), found, is_long(x));
    return found;
}

}  // namespace gemel
