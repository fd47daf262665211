/// How the outputs and elements of a reduction are distributed over blocks and threads.
#include "generated/reduction_layout.hpp"
#include "generated/staged_lines.hpp"

#include <algorithm>
#include <bit>

namespace gemel {

namespace {

using codegen::ReductionTile;
using Mapping = codegen::ReductionLayout::Mapping;

int power(std::size_t n) { return static_cast<int>(std::bit_ceil(std::max<std::size_t>(n, 1))); }

std::size_t resident_blocks(const codegen::ReductionTuning& tuning, const DeviceInfo& device) {
    return std::size_t{device.compute_units} * std::max(tuning.blocks_per_unit, 1u);
}

/// As many splits as fill the device, limited by `useful`.
void split(Spread& work, std::size_t groups, std::size_t resident, std::size_t useful) {
    work.splits = groups >= resident ? 1
                                     : std::clamp<std::size_t>(resident / std::max<std::size_t>(groups, 1), 1,
                                                               std::max<std::size_t>(useful, 1));
    work.blocks = groups * work.splits;
}

/// Threads join their results in a tree. Where joining is costly, few threads share a run.
/// @param positions  accesses per run
void deal_rows(ReductionTile& tile, std::size_t positions, std::size_t outputs, int block, const DeviceInfo& device,
               bool joins_are_costly) {
    constexpr std::size_t warp = 32, in_flight = 4;
    const std::size_t fewest = joins_are_costly ? 8 : warp, most_accesses = joins_are_costly ? 64 : 16;
    const std::size_t resident = std::size_t{device.compute_units} * device.max_threads_per_compute_unit.value_or(2048);
    const auto threads = static_cast<std::size_t>(block);
    std::size_t along = 1;
    if (positions <= in_flight * warp) {
        // Once the first element of a cache line is loaded, the others are in the cache.
        const bool several = tile.vector_width == 1 || joins_are_costly;
        along = static_cast<std::size_t>(power(several ? up(positions, in_flight) : positions));
        along = std::min(along, fewest);
    } else {
        for (along = fewest; along < threads && (positions / along > most_accesses || outputs * along < resident);)
            along *= 2;
    }
    along = std::min(along, threads);
    tile.across = static_cast<int>(threads / along);
    tile.shuffles = along > 1 && along <= warp && device.has_cross_block_visibility && threads % warp == 0;
    const std::size_t accesses = up(positions, along);
    tile.unroll = static_cast<int>(std::clamp<std::size_t>(accesses, 1, in_flight));
    const bool may_repeat = accesses <= in_flight && (along == 1 || tile.shuffles);
    const auto rows = static_cast<std::size_t>(in_flight) / static_cast<std::size_t>(tile.unroll);
    if (may_repeat && outputs * along >= 2 * resident * rows) tile.rows = static_cast<int>(rows);
}

/// Fewer elements are not worth wide blocks of columns, whose last block joins more results, nor longer loops.
bool is_large(std::size_t count, std::size_t outputs) { return count * outputs >= std::size_t{1} << 26; }

/// The fewest threads side by side along columns. A warp reads whole lines, unless the columns have an odd width: then
/// its elements begin anywhere in a line, whose rest another block reads later. Wider blocks share fewer lines.
/// Measured on an H100, (1000003, 263) floats along axis 0: 32 threads 539 us, 64 466, 128 453, 256 410; an argmax with
/// 32 487, 128 456, 256 590. 16-bit floats are fastest with 32. Columns of floats of several axes, such as those of a
/// slice, are faster with 256 by CUDA: on an H200, 2^27 elements less one column, us with 32 and 256: float sums of
/// (8192, 64, 255) along axis 0 186 and 144, argmax of (4096, 32, 1023) 171 and 145, variances along axis 1 205 and
/// 169. Sums of (32, 1024, 4095) along axis 1 take 139 and 161: there, wide blocks fill the device just once. Through
/// NVIDIA's OpenCL, wide blocks take up to twice the time. An argmax of (251, 4099, 257) int8 takes 158 and 201, a
/// variance of doubles 511 and 578.
int least_across(const ReductionAxesLayout& over, std::size_t count, std::size_t outputs, std::size_t running_bytes) {
    const bool has_measured_size = over.item_bytes == 1 || over.item_bytes == 4 || over.item_bytes == 8;
    if (over.vector_width > 1 || !is_large(count, outputs)) return 32;
    if (over.kept_rank > 1) {
        const bool is_one_wave = outputs >= std::size_t{1} << 17 && outputs < std::size_t{1} << 19;
        return over.is_cuda && over.item_bytes == 4 && over.call.kernel.rank == 1 && !is_one_wave ? 256 : 32;
    }
    if (!has_measured_size) return 32;
    return running_bytes > 8 ? 128 : 256;
}

/// Accesses to single elements need more of them in flight, and so do packs of 16-bit floats, whose sums and extremes
/// take more instructions per byte. Measured on an H200, (16384, 16384) halves along axis 0: sum 150 us with 4 accesses
/// and 128 with 8, of floats 247 and 261; the larger running values of variances 193 and 207. Columns of floats
/// of several axes through OpenCL, 2^27 elements less one column, with 12 and 24: sums of (8192, 64, 255) along axis 0
/// 246 and 146, variances of (4096, 32, 1023) along axis 1 260 and 195; but argmax of (251, 4099, 257) int8 157 and
/// 193.
std::size_t accesses_in_flight(const ReductionAxesLayout& over, bool large, std::size_t running_bytes) {
    const bool has_long_turns =
        large && over.kept_rank > 1 && over.call.kernel.rank == 1 && over.item_bytes == 4 && !over.is_cuda;
    if (over.vector_width == 1) return has_long_turns ? 24 : 12;
    return over.item_bytes == 2 && running_bytes <= 4 ? 8 : 4;
}

/// Whether all loads of a turn come before its additions. Single elements down columns need more loads under way than
/// compilers move up; so do costly elements, if runs are long. Measured on an H200, variances, us, without and with it:
/// (16384, 16384) along axis 0 doubles 610 and 574, floats 329 and 307, halves 193 and 147, (67108864, 4) floats 314
/// and 256; but (256, 4096, 256) halves along axis 0 189 and 208.
bool loads_first(const ReductionAxesLayout& over, std::size_t count) {
    constexpr std::size_t long_run = 1024;
    return (over.columns && over.vector_width == 1) || (over.is_costly && !over.shifted && count >= long_run);
}

void deal_columns(ReductionTile& tile, std::size_t count, std::size_t outputs, int block, int least,
                  std::size_t in_flight) {
    const std::size_t packs = outputs / static_cast<std::size_t>(tile.vector_width);
    tile.unroll = static_cast<int>(std::clamp<std::size_t>(count, 1, in_flight));
    // Threads without work along the rows are put along the columns, too.
    const auto down =
        static_cast<int>(std::bit_floor(std::max<std::size_t>(count / static_cast<std::size_t>(tile.unroll), 1)));
    tile.across = std::min({power(packs), std::max(least, block / std::min(down, block)), block});
}

}  // namespace

/// Through NVIDIA's OpenCL, several values with all loads first take registers that it does not have: the variance of
/// (16384, 16384) floats along axis 0 takes 506 us on an H200 instead of 325, but of doubles, which is a struct, 656
/// instead of 765.
bool is_costly(const codegen::ReductionRequest& request, const Dialect& dialect) {
    if (request.values.size() > 1) return dialect.name == "cuda";
    return has_costly_joins(request);
}

bool has_costly_joins(const codegen::ReductionRequest& request) {
    if (request.values.size() > 1) return true;
    const codegen::ReducedValue& value = request.values.front();
    const DType running = value.accumulator.empty() ? value.dtype : value.accumulator;
    return running.kind() == DType::Kind::structure && value.replace_if.empty();
}

int running_results(std::size_t extent, std::size_t most, bool overlaps) {
    const auto steps = [&](std::size_t lanes) {
        return extent / lanes + (overlaps ? extent % lanes != 0 : extent % lanes) + lanes / 8;
    };
    std::size_t best = most;
    for (const std::size_t lanes : {most / 2, most / 4})
        if (lanes >= 8 && steps(lanes) < steps(best)) best = lanes;
    return static_cast<int>(best);
}

namespace {

Spread spread_serially(const ReductionAxesLayout& over, const codegen::ReductionTuning& tuning,
                       const DeviceInfo& device, std::size_t running_bytes, Spread work, ReductionTile& tile) {
    const std::size_t resident = resident_blocks(tuning, device);
    const auto extent = static_cast<std::size_t>(over.extent);
    if (over.columns) {
        // The running results of a thread should fit in the first-level cache.
        const std::size_t most = std::bit_floor(std::max<std::size_t>(4096 / running_bytes, 16));
        // Tiles of about the same width, and of few widths, since each is a kernel of its own.
        const std::size_t even = up(up(extent, up(extent, most)), 64) * 64;
        tile.vector_width = static_cast<int>(std::min(extent > most ? even : std::bit_ceil(extent), most));
        const std::size_t tiles = up(extent, static_cast<std::size_t>(tile.vector_width));
        // The split results would need a second launch, which does not know the order of the results.
        const std::size_t useful = over.has_result ? 1 : work.count * std::min(extent, most) / 4096;
        split(work, work.outputs / extent * tiles, resident, useful);
        return work;
    }
    tile.vector_width =
        extent >= 64 ? running_results(extent, std::bit_floor(std::max(tuning.running_results, 1u)), over.overlaps) : 1;
    work.span = std::max<std::size_t>(work.outputs / (4 * resident), 1);
    split(work, up(work.outputs, work.span), resident, work.count / 4096);
    // Runs of several lines are split only between lines.
    const std::size_t lines = work.count / extent;
    if (lines > 1 && work.splits > lines) {
        work.blocks = work.blocks / work.splits * lines;
        work.splits = lines;
    }
    return work;
}

}  // namespace

Spread spread_whole(const CallLayout& layout, const codegen::ReductionTuning& tuning, const DeviceInfo& device,
                    std::size_t count, std::size_t outputs) {
    const bool serial = tuning.block == 1;
    Spread work{.count = count / outputs, .outputs = outputs};
    // A split pays if each of its threads has several elements.
    const std::size_t per_thread = serial ? 4096
                                   : layout.packed
                                       ? std::size_t{tuning.unroll} * static_cast<std::size_t>(layout.vector_width)
                                       : 4;
    split(work, outputs, resident_blocks(tuning, device), up(work.count, per_thread * (serial ? 1 : tuning.block)));
    return work;
}

Spread spread_over_axes(const ReductionAxesLayout& over, const codegen::ReductionTuning& tuning,
                        const DeviceInfo& device, std::size_t count, std::size_t outputs, std::size_t running_bytes,
                        codegen::ReductionLayout& layout) {
    layout.kept_rank = over.kept_rank;
    layout.has_index = over.has_index;
    layout.has_result = over.has_result;
    layout.mapping = over.columns ? Mapping::columns : Mapping::rows;
    ReductionTile& tile = layout.tile;
    Spread work{.count = count / outputs, .outputs = outputs};
    if (layout.serial) return spread_serially(over, tuning, device, running_bytes, work, tile);
    if (stage_lines(over, tuning, device, running_bytes, tile, work)) return work;
    tile = {};
    const int block = static_cast<int>(tuning.block);
    tile.vector_width = over.vector_width;
    tile.shifted = over.shifted;
    tile.loads_first = loads_first(over, work.count);
    const auto width = static_cast<std::size_t>(tile.vector_width);
    std::size_t positions = work.count, packs = outputs;
    if (over.columns) {
        deal_columns(tile, work.count, outputs, block, least_across(over, work.count, outputs, running_bytes),
                     accesses_in_flight(over, is_large(work.count, outputs), running_bytes));
        packs = outputs / width;
    } else {
        const auto extent = static_cast<std::size_t>(over.extent);
        positions = work.count / extent * (tile.shifted ? (extent + 2 * width - 2) / width : extent / width);
        deal_rows(tile, positions, outputs, block, device, over.joins_are_costly);
    }
    const std::size_t groups = up(packs, static_cast<std::size_t>(tile.across) * static_cast<std::size_t>(tile.rows));
    const auto along = static_cast<std::size_t>(block / tile.across);
    if (tile.rows > 1) {
        work.blocks = groups;
    } else {
        // A second launch does not know the order of the results.
        const bool may_split = device.has_cross_block_visibility || !over.has_result;
        split(work, groups, resident_blocks(tuning, device),
              may_split ? up(positions, along * static_cast<std::size_t>(tile.unroll)) : 1);
    }
    return work;
}

}  // namespace gemel
