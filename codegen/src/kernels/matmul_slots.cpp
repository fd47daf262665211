#include "kernels/matmul_slots.hpp"

#include "kernels/product_sums.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>
#include <bit>
#include <string>

namespace gemel::codegen {

constexpr std::uint32_t warp = 32, group = 128;

std::uint32_t piped_slot_words(const MatmulLayout& layout) {
    return (layout.tile.rows + layout.tile.columns) / matmul_unit_lines *
           std::max(matmul_stored_parts(layout.packed_parts), 1u) * matmul_unit_words;
}

std::uint32_t slices_pitch(const MatmulLayout& layout) { return layout.tile.columns + (by_warps(layout) ? 8 : 4); }

namespace {

/// Swizzles an operand whose lines warps read by matrices of 8 lines x 16 bytes, or by 8 words of 4 lines each. A
/// thread copies only lines with the same f(line).
void swizzle(Factor& f, std::size_t item, std::uint32_t block) {
    constexpr std::uint32_t all_banks = 128;  // bytes
    const auto bytes = f.length * static_cast<std::uint32_t>(item);
    const bool by_matrices = f.along || item == 2;
    const std::uint32_t lines = by_matrices ? 8 : 4, least = by_matrices ? 32 : all_banks;
    if (item > 4 || bytes < least || block * f.access % (f.length * lines) != 0) return;
    f.swizzle = static_cast<std::uint32_t>((by_matrices ? 16 : 32) / item);
    f.swizzle_lines = lines;
    f.swizzle_step = by_matrices ? std::max(all_banks / bytes, 1u) : 1;
    f.pitch = f.length;
}

/// An operand of warp groups: lines of the depth, or panels of 64 rows or columns.
Factor grouped_factor(const MatmulLayout& layout, bool is_a, bool along) {
    const MatmulTuning& t = layout.tile;
    const std::uint32_t side = is_a ? t.rows : t.columns, length = along ? t.depth : matmul_unit_lines;
    return {.along = along,
            .side = side,
            .length = length,
            .lines = side * t.depth / length,
            .pitch = length,
            .access = is_a ? layout.a_access : layout.b_access,
            .swizzle = 8,
            .swizzle_lines = 8,
            .swizzle_step = along ? matmul_unit_lines / t.depth : 1,
            .is_panel = !along};
}

}  // namespace

Factor factor(std::size_t item, const MatmulLayout& layout, bool is_a) {
    const MatmulTuning& t = layout.tile;
    const bool along = is_a ? layout.a_by_columns : !layout.b_by_columns;
    if (is_grouped(layout)) return grouped_factor(layout, is_a, along);
    const std::uint32_t side = is_a ? t.rows : t.columns, length = along ? t.depth : side;
    // Lanes of a warp that read together use different banks: lines are an odd multiple of 16 bytes apart, or of 32
    // bytes if four lanes read neighbouring lines of words.
    const std::size_t gap = by_warps(layout) && item >= 4 && (item == 8 || !along) ? 32 / item : 16 / item;
    Factor all{.along = along,
               .side = side,
               .length = length,
               .lines = along ? side : t.depth,
               .pitch = static_cast<std::uint32_t>(length + gap),
               .access = is_a ? layout.a_access : layout.b_access};
    if (along && layout.form == MatmulForm::threads) {
        all.is_turned = true;
        all.pitch = side + static_cast<std::uint32_t>(16 / item);
        all.access = 1;
        // A warp copies 16 elements of two lines, or 32 of one.
        if (length >= 16 && matmul_block(layout) / length % 4 == 0) all.rotation = length == 16 ? 2 : 1;
    }
    const bool has_warps = t.own_rows > 0 && t.own_columns > 0 && t.own_rows <= t.rows && t.own_columns <= t.columns;
    if (by_warps(layout) && has_warps) swizzle(all, item, matmul_block(layout));
    return all;
}

std::string swizzle_of(const Factor& f, const std::string& line) {
    return text(line, " % ", f.swizzle_lines, f.swizzle_step > 1 ? text(" / ", f.swizzle_step) : "");
}

Values described(const std::string& name, const Factor& f, std::uint32_t offset, std::uint32_t block,
                 std::size_t item) {
    const std::uint32_t lines_at_once = block * f.access / f.length;
    const std::string extent = name + "_extent", next_line = text(name, "_of + k * ", lines_at_once),
                      lines_inside = f.along ? extent : "own_depth", length_inside = f.along ? "own_depth" : extent;
    const std::string inside =
        f.is_panel ? text(name, "_of < own_depth ? ", extent, " - ", name, "_at - k * ", f.length, " : 0")
                   : text(next_line, " < ", lines_inside, " ? ", length_inside, " - ", name, "_at : 0");
    return {{"name", name},
            {"along", f.along},
            {"side", f.side},
            {"length", f.length},
            {"pitch", f.pitch},
            {"is_turned", f.is_turned},
            {"turns_per_line", f.rotation},
            {"step", f.is_turned ? lines_at_once : lines_at_once * f.pitch},
            {"swizzle", f.swizzle},
            {"line_swizzle", swizzle_of(f, name + "_of")},
            {"access", f.access},
            {"access_bytes", f.access * item},
            {"offset", offset},
            {"first", name == "a" ? "first_row" : "first_column"},
            {"extent", name == "a" ? "rows" : "columns"},
            {"lines_at_once", lines_at_once},
            {"next", f.is_panel ? text(f.length) : text(lines_at_once, " * ", name, "_line")},
            {"inside", inside},
            {"accesses", f.lines / lines_at_once},
            {"lines_inside", lines_inside},
            {"length_inside", length_inside}};
}

std::uint32_t matmul_block(const MatmulLayout& layout) {
    const MatmulTuning& t = layout.tile;
    switch (layout.form) {
        case MatmulForm::serial: return 1;
        case MatmulForm::checked: return layout.edge * layout.edge;
        case MatmulForm::grouped: return own_lines(layout) / matmul_unit_lines * group;
        case MatmulForm::packed:
        case MatmulForm::mapped: return piped_consumers(layout) + (by_lone_warps(layout) ? warp : group);
        case MatmulForm::threads: return t.rows / t.own_rows * (t.columns / t.own_columns) * slices_of(layout);
        default: return t.rows / t.own_rows * (t.columns / t.own_columns) * warp * slices_of(layout);
    }
}

std::uint32_t piped_consumers(const MatmulLayout& layout) {
    const MatmulTuning& t = layout.tile;
    return by_lone_warps(layout) ? t.rows / t.own_rows * (t.columns / t.own_columns) * warp
                                 : own_lines(layout) / matmul_unit_lines * group;
}

std::size_t matmul_shared_bytes(DType dtype, const MatmulLayout& layout) {
    if (layout.form == MatmulForm::serial) return 0;
    if (is_piped(layout))
        return tile_bytes +
               layout.tile.stages * (piped_slot_words(layout) * sizeof(float) + 2 * sizeof(std::uint64_t)) +
               (by_lone_warps(layout) ? 0 : own_lines(layout) * piped_staged_pitch * sizeof(float));
    if (has_slots(layout)) {
        const std::size_t item = dtype.size_bytes();
        const std::size_t slots =
            layout.tile.stages * item * (factor(item, layout, true).words() + factor(item, layout, false).words());
        if (is_grouped(layout)) {
            // The warps' sums take the place of slots. Tiles begin at a multiple of 1 KiB, wherever the memory begins.
            const std::size_t sums = own_lines(layout) * piped_staged_pitch * sizeof(float);
            return std::max(slots, sums) + tile_bytes;
        }
        if (slices_of(layout) > 1)
            return std::max<std::size_t>(
                slots, matmul_accumulator(dtype).size_bytes() * layout.tile.rows * slices_pitch(layout));
        return slots;
    }
    const std::size_t item = matmul_accumulator(dtype).size_bytes(), depth = item > 8 ? 8 : 16;
    return 2 * depth * (matmul_per_thread * layout.edge + 1) * item;
}

std::uint32_t matmul_box_lines(const MatmulLayout& layout, bool is_a) {
    const bool along = is_a ? layout.a_by_columns : !layout.b_by_columns;
    return along ? is_a ? layout.tile.rows : layout.tile.columns : layout.tile.depth;
}

bool matmul_is_static(DType dtype, const MatmulLayout& layout) {
    if (!has_slots(layout) || layout.declares_all) return true;
    return !is_piped(layout) && matmul_shared_bytes(dtype, layout) <= matmul_max_static_bytes;
}

namespace {

std::string why_not_mapped_doubles(const MatmulLayout& layout) {
    const MatmulTuning& t = layout.tile;
    if (t.own_rows < 32 || t.own_columns < 32 || t.own_rows % 16 != 0 || t.own_columns % 16 != 0 ||
        t.rows % t.own_rows != 0 || t.columns % t.own_columns != 0)
        return "own_rows and own_columns must be multiples of 16, from 32 on, that divide rows and columns";
    for (const std::uint32_t side : {t.rows, t.columns})
        if (side != 64 && side != 128 && side != 256) return "rows and columns must be 64, 128 or 256";
    if (t.own_rows * t.own_columns > 2048) return "a warp has at most 2048 doubles";
    if (matmul_block(layout) > 1024)
        return text("a block would have ", matmul_block(layout), " threads; there may be 1024");
    if (t.depth != tile_line_bytes / sizeof(double)) return "depth must be 16";
    return {};
}

std::string why_not_mapped(DType dtype, const MatmulLayout& layout) {
    const MatmulTuning& t = layout.tile;
    const std::size_t item = dtype.size_bytes();
    const bool turned = is_turned(layout);
    const std::uint32_t own = own_lines(layout), other = other_lines(layout);
    if (!dtype.is_floating()) return "tensor maps copy floats";
    if (item == 8) return why_not_mapped_doubles(layout);
    if (turned != (item == 4 && layout.b_by_columns))
        return turned ? "own_rows must be 16, and own_columns as columns"
                      : "own_columns must be 16, and own_rows as rows, since neighbours of b lie in its rows";
    if (turned && !layout.a_by_columns) return "warp groups want neighbours of a or b along the summed axis";
    if ((turned ? t.own_columns : t.own_rows) != 16 || (turned ? t.own_rows : t.own_columns) != other)
        return "a warp of a group has 16 lines of the result, whole";
    if (own != 64 && own != 128) return "warp groups have 64 or 128 lines";
    if (other != 64 && other != 128 && other != 192 && other != 256)
        return "warp groups have lines of 64, 128, 192 or 256 elements";
    if (t.depth != tile_line_bytes / item) return text("depth must be ", tile_line_bytes / item);
    return {};
}

std::string why_not_packed(DType dtype, const MatmulLayout& layout) {
    const MatmulTuning& t = layout.tile;
    const bool splits = layout.packed_parts == 2;
    if (dtype.size_bytes() != 4 || !dtype.is_floating()) return "numbers in parts are float";
    if (layout.packed_parts != 1 && !splits) return "numbers have one or two parts";
    if (t.rows != 128 || t.own_rows != 16 || t.own_columns != t.columns)
        return "rows must be 128, own_rows 16 and own_columns as columns";
    if (t.columns != 64 && t.columns != 128 && (splits || t.columns != 256))
        return splits ? "columns must be 64 or 128" : "columns must be 64, 128 or 256";
    if (splits && layout.sum_depth != 32 && layout.sum_depth != 64) return "sum_depth must be 32 or 64";
    const std::uint32_t depth = matmul_packed_depth(layout.packed_parts);
    return t.depth == depth ? std::string() : text("depth must be ", depth);
}

std::string why_not_piped(DType dtype, const MatmulLayout& layout) {
    const MatmulTuning& t = layout.tile;
    std::string why = layout.form == MatmulForm::mapped ? why_not_mapped(dtype, layout) : why_not_packed(dtype, layout);
    if (!why.empty()) return why;
    if (t.stages < 2 || t.stages > 8) return "there must be 2 to 8 stages";
    if (t.resident_blocks > 1 && moves_registers(layout)) return "only one block of this tile is resident";
    return {};
}

}  // namespace

namespace {

std::string why_not_grouped(DType dtype, const MatmulLayout& layout) {
    const MatmulTuning& t = layout.tile;
    if (!dtype.is_16_bit_float()) return "warp groups without tensor maps multiply 16-bit floats";
    if (t.rows != 128 || t.own_rows != 16 || t.own_columns != t.columns)
        return "rows must be 128, own_rows 16 and own_columns as columns";
    if (t.columns != 64 && t.columns != 128 && t.columns != 192 && t.columns != 256)
        return "columns must be 64, 128, 192 or 256";
    if (t.depth != 32) return "depth must be 32";
    if (t.stages < 3 || t.stages > 8) return "there must be 3 to 8 stages";
    if (layout.a_access != 8 || layout.b_access != 8) return "lines must begin at multiples of 16 bytes";
    return {};
}

}  // namespace

std::string why_no_tile(DType dtype, const MatmulLayout& layout) {
    if (layout.form == MatmulForm::serial) {
        const MatmulTuning t = merge(layout.tile, matmul_serial_tile(dtype));
        return t.rows % t.own_rows == 0 ? "" : "rows must be a multiple of own_rows";
    }
    if (!has_slots(layout)) return {};
    if (is_piped(layout)) return why_not_piped(dtype, layout);
    if (is_grouped(layout)) return why_not_grouped(dtype, layout);
    const MatmulTuning& t = layout.tile;
    const bool warps = by_warps(layout);
    for (const std::uint32_t n : {t.rows, t.columns, t.depth})
        if (!std::has_single_bit(n)) return "rows, columns and depth must be powers of 2";
    if (t.stages < 1 || t.stages > 5) return "there must be 1 to 5 stages";
    const bool is_deep = dtype.size_bytes() == 2 || layout.form == MatmulForm::split;
    const std::uint32_t unit = warps ? 16 : 4, group = !warps ? 4 : is_deep ? 16 : 8;
    if (t.depth % group != 0) return text("depth must be a multiple of ", group);
    if (layout.form == MatmulForm::halves && t.depth != 16 && t.depth != 32) return "depth must be 16 or 32 for halves";
    if (t.own_rows == 0 || t.own_columns == 0 || t.own_rows % unit != 0 || t.own_columns % unit != 0 ||
        t.rows % t.own_rows != 0 || t.columns % t.own_columns != 0)
        return text("own_rows and own_columns must be multiples of ", unit, " that divide rows and columns");
    if (!warps && (t.rows / t.own_rows % 4 != 0 || t.columns / t.own_columns % 8 != 0))
        return "a block must be a multiple of 4 threads high and of 8 wide";
    if (t.slices > 1) {
        if (layout.form != MatmulForm::threads && layout.form != MatmulForm::tensor)
            return "only float by fused multiply-adds, and single warps of tensor cores, have slices";
        if (!std::has_single_bit(t.slices) || t.slices > 8) return "there must be 1, 2, 4 or 8 slices";
        if (warps && t.depth % (group * t.slices) != 0) return text("a slice takes ", group, " of the depth at a time");
    }
    if (layout.form == MatmulForm::split && t.own_rows * t.own_columns > 2048)
        return "a warp has at most 2048 elements in two sums each";
    if (layout.form == MatmulForm::halves && t.own_rows * t.own_columns > 4096)
        return "a warp has at most 4096 elements";
    const std::uint32_t block = matmul_block(layout);
    if (block > 1024) return text("a block would have ", block, " threads; there may be 1024");
    for (const bool is_a : {true, false}) {
        const Factor f = factor(dtype.size_bytes(), layout, is_a);
        if (block * f.access % f.length != 0 || f.lines % (block * f.access / f.length) != 0)
            return text("the ", block, " threads of a block do not share ", f.lines, " lines of ", f.length,
                        " elements evenly");
    }
    return {};
}

DType matmul_accumulator(DType dtype) { return product_accumulator(dtype); }

MatmulTile matmul_tile(DType dtype, const MatmulLayout& layout) {
    if (has_slots(layout)) return {layout.tile.rows, layout.tile.columns};
    if (layout.form == MatmulForm::checked) return {matmul_per_thread * layout.edge, matmul_per_thread * layout.edge};
    const MatmulTuning tile = merge(layout.tile, matmul_serial_tile(dtype));
    return {tile.rows, tile.columns};
}

MatmulTuning matmul_serial_tile(DType dtype) {
    // Six rows of this many columns fill 24 of 32 registers of 32 bytes.
    return {.rows = 96,
            .columns = static_cast<std::uint32_t>(128 / matmul_accumulator(dtype).size_bytes()),
            .depth = 128,
            .own_rows = 6};
}

std::uint32_t matmul_part_sharers(const DeviceInfo& device, std::int64_t parts) {
    return parts < 8 || device.max_threads_per_block < matmul_add_parts_block ? 1 : parts < 64 ? 4 : 16;
}

}  // namespace gemel::codegen
