#include "linear/matmul_layout.hpp"

#include "array/byte_bounds.hpp"
#include "generated/compute_capability.hpp"
#include "linear/matmul_maps.hpp"

#include <gemel/codegen/tuning.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel {

using codegen::MatmulForm;
using codegen::MatmulLayout;
using codegen::MatmulTile;
using codegen::MatmulTuning;

namespace {

/// With more tiles per block, blocks drift apart and packed operands no longer stay in the cache: float 8192 in 16
/// rounds took 4.0 ms as tf32, and 3.4 with a block for each tile; 4096 in 4 rounds 470 and 486 us (H100).
constexpr std::int64_t max_packed_rounds = 8;

/// The number of slots, limited by the number of steps along the summed axis.
std::uint32_t stages_for(const MatmulLayout& layout, std::int64_t inner) {
    const MatmulTuning& tile = layout.tile;
    if (layout.form >= MatmulForm::grouped) return tile.stages;
    if (tile.stages > 5 || tile.depth == 0) return tile.stages;  // is refused
    const std::int64_t steps = (inner + tile.depth - 1) / tile.depth;
    if (steps <= 1) return 1;
    return std::max(static_cast<std::uint32_t>(std::min<std::int64_t>(tile.stages, steps)), 2u);
}

/// The elements of the widest access that all lines of x allow, at most 16 bytes.
std::uint32_t widest_access(const AnyArray& x, std::int64_t line_step, std::int64_t lines) {
    const auto item = static_cast<std::uint32_t>(x.dtype().size_bytes());
    std::uint32_t access = std::max(16 / item, 1u);
    const auto divides = [&](std::int64_t step) { return step % access == 0; };
    const std::uint64_t address = begin_address(x);
    while (access > 1 && !(address % (access * item) == 0 && (lines == 1 || divides(line_step)) &&
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

bool has_last_lines(const AnyArray& x) { return has_lines_along(x, 2) && !(x.shape()[2] == 1 && x.strides()[1] == 1); }
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
MatmulLayout slots_layout(const DeviceInfo& device, MatmulForm form, const AnyArray& a, const AnyArray& b) {
    MatmulLayout layout{.form = form};
    layout.declares_all = device.shared_memory_static_bytes.has_value();
    layout.a_by_columns = has_last_lines(a);
    layout.b_by_columns = has_last_lines(b);
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

MatmulTuning matmul_heuristic(const DeviceInfo& device, DType dtype, MatmulForm form, const AnyArray& a,
                              const AnyArray& b, std::uint32_t unit_warps) {
    if (form >= MatmulForm::threads)
        return choose_tile(device, dtype, slots_layout(device, form, a, b),
                           {a.shape()[0], a.shape()[1], a.shape()[2], b.shape()[2]}, unit_warps,
                           how_mapped(device, dtype, form, a, b));
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
        MatmulLayout layout = slots_layout(device, form, a, b);
        layout.tile = tile;
        if (tile.unit_warps == 4)
            layout.form = tile.packs == 1                    ? MatmulForm::packed
                          : can_group(device, dtype, layout) ? MatmulForm::grouped
                                                             : MatmulForm::mapped;
        else if (tile.packs == 1 && form == MatmulForm::split)
            layout = halves_layout(layout);
        layout.packed_parts = tile.packs == 0 ? 0 : form == MatmulForm::split ? 2 : 1;
        if (layout.form == MatmulForm::packed && layout.packed_parts == 2)
            layout.sum_depth = packed_sum_depth(a.shape()[2]);
        layout.in_parts = layout.packed_parts == 0 && matmul_part_depth(tile, a.shape()[2]) < a.shape()[2];
        layout.tile.parts = layout.tile.packs = 0;
        layout.tile.stages = stages_for(layout, layout.in_parts ? matmul_part_depth(tile, a.shape()[2]) : a.shape()[2]);
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

bool has_tile(const DeviceInfo& device, DType dtype, MatmulForm form, const AnyArray& a, const AnyArray& b,
              const MatmulTuning& tile) {
    if (form < MatmulForm::threads) return true;
    const MatmulLayout layout = matmul_layout(device, dtype, form, a, b, tile);
    return codegen::why_no_tile(dtype, layout).empty() && fits(device, dtype, layout);
}

bool names_tile(const MatmulTuning& given) {
    return given.rows != 0 || given.columns != 0 || given.depth != 0 || given.own_rows != 0 || given.own_columns != 0;
}

std::int64_t launched_blocks(const DeviceInfo& device, const MatmulLayout& layout, std::int64_t tiles) {
    const std::int64_t resident =
        std::max<std::int64_t>(device.compute_units, 1) * std::max(layout.tile.resident_blocks, 1u);
    const bool takes_turns = layout.form == MatmulForm::mapped ||
                             (layout.form == MatmulForm::packed && tiles <= max_packed_rounds * resident);
    return takes_turns ? std::min(tiles, resident) : tiles;
}

bool may_overlap(const DeviceInfo& device, std::int64_t blocks, const MatmulLayout& layout) {
    // Of blocks that compute tile after tile, no more fit a multiprocessor than it gets.
    return layout.form >= MatmulForm::packed ||
           blocks >= std::int64_t{device.compute_units} * layout.tile.resident_blocks;
}

MatmulLayout halves_layout(MatmulLayout split) {
    split.form = MatmulForm::halves;
    split.a_by_columns = true, split.b_by_columns = false;
    split.a_access = split.b_access = 16 / sizeof(float);
    split.packed_parts = 2;
    return split;
}

int max_registers(const DeviceInfo& device, DType dtype, const MatmulLayout& layout) {
    const bool fills_registers = layout.form == MatmulForm::split || layout.form == MatmulForm::halves ||
                                 layout.form == MatmulForm::grouped || dtype.size_bytes() == 8;
    if (!fills_registers) return 0;
    return static_cast<int>(
        codegen::register_limit(device, codegen::matmul_block(layout), layout.tile.resident_blocks));
}

}  // namespace gemel
