/// What the functions that move elements from array to array have in common.
#pragma once

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

// What a user gave; each throws ArgumentError in the name of `who`.
void require_array(std::string_view who, std::string_view what, const AnyArray& array);
void require_writable(std::string_view who, const AnyArray& array);
void require_context(std::string_view who, std::string_view what, const AnyArray& array, const AnyArray& like);
void require_dtype(std::string_view who, std::string_view what, const AnyArray& array, DType dtype);
/// Values to be written into elements of another type of their kind, or a higher one: converted. @throws ArgumentError
AnyArray converted_values(std::string_view who, std::string_view what, const AnyArray& values, DType dtype);
/// The extent of so many elements and so many more, or of so many times so many. @throws ArgumentError beyond 64 bits
std::int64_t added_extents(std::string_view who, std::int64_t a, std::int64_t b);
std::int64_t multiplied_extents(std::string_view who, std::int64_t a, std::int64_t b);

/// The type in which elements are moved: unsigned integers of their size, so that bits are copied and not values;
/// complex numbers, vectors and structs as they are.
DType moved_type(DType dtype);
/// The array with elements of its moved type.
AnyArray as_moved(const AnyArray& array);
/// An element as an argument of its moved type. Refers to `element`.
Argument moved_value(DType dtype, const void* element);

/// The element at index (0, ..., 0), from which a kernel counts by itself: as `*(x + distance)`, since distances may
/// be negative.
AnyArray first_element(const AnyArray& array);
/// All elements of an array without gaps, in one axis.
AnyArray whole_run(const AnyArray& array);
/// Elements of the array under another layout that begins at the same element.
AnyArray relaid(const AnyArray& array, const Shape& shape, const Strides& strides);
/// Whether the distance between two elements may need more than 32 bits.
bool is_far(const AnyArray& array);

/// Axes as a kernel counts through them in C order: those of extent 1 left out, neighbours that run on joined.
struct CountedAxes {
    Shape extents;
    Strides steps;
    bool is_run() const { return extents.empty() || (extents.rank() == 1 && steps[0] == 1); }
};
CountedAxes counted_axes(const AnyArray& array, std::size_t first, std::size_t count);

/// The array, or a copy of it in C order if it has gaps.
AnyArray without_gaps(const AnyArray& array);
/// The array, or a copy if it may share memory with what is written.
AnyArray apart_from(const AnyArray& written, const AnyArray& array);

inline constexpr std::int64_t max_in_32_bits = INT32_MAX;

}  // namespace gemel
