/// Words for matrix products by groups of four warps (wgmma), which NVIDIA's sm_90a has and CUDA's compiler alone
/// takes.
#pragma once

#include <gemel/core/dialect.hpp>

namespace gemel {

/// gemel_tile, gemel_multiply_tiles_* and what orders them, in PTX. A tile lies in shared memory as lines of 128 bytes
/// whose eight accesses of 16 bytes are exchanged by the line's number: access k of line r lies at k ^ r % 8.
/// @source PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions"
Dialect::Section tile_section();

}  // namespace gemel
