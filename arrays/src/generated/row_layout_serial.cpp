/// The distribution of the rows of a row program on CPU devices: each block is one thread.
#include "generated/row_layout.hpp"

#include <algorithm>
#include <bit>

namespace gemel {
namespace {

std::size_t power(std::size_t n) { return std::bit_ceil(std::max<std::size_t>(n, 1)); }

/// Kept values stay in the second-level cache of a core and on the stack of a thread, which may be as small as 2 MiB.
constexpr std::size_t max_computed_bytes = std::size_t{1} << 20;

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

/// The running results of a row. Joining 16 or more takes longer than short rows do: softmax of 2^22 floats in rows of
/// 20 takes 15.6 ms on PoCL with one, 4.6 with 8, 15.1 with 16; of 512 3.3 with 8, 2.3 with 16. Long rows as for
/// reductions: standardize of (4096, 1024) floats takes 1330 us with 16, 880 with 32, 740 with 64.
int running_results_of_row(std::size_t extent, std::size_t item_bytes, bool is_costly) {
    if (extent < 8) return extent >= 4 && is_costly ? 4 : 1;
    if (extent < 1024) return extent < 256 ? 8 : 16;
    const std::size_t most = std::clamp<std::size_t>(256 / std::max<std::size_t>(item_bytes, 1), 16, 64);
    return running_results(extent, most, true);
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
        tile.vector_width = running_results_of_row(extent, over.item_bytes, work.computed_bytes > 0);
        layout.one_run = work.count <= 64 * static_cast<std::size_t>(tile.vector_width);
        spread.span = std::max<std::size_t>(work.outputs / wanted, 1);
        spread.blocks = up(work.outputs, spread.span);
    }
    if (keeps_computed(work, side_by_side)) layout.slots = static_cast<int>(power(work.count));
    return spread;
}

}  // namespace gemel
