/// Where elements lie, without the memory: the arithmetic of views. Needs no device.
#pragma once

#include <gemel/arrays/shape.hpp>
#include <gemel/arrays/slice.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace gemel {

/// Extents, steps and the place of the first element relative to the array that the view is of; in elements.
struct Layout {
    Shape shape;
    Strides strides;
    std::int64_t offset = 0;
};

// What a user asked for; each throws ArgumentError with the figures if it cannot be.
GEMEL_API Layout indexed(const Layout& from, std::span<const Index> indices);
GEMEL_API Layout permuted(const Layout& from, const Axes& axes);
GEMEL_API Layout squeezed(const Layout& from, const std::optional<Axes>& axes);
GEMEL_API Layout broadcast(const Layout& from, const Shape& shape);
GEMEL_API Layout diagonal_of(const Layout& from, std::int64_t offset, std::int64_t axis1, std::int64_t axis2);
/// How far the elements lie before and behind the first one, in elements. Steps may be any.
struct Reach {
    __int128 lowest = 0, highest = 0;
};
GEMEL_API Reach reach_of(const Shape& shape, const Strides& strides);
/// The shape with its -1, if it has one, replaced by what is left of `size`.
GEMEL_API Shape completed(const Shape& shape, const Shape& from);
/// Nothing if the elements have to move. `shape` has as many elements as `from`.
GEMEL_API std::optional<Layout> reshaped(const Layout& from, const Shape& shape, Order order);

/// The shape that arrays of these shapes have together. @throws ArgumentError naming both
GEMEL_API Shape broadcast_shape(const Shape& a, const Shape& b);
/// 0 to rank - 1. @throws ArgumentError
std::size_t checked_axis(std::int64_t axis, std::size_t rank, std::string_view who);

/// Two layouts of one shape, seen through the fewest axes: extents of 1 go, neighbours that run on are joined, the axis
/// of the smallest step comes last, and `to` runs forwards.
struct Pair {
    Shape shape;
    Strides to, from;
    std::int64_t to_offset = 0, from_offset = 0;
};
GEMEL_API Pair joined(const Layout& to, const Layout& from);
/// Do the elements fill their stretch of memory, in whatever order of axes, forwards or backwards? Then `first` is
/// where it begins, relative to the layout's own first element.
struct Dense {
    bool dense = false;
    std::int64_t first = 0;
};
GEMEL_API Dense dense(const Layout& layout);
/// The strides of a new array that keeps the order of axes that another has in memory, if that has no gaps; else C
/// order.
GEMEL_API Strides strides_like(const Shape& shape, const Strides& strides);

/// Makes a shape that both shapes can be broadcast to, of `shape`. @returns whether there is one
bool broadcast_with(Shape& shape, const Shape& other);

}  // namespace gemel
