/// Packs the operands of a product before the multiplication.
#pragma once

#include <gemel/arrays/any_array.hpp>
#include <gemel/codegen/matmul.hpp>

#include <array>
#include <cstdint>

namespace gemel {

/// An operand packed for MatmulForm::packed or halves.
struct PackedOperand {
    AnyArray words;   ///< rank 1, float
    AnyArray scales;  ///< of numbers in parts: one per matrix and stretch of the summed axis
};

/// Packs (matrices, rows, inner) and (matrices, inner, columns) for a product, if the layout's form is packed or
/// halves; otherwise the results are empty handles. Enqueues one launch, or two if numbers have parts.
/// @param a_lines  packed: rows per matrix, a multiple of a unit's lines; rows that a lacks are zero
/// @param b_lines  likewise of columns
/// @throws         OutOfMemory if the device lacks memory for them
std::array<PackedOperand, 2> packed_operands(const AnyArray& a, const AnyArray& b, const codegen::MatmulLayout& layout,
                                             std::int64_t a_lines, std::int64_t b_lines);

}  // namespace gemel
