/// Words for matrix products by groups of four warps (wgmma), which NVIDIA's sm_90a has and CUDA's compiler alone
/// takes.
#pragma once

#include <gemel/core/dialect.hpp>

#include <string>

namespace gemel {

/// gemel_tile, gemel_multiply_tiles_* and what orders them, in PTX. A tile lies in shared memory as lines of 128 bytes
/// whose eight accesses of 16 bytes are exchanged by the line's number: access k of line r lies at k ^ r % 8.
/// @source PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions"
Dialect::Section tile_section();

/// "%0, %1, ..." and `"+f"(c[0]), ...`: so many of a thread's sums as operands of PTX.
std::string tile_sums(int count);
std::string tile_sum_operands(int count);

}  // namespace gemel
