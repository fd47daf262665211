/// The tuning of products: from the matrix, and from stored measurements.
#pragma once

#include "sparse/state.hpp"

#include <gemel/codegen/sparse.hpp>
#include <gemel/core/device.hpp>

#include <cstdint>

namespace gemel::sparse {

/// One kind of product with a matrix.
struct ProductKind {
    codegen::SparseForm form;  ///< `rows` for compressed rows, whatever the strategy
    bool serial = false;       ///< each thread takes many rows
    bool is_packed = false;    ///< 16-bit columns: the heuristic never chooses `merge`
};

/// The caller's choices; for the others stored measurements, then a heuristic by the lengths of rows. For compressed
/// rows the strategy is never `automatic`. @time kept for the next call
codegen::SparseTuning product_tuning(const MatrixState& matrix, const ProductKind& kind,
                                     const codegen::SparseTuning& given);

}  // namespace gemel::sparse
