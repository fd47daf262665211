/// The common part of functions that move elements from array to array.
#pragma once

#include "array/require.hpp"

#include <gemel/arrays/any_array.hpp>
#include <gemel/arrays/call_argument.hpp>
#include <gemel/core/argument.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace gemel {

// Checks of the user's arguments; each throws ArgumentError in the name of `who`.
void require_writable(std::string_view who, const AnyArray& array);
void require_dtype(std::string_view who, std::string_view what, const AnyArray& array, DType dtype);
/// The values converted to an element type of their kind or a higher one. @throws ArgumentError
AnyArray converted_values(std::string_view who, std::string_view what, const AnyArray& values, DType dtype);
/// The sum, and the product, of two extents. @throws ArgumentError if it exceeds 64 bits
std::int64_t added_extents(std::string_view who, std::int64_t a, std::int64_t b);
std::int64_t multiplied_extents(std::string_view who, std::int64_t a, std::int64_t b);

/// The type in which elements are moved: unsigned integers of their size, so that bits are copied, not values; complex
/// numbers, vectors and structs unchanged.
DType moved_type(DType dtype);
/// The array viewed with its moved type.
AnyArray as_moved(const AnyArray& array);
/// An element as an argument of its moved type; refers to `element`.
Argument moved_value(DType dtype, const void* element);

/// The element at index (0, ..., 0). Kernels add distances to it, which may be negative, as in `*(x + distance)`.
AnyArray first_element(const AnyArray& array);
/// All elements of a contiguous array as one axis.
AnyArray whole_run(const AnyArray& array);
/// The array's elements in another layout with the same first element.
AnyArray relaid(const AnyArray& array, const Shape& shape, const Strides& strides);
/// Whether the distance between two elements may exceed 32 bits.
bool is_far(const AnyArray& array);

/// The axes through which a kernel counts in C order: without axes of extent 1, contiguous neighbours merged.
struct CountedAxes {
    Shape extents;
    Strides steps;
    bool is_run() const { return extents.empty() || (extents.rank() == 1 && steps[0] == 1); }
};
CountedAxes counted_axes(const AnyArray& array, std::size_t first, std::size_t count);

/// The array, or a copy in C order if it is not contiguous.
AnyArray without_gaps(const AnyArray& array);
/// The array, or a copy if it may share memory with the written one.
AnyArray apart_from(const AnyArray& written, const AnyArray& array);

inline constexpr std::int64_t max_in_32_bits = INT32_MAX;

}  // namespace gemel
