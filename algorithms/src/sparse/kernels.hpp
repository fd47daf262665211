/// The element-wise kernels, reductions and scans of sparse matrices: used by the callers and by tests of the source
/// text. Open types: I for rows, columns and positions, K for keys, T for values, R and C for the user's index arrays.
#pragma once

#include <gemel/arrays/elementwise_kernel.hpp>
#include <gemel/arrays/reduction_kernel.hpp>
#include <gemel/arrays/scan_kernel.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>

#include <cstdint>

namespace gemel::sparse {

/// The index of the first entry outside the shape, minus the number of entries; 0 if there is none.
GEMEL_API const ReductionKernel<std::int64_t>& outside_kernel();
/// The same for indices and one extent.
GEMEL_API const ReductionKernel<std::int64_t>& outside_extent_kernel();
/// The same for the first invalid start.
GEMEL_API const ReductionKernel<std::int64_t>& wrong_start_kernel();
/// The number of keys that are not greater than their predecessor.
GEMEL_API const ReductionKernel<std::int64_t>& not_above_kernel();
/// The number of rows whose first column is not greater than the last column before that row.
GEMEL_API const ReductionKernel<std::int64_t>& drop_kernel();
/// The length of the longest row.
GEMEL_API const ReductionKernel<std::int64_t>& longest_kernel();
/// The number of entries whose column is not in the group of columns of the entry before.
GEMEL_API const ReductionKernel<std::int64_t>& apart_kernel();
/// The weight of the heaviest row of a product of matrices.
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
/// Windows of columns: slab and window of each entry, and its run; the groups of each run; where entries, groups and
/// tiles go.
GEMEL_API const ElementwiseKernel& bin_piece_kernel();
GEMEL_API const ElementwiseKernel& bin_run_kernel();
GEMEL_API const ElementwiseKernel& bin_group_kernel();
GEMEL_API const ElementwiseKernel& bin_fill_kernel();
GEMEL_API const ElementwiseKernel& bin_source_kernel();
GEMEL_API const ElementwiseKernel& diagonal_kernel();
GEMEL_API const ElementwiseKernel& tile_row_kernel();
GEMEL_API const ElementwiseKernel& product_length_kernel();
/// The first row of each tile of a product of matrices; and 1 for each row that is too heavy for a tile.
GEMEL_API const ElementwiseKernel& multiply_tile_kernel();
GEMEL_API const ElementwiseKernel& heavy_row_kernel();
GEMEL_API const ElementwiseKernel& row_length_kernel();
GEMEL_API const ElementwiseKernel& gather_rows_kernel();
GEMEL_API const ElementwiseKernel& permuted_key_kernel();
/// For each column: replaces the count of each piece by the sum over the pieces before it, and stores the total.
GEMEL_API const ElementwiseKernel& pieces_before_kernel();
/// Conversion between SciPy's diagonals, which are indexed by column, and diagonals indexed by row.
GEMEL_API const ElementwiseKernel& diagonal_position_kernel();
GEMEL_API const ElementwiseKernel& shift_diagonals_kernel();

/// Kernels that compute with values, by value type.
GEMEL_API const ElementwiseKernel& beta_kernel(DType value);
GEMEL_API const ElementwiseKernel& expand_kernel(DType value);
/// Multiplies each value by the factor of its row or column.
GEMEL_API const ElementwiseKernel& scale_kernel(DType value);
/// vdot(a, b), and the sum of its partial results.
GEMEL_API const Reduction& dot_kernel(DType value);
GEMEL_API const Reduction& parts_kernel(DType value);
/// y[row] += alpha * the sum of the row's products.
GEMEL_API const Scan& coo_scan(DType value, DType index);

}  // namespace gemel::sparse
