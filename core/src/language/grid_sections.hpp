/// Words about a whole grid: a barrier that all blocks of a cooperative launch reach, and where a launch begins.
#pragma once

#include <gemel/core/dialect.hpp>

#include <vector>

namespace gemel {

/// How a language spells what the sections need.
struct GridSpelling {
    const char* global_space;   ///< before a pointer to device memory
    const char* block_barrier;  ///< that orders device memory as well
    const char* increment;      ///< of the word that `%` points to; gives what was there
    const char* int64_type;
};

/// GRID_BARRIER, grid_barrier(); LAUNCH_OFFSET, OFFSET_0 to OFFSET_2.
std::vector<Dialect::Section> grid_sections(const GridSpelling& spelling);

}  // namespace gemel
