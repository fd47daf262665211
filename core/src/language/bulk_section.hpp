/// Functions for kernels in which one thread fills the shared memory in bulk (sm_90a only).
#pragma once

#include "language/tile_section.hpp"

#include <gemel/core/dialect.hpp>

namespace gemel {

/// In PTX: gemel_barrier_*, barriers in shared memory at which threads arrive and copies count their bytes;
/// gemel_copy_bulk, a copy of contiguous bytes; GEMEL_TENSOR_MAP, gemel_prepare_map and gemel_copy_box, copies of boxes
/// that a tensor map describes; gemel_multiply_two_tiles_*, products of two operands in shared memory.
/// @source PTX ISA, "mbarrier", "cp.async.bulk", "cp.async.bulk.tensor", "setmaxnreg"
Dialect::Section bulk_section(const TileSpelling& spelling);

}  // namespace gemel
