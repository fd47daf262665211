/// The distribution of short rows that a block copies to shared memory as one piece: threads keep single elements of
/// them.
#include "generated/compute_capability.hpp"
#include "generated/row_layout.hpp"
#include "generated/staged_lines.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace gemel {
namespace {

constexpr std::size_t warp = 32, block = 256, wide_access = 16;

/// The longest such rows, in bytes of the largest elements. Softmax of 2^27 floats on an H200, by accesses of 16 bytes
/// that begin in other packs than the row, and so, us: CUDA 313 and 263 in rows of 511, 285 and 268 of 1021, 264 and
/// 292 of 1533; OpenCL 265 and 267, 270 and 272, 267 and 273. Of bfloat16, both 245 and 144, 215 and 150, 185 and 165.
std::size_t longest_row(const ReductionAxesLayout& over) {
    if (over.item_bytes == 2) return 2200;
    return over.item_bytes == 4 && over.is_cuda ? 4400 : over.item_bytes < 2 ? 600 : 1200;
}

/// Whether accesses of 16 bytes, which divide these rows, leave many threads idle. Softmax of 2^27 floats on an H200,
/// us, by such accesses and staged: rows of 20 359 and 260, 60 290 and 265, 140 302 and 265, 180 271 and 264, 200 259
/// and 264; of bfloat16 in rows of 72 223 and 138, 200 174 and 140, 264 181 and 151, 384 145 and 147.
bool packs_leave_threads_idle(std::size_t bytes) {
    const std::size_t packs = bytes / wide_access;
    const std::size_t threads = packs > warp ? up(packs, warp) * warp : std::bit_ceil(packs);
    return (bytes <= 640 && packs < threads) || (bytes <= 1100 && 10 * packs <= 7 * threads);
}

/// The most words of one bank of shared memory that a warp accesses at once. @param apart  between the warp's rows
std::size_t bank_conflicts(const ReductionAxesLayout& over, std::size_t extent, std::size_t along, std::size_t apart) {
    constexpr std::size_t banks = 32, word = 4;
    std::array<std::array<std::size_t, warp>, banks> words;
    std::array<std::size_t, banks> counts{};
    for (std::size_t lane = 0; lane < warp; ++lane) {
        const std::size_t at = (lane / along * apart * extent + lane % along) * over.item_bytes / word;
        auto& known = words[at % banks];
        const auto end = known.begin() + static_cast<std::ptrdiff_t>(counts[at % banks]);
        if (std::find(known.begin(), end, at) == end) known[counts[at % banks]++] = at;
    }
    return *std::ranges::max_element(counts);
}

/// How threads share such rows.
struct Sharing {
    std::size_t along = 0, slots = 0;   ///< threads of a row, and elements per thread
    std::size_t across = 0, turns = 1;  ///< rows side by side in a block, and one after another
    bool rows_apart = false;
    std::size_t conflicts = 1;
};

/// Threads with few elements take several rows, one after another, if there are many rows.
Sharing sharing(const ReductionAxesLayout& over, const DeviceInfo& device, const RowWork& work, std::size_t along) {
    constexpr std::size_t most_turned = std::size_t{24} << 10;  // bytes; eight blocks fit a multiprocessor
    Sharing sharing{.along = along, .slots = up(work.count, along), .across = block / along};
    const std::size_t line = work.count * over.stage_bytes, groups = up(work.outputs, sharing.across);
    const std::size_t most = std::min({16 / sharing.slots, most_turned / (sharing.across * line),
                                       groups / (8 * std::size_t{std::max(device.compute_units, 1u)})});
    if (along <= warp) sharing.turns = std::clamp<std::size_t>(most, 1, 8);
    // Rows of about a whole number of banks begin near each other in them, unless some rows lie between.
    const auto conflicts = [&](std::size_t apart) {
        return bank_conflicts(over, work.count, std::min(along, warp), apart);
    };
    const std::size_t neighbours = conflicts(1), others = along < warp ? conflicts(block / warp) : neighbours;
    sharing.rows_apart = others < neighbours;
    sharing.conflicts = std::min(neighbours, others);
    return sharing;
}

/// Microseconds for 2^27 elements on an H200, fitted to softmax and standardize of 16-bit floats in rows of 2 to 2047:
/// either the instructions of all threads or shared memory takes longest.
double staged_cost(std::size_t extent, const Sharing& sharing) {
    const auto slots = static_cast<double>(sharing.slots);
    const double of_row = 150 + 200 / static_cast<double>(sharing.turns);
    const double instructions =
        (115 + of_row / slots) * static_cast<double>(sharing.along) * slots / static_cast<double>(extent);
    return std::max(instructions, 45 + 36 * static_cast<double>(sharing.conflicts));
}

/// The time of reading and writing the same.
double memory_cost(const ReductionAxesLayout& over) { return 33.5 * static_cast<double>(over.stage_bytes); }

}  // namespace

std::optional<RowSpread> spread_staged_rows(const ReductionAxesLayout& over, const DeviceInfo& device,
                                            const RowWork& work, codegen::RowLayout& layout) {
    constexpr std::size_t most_kept = 128, most_values = 256;  // bytes per thread
    constexpr std::size_t fewest_divided = std::size_t{1} << 22;
    const std::size_t extent = work.count, line = extent * over.stage_bytes, bytes = extent * over.item_bytes;
    if (over.followed.empty() || !can_stage(device) || device.max_threads_per_block < block ||
        bytes > longest_row(over))
        return {};
    if (over.lines_divide && (work.count * work.outputs < fewest_divided || !packs_leave_threads_idle(bytes)))
        return {};
    Sharing best;
    double least = 0;
    for (std::size_t along = 1; along <= block; along *= 2) {
        const Sharing now = sharing(over, device, work, along);
        if (now.across * line > most_staged_bytes || now.slots * work.kept_bytes > most_kept ||
            now.slots * (work.kept_bytes + work.computed_bytes) > most_values)
            continue;
        // Few blocks leave multiprocessors idle.
        const double idle = 2.0 * device.compute_units / static_cast<double>(up(work.outputs, now.across));
        const double cost = staged_cost(extent, now) * std::max(idle, 1.0);
        if (best.along == 0 || cost < least) best = now, least = cost;
    }
    if (best.along == 0 || (over.lines_divide && least > 1.12 * memory_cost(over))) return {};
    const std::size_t rows = best.across * best.turns;
    layout.tile = {.across = static_cast<int>(best.across),
                   .rows = static_cast<int>(best.turns),
                   .unroll = static_cast<int>(best.slots),
                   .shuffles = best.along > 1 && best.along <= warp,
                   .stages_async = compute_capability(device) >= 80};
    // Rounded, so that neighbouring extents share a kernel.
    constexpr std::size_t step = 1024;
    layout.tile.stage = static_cast<int>(up(rows * line, step) * step / over.stage_bytes);
    layout.block = static_cast<int>(block);
    layout.warps = best.along > warp;
    layout.slots = static_cast<int>(best.slots);
    layout.rows_apart = best.rows_apart;
    return RowSpread{.count = work.count, .outputs = work.outputs, .blocks = up(work.outputs, rows)};
}

}  // namespace gemel
