/// Packs the operands of a product before the multiplication.
#pragma once

#include <gemel/arrays/any_array.hpp>

#include <cstdint>

namespace gemel {

/// Packs (matrices, rows, columns) for products of the form `packed`; enqueues one launch.
/// @param parts   per number
/// @param is_left the lines are rows, otherwise columns
/// @param lines   per packed matrix, a multiple of a unit's lines; lines that x lacks are zero
/// @returns       rank 1, float
/// @throws        OutOfMemory if the device lacks memory for them
AnyArray packed_factor(const AnyArray& x, std::uint32_t parts, bool is_left, std::int64_t lines);

}  // namespace gemel
