/// The arguments of `a(...)`: integers, slices, new axes, an ellipsis, as in Python's `a[...]`.
#pragma once

#include <gemel/core/export.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace gemel {

/// One of a slice's three numbers, or `{}` where Python leaves it out. Takes any integer; those beyond 64 bits are
/// clamped, which a slice does to its bounds anyway.
class SliceBound {
   public:
    constexpr SliceBound() = default;
    constexpr SliceBound(std::nullopt_t) {}
    template <std::integral I>
        requires(!std::is_same_v<I, bool>)
    constexpr SliceBound(I value)
        : given_(true),
          value_(std::cmp_greater(value, std::numeric_limits<std::int64_t>::max())
                     ? std::numeric_limits<std::int64_t>::max()
                     : static_cast<std::int64_t>(value)) {}
    template <std::integral I>
    constexpr SliceBound(const std::optional<I>& value) : SliceBound(value ? SliceBound(*value) : SliceBound()) {}

    constexpr bool given() const { return given_; }
    constexpr std::int64_t value() const { return value_; }
    friend constexpr bool operator==(const SliceBound&, const SliceBound&) = default;

   private:
    bool given_ = false;
    std::int64_t value_ = 0;
};

/// A range of an axis. Negative bounds count from the end, bounds beyond the ends are clamped: Python's rules.
struct Slice {
    SliceBound start = {}, stop = {}, step = {};
    friend constexpr bool operator==(const Slice&, const Slice&) = default;
};

/// Python's `[start:stop:step]`; leave out with `{}`: `slice(1, {}, 2)` is `[1::2]`, `slice({}, {}, -1)` is `[::-1]`.
constexpr Slice slice(SliceBound start, SliceBound stop, SliceBound step = {}) { return {start, stop, step}; }
/// `[:stop]`, as Python's slice(stop)
constexpr Slice slice(SliceBound stop) { return {{}, stop, {}}; }
/// `[:]`
constexpr Slice slice() { return {}; }

/// A slice of an axis of known extent: `count` elements from `start` on, `step` apart.
struct SliceRange {
    std::int64_t start = 0, count = 0, step = 1;
    friend constexpr bool operator==(const SliceRange&, const SliceRange&) = default;
};
/// @throws ArgumentError if the step is 0
GEMEL_API SliceRange resolve(const Slice& slice, std::int64_t extent);
/// "1::2"
GEMEL_API std::string to_string(const Slice& slice);

struct NewAxis {};
struct Ellipsis {};
/// Inserts an axis of extent 1.
inline constexpr NewAxis newaxis{};
/// Stands for all axes that have no index of their own.
inline constexpr Ellipsis ellipsis{};

/// One entry of an index.
class Index {
   public:
    enum class Kind : std::uint8_t { integer, slice, new_axis, ellipsis };

    template <std::integral I>
        requires(!std::is_same_v<I, bool>)
    constexpr Index(I position) : kind_(Kind::integer), slice_{position, {}, {}} {}
    constexpr Index(const Slice& slice) : kind_(Kind::slice), slice_(slice) {}
    constexpr Index(NewAxis) : kind_(Kind::new_axis) {}
    constexpr Index(Ellipsis) : kind_(Kind::ellipsis) {}

    constexpr Kind kind() const { return kind_; }
    constexpr std::int64_t position() const { return slice_.start.value(); }
    constexpr const Slice& range() const { return slice_; }

   private:
    Kind kind_;
    Slice slice_;
};

template <class I>
concept IndexLike = std::is_convertible_v<const I&, Index>;

}  // namespace gemel
