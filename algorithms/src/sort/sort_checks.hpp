/// Argument checks of the sorts, their operands as contiguous rows, and gathers by indices.
#pragma once

#include <gemel/algorithms/sort.hpp>

#include <cstdint>
#include <span>
#include <string_view>

namespace gemel::sorting {

/// @throws ArgumentError unless elements are numbers or bools
void check_order(std::string_view who, DType dtype);
/// @throws ArgumentError if one of the arrays has another shape or context than the first
void check_beside(std::string_view who, std::string_view what, const AnyArray& array, const AnyArray& keys);
/// @throws ArgumentError if .out has another shape, type or context than the result, or is a broadcast view; if .outs
///         are given
void check_out(std::string_view who, const SortOptions& options, const AnyArray& like, DType dtype);
/// The same for sort_by_key, which takes .outs: one for each of its arrays.
void check_outs(std::string_view who, const SortOptions& options, const AnyArray& keys,
                std::span<const AnyArray> values);

/// The permutations that move an axis to the end and back.
struct SortAxis {
    Axes to_end, back;
    bool is_last = true;
    std::int64_t rows = 1, row_length = 0;
};
/// @throws ArgumentError if the axis is out of range
SortAxis sort_axis(std::string_view who, const AnyArray& array, int axis);
/// Whether the array is aligned so that kernels can move its elements as words.
bool is_aligned(const AnyArray& array);
/// The elements as contiguous, aligned rows along the axis; a copy if necessary.
AnyArray in_rows(const AnyArray& array, const SortAxis& axis);
/// A new array for rows of such a shape.
AnyArray new_rows(const AnyArray& like, const SortAxis& axis, DType dtype);
/// Sorted rows as the result: in `out`, if there is one, else a new array in C order.
AnyArray from_rows(const AnyArray& rows, const SortAxis& axis, const AnyArray& out);

/// Gathers elements of rows by their indices within the row. @param indices  of the shape of the result
void gather(const AnyArray& rows, const AnyArray& indices, const AnyArray& to);

}  // namespace gemel::sorting
