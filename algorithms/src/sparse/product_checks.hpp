/// Checks the operands of a product.
#pragma once

#include "sparse/state.hpp"

namespace gemel::sparse {

inline constexpr const char* product_name = "Matrix::multiply_into";

/// @throws ArgumentError if shapes, types, contexts or options do not fit the matrix or each other
void require_product(const Entries& own, const AnyArray& y, const AnyArray& x, const AnyMultiply& given);

}  // namespace gemel::sparse
