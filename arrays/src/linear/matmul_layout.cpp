#include "linear/matmul_layout.hpp"

#include "array/byte_bounds.hpp"
#include "generated/compute_capability.hpp"

#include <gemel/codegen/tuning.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <limits>
#include <span>
#include <string_view>

namespace gemel {

using codegen::MatmulForm;
using codegen::MatmulLayout;
using codegen::MatmulTile;
using codegen::MatmulTuning;

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
                                            {sliced({64, 128, 32, 8, 8, 2, 2}, 2), 0.93},
                                            {sliced({64, 64, 32, 8, 8, 2, 4}, 2), 0.93},
                                            {sliced({64, 64, 64, 8, 8, 2, 2}, 4), 0.86},
                                            {sliced({32, 64, 32, 4, 8, 2, 4}, 2), 0.84},
                                            {sliced({64, 64, 32, 4, 8, 2, 2}, 2), 0.82},
                                            {sliced({32, 64, 64, 4, 8, 2, 2}, 4), 0.72},
                                            {sliced({32, 64, 32, 4, 8, 2, 2}, 4), 0.72},
                                            {{32, 32, 16, 4, 4, 3, 8}, 0.64},
                                            {sliced({32, 32, 32, 4, 4, 2, 4}, 4), 0.63}};
    static constexpr Candidate split[] = {
        {{64, 64, 32, 32, 32, 2, 3}, 1.15}, {{64, 64, 16, 32, 32, 4, 3}, 1.06}, {{32, 32, 32, 16, 16, 3, 4}, 0.74}};
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

/// Whether the device has this much shared memory.
bool fits(const DeviceInfo& device, DType dtype, const MatmulLayout& layout) {
    const std::size_t bytes = codegen::matmul_shared_bytes(dtype, layout);
    if (codegen::matmul_is_static(dtype, layout)) return bytes <= device.shared_memory_per_block_bytes;
    // Without opt-in, an arena is no larger than static memory, and slots in it may begin anywhere.
    return device.shared_memory_opt_in_bytes && bytes <= *device.shared_memory_opt_in_bytes;
}

/// A tile for warp groups: `height` lines of the operand that the warps share out, `width` lines of the other.
struct GroupCandidate {
    std::uint32_t height, width, stages;
    double rate;  ///< relative to that of single warps
};
constexpr GroupCandidate group_candidates[] = {
    {128, 256, 4, 1.9}, {128, 128, 5, 1.5}, {64, 128, 5, 1.2}, {64, 64, 5, 0.8}};

MatmulTuning group_tile(const GroupCandidate& candidate, std::size_t item, bool has_b_in_registers) {
    MatmulTuning tile{.rows = candidate.height,
                      .columns = candidate.width,
                      .depth = static_cast<std::uint32_t>(128 / item),
                      .own_rows = 16,
                      .own_columns = candidate.width,
                      .stages = item == 2 ? candidate.stages : std::min(candidate.stages, 4u),
                      .unit_warps = 4};
    if (has_b_in_registers) {
        std::swap(tile.rows, tile.columns);
        std::swap(tile.own_rows, tile.own_columns);
    }
    return tile;
}

/// Products of two elements per second and multiprocessor, with tiles of rate 1, on an H100.
double products_per_second(const MatmulLayout& layout, std::size_t item) {
    if (layout.form == MatmulForm::threads) return 1.95e11;
    if (layout.form == MatmulForm::split || layout.packed_parts == 2 || item == 8) return 2e11;
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

/// Whether the device's warp groups can multiply such elements, in some layouts.
bool may_group(const DeviceInfo& device, DType dtype, MatmulForm form) {
    return device.has_warp_groups && form >= MatmulForm::tensor && dtype.size_bytes() < 8;
}

/// Seconds for writing the sums of parts, and for the second launch that reads them.
double second_launch(const DeviceInfo& device, DType dtype, const MatmulLayout& layout, double sums) {
    const double bytes = 2 * sums * codegen::matmul_accumulator(dtype).size_bytes();
    if (dtype.size_bytes() == 4 && may_group(device, dtype, layout.form)) return 6e-6 + bytes / 3e12;
    return (device.has_kernel_overlap ? 3e-6 : 5e-6) + bytes / 4.8e12;
}

/// The number of parts of the summed axis that gives every multiprocessor two blocks, with work for at least four slots
/// each.
std::uint32_t max_parts(const DeviceInfo& device, const MatmulTuning& tile, std::int64_t blocks, std::int64_t inner) {
    if (device.max_threads_per_block < codegen::matmul_add_parts_block) return 1;
    const std::int64_t wanted =
        (2 * std::int64_t{device.compute_units} + blocks - 1) / std::max<std::int64_t>(blocks, 1);
    return static_cast<std::uint32_t>(
        std::max<std::int64_t>(std::min(wanted, inner / (4 * std::max<std::int64_t>(tile.depth, 16))), 1));
}

/// Finds the tile with the shortest time if each multiprocessor processes tile after tile.
struct BestTile {
    MatmulLayout layout;
    double time = std::numeric_limits<double>::infinity();

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
            if (parts > 1 && (depth < 4 * tile.depth || next.form == MatmulForm::packed)) continue;
            const double products = products_per_second(next, dtype.size_bytes());
            // Fitted to the times of 1000 products of float, double, half, and of float as tf32 and in two parts.
            const bool by_threads = next.form == MatmulForm::threads || next.form == MatmulForm::split;
            const double rounds = time_of_blocks(blocks * parts, units, std::max(tile.resident_blocks, 1u),
                                                 codegen::matmul_block(next) / 32.0, by_threads ? 1.75 : 5);
            const auto steps = static_cast<double>((depth + tile.depth - 1) / tile.depth * tile.depth) +
                               (next.form == MatmulForm::threads ? 64 : 16);  // and the beginning and end of a block
            double own = before * products + rounds * steps * tile.rows * tile.columns / rate;
            const double elements = static_cast<double>(shape.batch * shape.rows) * static_cast<double>(shape.columns);
            if (parts > 1) own += second_launch(device, dtype, next, parts * elements) * products;
            if (own >= time) continue;
            layout = next, time = own;
            layout.tile.parts = parts > 1 ? parts : 0;
        }
    }
};

/// Considers tiles of warp groups, if they can multiply these operands.
void consider_groups(BestTile& best, const DeviceInfo& device, DType dtype, MatmulLayout layout,
                     const MatmulShape& shape) {
    const std::size_t item = dtype.size_bytes();
    if (!device.has_warp_groups || layout.form != MatmulForm::tensor || item == 8) return;
    layout.form = MatmulForm::groups;
    for (const GroupCandidate& candidate : group_candidates) {
        layout.tile = group_tile(candidate, item, item == 4 && layout.b_by_columns);
        best.consider(device, dtype, layout, candidate.rate, shape);
    }
}

/// Tiles of packed operands.
struct PackedCandidate {
    std::uint32_t columns, stages;
    double rate;  ///< relative to that of single warps
};
constexpr PackedCandidate split_candidates[] = {{128, 3, 2.7}, {64, 4, 1.8}}, tensor_candidates[] = {{256, 4, 2.4}};

MatmulTuning packed_tile(const PackedCandidate& candidate) {
    return {.rows = 128,
            .columns = candidate.columns,
            .depth = codegen::matmul_unit_depth,
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
    // Two launches, which read numbers and write their parts.
    const double lines = static_cast<double>(shape.batch) * static_cast<double>(shape.rows + shape.columns);
    const double before = 5e-6 + 4 * (1 + layout.packed_parts) * lines * static_cast<double>(shape.inner) / 3e12;
    for (const PackedCandidate& candidate :
         splits ? std::span<const PackedCandidate>(split_candidates) : tensor_candidates) {
        layout.tile = packed_tile(candidate);
        best.consider(device, dtype, layout, candidate.rate, shape, before);
    }
}

/// @param unit_warps  warps that multiply together: 1, 4, or 0 for either
MatmulTuning choose_tile(const DeviceInfo& device, DType dtype, MatmulLayout layout, const MatmulShape& shape,
                         std::uint32_t unit_warps) {
    BestTile best{layout};
    const std::int64_t operands = shape.batch * (shape.rows + shape.columns) * shape.inner;
    const bool is_beyond_cache = static_cast<std::size_t>(operands) * dtype.size_bytes() >
                                 2 * device.l2_cache_bytes.value_or(std::size_t{32} << 20);
    // Where warp groups can multiply, small products are theirs: single warps of float do not reach these rates there.
    const bool has_groups = layout.form == MatmulForm::tensor && may_group(device, dtype, layout.form);
    if (unit_warps != 4)
        for (const Candidate& candidate : candidates(layout.form, dtype.size_bytes())) {
            if (candidate.tile.slices > 1 && has_groups) continue;
            layout.tile = candidate.tile;
            layout.tile.slices = std::max(candidate.tile.slices, 1u);  // a number that a tuner can vary
            const double rate = is_beyond_cache ? candidate.rate_beyond_cache : candidate.rate;
            best.consider(device, dtype, layout, has_groups && dtype.size_bytes() == 4 ? 0.7 * rate : rate, shape);
        }
    if (unit_warps != 1) {
        consider_groups(best, device, dtype, layout, shape);
        // A caller's numbers for tensor are for unpacked operands.
        if (unit_warps == 0 || layout.form == MatmulForm::split) consider_packed(best, device, dtype, layout, shape);
    }
    return best.layout.tile;
}

/// The number of slots, limited by the number of steps along the summed axis.
std::uint32_t stages_for(const MatmulTuning& tile, std::int64_t inner) {
    if (tile.stages > 5 || tile.depth == 0) return tile.stages;  // is refused
    const std::int64_t steps = (inner + tile.depth - 1) / tile.depth;
    if (steps <= 1) return 1;
    const std::uint32_t fewest = tile.unit_warps == 4 ? 3 : 2;
    return std::max(static_cast<std::uint32_t>(std::min<std::int64_t>(tile.stages, steps)), fewest);
}

/// The elements of the widest access that all lines of x allow, at most 16 bytes.
std::uint32_t widest_access(const AnyArray& x, std::int64_t line_step, std::int64_t lines) {
    const auto item = static_cast<std::uint32_t>(x.dtype().size_bytes());
    std::uint32_t access = std::max(16 / item, 1u);
    const auto divides = [&](std::int64_t step) { return step % access == 0; };
    while (access > 1 && !(divides(begin_of(x)) && (lines == 1 || divides(line_step)) &&
                           (x.shape()[0] == 1 || divides(x.strides()[0]))))
        access /= 2;
    return access;
}

/// Whether the stride along this axis is 1.
bool has_lines_along(const AnyArray& x, std::size_t axis) { return x.strides()[axis] == 1 || x.shape()[axis] == 1; }

/// Whether the device has blocks of edge x edge threads with the required shared memory.
bool has_room(const DeviceInfo& device, DType dtype, const MatmulLayout& layout) {
    return layout.edge > 0 && layout.edge * layout.edge <= device.max_threads_per_block &&
           codegen::matmul_shared_bytes(dtype, layout) <= device.shared_memory_per_block_bytes;
}

MatmulLayout checked_layout(const DeviceInfo& device, DType dtype, MatmulForm form, const AnyArray& a,
                            const AnyArray& b) {
    MatmulLayout layout{.form = form};
    while (layout.form != MatmulForm::serial && !has_room(device, dtype, layout)) {
        layout.edge /= 2;
        if (layout.edge < 4) layout.form = MatmulForm::serial;
    }
    layout.a_by_columns = std::abs(a.strides()[2]) <= std::abs(a.strides()[1]);
    layout.b_by_columns = std::abs(b.strides()[2]) <= std::abs(b.strides()[1]);
    return layout;
}

}  // namespace

bool has_lines(const AnyArray& x) { return has_lines_along(x, 1) || has_lines_along(x, 2); }

MatmulForm matmul_form(const DeviceInfo& device, DType dtype, Precision precision) {
    if (device.type == DeviceInfo::Type::cpu) return MatmulForm::serial;
    const int capability = compute_capability(device);
    if (capability < 80 || !dtype.is_floating()) return MatmulForm::checked;
    if (dtype.size_bytes() == 8) return capability >= 90 ? MatmulForm::tensor : MatmulForm::checked;
    if (dtype.size_bytes() == 2 || precision == Precision::tensor) return MatmulForm::tensor;
    return precision == Precision::split ? MatmulForm::split : MatmulForm::threads;
}

namespace {

/// The layout for forms with slots, without the tile.
MatmulLayout slots_layout(MatmulForm form, const AnyArray& a, const AnyArray& b) {
    MatmulLayout layout{.form = form};
    layout.a_by_columns = has_lines_along(a, 2);
    layout.b_by_columns = has_lines_along(b, 2);
    layout.a_access =
        widest_access(a, a.strides()[layout.a_by_columns ? 1 : 2], a.shape()[layout.a_by_columns ? 1 : 2]);
    layout.b_access =
        widest_access(b, b.strides()[layout.b_by_columns ? 1 : 2], b.shape()[layout.b_by_columns ? 1 : 2]);
    return layout;
}

}  // namespace

std::int64_t matmul_part_depth(const MatmulTuning& tile, std::int64_t inner) {
    if (tile.parts <= 1) return inner;
    const std::int64_t wanted = (inner + tile.parts - 1) / tile.parts, depth = std::max(tile.depth, 16u);
    return std::max<std::int64_t>((wanted + depth - 1) / depth * depth, depth);
}

bool can_pack(const DeviceInfo& device, DType dtype, MatmulForm form) {
    return device.has_warp_groups && dtype.size_bytes() == 4 &&
           (form == MatmulForm::split || form == MatmulForm::tensor);
}

bool has_group_tiles(const DeviceInfo& device, DType dtype, MatmulForm form, const AnyArray& a, const AnyArray& b) {
    BestTile best;
    consider_groups(best, device, dtype, slots_layout(form, a, b), {1, 1, 1, 1});
    return best.layout.form == MatmulForm::groups;
}

MatmulTuning matmul_heuristic(const DeviceInfo& device, DType dtype, MatmulForm form, const AnyArray& a,
                              const AnyArray& b, std::uint32_t unit_warps) {
    if (form >= MatmulForm::threads)
        return choose_tile(device, dtype, slots_layout(form, a, b),
                           {a.shape()[0], a.shape()[1], a.shape()[2], b.shape()[2]}, unit_warps);
    const MatmulLayout layout = checked_layout(device, dtype, form, a, b);
    if (layout.form == MatmulForm::serial) return codegen::matmul_serial_tile(dtype);
    const MatmulTile tile = codegen::matmul_tile(dtype, layout);
    const std::int64_t down = (a.shape()[1] + tile.rows - 1) / tile.rows,
                       across = (b.shape()[2] + tile.columns - 1) / tile.columns;
    const std::uint32_t parts = max_parts(device, {}, a.shape()[0] * down * across, a.shape()[2] / 8);
    return {.rows = tile.rows, .parts = parts > 1 ? parts : 0};
}

MatmulLayout matmul_layout(const DeviceInfo& device, DType dtype, MatmulForm form, const AnyArray& a, const AnyArray& b,
                           const MatmulTuning& tile) {
    if (form >= MatmulForm::threads) {
        MatmulLayout layout = slots_layout(form, a, b);
        layout.tile = tile;
        if (tile.unit_warps == 4) layout.form = tile.packs == 1 ? MatmulForm::packed : MatmulForm::groups;
        layout.packed_parts = tile.packs == 0 ? 0 : form == MatmulForm::split ? 2 : 1;
        layout.in_parts = layout.packed_parts == 0 && matmul_part_depth(tile, a.shape()[2]) < a.shape()[2];
        layout.tile.parts = layout.tile.packs = 0;
        layout.tile.stages = stages_for(tile, layout.in_parts ? matmul_part_depth(tile, a.shape()[2]) : a.shape()[2]);
        return layout;
    }
    MatmulLayout layout = checked_layout(device, dtype, form, a, b);
    if (layout.form == MatmulForm::serial) {
        layout.tile = tile;
    } else {
        layout.in_parts = matmul_part_depth(tile, a.shape()[2]) < a.shape()[2];
        layout.edge = tile.rows * layout.edge / codegen::matmul_tile(dtype, layout).rows;
        if (!has_room(device, dtype, layout))
            throw ArgumentError(text("matmul: blocks of ", tile.rows, " rows do not fit ", device.name,
                                     "; store another tuning, or remove this one with tune::clear_stored(\"matmul\")"));
    }
    return layout;
}

bool names_tile(const MatmulTuning& given) {
    return given.rows != 0 || given.columns != 0 || given.depth != 0 || given.own_rows != 0 || given.own_columns != 0;
}

bool may_overlap(const DeviceInfo& device, std::int64_t blocks, const MatmulTuning& tile) {
    return blocks >= std::int64_t{device.compute_units} * tile.resident_blocks;
}

int max_registers(const DeviceInfo& device, DType dtype, const MatmulLayout& layout) {
    if (layout.form != MatmulForm::split && dtype.size_bytes() != 8) return 0;
    return static_cast<int>(
        codegen::register_limit(device, codegen::matmul_block(layout), layout.tile.resident_blocks));
}

}  // namespace gemel
