#include "generated/scan_rows.hpp"

#include <algorithm>
#include <bit>

namespace gemel {
namespace {

constexpr std::size_t warp = 32;
/// What a thread of a warp that has whole rows keeps of them, and one of a block that goes along a row tile by tile.
constexpr std::size_t lane_bytes = 128, tile_bytes = 64;

std::size_t up(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

}  // namespace

void cut_into_rows(const ScannedRows& rows, const DeviceInfo& device, codegen::ScanLayout& layout,
                   codegen::ScanTuning& tuning) {
    if (rows.length % rows.vector_width != 0) return;
    const std::size_t packs = rows.length / rows.vector_width, all = rows.count / rows.length;
    const std::size_t pack_bytes = rows.vector_width * rows.item_bytes;
    const auto fit = [&](std::size_t bytes) { return std::max<std::size_t>(bytes / pack_bytes, 1); };
    std::size_t along = std::min(std::bit_ceil(packs), warp), accesses = up(packs, along), block = 256;
    bool loops = false;
    if (accesses > fit(lane_bytes)) {
        accesses = fit(tile_bytes);
        along = std::clamp<std::size_t>(std::bit_ceil(up(packs, accesses)), 128, 512);
        block = along = std::min<std::size_t>(along, std::bit_floor(device.max_threads_per_block));
        loops = packs > along * accesses;
        // A few long rows keep few blocks busy, each of which has one tile on its way.
        if (loops && all < 4 * std::size_t{device.compute_units}) return;
    }
    layout.along = static_cast<int>(along);
    layout.loops = loops;
    tuning.block = static_cast<std::uint32_t>(std::min<std::size_t>(block, device.max_threads_per_block));
    tuning.items_per_thread = static_cast<std::uint32_t>(accesses * rows.vector_width);
}

}  // namespace gemel
