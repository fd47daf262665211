#include "generated/scan_rows.hpp"

#include <algorithm>
#include <bit>

namespace gemel {
namespace {

constexpr std::size_t warp = 32;
/// Bytes of a row that a thread keeps: if its warp or block scans the whole row at once, and if the block scans it in
/// tiles, where the next tile is loaded meanwhile.
constexpr std::size_t whole_bytes = 64, tile_bytes = 32;

std::size_t up(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

}  // namespace

void cut_into_rows(const ScannedRows& rows, const DeviceInfo& device, codegen::ScanLayout& layout,
                   codegen::ScanTuning& tuning) {
    const bool shifted = rows.length % rows.vector_width != 0;
    if (shifted && (!rows.may_shift || rows.length < 4 * rows.vector_width)) return;
    // A row that begins with the last element of a pack touches one more.
    const std::size_t packs = shifted ? (rows.length + rows.vector_width - 2) / rows.vector_width + 1
                                      : rows.length / rows.vector_width,
                      all = rows.count / rows.length;
    const std::size_t pack_bytes = rows.vector_width * rows.item_bytes;
    const auto fit = [&](std::size_t bytes) { return std::max<std::size_t>(bytes / pack_bytes, 1); };
    std::size_t along = std::min(std::bit_ceil(packs), warp), accesses = up(packs, along), block = 256;
    bool loops = false;
    const std::size_t largest = std::min<std::size_t>(512, std::bit_floor(std::max(device.max_threads_per_block, 1u)));
    if (accesses > fit(whole_bytes)) {
        accesses = fit(whole_bytes);
        block = along = std::min(std::bit_ceil(up(packs, accesses)), largest);
        loops = packs > along * accesses;
        if (loops) accesses = fit(tile_bytes);
        // A few long rows would keep only few blocks busy, with one tile in flight each.
        if (loops && all < 4 * std::size_t{device.compute_units}) return;
    }
    layout.along = static_cast<int>(along);
    layout.loops = loops;
    layout.shifted = shifted;
    tuning.block = static_cast<std::uint32_t>(std::min(block, largest));
    tuning.items_per_thread = static_cast<std::uint32_t>(accesses * rows.vector_width);
}

}  // namespace gemel
