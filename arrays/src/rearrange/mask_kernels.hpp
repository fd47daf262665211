/// Kernels and scans that evaluate masks.
#pragma once

#include "rearrange/index_kernels.hpp"

#include <gemel/arrays/elementwise_kernel.hpp>
#include <gemel/arrays/scan_kernel.hpp>
#include <gemel/core/export.hpp>

#include <cstddef>

namespace gemel {

// Scans that count preceding elements in 32 bits or, if wide, in 64.

/// (m, x, v, count): stores the next of `count` values where m is true.
GEMEL_API const Scan& place_scan(bool wide);

/// (m, x, v[, count]): x[i] = v where m holds.
GEMEL_API const ElementwiseKernel& put_mask_kernel(ValueForm values);
/// (flat, e1, e2, ..., a0, a1, ...): converts a flat index to one per axis.
GEMEL_API const ElementwiseKernel& unravel_kernel(std::size_t rank, bool wide);

}  // namespace gemel
