/// Factors of a product cut into parts before they are multiplied.
#pragma once

#include <gemel/arrays/any_array.hpp>

#include <cstdint>

namespace gemel {

/// The numbers of (matrices, rows, columns) in parts, as products of the form `packed` take them: enqueues one launch.
/// @param parts   of each number
/// @param is_left rows are lines of the result, else columns are
/// @param lines   that a matrix has behind the launch: a multiple of a unit's; those that x lacks are zero
/// @returns       rank 1, float
/// @throws        OutOfMemory if there is no room for them
AnyArray packed_factor(const AnyArray& x, std::uint32_t parts, bool is_left, std::int64_t lines);

}  // namespace gemel
