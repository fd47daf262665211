/// Packs the operands of a product before the multiplication.
#pragma once

#include <gemel/arrays/any_array.hpp>

#include <array>
#include <cstdint>

namespace gemel {

/// Packs (matrices, rows, columns) for products of the form `packed`; enqueues one launch.
/// @param parts   per number
/// @param is_left the lines are rows, otherwise columns
/// @param lines   per packed matrix, a multiple of a unit's lines; lines that x lacks are zero
/// @returns       rank 1, float
/// @throws        OutOfMemory if the device lacks memory for them
AnyArray packed_factor(const AnyArray& x, std::uint32_t parts, bool is_left, std::int64_t lines);

/// An operand packed for MatmulForm::halves.
struct PackedHalves {
    AnyArray words;   ///< two halves each, or floats: (matrices, lines, stretches * matmul_unit_depth)
    AnyArray scales;  ///< (matrices, stretches); 0 where both operands have floats
};

/// Packs both operands of a product for MatmulForm::halves; enqueues four launches.
/// @param depth  of a slot
/// @throws       OutOfMemory if the device lacks memory for them
std::array<PackedHalves, 2> packed_halves(const AnyArray& a, const AnyArray& b, std::uint32_t depth);

}  // namespace gemel
