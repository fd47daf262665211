/// The layout of operands in slots of shared memory, and the check of tiles.
#pragma once

#include <gemel/codegen/kernel_text.hpp>
#include <gemel/codegen/matmul.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace gemel::codegen {

inline constexpr std::uint32_t matmul_per_thread = 4;  ///< checked: rows and columns of the result per thread

inline bool has_slots(const MatmulLayout& layout) { return layout.form >= MatmulForm::threads; }
inline bool by_warps(const MatmulLayout& layout) { return layout.form >= MatmulForm::tensor; }
inline std::uint32_t slices_of(const MatmulLayout& layout) { return layout.tile.slices > 1 ? layout.tile.slices : 1; }
/// Whether warp groups multiply from slots that all threads fill.
inline bool is_grouped(const MatmulLayout& layout) { return layout.form == MatmulForm::grouped; }
/// Whether one thread fills the slots and warp groups only multiply.
inline bool is_piped(const MatmulLayout& layout) { return layout.form >= MatmulForm::packed; }

/// mapped: whether warps multiply alone, not in groups: doubles.
inline bool by_lone_warps(const MatmulLayout& layout) {
    return layout.form == MatmulForm::mapped && layout.tile.own_rows != 16 && layout.tile.own_columns != 16;
}
/// packed and mapped: the threads that multiply; the others belong to the one that copies.
std::uint32_t piped_consumers(const MatmulLayout& layout);

/// mapped: of float operands, warp groups read one with stride 1 along the summed axis from shared memory; the other is
/// in registers: b, and the result is computed transposed, unless b is the first one. Otherwise a is the group's own.
inline bool is_turned(const MatmulLayout& layout) {
    return layout.form == MatmulForm::mapped && layout.tile.own_columns == 16;
}
/// packed and mapped: the lines of a tile that groups share out, and those that each reads whole.
inline std::uint32_t own_lines(const MatmulLayout& layout) {
    return is_turned(layout) ? layout.tile.columns : layout.tile.rows;
}
inline std::uint32_t other_lines(const MatmulLayout& layout) {
    return is_turned(layout) ? layout.tile.rows : layout.tile.columns;
}
inline constexpr std::uint32_t tile_line_bytes = 128, tile_bytes = 1024;

/// The pitch of the sums of slices in shared memory, in elements.
std::uint32_t slices_pitch(const MatmulLayout& layout);

/// The layout of an operand in a slot.
struct Factor {
    bool along;            ///< stride 1 along the summed axis
    std::uint32_t side;    ///< rows or columns of the result
    std::uint32_t length;  ///< elements per line
    std::uint32_t lines;
    std::uint32_t pitch;  ///< elements from line to line
    std::uint32_t access;
    bool is_turned = false;  ///< stored across its lines: [element of a line][line]
    /// Of a turned factor: groups of four lines are rotated by this per eight elements. Copies of a warp are then in
    /// different banks, although a group is read as one float4.
    std::uint32_t rotation = 0;
    /// Groups of so many elements are swizzled; 0 if none are. Group n of a line is stored as group n ^ f(line), with
    /// f(line) = line % swizzle_lines / swizzle_step. So neither copies of lines nor reads across lines have bank
    /// conflicts, and lines need no gaps.
    std::uint32_t swizzle = 0;
    std::uint32_t swizzle_lines = 1, swizzle_step = 1;
    /// Whether an access has its own panel: 64 rows or columns, as lines of 128 bytes along the whole depth.
    bool is_panel = false;
    std::uint32_t words() const { return is_turned ? length * pitch : lines * pitch; }
};

/// packed: whether numbers have several parts.
inline bool splits_packed(const MatmulLayout& layout) {
    return layout.form == MatmulForm::packed && layout.packed_parts > 1;
}

/// packed and mapped: whether the thread that copies gives up registers, because two groups have many sums.
inline bool moves_registers(const MatmulLayout& layout) {
    return !by_lone_warps(layout) && own_lines(layout) == 128 && (other_lines(layout) == 256 || splits_packed(layout));
}

/// packed and mapped: floats per unit, and per slot.
inline constexpr std::uint32_t matmul_unit_words = matmul_unit_lines * matmul_unit_depth;
std::uint32_t piped_slot_words(const MatmulLayout& layout);
/// The pitch of 16 x 32 sums of a warp in shared memory, for which there are no bank conflicts.
inline constexpr std::uint32_t piped_staged_pitch = 40, turned_staged_pitch = 33;

/// Factor::swizzle's f of a line.
std::string swizzle_of(const Factor& f, const std::string& line);
/// What templates know of operand `name`, which begins at `offset` of a slot.
/// @param block  threads that copy  @param item  bytes per element
Values described(const std::string& name, const Factor& f, std::uint32_t offset, std::uint32_t block, std::size_t item);

Factor factor(std::size_t item, const MatmulLayout& layout, bool is_a);

}  // namespace gemel::codegen
