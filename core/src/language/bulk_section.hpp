/// Words for kernels whose shared memory one thread fills in bulk (sm_90, CUDA's compiler alone).
#pragma once

#include <gemel/core/dialect.hpp>

namespace gemel {

/// gemel_barrier_*: barriers in shared memory at which threads arrive and copies count their bytes; gemel_copy_bulk: a
/// copy of contiguous bytes; gemel_multiply_two_tiles_*: products of which both factors lie in shared memory. In PTX.
/// @source PTX ISA, "mbarrier", "cp.async.bulk", "setmaxnreg"
Dialect::Section bulk_section();

}  // namespace gemel
