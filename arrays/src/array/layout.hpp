/// Layouts: the arithmetic of views, without memory. Needs no device.
#pragma once

#include <gemel/arrays/shape.hpp>
#include <gemel/arrays/slice.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace gemel {

/// Extents, strides, and the offset of the first element from that of the viewed array; in elements.
struct Layout {
    Shape shape;
    Strides strides;
    std::int64_t offset = 0;
};

// Views that the user requests; each throws ArgumentError with the figures if the request is invalid.
GEMEL_API Layout indexed(const Layout& from, std::span<const Index> indices);
GEMEL_API Layout permuted(const Layout& from, const Axes& axes);
GEMEL_API Layout squeezed(const Layout& from, const std::optional<Axes>& axes);
GEMEL_API Layout broadcast(const Layout& from, const Shape& shape);
GEMEL_API Layout diagonal_of(const Layout& from, std::int64_t offset, std::int64_t axis1, std::int64_t axis2);
/// The range of the elements' offsets from the first one, in elements. Strides may have any value.
struct ElementBounds {
    __int128 lowest = 0, highest = 0;
};
GEMEL_API ElementBounds element_bounds(const Shape& shape, const Strides& strides);
/// `shape` with its -1, if any, replaced so that it has as many elements as `from`.
GEMEL_API Shape completed(const Shape& shape, const Shape& from);
/// The view of another shape, which has as many elements as `from`; empty if elements would have to move.
GEMEL_API std::optional<Layout> reshaped(const Layout& from, const Shape& shape, Order order);

/// The common shape of broadcast arrays. @throws ArgumentError naming both shapes
GEMEL_API Shape broadcast_shape(const Shape& a, const Shape& b);
/// Converts a negative axis; the result is from 0 to rank - 1. @throws ArgumentError
std::size_t checked_axis(std::int64_t axis, std::size_t rank, std::string_view who);

/// Two layouts of one shape with the fewest axes: axes of extent 1 are dropped, contiguous neighbours merged, the axis
/// of the smallest stride is last, and the strides of `to` are positive.
struct MergedLayouts {
    Shape shape;
    Strides to, from;
    std::int64_t to_offset = 0, from_offset = 0;
};
GEMEL_API MergedLayouts merge_axes(const Layout& to, const Layout& from);
/// Whether the elements fill a range of memory without gaps, with axes in any order and direction. Then `first` is the
/// beginning of the range, relative to the layout's first element.
struct DenseRange {
    bool dense = false;
    std::int64_t first = 0;
};
GEMEL_API DenseRange dense_range(const Layout& layout);
/// The strides of a new array with the axis order that the other strides have in memory, if that has no gaps; otherwise
/// C order.
GEMEL_API Strides strides_like(const Shape& shape, const Strides& strides);

/// Extends `shape` to the common shape of both. @returns false if there is none
bool broadcast_with(Shape& shape, const Shape& other);

}  // namespace gemel
