/// The kernels of preconditioners, for their callers and for tests of their texts.
#pragma once

#include <gemel/arrays/elementwise_kernel.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>

namespace gemel::solving {

/// Gauss and Jordan's elimination with partial pivoting, a thread for each block; `a` is used up.
GEMEL_API ElementwiseKernel invert_blocks_kernel(DType dtype);
/// A row of a block for each element.
GEMEL_API ElementwiseKernel multiply_blocks_kernel(DType dtype);
GEMEL_API ElementwiseKernel chebyshev_begin_kernel(DType dtype);
GEMEL_API ElementwiseKernel chebyshev_step_kernel(DType dtype);
/// Numbers between -1 and 1 without an order.
GEMEL_API ElementwiseKernel power_begin_kernel(DType dtype);

/// A row of the factor for each element, in the places of a lower pattern.
/// @param index,own_index  int32 or int64: of the matrix, and of the pattern
GEMEL_API ElementwiseKernel approximate_inverse_kernel(DType dtype, DType index, DType own_index);

}  // namespace gemel::solving
