#include "generated/staged_lines.hpp"

#include "generated/compute_capability.hpp"

#include <algorithm>
#include <bit>

namespace gemel {
namespace {

constexpr std::size_t warp = 32;

/// A thread adds about 16 elements of a run. Measured on an H200, sum of 2^28 elements in rows of 257, us, by packs of
/// each row and staged: floats 357 and 243, halves 331 and 127, int8 407 and 103. Floats in rows of 1021 take 242 and
/// 258, so they are not staged.
bool stage_rows(const ReductionAxesLayout& over, std::size_t block, codegen::ReductionTile& tile, Spread& work) {
    const auto extent = static_cast<std::size_t>(over.extent);
    const std::size_t line = extent * over.stage_bytes;
    if (extent * over.item_bytes > longest_staged_run(over.item_bytes)) return false;
    std::size_t along = std::clamp<std::size_t>(std::bit_floor(extent / 16), 1, warp);
    while (along < warp && block / along * line > most_staged_bytes) along *= 2;
    const std::size_t across = block / along;
    if (across * line > most_staged_bytes) return false;
    const std::size_t rows = std::clamp<std::size_t>(staged_bytes / (across * line), 1, 8);
    tile.across = static_cast<int>(across);
    tile.rows = static_cast<int>(rows);
    tile.shuffles = along > 1;
    // One of two sizes, so that many extents share a kernel.
    tile.stage =
        static_cast<int>((across * rows * line <= staged_bytes ? staged_bytes : most_staged_bytes) / over.stage_bytes);
    work.blocks = up(work.outputs, across * rows);
    return true;
}

/// Columns of many matrices, or of bytes, of some hundred columns, with small running results. Others are faster
/// without. 2^28 elements on an H200, us, in single elements and staged: sum of floats down 257 columns of 251 matrices
/// 312 and 282, of one matrix 316 and 391; of int8 down 263 columns of one matrix 237 and 184, maximum 224 and 157, sum
/// down 1021 columns 148 and 355; argmax of floats down 263 columns 314 and 399.
bool stage_columns(const ReductionAxesLayout& over, const codegen::ReductionTuning& tuning, const DeviceInfo& device,
                   std::size_t running_bytes, codegen::ReductionTile& tile, Spread& work) {
    constexpr std::size_t fewest_elements = std::size_t{1} << 26, fewest_columns = 128, most_columns = 300;
    constexpr std::size_t most_running = 8, many_matrices = 64, most_per_thread = 5;
    const auto extent = static_cast<std::size_t>(over.extent);
    const std::size_t line = extent * over.stage_bytes;
    const std::size_t groups = work.outputs / extent;
    if (work.count * work.outputs < fewest_elements || extent < fewest_columns || extent > most_columns ||
        running_bytes > most_running || over.values > 1 || (groups < many_matrices && over.item_bytes > 1))
        return false;
    std::size_t across = 0;
    const auto covered = [&](std::size_t threads) { return up(extent, threads) * threads; };
    for (std::size_t threads = warp; threads <= tuning.block; threads *= 2)
        if (up(extent, threads) <= most_per_thread && (across == 0 || covered(threads) < covered(across)))
            across = threads;
    const std::size_t joined = tuning.block * up(extent, std::max<std::size_t>(across, 1)) * running_bytes;
    if (across == 0 || 8 * line > staged_bytes || staged_bytes + joined > most_staged_bytes) return false;
    tile.across = static_cast<int>(across);
    tile.rows = static_cast<int>(up(extent, across));
    tile.stage = static_cast<int>(staged_bytes / over.stage_bytes);
    // If all blocks share the same outputs, as many as run at the same time; otherwise many more, since their number is
    // no multiple of that.
    const std::size_t lines = static_cast<std::size_t>(tile.stage) / extent;
    const std::size_t at_once = std::size_t{device.compute_units} * 4;
    const std::size_t most_groups = std::size_t{device.compute_units} * std::max(tuning.blocks_per_unit, 1u);
    work.splits = groups >= most_groups ? 1
                                        : std::clamp<std::size_t>((groups == 1 ? 1 : 16) * at_once / groups, 1,
                                                                  up(work.count, 4 * lines));
    work.blocks = groups * work.splits;
    return true;
}

}  // namespace

std::size_t longest_staged_run(std::size_t item_bytes) { return item_bytes == 4 ? 2048 : 4096; }

bool can_stage(const DeviceInfo& device) {
    return device.type == DeviceInfo::Type::gpu && device.has_cross_block_visibility &&
           device.shared_memory_per_block_bytes >= (std::size_t{48} << 10);
}

void mark_staged(ReductionAxesLayout& over, const codegen::ReductionTile& tile) {
    if (tile.stage == 0) return;
    for (const std::size_t argument : over.followed) over.call.kernel.arguments[argument].staged = true;
}

bool stage_lines(const ReductionAxesLayout& over, const codegen::ReductionTuning& tuning, const DeviceInfo& device,
                 std::size_t running_bytes, codegen::ReductionTile& tile, Spread& work) {
    if (over.followed.empty() || over.lines_divide || !can_stage(device) || tuning.block % warp != 0) return false;
    tile.stages_async = compute_capability(device) >= 80;
    return over.columns ? stage_columns(over, tuning, device, running_bytes, tile, work)
                        : stage_rows(over, tuning.block, tile, work);
}

}  // namespace gemel
