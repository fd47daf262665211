/// The kernels of preconditioners, for their callers and for tests of their source.
#pragma once

#include <gemel/arrays/elementwise_kernel.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>

namespace gemel::solving {

/// Gauss-Jordan elimination with partial pivoting, one thread per block. Overwrites `a`.
GEMEL_API ElementwiseKernel invert_blocks_kernel(DType dtype);
/// out = inverse u; each element is a row of a block times a part of u.
GEMEL_API ElementwiseKernel multiply_blocks_kernel(DType dtype);
GEMEL_API ElementwiseKernel chebyshev_begin_kernel(DType dtype);
GEMEL_API ElementwiseKernel chebyshev_step_kernel(DType dtype);
/// Fills v with pseudo-random numbers in [-1, 1).
GEMEL_API ElementwiseKernel power_begin_kernel(DType dtype);

/// Computes the rows of the factor on a lower triangular pattern, one row per element.
/// @param index,own_index  int32 or int64, of the matrix and of the pattern
GEMEL_API ElementwiseKernel approximate_inverse_kernel(DType dtype, DType index, DType own_index);

}  // namespace gemel::solving
