/// Functions for kernels in which one thread fills the shared memory in bulk (sm_90, CUDA's compiler only).
#pragma once

#include <gemel/core/dialect.hpp>

namespace gemel {

/// In PTX: gemel_barrier_*, barriers in shared memory at which threads arrive and copies count their bytes;
/// gemel_copy_bulk, a copy of contiguous bytes; gemel_multiply_two_tiles_*, products of two operands in shared memory.
/// @source PTX ISA, "mbarrier", "cp.async.bulk", "setmaxnreg"
Dialect::Section bulk_section();

}  // namespace gemel
