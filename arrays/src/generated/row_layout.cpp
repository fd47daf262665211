#include "generated/row_layout.hpp"

#include "generated/compute_capability.hpp"
#include "generated/row_parts.hpp"

#include <algorithm>
#include <bit>
#include <optional>

namespace gemel {
namespace {

constexpr std::size_t warp = 32;

std::size_t power(std::size_t n) { return std::bit_ceil(std::max<std::size_t>(n, 1)); }

/// Bytes of a row that a thread can keep in registers besides its computations.
std::size_t room(std::size_t block) { return block > 512 ? 128 : 256; }

/// Chooses how threads share rows, for one device and one call.
class Dealing {
   public:
    Dealing(const ReductionAxesLayout& over, const codegen::RowTuning& tuning, const DeviceInfo& device,
            const RowWork& work, codegen::RowLayout& layout)
        : over_(over),
          tuning_(tuning),
          device_(device),
          work_(work),
          layout_(layout),
          width_(static_cast<std::size_t>(over.vector_width)),
          max_threads_(std::min<std::size_t>(device.max_threads_per_block, 1024)) {}

    RowSpread rows() {
        const auto extent = static_cast<std::size_t>(over_.extent);
        const std::size_t lines = work_.count / extent;
        const std::size_t positions = lines * (over_.shifted ? (extent + 2 * width_ - 2) / width_ : extent / width_);
        std::size_t along = tuning_.along ? tuning_.along : along_rows(positions);
        along = std::bit_floor(std::min(along, max_threads_));
        const std::size_t block =
            tuning_.block ? tuning_.block : std::max<std::size_t>(std::min<std::size_t>(256, max_threads_), along);
        if (!tuning_.along) {
            const bool is_told = tuning_.block || tuning_.slots || tuning_.shared_slots || tuning_.parts > 1;
            if (!is_told)
                if (const auto staged = spread_staged_rows(over_, device_, work_, layout_)) return *staged;
            if (const auto full = in_full_block(positions)) return *full;
            if (const auto shared = in_parts(positions)) return *shared;
        }
        if (is_for_shared_memory(positions, along)) return in_shared_memory(positions, along);
        return deal_as_told(positions, std::min(along, block), block, block / std::min(along, block));
    }

    RowSpread columns() {
        const std::size_t line = std::max<std::size_t>(32 / width_, 1);  // 128 bytes of floats
        const std::size_t packs = work_.outputs / width_;
        std::size_t across = std::min({power(line), power(packs), std::size_t{256}});
        std::size_t block = tuning_.block ? tuning_.block : std::min<std::size_t>(256, max_threads_);
        if (tuning_.along) return deal_as_told(work_.count, tuning_.along, block, block / tuning_.along);
        if (const auto wide = wide_columns()) return *wide;
        const auto shared = [&](std::size_t threads) { return threads * width_ * work_.running_bytes; };
        const auto shrink = [&] {
            while (!tuning_.block && shared(block) > max_shared() && block > warp) block /= 2;
        };
        shrink();
        // Short columns: the block has more columns instead.
        const std::size_t wanted = power(up(work_.count, 4));
        if (wanted * across < block && tuning_.parts < 2) return deal(work_.count, wanted, block, block / wanted);
        // Long columns: larger blocks, then several blocks per column, then narrower blocks, until a column stays in
        // registers; and as many blocks as the device needs.
        const auto fits = [&](std::size_t bytes) { return up(work_.count, block / across) * kept() <= bytes; };
        const std::size_t narrowest = std::max<std::size_t>(line / 4, 1);
        const auto grow = [&](std::size_t bytes, std::size_t max_block) {
            while (!tuning_.block && !fits(bytes) && 2 * block <= max_block && shared(2 * block) <= max_shared())
                block *= 2;
        };
        grow(part_room, std::min(part_block, max_threads_));
        if (tuning_.parts > 1 || !fits(part_room))
            if (const auto parts = columns_in_parts(across)) return *parts;
        while (!tuning_.block && !fits(room(block))) {
            if (block < max_threads_ && shared(2 * block) <= max_shared()) {
                block *= 2;
            } else if (across > narrowest) {
                across /= 2;
            } else {
                break;
            }
        }
        while (up(packs, across) < device_.compute_units && across > narrowest) across /= 2;
        shrink();
        across = std::min(across, block);
        return deal(work_.count, block / across, block, across);
    }

   private:
    /// Bytes per access.
    std::size_t kept() const { return work_.kept_bytes * width_; }

    /// The threads per row: at most a warp if it can keep the row, otherwise a block with few accesses per thread.
    std::size_t along_rows(std::size_t positions) const {
        if (positions <= warp) return power(positions);
        if (up(positions, warp) * kept() <= 128) return warp;
        // Blocks of 1024 threads occupy most of a multiprocessor, so threads of smaller blocks keep more first.
        std::size_t along = 64;
        const auto fits = [&] { return up(positions, along) * kept() <= (along < 256 ? 64u : 128u); };
        while (along < max_threads_ && !fits()) along *= 2;
        return wastes(positions, along) ? along / 2 : along;
    }

    /// Whether half as many threads with more accesses each leave fewer of them idle, or fit a multiprocessor better
    /// than the largest blocks. Softmax of 2^27 floats on an H200, us: rows of 2047 291 and so 270, 8191 292 and 271,
    /// 20001 314 and 303; of bfloat16 in rows of 2047 171 and 146.
    bool wastes(std::size_t positions, std::size_t along) const {
        const std::size_t most = work_.narrow ? 128 : along >= 512 ? 160 : 96;  // bytes
        if (up(positions, along / 2) * kept() > most || (work_.narrow && along > 256)) return false;
        const auto busy = [&](std::size_t threads) {
            if (work_.narrow) threads /= 2;  // in shared memory
            return static_cast<double>(positions) / static_cast<double>(threads * up(positions, threads));
        };
        if (along == 1024 && up(positions, along) * kept() > 64) return true;
        return busy(along) < 0.84 && busy(along / 2) > busy(along) + 0.05;
    }

    bool keeps_in_shared_memory() const {
        return tuning_.slots || tuning_.shared_slots ? tuning_.shared_slots > 0 : has_large_shared_memory(device_);
    }

    /// A thread's accesses in registers, if several blocks share a row.
    std::size_t register_slots() const {
        const std::size_t bytes =
            keeps_in_shared_memory() ? room_of_part(device_, over_.columns, work_.narrow).in_registers : part_room;
        return std::max<std::size_t>(tuning_.slots ? tuning_.slots : bytes / kept(), 1);
    }

    /// The same in shared memory, if there is room.
    std::size_t shared_slots_of_part() const {
        if (tuning_.slots || tuning_.shared_slots) return tuning_.shared_slots;
        return keeps_in_shared_memory()
                   ? room_of_part(device_, over_.columns, work_.narrow).in_shared_memory / (work_.stored_bytes * width_)
                   : 0;
    }

    /// Both, where running values take `used` bytes of shared memory.
    std::size_t slots_of_part(std::size_t block, std::size_t used) const {
        const std::size_t free_bytes = max_shared() - std::min(max_shared(), used + 256);
        const std::size_t most = tuning_.shared_slots ? tuning_.shared_slots : free_bytes / slot_bytes(1, block);
        return register_slots() + std::min(shared_slots_of_part(), most);
    }

    std::size_t max_shared() const { return std::min<std::size_t>(device_.shared_memory_per_block_bytes, 48 << 10); }
    /// The same for a tuning's rows: in an arena, where devices let blocks ask for more, or declared.
    std::size_t most_shared() const {
        return device_.shared_memory_opt_in_bytes.value_or(device_.shared_memory_static_bytes.value_or(max_shared()));
    }

    /// Whether a row of 16-bit floats stays in shared memory: it takes half of what it would take in registers, and is
    /// copied there without them.
    bool is_for_shared_memory(std::size_t positions, std::size_t along) const {
        return work_.narrow && along >= warp && up(positions, along) * kept() <= part_room &&
               device_.has_cross_block_visibility && !tuning_.block && !tuning_.along && !tuning_.slots &&
               has_large_shared_memory(device_);
    }

    /// Such rows take fewer threads. Softmax of 2^27 bfloat16 on an H100, in us, in registers and so, CUDA and OpenCL:
    /// rows of 1 Ki 189 and 189, 218 and 189; 4 Ki 197 and 188, 197 and 200; 16 Ki 194 and 192, 239 and 211; 3001 317
    /// and 227, 348 and 267.
    RowSpread in_shared_memory(std::size_t positions, std::size_t along) {
        const bool in_warp = along == warp;
        if (!in_warp) along /= 2;
        const std::size_t block =
            in_warp ? std::min<std::size_t>(256, max_threads_) : std::max<std::size_t>(along, 128);
        const RowSpread spread = deal(positions, along, block, block / along);
        const std::size_t slots = up(positions, along), used = up(block, warp) * work_.running_bytes + 256;
        const std::size_t most = (max_shared() - used) / (block * work_.stored_bytes * width_);
        keep(slots, std::max<std::size_t>(in_warp ? 2 : 1, slots - std::min(slots, most)));
        return spread;
    }

    /// deal(), with the slots in shared memory that a tuning names, if these suffice for a row.
    RowSpread deal_as_told(std::size_t positions, std::size_t along, std::size_t block, std::size_t across) {
        const RowSpread spread = deal(positions, along, block, across);
        const std::size_t slots = up(positions, along), in_registers = std::max<std::size_t>(tuning_.slots, 1);
        if (slots > in_registers && slots <= in_registers + tuning_.shared_slots &&
            has_shared(slots - in_registers, block))
            keep_in_block(slots, in_registers);
        return spread;
    }

    /// Bytes of shared memory for `slots` accesses of each thread.
    std::size_t slot_bytes(std::size_t slots, std::size_t block) const {
        return slots * block * width_ * work_.stored_bytes;
    }
    /// With it, what threads exchange, and `totals` of other blocks.
    std::size_t used_shared(std::size_t slots, std::size_t block, std::size_t totals = 0) const {
        const std::size_t exchanged = over_.columns ? (block + totals) * width_ : up(block, warp) + totals;
        return slot_bytes(slots, block) + exchanged * work_.running_bytes + 256;
    }
    bool has_shared(std::size_t slots, std::size_t block) const { return used_shared(slots, block) <= most_shared(); }

    /// keep(), where a block may take more shared memory than kernels declare everywhere.
    void keep_in_block(std::size_t slots, std::size_t in_registers, std::size_t totals = 0) {
        keep(slots, in_registers);
        const auto block = static_cast<std::size_t>(layout_.block), shared = slots - std::min(slots, in_registers);
        if (used_shared(shared, block, totals) > max_shared() && device_.shared_memory_opt_in_bytes)
            layout_.arena_bytes = slot_bytes(shared, block);
    }

    /// Whether blocks with so many accesses per thread in shared memory are chosen: if there are many, and two fit.
    bool may_fill_shared(std::size_t slots, std::size_t block, std::size_t blocks) const {
        return !tuning_.block && !tuning_.slots && !tuning_.shared_slots && tuning_.parts < 2 &&
               has_large_shared_memory(device_) && max_threads_ >= block &&
               2 * used_shared(slots, block) <= most_shared() && used_shared(0, block) <= max_shared() &&
               blocks >= 2 * std::size_t{device_.compute_units};
    }

    /// Long rows of 16-bit floats stay in one block, mostly in shared memory, instead of in several. 2^27 bfloat16 in
    /// rows of 64 Ki on an H200, us: softmax 146 instead of 162, standardize 147 instead of 155.
    std::optional<RowSpread> in_full_block(std::size_t positions) {
        constexpr std::size_t block = 512, in_registers = 4;
        const std::size_t slots = up(positions, block);
        if (!work_.narrow || slots <= 8 || slots > 16 || !may_fill_shared(slots - in_registers, block, work_.outputs))
            return {};
        const RowSpread spread = deal(positions, block, block, 1);
        keep_in_block(slots, in_registers);
        // Softmax of rows that begin inside a pack takes 67 registers otherwise, so that only one block fits.
        if (over_.shifted) layout_.resident_blocks = 2;
        return spread;
    }

    /// Columns of 512 in shared memory as well as in registers: blocks are wider. 2^27 floats on an H200, us:
    /// softmax 287 instead of 312, standardize 292 instead of 306. Through OpenCL, softmax would be slower.
    std::optional<RowSpread> wide_columns() {
        constexpr std::size_t block = 512;
        const std::size_t along = work_.narrow ? 64 : 32, in_registers = work_.narrow ? 4 : 8;
        const std::size_t slots = up(work_.count, along), packs = work_.outputs / width_;
        if (work_.count <= 256 || work_.count > 512 || work_.kept_bytes > 4 || !device_.shared_memory_opt_in_bytes ||
            !may_fill_shared(slots - std::min(slots, in_registers), block, packs * along / block))
            return {};
        const RowSpread spread = deal(work_.count, along, block, block / along);
        if (slots > in_registers) keep_in_block(slots, in_registers);
        return spread;
    }

    void keep(std::size_t slots, std::size_t in_registers) {
        layout_.slots = static_cast<int>(std::min(slots, in_registers));
        layout_.shared_slots = static_cast<int>(slots) - layout_.slots;
        layout_.copies_async = layout_.shared_slots > 0 && compute_capability(device_) >= 80;
        layout_.resident_blocks = static_cast<int>(resident_blocks());
        layout_.tile.unroll = layout_.slots;
    }

    /// Shares a row among several blocks, which exchange their results, if no block can keep it, or if it is long and
    /// there are too few rows for all multiprocessors.
    std::optional<RowSpread> in_parts(std::size_t positions) {
        const std::size_t most = tuning_.parts ? tuning_.parts : max_parts(device_);
        const std::size_t small = part_block / 2, used = (most + warp) * work_.running_bytes;
        const std::size_t block = tuning_.block                                               ? tuning_.block
                                  : up(positions, small * slots_of_part(small, used)) <= most ? small
                                                                                              : part_block;
        if (most < 2 || !device_.has_cross_block_visibility || block % warp != 0 || block <= warp) return {};
        const std::size_t slots = slots_of_part(block, used);
        const std::size_t needed = up(positions, max_threads_) * kept() <= part_room ? 1 : up(positions, block * slots);
        const std::size_t wanted = std::min(device_.compute_units / std::max<std::size_t>(work_.outputs, 1),
                                            positions * kept() / min_part_bytes);
        const std::size_t parts =
            tuning_.parts ? up(positions, block * slots) : std::max(needed, std::min(wanted, most));
        if (parts < 2 || parts > most || work_.outputs * parts >= std::size_t{1} << 31) return {};
        const std::size_t each = up(up(positions, parts), block);
        if (used_shared(each - std::min(each, register_slots()), block, parts) > shared_of_parts(parts)) return {};
        layout_.parts = static_cast<int>(parts);
        layout_.clusters = are_cluster(parts);
        RowSpread spread = deal(up(positions, parts), block, block, 1);
        keep_in_block(each, register_slots(), parts);
        layout_.stays = tuning_.stays == 2;
        spread.blocks = work_.outputs * parts;
        return spread;
    }

    /// Whether blocks that share a row are a cluster: 2^27 elements on an H200, CUDA, us, softmax and standardize: rows
    /// of 64 Ki floats 277 and 274, otherwise 291 and 289; of 128 Ki 282 and 278, 292 and 290; of 256 Ki bfloat16 151
    /// and 150, 162 and 156; columns of 600 floats 346 and 339, 369 and 379. Clusters of 16 blocks were no faster.
    bool are_cluster(std::size_t parts) const {
        return tuning_.clusters != 1 && tuning_.stays != 2 && has_clusters(device_) && parts <= max_cluster;
    }

    /// The shared memory of blocks that share a row. Those of a cluster may ask for more than kernels declare
    /// everywhere: they begin together, wherever there is room.
    std::size_t shared_of_parts(std::size_t parts) const { return are_cluster(parts) ? most_shared() : max_shared(); }

    /// The same for columns, `across` accesses wide. Of 16-bit floats, blocks of 128 threads are faster than of 256:
    /// columns of 4096 of 2^27 bfloat16 on an H100, softmax 280 and 300 us, standardize 276 and 329 us; of floats
    /// slower, 512 and 468 us.
    std::optional<RowSpread> columns_in_parts(std::size_t across) {
        const std::size_t most = tuning_.parts ? tuning_.parts : max_parts(device_);
        if (most < 2 || !device_.has_cross_block_visibility) return {};
        for (std::size_t threads = work_.narrow ? part_block / 4 : part_block / 2; threads <= part_block;
             threads *= 2) {
            const std::size_t block = tuning_.block ? tuning_.block : threads;
            if (block < 2 * across) continue;
            const std::size_t along = block / across, groups = up(up(work_.outputs, width_), across);
            const auto parts_of = [&](std::size_t shared) {
                return up(work_.count, along * (register_slots() + shared));
            };
            // What blocks exchange is declared: it is no part of the arena.
            const auto fits = [&](std::size_t shared, std::size_t totals) {
                return used_shared(shared, block, totals * across) <= shared_of_parts(parts_of(shared)) &&
                       used_shared(0, block, totals * across) <= max_shared();
            };
            // Without clusters, more parts of fewer elements are faster: softmax of 2^27 floats through OpenCL down
            // columns of 4096 takes 386 us in 12 parts, 403 in 9; by CUDA 376 and 360.
            const auto is_good = [&](std::size_t shared) {
                return has_clusters(device_) ? parts_of(shared) > 1 && fits(shared, parts_of(shared))
                                             : fits(shared, most);
            };
            std::size_t shared = shared_slots_of_part();
            while (shared > 0 && !is_good(shared)) --shared;
            const std::size_t parts = parts_of(shared);
            if (parts < 2 || parts > most || !fits(shared, parts) || groups * parts >= std::size_t{1} << 31) continue;
            RowSpread spread = deal(up(work_.count, parts), along, block, across);
            layout_.parts = static_cast<int>(parts);
            layout_.clusters = are_cluster(parts);
            keep_in_block(up(up(work_.count, parts), along), register_slots(), parts * across);
            if (work_.narrow && has_clusters(device_) && !tuning_.resident_blocks) layout_.resident_blocks = 4;
            layout_.stays = tuning_.stays == 2;
            spread.blocks = groups * parts;
            return spread;
        }
        return {};
    }

    /// Blocks per multiprocessor, by which registers are limited: threads that keep little need few.
    std::size_t resident_blocks() const {
        if (tuning_.resident_blocks) return tuning_.resident_blocks;
        const std::size_t bytes = static_cast<std::size_t>(layout_.slots) * kept();
        const auto block = static_cast<std::size_t>(layout_.block);
        if (bytes == 0 || bytes > (block >= 512 ? 160 : part_room) || block < 256) return 0;
        // With a register limit, the compiler loads accesses that it converts one after another.
        if (work_.narrow && !over_.columns && layout_.parts == 1) return 0;
        return (bytes <= part_room / 2 ? 1280 : 1024) / block;
    }

    RowSpread deal(std::size_t positions, std::size_t along, std::size_t block, std::size_t across) {
        codegen::ReductionTile& tile = layout_.tile;
        tile.vector_width = over_.vector_width;
        tile.shifted = over_.shifted;
        tile.across = static_cast<int>(across);
        layout_.block = static_cast<int>(block);
        const bool has_warps = device_.has_cross_block_visibility && block % warp == 0;
        tile.shuffles = !over_.columns && has_warps && along > 1 && along <= warp;
        layout_.warps = !over_.columns && has_warps && along > warp;
        const std::size_t slots = up(positions, along);
        const std::size_t most =
            tuning_.slots ? tuning_.slots : std::max<std::size_t>(room(block) / std::max<std::size_t>(kept(), 1), 1);
        layout_.slots = slots <= most ? static_cast<int>(slots) : 0;
        layout_.resident_blocks = static_cast<int>(resident_blocks());
        tile.unroll = layout_.slots ? layout_.slots : static_cast<int>(tuning_.unroll ? tuning_.unroll : 4);
        const std::size_t groups = over_.columns ? up(work_.outputs, width_) : work_.outputs;
        return {.count = work_.count, .outputs = work_.outputs, .blocks = up(groups, across)};
    }

    const ReductionAxesLayout& over_;
    const codegen::RowTuning& tuning_;
    const DeviceInfo& device_;
    const RowWork& work_;
    codegen::RowLayout& layout_;
    const std::size_t width_, max_threads_;
};

}  // namespace

RowSpread spread_rows(const ReductionAxesLayout& over, const codegen::RowTuning& tuning, const DeviceInfo& device,
                      const RowWork& work, codegen::RowLayout& layout) {
    using Mapping = codegen::ReductionLayout::Mapping;
    layout.kept_rank = over.kept_rank;
    layout.has_index = over.has_index;
    layout.has_result = over.has_result;
    layout.mapping = over.columns ? Mapping::columns : Mapping::rows;
    layout.serial = tuning.block == 1;
    if (layout.serial) return spread_rows_serially(over, device, work, layout);
    Dealing dealing(over, tuning, device, work, layout);
    const RowSpread spread = over.columns ? dealing.columns() : dealing.rows();
    layout.whole_slots = whole_slots(over, work, layout);
    return spread;
}

}  // namespace gemel
