/// Functions for matrix products by warp groups (wgmma), for sm_90a and CUDA's compiler only.
#pragma once

#include <gemel/core/dialect.hpp>

#include <string>

namespace gemel {

/// gemel_tile, gemel_multiply_tiles_* and their fences, in PTX. A tile in shared memory has lines of 128 bytes whose
/// eight 16-byte accesses are swizzled by the line number: access k of line r is at k ^ r % 8.
/// @source PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions"
Dialect::Section tile_section();

/// "%0, %1, ..." and `"+f"(c[0]), ...`: this many sums of a thread as operands of PTX.
std::string tile_sums(int count);
std::string tile_sum_operands(int count);

}  // namespace gemel
