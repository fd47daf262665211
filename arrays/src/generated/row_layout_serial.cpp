/// The distribution of the rows of a row program on CPU devices: each block is one thread.
#include "generated/row_layout.hpp"

#include <algorithm>
#include <bit>

namespace gemel {
namespace {

std::size_t power(std::size_t n) { return std::bit_ceil(std::max<std::size_t>(n, 1)); }

/// Kept values stay in the second-level cache of a core and on the stack of a thread, which may be as small as 2 MiB.
constexpr std::size_t max_computed_bytes = std::size_t{512} << 10;

/// Whether a thread stores the kept values of rows side by side. The number of positions is a power of 2, so that there
/// are few variants.
bool keeps_computed(const RowWork& work, std::size_t side_by_side) {
    return work.computed_bytes > 0 && power(work.count) * side_by_side * work.computed_bytes <= max_computed_bytes;
}

/// The columns of a thread: at least those that share a cache line; more only if every thread has several. Half as many
/// if their kept values then fit: on PoCL with two cores, softmax of (1024, 1024) floats along axis 0 takes 912 us with
/// 128 columns, 610 with kept values of 512 KiB, and 636 with 64 columns; of (4096, 1024) 5500, and 5800 with 16.
std::size_t columns_of_thread(const RowWork& work, std::size_t wanted) {
    constexpr std::size_t fewest = 16, fewest_that_keep = 64, most = 128;
    const std::size_t columns =
        std::clamp(std::bit_floor(std::max<std::size_t>(work.outputs / wanted, 1)), fewest, most);
    return columns > fewest_that_keep && !keeps_computed(work, columns) && keeps_computed(work, fewest_that_keep)
               ? fewest_that_keep
               : columns;
}

}  // namespace

RowSpread spread_rows_serially(const ReductionAxesLayout& over, const DeviceInfo& device, const RowWork& work,
                               codegen::RowLayout& layout) {
    layout.block = 1;
    codegen::ReductionTile& tile = layout.tile;
    const auto extent = static_cast<std::size_t>(over.extent);
    RowSpread spread{.count = work.count, .outputs = work.outputs};
    const std::size_t wanted = 4 * std::size_t{device.compute_units};
    std::size_t side_by_side = 1;
    if (over.columns) {
        side_by_side = std::min(columns_of_thread(work, wanted), power(extent));
        tile.vector_width = static_cast<int>(side_by_side);
        spread.blocks = work.outputs / extent * up(extent, side_by_side);
    } else {
        // As for reductions: standardize of (4096, 1024) floats takes 1330 us with 16 of them, 880 with 32, 740
        // with 64.
        const std::size_t most = std::clamp<std::size_t>(256 / std::max<std::size_t>(over.item_bytes, 1), 16, 64);
        tile.vector_width = extent >= 64 ? running_results(extent, most, false) : 1;
        spread.span = std::max<std::size_t>(work.outputs / wanted, 1);
        spread.blocks = up(work.outputs, spread.span);
    }
    if (keeps_computed(work, side_by_side)) layout.slots = static_cast<int>(power(work.count));
    return spread;
}

}  // namespace gemel
