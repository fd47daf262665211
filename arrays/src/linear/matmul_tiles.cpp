#include "linear/matmul_tiles.hpp"

#include "linear/matmul_layout.hpp"

#include <algorithm>
#include <limits>
#include <span>

namespace gemel {

using codegen::MatmulForm;
using codegen::MatmulLayout;
using codegen::MatmulTuning;

bool fits(const DeviceInfo& device, DType dtype, const MatmulLayout& layout) {
    const std::size_t bytes = codegen::matmul_shared_bytes(dtype, layout);
    if (codegen::matmul_is_static(dtype, layout))
        return bytes <= device.shared_memory_static_bytes.value_or(device.shared_memory_per_block_bytes);
    // Without opt-in, an arena is no larger than static memory, and slots in it may begin anywhere.
    return device.shared_memory_opt_in_bytes && bytes <= *device.shared_memory_opt_in_bytes;
}

std::uint32_t max_parts(const DeviceInfo& device, const MatmulTuning& tile, std::int64_t blocks, std::int64_t inner) {
    if (device.max_threads_per_block < codegen::matmul_add_parts_block) return 1;
    const std::int64_t wanted =
        (2 * std::int64_t{device.compute_units} + blocks - 1) / std::max<std::int64_t>(blocks, 1);
    return static_cast<std::uint32_t>(
        std::max<std::int64_t>(std::min(wanted, inner / (4 * std::max<std::int64_t>(tile.depth, 16))), 1));
}

namespace {

/// A tile, and the share of the device's peak rate that large products reach with it.
struct Candidate {
    MatmulTuning tile;
    double rate;
    double rate_beyond_cache = rate;  ///< for operands that exceed the second-level cache twice
};

constexpr MatmulTuning sliced(MatmulTuning tile, std::uint32_t slices) {
    tile.slices = slices;
    return tile;
}

/// Measured on an H100: {{rows, columns, depth, own_rows, own_columns, stages, resident_blocks}, rate}. Tiles that need
/// more than 48 KiB of shared memory are CUDA's.
std::span<const Candidate> candidates(MatmulForm form, std::size_t item) {
    static constexpr Candidate threads[] = {{{128, 128, 32, 8, 8, 2, 2}, 1.02},
                                            {{64, 128, 16, 8, 8, 3, 4}, 1},
                                            {sliced({128, 64, 64, 8, 8, 2, 2}, 2), 0.94},
                                            {{128, 64, 16, 8, 8, 3, 4}, 0.93},
                                            {{64, 64, 16, 8, 8, 3, 8}, 0.93},
                                            {sliced({64, 128, 32, 8, 8, 2, 2}, 2), 0.93},
                                            {sliced({64, 64, 32, 8, 8, 2, 4}, 2), 0.93},
                                            {sliced({64, 64, 64, 8, 8, 2, 2}, 4), 0.86},
                                            {sliced({32, 64, 32, 4, 8, 2, 4}, 2), 0.84},
                                            {sliced({64, 64, 32, 4, 8, 2, 2}, 2), 0.82},
                                            {sliced({32, 64, 64, 4, 8, 2, 2}, 4), 0.72},
                                            {sliced({32, 64, 32, 4, 8, 2, 2}, 4), 0.72},
                                            {sliced({64, 32, 64, 8, 4, 2, 2}, 4), 0.66},
                                            {{32, 32, 16, 4, 4, 3, 8}, 0.64},
                                            {sliced({32, 32, 32, 4, 4, 2, 4}, 4), 0.63}};
    static constexpr Candidate split[] = {
        {{64, 64, 32, 32, 32, 2, 3}, 0.62}, {{64, 64, 16, 32, 32, 4, 3}, 0.57}, {{32, 32, 32, 16, 16, 3, 4}, 0.45}};
    static constexpr Candidate tf32[] = {{{128, 128, 32, 64, 64, 3, 2}, 1.44},
                                         {{128, 128, 16, 64, 64, 2, 2}, 1.37},
                                         {{128, 64, 16, 64, 64, 3, 4}, 1.26},
                                         {{64, 64, 32, 32, 32, 2, 4}, 1.11},
                                         {sliced({64, 64, 32, 32, 32, 2, 2}, 2), 0.83},
                                         {sliced({32, 64, 32, 32, 32, 2, 4}, 2), 0.78},
                                         {{32, 32, 32, 16, 16, 3, 4}, 0.56}};
    static constexpr Candidate sixteen_bits[] = {{{128, 128, 64, 64, 64, 3, 2}, 1},
                                                 {{64, 128, 32, 64, 32, 3, 3}, 0.92, 0.8},
                                                 {{128, 64, 32, 64, 32, 3, 3}, 0.88, 0.8},
                                                 {{128, 128, 32, 64, 64, 2, 2}, 0.87},
                                                 {sliced({64, 64, 64, 64, 32, 2, 3}, 2), 0.8},
                                                 {sliced({64, 64, 64, 32, 32, 2, 2}, 2), 0.71},
                                                 {{64, 64, 32, 32, 32, 3, 4}, 0.69},
                                                 {sliced({32, 64, 64, 32, 32, 2, 4}, 2), 0.67},
                                                 {{32, 32, 32, 16, 16, 3, 4}, 0.39}};
    static constexpr Candidate doubles[] = {{{64, 64, 16, 32, 32, 3, 4}, 1},
                                            {{64, 64, 16, 32, 32, 2, 4}, 0.99},
                                            {{64, 64, 8, 32, 32, 4, 4}, 0.96},
                                            {sliced({64, 64, 32, 32, 32, 2, 2}, 2), 0.89},
                                            {sliced({64, 32, 16, 32, 32, 3, 4}, 2), 0.8},
                                            {sliced({32, 32, 32, 16, 16, 2, 4}, 2), 0.63}};
    if (form == MatmulForm::threads) return threads;
    if (form == MatmulForm::split) return split;
    if (item == 8) return doubles;
    return item == 4 ? std::span<const Candidate>(tf32) : sixteen_bits;
}

/// Products of two elements per second and multiprocessor, with tiles of rate 1, on an H100.
double products_per_second(const MatmulLayout& layout, std::size_t item) {
    if (layout.form == MatmulForm::threads) return 1.95e11;
    if (layout.form == MatmulForm::split || layout.packed_parts > 1 || item == 8) return 2e11;
    return item == 4 ? 4.8e11 : 1.3e12;
}

/// The time of this many blocks, if a single block takes time 1 at the full rate of a multiprocessor, which `resident`
/// blocks share. Fewer blocks leave a part of the rate unused: n warps reach n / (n + idle_warps) of what many would.
double time_of_blocks(std::int64_t blocks, std::int64_t units, std::uint32_t resident, double block_warps,
                      double idle_warps) {
    const std::int64_t at_once = units * resident;
    const std::int64_t left = (blocks % at_once + units - 1) / units;  // on the busiest multiprocessor
    const double full_rate = block_warps * resident / (block_warps * resident + idle_warps);
    return static_cast<double>(blocks / at_once * resident) +
           full_rate * (static_cast<double>(left) + (left > 0 ? idle_warps / block_warps : 0));
}

/// Seconds for writing the sums of parts, and for the second launch that reads them.
double second_launch(const DeviceInfo& device, DType dtype, const MatmulLayout& layout, double sums) {
    const double bytes = 2 * sums * codegen::matmul_accumulator(dtype).size_bytes();
    if (dtype.size_bytes() == 4 && device.has_tensor_maps && layout.form >= MatmulForm::tensor)
        return 6e-6 + bytes / 3e12;
    return (device.has_kernel_overlap ? 3e-6 : 5e-6) + bytes / 4.8e12;
}

/// Finds the tile with the shortest time if each multiprocessor processes tile after tile.
struct BestTile {
    MatmulLayout layout;
    double time = std::numeric_limits<double>::infinity();
    bool is_crossing = false;      ///< Mapped::crossing
    bool is_beyond_cache = false;  ///< the operands exceed the second-level cache twice

    /// @param rate  of Candidate; mapped: unused
    /// @param before  seconds of necessary work before the product
    void consider(const DeviceInfo& device, DType dtype, MatmulLayout next, double rate, const MatmulShape& shape,
                  double before = 0) {
        const MatmulTuning& tile = next.tile;
        if (!fits(device, dtype, next) || !codegen::why_no_tile(dtype, next).empty()) return;
        const std::int64_t down = (shape.rows + tile.rows - 1) / tile.rows,
                           across = (shape.columns + tile.columns - 1) / tile.columns,
                           units = std::max<std::int64_t>(device.compute_units, 1);
        const std::int64_t blocks = shape.batch * down * across;
        for (const std::uint32_t parts : {1u, 2u, 3u, 4u, max_parts(device, tile, blocks, shape.inner)}) {
            const std::int64_t depth = (shape.inner + parts - 1) / parts;
            if (parts > 1 && (depth < 4 * tile.depth || next.packed_parts > 0)) continue;
            double own =
                before + (next.form == MatmulForm::mapped ? mapped_time(tile, dtype, blocks * parts, units, depth)
                                                          : time_of(next, dtype, blocks * parts, units, depth, rate));
            const double elements = static_cast<double>(shape.batch * shape.rows) * static_cast<double>(shape.columns);
            if (parts > 1) own += second_launch(device, dtype, next, parts * elements);
            if (own >= time) continue;
            layout = next, time = own;
            layout.tile.parts = parts > 1 ? parts : 0;
        }
    }

   private:
    /// Seconds. Fitted to the times of 1000 products of float, double, half, and of float as tf32 and in parts.
    static double time_of(const MatmulLayout& layout, DType dtype, std::int64_t blocks, std::int64_t units,
                          std::int64_t depth, double rate) {
        const MatmulTuning& tile = layout.tile;
        const bool by_threads = layout.form == MatmulForm::threads || layout.form == MatmulForm::split;
        const double idle_warps = by_threads                           ? 1.75
                                  : layout.form == MatmulForm::halves  ? 12
                                  : layout.form == MatmulForm::grouped ? 1
                                                                       : 5;
        const double rounds = time_of_blocks(blocks, units, std::max(tile.resident_blocks, 1u),
                                             codegen::matmul_block(layout) / 32.0, idle_warps);
        // With many short sums, adding those of slices takes long. The rates of other products contain it.
        const bool adds_often = tile.slices > 1 && depth <= 128 && blocks > 2 * units;
        const auto steps = static_cast<double>((depth + tile.depth - 1) / tile.depth * tile.depth) +
                           (layout.form == MatmulForm::threads ? 64 : 16) +  // the beginning and end of a block
                           (adds_often ? 64 : 0);
        return rounds * steps * tile.rows * tile.columns / (rate * products_per_second(layout, dtype.size_bytes()));
    }

    /// Seconds, without those of a launch, of doubles. Measured for sizes 768 to 2048, with errors of at most 7 %.
    static double mapped_doubles_time(const MatmulTuning& tile, std::int64_t tiles, std::int64_t units,
                                      std::int64_t depth) {
        const std::int64_t resident = std::max(tile.resident_blocks, 1u), at_once = units * resident;
        const double products_per_second = resident == 1 ? 2.23e11 : 2e11;
        constexpr double wait = 2.6e-6, end = 16;  // the end of a tile takes as long as this depth
        const double work = tile.rows * tile.columns * (static_cast<double>(depth) + end) / products_per_second;
        const std::int64_t left = (tiles % at_once + units - 1) / units;
        return static_cast<double>(tiles / at_once * resident + left) * work + wait;
    }

    /// Seconds, without those of a launch. A slot takes as long as its copy or its products, and float as long as
    /// loading registers in addition; the end of a tile as long as its stores. A block waits before each tile, but
    /// blocks of one multiprocessor do not wait for each other. Lines that cross load the cache more, for all
    /// multiprocessors together. Fitted to 14 tiles for sizes 256 to 2048 and for sums of 64, with errors of at most 12
    /// %; crossing: 18 %.
    double mapped_time(const MatmulTuning& tile, DType dtype, std::int64_t tiles, std::int64_t units,
                       std::int64_t depth) const {
        if (dtype.size_bytes() == 8) return mapped_doubles_time(tile, tiles, units, depth);
        const bool is_short = dtype.size_bytes() == 2;
        constexpr double bytes_per_second = 1.13e11, crossing_bytes_per_second = 5.9e12, wait = 3e-7;
        const double products_per_second = is_short ? 3.6e12 : 1.75e12, stores_per_second = is_short ? 1.4e10 : 7e9,
                     load = is_short ? 0 : 7e-8;
        const double elements = tile.rows * tile.columns, bytes = 128.0 * (tile.rows + tile.columns);
        double slot = load + std::max(bytes / bytes_per_second, elements * tile.depth / products_per_second);
        // 8192 x 8192 x 8192 of half on an H100: 1485 us in tiles of 128 x 256, 1710 of 128 x 192.
        if (is_beyond_cache && elements < 32768) slot *= 1.06;
        if (is_crossing)
            slot = std::max(slot, static_cast<double>(std::min(tiles, units)) * bytes / crossing_bytes_per_second);
        const auto slots = static_cast<double>((depth + tile.depth - 1) / tile.depth);
        const double work = slots * slot + elements / stores_per_second;
        const std::int64_t resident = std::max(tile.resident_blocks, 1u), at_once = units * resident;
        const auto round = [&](std::int64_t blocks) {
            return blocks > 0 ? std::max(work + wait, static_cast<double>(blocks) * work) : 0;
        };
        return static_cast<double>(tiles / at_once) * round(resident) + round((tiles % at_once + units - 1) / units);
    }
};

/// Tiles of operands that are copied by tensor maps: the lines that warp groups share out, and those that each reads
/// whole.
struct MappedCandidate {
    std::uint32_t own, other, stages, resident_blocks = 1;
};
constexpr MappedCandidate mapped_candidates[] = {{128, 256, 4},   {128, 192, 4}, {128, 128, 6}, {64, 256, 5},
                                                 {64, 192, 5},    {128, 64, 8},  {64, 128, 8},  {64, 64, 8},
                                                 {128, 64, 3, 2}, {64, 64, 4, 2}};

void consider_mapped(BestTile& best, const DeviceInfo& device, DType dtype, MatmulLayout layout,
                     const MatmulShape& shape) {
    const bool turned = dtype.size_bytes() == 4 && layout.b_by_columns;
    layout.form = MatmulForm::mapped;
    const auto depth = static_cast<std::uint32_t>(128 / dtype.size_bytes());
    for (const MappedCandidate& candidate : mapped_candidates) {
        // Several blocks have few slots each, which only short sums do with.
        if (candidate.resident_blocks > 1 && shape.inner > 4 * depth) continue;
        layout.tile = {.rows = candidate.own,
                       .columns = candidate.other,
                       .depth = depth,
                       .own_rows = 16,
                       .own_columns = candidate.other,
                       .stages = candidate.stages,
                       .resident_blocks = candidate.resident_blocks,
                       .unit_warps = 4};
        if (turned) {
            std::swap(layout.tile.rows, layout.tile.columns);
            std::swap(layout.tile.own_rows, layout.tile.own_columns);
        }
        best.consider(device, dtype, layout, 1, shape);
    }
}

/// Tiles of doubles that are copied by tensor maps. A warp computes 32 x 32 of a tile.
struct MappedDoubles {
    std::uint32_t rows, columns, stages, resident_blocks;
};
constexpr MappedDoubles mapped_doubles[] = {{128, 64, 8, 1}, {64, 64, 6, 2}};

void consider_mapped_doubles(BestTile& best, const DeviceInfo& device, DType dtype, MatmulLayout layout,
                             const MatmulShape& shape) {
    layout.form = MatmulForm::mapped;
    for (const MappedDoubles& candidate : mapped_doubles) {
        layout.tile = {.rows = candidate.rows,
                       .columns = candidate.columns,
                       .depth = 16,
                       .own_rows = 32,
                       .own_columns = 32,
                       .stages = candidate.stages,
                       .resident_blocks = candidate.resident_blocks,
                       .unit_warps = 4};
        best.consider(device, dtype, layout, 1, shape);
    }
}

/// Considers warp groups that copy 16-bit operands themselves.
void consider_grouped(BestTile& best, const DeviceInfo& device, DType dtype, MatmulLayout layout,
                      const MatmulShape& shape) {
    static constexpr Candidate candidates[] = {{{128, 256, 32, 16, 256, 5, 1}, 2.1},
                                               {{128, 192, 32, 16, 192, 5, 1}, 2},
                                               {{128, 128, 32, 16, 128, 6, 1}, 1.8},
                                               {{128, 64, 32, 16, 64, 6, 2}, 1.3}};
    layout.form = MatmulForm::grouped;
    for (const Candidate& candidate : candidates) {
        layout.tile = candidate.tile;
        layout.tile.unit_warps = 4;
        best.consider(device, dtype, layout, candidate.rate, shape);
    }
}

/// Tiles of packed operands.
struct PackedCandidate {
    std::uint32_t columns, stages;
    double rate;  ///< relative to that of single warps
};
/// The rates of split candidates are for halves. H200: errors of at most 9 % for sizes 768 to 8192.
constexpr PackedCandidate split_candidates[] = {{128, 2, 3.3}, {64, 2, 2.6}},
                          short_split_candidates[] = {{64, 2, 2.1}, {128, 2, 1.85}},
                          tensor_candidates[] = {{256, 4, 2.4}};

MatmulTuning packed_tile(const PackedCandidate& candidate, std::uint32_t parts) {
    return {.rows = 128,
            .columns = candidate.columns,
            .depth = codegen::matmul_packed_depth(parts),
            .own_rows = 16,
            .own_columns = candidate.columns,
            .stages = candidate.stages,
            .unit_warps = 4,
            .packs = 1};
}

/// Considers packed products of float operands, if the device has warp groups.
void consider_packed(BestTile& best, const DeviceInfo& device, DType dtype, MatmulLayout layout,
                     const MatmulShape& shape) {
    if (!can_pack(device, dtype, layout.form)) return;
    const bool splits = layout.form == MatmulForm::split;
    layout.form = MatmulForm::packed;
    layout.packed_parts = splits ? 2 : 1;
    layout.sum_depth = splits ? packed_sum_depth(shape.inner) : 0;
    // A launch that reads numbers and writes them; before it, one that reads numbers with parts.
    const double lines = static_cast<double>(shape.batch) * static_cast<double>(shape.rows + shape.columns);
    const double before =
        (splits ? 8e-6 : 5e-6) + (splits ? 12 : 8) * lines * static_cast<double>(shape.inner) / 3.2e12;
    std::span<const PackedCandidate> candidates = tensor_candidates;
    if (splits) candidates = layout.sum_depth < 64 ? short_split_candidates : split_candidates;
    for (const PackedCandidate& candidate : candidates) {
        layout.tile = packed_tile(candidate, layout.packed_parts);
        best.consider(device, dtype, layout, candidate.rate, shape, before);
    }
}

/// Considers packed halves, which single warps multiply.
void consider_halves(BestTile& best, const DeviceInfo& device, DType dtype, const MatmulLayout& split,
                     const MatmulShape& shape) {
    static constexpr Candidate candidates[] = {{{128, 128, 16, 64, 64, 2, 2}, 1.97},
                                               {{128, 64, 16, 64, 64, 3, 4}, 1.88},
                                               {{64, 64, 32, 64, 32, 2, 4}, 1.82},
                                               {{64, 64, 32, 32, 32, 2, 3}, 1.76}};
    MatmulLayout layout = halves_layout(split);
    // Four launches. Each number is read twice and written.
    const double lines = static_cast<double>(shape.batch) * static_cast<double>(shape.rows + shape.columns);
    const double before = 1.2e-5 + 12 * lines * static_cast<double>(shape.inner) / 2.5e12;
    for (const Candidate& candidate : candidates) {
        layout.tile = candidate.tile;
        layout.tile.packs = 1;
        best.consider(device, dtype, layout, candidate.rate, shape, before);
    }
}

}  // namespace

bool can_pack(const DeviceInfo& device, DType dtype, MatmulForm form) {
    const bool has_memory = device.has_tensor_maps || device.shared_memory_static_bytes;
    return device.has_warp_groups && has_memory && dtype.size_bytes() == 4 &&
           (form == MatmulForm::split || form == MatmulForm::tensor);
}

bool can_group(const DeviceInfo& device, DType dtype, const MatmulLayout& layout) {
    constexpr std::uint32_t access = 8;
    return device.has_warp_groups && !device.has_tensor_maps && layout.form == MatmulForm::tensor &&
           dtype.is_16_bit_float() && layout.a_access == access && layout.b_access == access;
}

MatmulTuning choose_tile(const DeviceInfo& device, DType dtype, MatmulLayout layout, const MatmulShape& shape,
                         std::uint32_t unit_warps, Mapped mapped) {
    BestTile best{layout};
    const std::int64_t operands = shape.batch * (shape.rows + shape.columns) * shape.inner;
    const bool is_beyond_cache = static_cast<std::size_t>(operands) * dtype.size_bytes() >
                                 2 * device.l2_cache_bytes.value_or(std::size_t{32} << 20);
    // Where warp groups can multiply, small products are theirs: single warps of float do not reach these rates there.
    const bool has_groups = layout.form == MatmulForm::tensor && dtype.size_bytes() == 4 && device.has_tensor_maps;
    if (mapped != Mapped::no && unit_warps != 1) {
        best.is_crossing = mapped == Mapped::crossing;
        best.is_beyond_cache = is_beyond_cache;
        if (dtype.size_bytes() == 8) {
            consider_mapped_doubles(best, device, dtype, layout, shape);
        } else {
            consider_mapped(best, device, dtype, layout, shape);
            if (unit_warps == 0) consider_packed(best, device, dtype, layout, shape);
            return best.layout.tile;
        }
    }
    if (unit_warps != 1 && can_group(device, dtype, layout)) consider_grouped(best, device, dtype, layout, shape);
    if (unit_warps != 4)
        for (const Candidate& candidate : candidates(layout.form, dtype.size_bytes())) {
            if (candidate.tile.slices > 1 && has_groups) continue;
            layout.tile = candidate.tile;
            layout.tile.slices = std::max(candidate.tile.slices, 1u);  // a number that a tuner can vary
            const double rate = is_beyond_cache ? candidate.rate_beyond_cache : candidate.rate;
            // Measured: of doubles, single warps take up to 12 % longer than their model says.
            const double share = has_groups ? 0.7 : mapped != Mapped::no ? 0.9 : 1;
            best.consider(device, dtype, layout, share * rate, shape);
        }
    // A caller's numbers for tensor are for unpacked operands.
    if (unit_warps == 0 || (unit_warps == 4 && layout.form == MatmulForm::split))
        consider_packed(best, device, dtype, layout, shape);
    // Two halves hold 23 of 24 bits of a float, so they are only for devices without warp groups.
    if (unit_warps == 0 && layout.form == MatmulForm::split && !can_pack(device, dtype, layout.form))
        consider_halves(best, device, dtype, layout, shape);
    return best.layout.tile;
}

}  // namespace gemel
