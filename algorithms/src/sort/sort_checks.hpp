/// What the sorts' functions ask of their arguments, the arrays as the sorts want them, and elements by their places.
#pragma once

#include <gemel/arrays/any_array.hpp>

#include <cstdint>
#include <string_view>

namespace gemel::sorting {

/// @throws ArgumentError if the handle is empty
void check_array(std::string_view who, std::string_view what, const AnyArray& array);
/// @throws ArgumentError if elements of this type have no order of their own, as numbers and bools have
void check_order(std::string_view who, DType dtype);
/// @throws ArgumentError if one of the arrays has another shape or context than the first
void check_beside(std::string_view who, std::string_view what, const AnyArray& array, const AnyArray& keys);
/// @throws ArgumentError if the array cannot take a result
void check_out(std::string_view who, const AnyArray& out, const AnyArray& like, DType dtype);

/// An axis brought to the end, and back.
struct SortAxis {
    Axes to_end, back;
    bool is_last = true;
    std::int64_t rows = 1, row_length = 0;
};
/// @throws ArgumentError if there is no such axis
SortAxis sort_axis(std::string_view who, const AnyArray& array, int axis);
/// Whether kernels can be handed the array and move its elements in words.
bool is_aligned(const AnyArray& array);
/// The elements in rows along the axis, without gaps, so aligned that they move in words; a copy if need be.
AnyArray in_rows(const AnyArray& array, const SortAxis& axis);
/// A new array for rows of such a shape.
AnyArray new_rows(const AnyArray& like, const SortAxis& axis, DType dtype);
/// Sorted rows as the result: in `out`, if there is one, else a new array in C order.
AnyArray from_rows(const AnyArray& rows, const SortAxis& axis, const AnyArray& out);

/// Elements of rows by their places within the row, which have the shape of the result.
void gather(const AnyArray& rows, const AnyArray& places, const AnyArray& to);

}  // namespace gemel::sorting
