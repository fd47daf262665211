/// The tuning of products: from the matrix, and from stored measurements.
#pragma once

#include "sparse/state.hpp"

#include <gemel/codegen/sparse.hpp>
#include <gemel/core/device.hpp>

#include <cstdint>

namespace gemel::sparse {

/// One kind of product with a matrix.
struct ProductKind {
    codegen::SparseForm form;  ///< for compressed rows `rows`, whichever strategy is chosen
    bool serial = false;       ///< threads that take many rows each
    bool is_packed = false;    ///< columns of 16 bits, which are not merged
};

/// The caller's numbers, then stored ones, then what the lengths of the rows suggest. Also without any but the latter
/// the strategy is never `automatic` for compressed rows. @time kept for the next call
codegen::SparseTuning product_tuning(const MatrixState& matrix, const ProductKind& kind,
                                     const codegen::SparseTuning& given);

}  // namespace gemel::sparse
