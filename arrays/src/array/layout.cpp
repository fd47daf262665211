#include "array/layout.hpp"

#include "array/merge_axes.hpp"
#include "array/require.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace gemel {
namespace {

template <class List>
List reversed(const List& list) {
    List result = list;
    std::reverse(result.begin(), result.end());
    return result;
}

/// The strides of `shape` over elements that `from` lays out in C order; empty if elements would have to move.
std::optional<Strides> strides_over(const Layout& from, const Shape& shape) {
    Shape old_shape;
    Strides old_strides;
    for (std::size_t axis = 0; axis < from.shape.rank(); ++axis) {
        if (from.shape[axis] == 1) continue;
        old_shape.push_back(from.shape[axis]);
        old_strides.push_back(from.strides[axis]);
    }
    Strides strides;
    strides.resize(shape.rank());
    // From the last axis on, matches groups of old and new axes with equal numbers of elements.
    std::size_t o = old_shape.size(), n = shape.rank();
    while (n > 0) {
        if (shape[n - 1] == 1) {
            strides[--n] = 1;
            continue;
        }
        std::size_t old_first = o - 1, new_first = n - 1;
        std::int64_t old_count = old_shape[old_first], new_count = shape[new_first];
        while (old_count != new_count) {
            if (old_count < new_count) {
                old_count *= old_shape[--old_first];
            } else {
                new_count *= shape[--new_first];
            }
        }
        for (std::size_t axis = old_first; axis + 1 < o; ++axis)
            if (old_strides[axis] != old_strides[axis + 1] * old_shape[axis + 1]) return std::nullopt;
        std::int64_t step = old_strides[o - 1];
        for (std::size_t axis = n; axis-- > new_first;) {
            strides[axis] = step;
            step *= shape[axis];
        }
        o = old_first;
        n = new_first;
    }
    return strides;
}

}  // namespace

std::size_t checked_axis(std::int64_t axis, std::size_t rank, std::string_view who) {
    const auto signed_rank = static_cast<std::int64_t>(rank);
    if (axis < -signed_rank || axis >= signed_rank)
        throw ArgumentError(text(
            who, ": axis ", axis, " is out of range for an array with ", rank, rank == 1 ? " axis" : " axes",
            rank == 0 ? text("; a single value has none") : text("; use ", -signed_rank, " to ", signed_rank - 1)));
    return static_cast<std::size_t>(axis < 0 ? axis + signed_rank : axis);
}

Layout indexed(const Layout& from, std::span<const Index> indices) {
    std::size_t named = 0, ellipses = 0;
    for (const Index& index : indices) {
        named += index.kind() == Index::Kind::integer || index.kind() == Index::Kind::slice;
        ellipses += index.kind() == Index::Kind::ellipsis;
    }
    const std::size_t rank = from.shape.rank();
    if (ellipses > 1) throw ArgumentError(text("index: expected at most one ellipsis, got ", ellipses, "; keep one"));
    if (named > rank)
        throw ArgumentError(text("index: too many indices: ", named, " for an array of shape ", to_string(from.shape),
                                 "; use at most ", rank));

    Layout result{{}, {}, from.offset};
    std::size_t axis = 0;
    const auto keep = [&](std::size_t count) {
        for (; count > 0; --count, ++axis) {
            result.shape.push_back(from.shape[axis]);
            result.strides.push_back(from.strides[axis]);
        }
    };
    for (const Index& index : indices) {
        switch (index.kind()) {
            case Index::Kind::integer: {
                const std::int64_t extent = from.shape[axis], position = index.position();
                if (position < -extent || position >= extent)
                    throw ArgumentError(
                        text("index: ", position, " is out of range for axis ", axis, " with extent ", extent,
                             extent == 0 ? text("; it has no elements") : text("; use ", -extent, " to ", extent - 1)));
                result.offset += (position < 0 ? position + extent : position) * from.strides[axis];
                ++axis;
                break;
            }
            case Index::Kind::slice: {
                const SliceRange range = resolve(index.range(), from.shape[axis]);
                // An empty view points to the beginning of the array, which is inside it.
                if (range.count > 0) result.offset += range.start * from.strides[axis];
                result.shape.push_back(range.count);
                // The stride of a single element is irrelevant, and may be too large to multiply.
                result.strides.push_back(range.count > 1 ? range.step * from.strides[axis] : from.strides[axis]);
                ++axis;
                break;
            }
            case Index::Kind::new_axis:
                result.shape.push_back(1);
                result.strides.push_back(0);
                break;
            case Index::Kind::ellipsis: keep(rank - named); break;
        }
    }
    keep(rank - axis);
    return result;
}

Layout permuted(const Layout& from, const Axes& axes) {
    const std::size_t rank = from.shape.rank();
    if (axes.size() != rank)
        throw ArgumentError(text("permute: expected ", from.shape.rank(), " axes for an array of shape ",
                                 to_string(from.shape), ", got ", axes.size(), "; name each axis once"));
    Layout result{{}, {}, from.offset};
    std::vector<bool> used(rank);
    for (const std::int64_t given : axes) {
        const std::size_t axis = checked_axis(given, rank, "permute");
        if (used[axis]) refuse_repeated_axis("permute", given);
        used[axis] = true;
        result.shape.push_back(from.shape[axis]);
        result.strides.push_back(from.strides[axis]);
    }
    return result;
}

Layout squeezed(const Layout& from, const std::optional<Axes>& axes) {
    const std::size_t rank = from.shape.rank();
    std::vector<bool> goes(rank);
    if (axes) {
        for (const std::int64_t given : *axes) {
            const std::size_t axis = checked_axis(given, rank, "squeeze");
            if (from.shape[axis] != 1)
                throw ArgumentError(
                    text("squeeze: axis ", axis, " has extent ", from.shape[axis], ", not 1; leave it out"));
            goes[axis] = true;
        }
    } else {
        for (std::size_t axis = 0; axis < rank; ++axis) goes[axis] = from.shape[axis] == 1;
    }
    Layout result{{}, {}, from.offset};
    for (std::size_t axis = 0; axis < rank; ++axis) {
        if (goes[axis]) continue;
        result.shape.push_back(from.shape[axis]);
        result.strides.push_back(from.strides[axis]);
    }
    return result;
}

ElementBounds element_bounds(const Shape& shape, const Strides& strides) {
    ElementBounds reach;
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
        const __int128 own = __int128{strides[axis]} * (shape[axis] - 1);
        // The exact value does not matter far beyond any memory.
        constexpr __int128 most = __int128{1} << 100;
        if (own < 0)
            reach.lowest = std::max(reach.lowest + own, -most);
        else
            reach.highest = std::min(reach.highest + own, most);
    }
    return reach;
}

Layout broadcast(const Layout& from, const Shape& shape) {
    (void)shape.count();
    const std::size_t rank = from.shape.rank();
    bool fits = shape.rank() >= rank;
    Layout result{shape, {}, from.offset};
    result.strides.resize(shape.rank());
    for (std::size_t k = 0; fits && k < rank; ++k) {
        const std::size_t axis = shape.rank() - rank + k;
        if (from.shape[k] == shape[axis]) {
            result.strides[axis] = from.strides[k];
        } else {
            fits = from.shape[k] == 1;
        }
    }
    if (!fits)
        throw ArgumentError(text("broadcast: shape ", to_string(from.shape), " cannot be broadcast to ",
                                 to_string(shape), broadcast_rule));
    return result;
}

Layout diagonal_of(const Layout& from, std::int64_t offset, std::int64_t axis1, std::int64_t axis2) {
    const std::size_t rank = from.shape.rank();
    if (rank < 2)
        throw ArgumentError(
            text("diagonal: expected two axes or more, got shape ", to_string(from.shape), "; reshape() adds axes"));
    const std::size_t down = checked_axis(axis1, rank, "diagonal"), right = checked_axis(axis2, rank, "diagonal");
    if (down == right)
        throw ArgumentError(text("diagonal: axis ", axis1, " and axis ", axis2, " are the same; name two axes"));
    // Clamped, so that nothing overflows.
    const std::int64_t skip_right = std::clamp<std::int64_t>(offset, 0, from.shape[right]);
    const std::int64_t skip_down = offset < 0 ? -std::max(offset, -from.shape[down]) : 0;
    const std::int64_t count =
        std::max<std::int64_t>(0, std::min(from.shape[down] - skip_down, from.shape[right] - skip_right));
    Layout result = from;
    if (count > 0) result.offset += skip_down * from.strides[down] + skip_right * from.strides[right];
    for (const std::size_t axis : {std::max(down, right), std::min(down, right)}) {
        result.shape.erase(axis);
        result.strides.erase(axis);
    }
    result.shape.push_back(count);
    result.strides.push_back(from.strides[down] + from.strides[right]);
    return result;
}

Shape completed(const Shape& shape, const Shape& from) {
    const std::size_t size = from.count();
    Shape result = shape;
    std::size_t open = result.rank();
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
        if (shape[axis] != -1) continue;
        if (open != result.rank())
            throw ArgumentError(
                text("reshape: shape ", to_string(shape), ": only one extent can be -1; give the others"));
        open = axis;
        result[axis] = 1;
    }
    const std::size_t others = result.count();
    const bool divides = open == result.rank() ? others == size : others != 0 && size % others == 0;
    if (!divides)
        throw ArgumentError(text("reshape: an array of shape ", to_string(from), " with ", size,
                                 size == 1 ? " element" : " elements", " cannot have shape ", to_string(shape),
                                 open == result.rank() ? text(" with ", others) : std::string(),
                                 "; the number of elements must stay the same"));
    if (open != result.rank()) result[open] = static_cast<std::int64_t>(size / others);
    return result;
}

std::optional<Layout> reshaped(const Layout& from, const Shape& shape, Order order) {
    if (shape.count() == 0) return Layout{shape, contiguous_strides(shape, order), from.offset};
    if (order == Order::C) {
        auto strides = strides_over(from, shape);
        if (!strides) return std::nullopt;
        return Layout{shape, std::move(*strides), from.offset};
    }
    auto strides = strides_over({reversed(from.shape), reversed(from.strides), 0}, reversed(shape));
    if (!strides) return std::nullopt;
    return Layout{shape, reversed(*strides), from.offset};
}

Shape broadcast_shape(const Shape& a, const Shape& b) {
    const Shape& longer = a.rank() >= b.rank() ? a : b;
    const Shape& shorter = a.rank() >= b.rank() ? b : a;
    Shape result = longer;
    for (std::size_t k = 0; k < shorter.rank(); ++k) {
        std::int64_t& extent = result[longer.rank() - shorter.rank() + k];
        if (extent == shorter[k] || shorter[k] == 1) continue;
        if (extent != 1)
            throw ArgumentError(text("broadcast: shapes ", to_string(a), " and ", to_string(b),
                                     " cannot be broadcast together", broadcast_rule));
        extent = shorter[k];
    }
    return result;
}

MergedLayouts merge_axes(const Layout& to, const Layout& from) {
    MergedLayouts pair{{}, {}, {}, to.offset, from.offset};
    Strides t = to.strides, f = from.strides;
    for (std::size_t axis = 0; axis < to.shape.rank(); ++axis) {
        if (t[axis] >= 0 || to.shape[axis] <= 0) continue;
        pair.to_offset += t[axis] * (to.shape[axis] - 1);
        pair.from_offset += f[axis] * (to.shape[axis] - 1);
        t[axis] = -t[axis];
        f[axis] = -f[axis];
    }
    std::vector<std::size_t> order(to.shape.rank());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return t[a] > t[b]; });
    for (const MergedAxis& axis :
         merge_axes(to.shape, order, [&](std::size_t slow, std::size_t fast, std::int64_t extent) {
             return t[slow] == t[fast] * extent && f[slow] == f[fast] * extent;
         })) {
        pair.shape.push_back(axis.extent);
        pair.to.push_back(t[axis.axis]);
        pair.from.push_back(f[axis.axis]);
    }
    return pair;
}

DenseRange dense_range(const Layout& layout) {
    const MergedLayouts pair = merge_axes(layout, layout);
    if (layout.shape.count() == 0) return {true, 0};
    return {pair.shape.empty() || (pair.shape.rank() == 1 && pair.to[0] == 1), pair.to_offset - layout.offset};
}

Strides strides_like(const Shape& shape, const Strides& strides) {
    if (!dense_range({shape, strides, 0}).dense || shape.count() == 0 || is_contiguous(shape, strides))
        return contiguous_strides(shape);
    std::vector<std::size_t> order(shape.rank());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return std::abs(strides[a]) > std::abs(strides[b]); });
    Strides result;
    result.resize(shape.rank());
    std::int64_t step = 1;
    for (std::size_t k = order.size(); k-- > 0;) {
        result[order[k]] = step;
        step *= shape[order[k]];
    }
    return result;
}

bool broadcast_with(Shape& shape, const Shape& other) {
    while (shape.rank() < other.rank()) shape.insert(0, 1);
    for (std::size_t back = 1; back <= other.rank(); ++back) {
        std::int64_t& extent = shape[shape.rank() - back];
        const std::int64_t given = other[other.rank() - back];
        if (extent == 1) {
            extent = given;
        } else if (given != 1 && given != extent) {
            return false;
        }
    }
    return true;
}

}  // namespace gemel
