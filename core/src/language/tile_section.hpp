/// Functions for matrix products by warp groups (wgmma), for sm_90a only.
#pragma once

#include <gemel/core/dialect.hpp>

#include <string>
#include <vector>

namespace gemel {

/// The words of a language that the sections need.
struct TileSpelling {
    const char* condition;       ///< the #if condition of the sections: the program is for sm_90a
    const char* mark;            ///< before an instruction that only sm_90a has; see assembled_for_sm_90a()
    const char* global_space;    ///< before a pointer to device memory
    const char* shared_space;    ///< before a pointer to shared memory
    const char* shared_address;  ///< of the pointer `p`, as 32 bits
    bool has_maps;               ///< whether there are tensor maps, and products of float for which they are used
};

/// gemel_tile, gemel_multiply_tiles_* and their fences, in PTX. A tile in shared memory has lines of 128 bytes whose
/// eight 16-byte accesses are swizzled by the line number: access k of line r is at k ^ r % 8. Lines of 64 bytes
/// (gemel_tile_64) have access k at k ^ r % 8 / 2.
/// @source PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions"
std::vector<Dialect::Section> tile_sections(const TileSpelling& spelling);

/// "%0, %1, ..." and `"+f"(c[0]), ...`: this many sums of a thread as operands of PTX.
std::string tile_sums(int count);
std::string tile_sum_operands(int count);

}  // namespace gemel
