/// Functions of a whole grid: a barrier for all blocks of a cooperative launch, and launch offsets.
#pragma once

#include <gemel/core/dialect.hpp>

#include <vector>

namespace gemel {

/// The words of a language that the sections need.
struct GridSpelling {
    const char* global_space;   ///< before a pointer to device memory
    const char* block_barrier;  ///< that also orders device memory
    const char* increment;      ///< of the word to which `%` points; returns the old value
    const char* int64_type;
};

/// GRID_BARRIER, grid_barrier(); LAUNCH_OFFSET, OFFSET_0 to OFFSET_2.
std::vector<Dialect::Section> grid_sections(const GridSpelling& spelling);

}  // namespace gemel
