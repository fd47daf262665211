/// Padding: arrays extended by a border.
#pragma once

#include <gemel/arrays/evaluated.hpp>
#include <gemel/arrays/gpu_array.hpp>
#include <gemel/core/export.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace gemel {

/// What a border holds. With abcd in the middle:
enum class PadMode : std::uint8_t {
    constant,   ///< 00 abcd 00: one value
    edge,       ///< aa abcd dd
    reflect,    ///< cb abcd cb: the first and the last are not repeated
    symmetric,  ///< ba abcd dc
    wrap        ///< cd abcd ab
};

/// The number of elements added before and after an axis.
struct PadWidth {
    std::int64_t before = 0, after = 0;
    friend bool operator==(const PadWidth&, const PadWidth&) = default;
};

/// Widths of all axes: `2` on every side, `{{1, 2}}` for every axis, `{{1, 2}, {0, 3}}` for each.
class PadWidths {
   public:
    template <IntegerType I>
    PadWidths(I everywhere) : widths_{{Integer(everywhere), Integer(everywhere)}} {}
    PadWidths(std::initializer_list<PadWidth> widths) : widths_(widths) {}
    PadWidths(std::vector<PadWidth> widths) : widths_(std::move(widths)) {}
    std::span<const PadWidth> span() const { return widths_; }

   private:
    std::vector<PadWidth> widths_;
};

// What the templates below call, for types known at run time. `value`: the bytes of an element; null for zeros
GEMEL_API AnyArray pad(const AnyArray& x, const PadWidths& widths, PadMode mode, const void* value);

/// NumPy's pad: extends x on both sides of each axis. Borders may be wider than x; the mode's pattern then continues.
///
///     pad(image, {{1, 1}, {2, 2}}, PadMode::reflect)
///
/// @param x  any layout, or an expression, which is evaluated first
/// @returns  a new array in C order
/// @throws ArgumentError if a width is negative, if the number of widths is neither one nor that of the axes, and if an
///         axis without elements would be padded by anything but a constant
/// @time one launch, enqueued
template <ArrayOrExpression X>
auto pad(const X& x, const PadWidths& widths, PadMode mode = PadMode::constant) {
    return EvaluatedArray<X>(pad(detail::evaluated(x), widths, mode, nullptr));
}
/// A border of one value.
template <ArrayOrExpression X, ValueFor<typename OperandElement<std::remove_cvref_t<X>>::type> V>
auto pad(const X& x, const PadWidths& widths, PadMode mode, const V& value) {
    const auto element = detail::element_of<typename EvaluatedArray<X>::value_type>(value, "pad");
    return EvaluatedArray<X>(pad(detail::evaluated(x), widths, mode, &element));
}
template <std::same_as<AnyArray> X>
AnyArray pad(const X& x, const PadWidths& widths, PadMode mode = PadMode::constant) {
    return pad(x, widths, mode, static_cast<const void*>(nullptr));
}
template <std::same_as<AnyArray> X, NumberElement V>
AnyArray pad(const X& x, const PadWidths& widths, PadMode mode, const V& value) {
    return pad(x, widths, mode,
               static_cast<const void*>(detail::element_bytes("pad", x.dtype(), detail::widest(value)).data()));
}

}  // namespace gemel
