/// How the factors of a product lie in slots of shared memory, and which tiles can be cut so.
#pragma once

#include <gemel/codegen/matmul.hpp>

#include <cstddef>
#include <cstdint>

namespace gemel::codegen {

inline constexpr std::uint32_t matmul_per_thread =
    4;  ///< checked: rows and columns of the result that a thread computes

inline bool has_slots(const MatmulLayout& layout) { return layout.form >= MatmulForm::threads; }
inline bool by_warps(const MatmulLayout& layout) { return layout.form >= MatmulForm::tensor; }
inline bool by_groups(const MatmulLayout& layout) { return layout.form == MatmulForm::groups; }
inline bool is_packed(const MatmulLayout& layout) { return layout.form == MatmulForm::packed; }

/// Warp groups take 16-bit factors from shared memory in any order. Of float factors they take one, with neighbours
/// along the summed axis, and the other from registers: b, unless it is the one.
inline bool has_b_in_registers(std::size_t item, const MatmulLayout& layout) {
    return by_groups(layout) && item == 4 && layout.b_by_columns;
}
inline constexpr std::uint32_t tile_line_bytes = 128, tile_bytes = 1024;

/// Where sums pass through shared memory: floats from line to line of a warp group. Writers and readers meet few banks
/// twice.
std::uint32_t staged_pitch(std::size_t item, const MatmulLayout& layout);

/// How one factor lies in a slot.
struct Factor {
    bool along;            ///< neighbours lie along the summed axis
    std::uint32_t side;    ///< rows or columns of the result
    std::uint32_t length;  ///< elements of a line
    std::uint32_t lines;
    std::uint32_t pitch;  ///< elements from line to line
    std::uint32_t access;
    std::uint32_t unit = 1;  ///< what begins in a slot at its multiples
    bool is_tile = false;    ///< in lines of 128 bytes, as warp groups read it
    std::uint32_t words() const { return (lines * length / line() * pitch + unit - 1) / unit * unit; }
    std::uint32_t line() const { return is_tile ? pitch : length; }
};

/// packed: floats of a unit, and of a slot.
inline constexpr std::uint32_t matmul_unit_words = matmul_unit_lines * matmul_unit_depth;
std::uint32_t packed_slot_words(const MatmulLayout& layout);

Factor factor(std::size_t item, const MatmulLayout& layout, bool is_a);

}  // namespace gemel::codegen
