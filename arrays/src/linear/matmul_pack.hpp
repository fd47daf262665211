/// Packs the operands of a product before the multiplication.
#pragma once

#include <gemel/arrays/any_array.hpp>

#include <array>
#include <cstdint>

namespace gemel {

/// An operand packed for MatmulForm::packed or halves.
struct PackedOperand {
    AnyArray words;   ///< rank 1, float
    AnyArray scales;  ///< of numbers in parts: one per matrix and stretch of the summed axis
};

/// Packs (matrices, rows, inner) and (matrices, inner, columns) for products of the form `packed`; enqueues one launch,
/// or two if numbers have parts.
/// @param parts    MatmulLayout::packed_parts
/// @param a_lines  rows per packed matrix, a multiple of a unit's lines; rows that a lacks are zero
/// @param b_lines  likewise of columns
/// @throws         OutOfMemory if the device lacks memory for them
std::array<PackedOperand, 2> packed_operands(const AnyArray& a, const AnyArray& b, std::uint32_t parts,
                                             std::int64_t a_lines, std::int64_t b_lines);

/// Packs both operands of a product for MatmulForm::halves; enqueues two launches.
/// @param depth  of a slot
/// @throws       OutOfMemory if the device lacks memory for them
std::array<PackedOperand, 2> packed_halves(const AnyArray& a, const AnyArray& b, std::uint32_t depth);

}  // namespace gemel
