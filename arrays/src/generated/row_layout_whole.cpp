/// Accesses of row programs that need no comparison with the row's length.
#include "generated/row_layout.hpp"

#include <algorithm>

namespace gemel {

int whole_slots(const ReductionAxesLayout& over, const RowWork& work, const codegen::RowLayout& layout) {
    // Standardize of 2^27 bfloat16 in columns of 512, partly in shared memory, on an H200: 155 us, and 179 so.
    if (!layout.slots || (over.columns && layout.shared_slots > 0)) return 0;
    const auto extent = static_cast<std::size_t>(over.extent);
    const auto width = static_cast<std::size_t>(layout.tile.vector_width);
    const std::size_t lines = over.columns ? 1 : work.count / extent;
    std::size_t positions = over.columns ? work.count : lines * (extent / width);
    if (layout.tile.shifted) {
        if (lines > 1) return 0;
        positions = up(extent, width) - 1;  // those before the last, wherever the row begins
    }
    const auto along = static_cast<std::size_t>(layout.block / layout.tile.across);
    const auto slots = static_cast<std::size_t>(layout.slots + layout.shared_slots);
    const std::size_t before = (static_cast<std::size_t>(layout.parts) - 1) * slots * along;  // in other blocks' parts
    const std::size_t whole = (positions - std::min(positions, before)) / along;
    return whole + 2 < slots ? 0 : static_cast<int>(std::min(whole, slots));
}

}  // namespace gemel
