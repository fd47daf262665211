/// The element-wise kernels, reductions and scans of sparse matrices: for their callers, and for tests of their texts.
/// Open types: I for rows, columns and places, K for keys, T for values, R and C for what users give.
#pragma once

#include <gemel/arrays/elementwise_kernel.hpp>
#include <gemel/arrays/reduction_kernel.hpp>
#include <gemel/arrays/scan_kernel.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>

#include <cstdint>

namespace gemel::sparse {

/// The first entry outside the shape as its number minus that of all entries; 0 if there is none.
GEMEL_API const ReductionKernel<std::int64_t>& outside_kernel();
/// The same of numbers against one extent.
GEMEL_API const ReductionKernel<std::int64_t>& outside_extent_kernel();
/// The first start that is not right, as above.
GEMEL_API const ReductionKernel<std::int64_t>& wrong_start_kernel();
/// How many keys are not above the one before.
GEMEL_API const ReductionKernel<std::int64_t>& not_above_kernel();
/// How many rows begin with a column not above the last one of what comes before.
GEMEL_API const ReductionKernel<std::int64_t>& drop_kernel();
/// The length of the longest row.
GEMEL_API const ReductionKernel<std::int64_t>& longest_kernel();
/// What the heaviest row of a product of matrices weighs.
GEMEL_API const ReductionKernel<std::int64_t>& heaviest_kernel();

GEMEL_API const ElementwiseKernel& key_kernel();
GEMEL_API const ElementwiseKernel& split_kernel();
GEMEL_API const ElementwiseKernel& bound_kernel();
GEMEL_API const ElementwiseKernel& spread_rows_kernel();
GEMEL_API const ElementwiseKernel& mark_diagonals_kernel();
GEMEL_API const ElementwiseKernel& fill_diagonals_kernel();
GEMEL_API const ElementwiseKernel& fill_ell_kernel();
GEMEL_API const ElementwiseKernel& fill_sell_kernel();
GEMEL_API const ElementwiseKernel& order_key_kernel();
GEMEL_API const ElementwiseKernel& slice_width_kernel();
GEMEL_API const ElementwiseKernel& invert_kernel();
GEMEL_API const ElementwiseKernel& window_kernel();
GEMEL_API const ElementwiseKernel& diagonal_kernel();
GEMEL_API const ElementwiseKernel& tile_row_kernel();
GEMEL_API const ElementwiseKernel& product_length_kernel();
/// Where tiles of a product of matrices begin, and 1 for each row that is heavier than a tile takes.
GEMEL_API const ElementwiseKernel& multiply_tile_kernel();
GEMEL_API const ElementwiseKernel& heavy_row_kernel();
GEMEL_API const ElementwiseKernel& row_length_kernel();
GEMEL_API const ElementwiseKernel& gather_rows_kernel();
GEMEL_API const ElementwiseKernel& permuted_key_kernel();
/// Of each column: the counts of pieces become how many the pieces before have, and their sum.
GEMEL_API const ElementwiseKernel& pieces_before_kernel();
/// Between SciPy's diagonals, which stand by column, and rows.
GEMEL_API const ElementwiseKernel& diagonal_place_kernel();
GEMEL_API const ElementwiseKernel& shift_diagonals_kernel();

/// What computes with values, by their type.
GEMEL_API const ElementwiseKernel& beta_kernel(DType value);
GEMEL_API const ElementwiseKernel& expand_kernel(DType value);
/// Values times the factors that their numbers name.
GEMEL_API const ElementwiseKernel& scale_kernel(DType value);
/// vdot(a, b), and the sum of its parts.
GEMEL_API const Reduction& dot_kernel(DType value);
GEMEL_API const Reduction& parts_kernel(DType value);
/// y[row] += alpha * the sum of the row's products.
GEMEL_API const Scan& coo_scan(DType value, DType index);

}  // namespace gemel::sparse
