/// How the rows of a row program are dealt out.
#pragma once

#include "generated/reduction_layout.hpp"

#include <gemel/codegen/rows.hpp>

namespace gemel {

/// One call's grid and sizes.
struct RowSpread {
    std::size_t count = 1, outputs = 1;  ///< elements of a row, and rows
    std::size_t stretch = 1;             ///< rows of a block, in serial rows
    std::size_t blocks = 1;
};

/// What a call's rows are, as far as the choice depends on it.
struct RowWork {
    std::size_t count = 1, outputs = 1;
    std::size_t kept_bytes = 4;      ///< of the elements that several loops name, at one place
    std::size_t computed_bytes = 0;  ///< of what loops compute at one place and later ones name
    std::size_t running_bytes = 4;   ///< of all running values
    bool narrow = false;             ///< some of the elements that several loops name are 16-bit floats
};

/// A pure choice: fills mapping, tile, slots, block, serial and warps.
RowSpread spread_rows(const ReductionAxesLayout& over, const codegen::RowTuning& tuning, const DeviceInfo& device,
                      const RowWork& work, codegen::RowLayout& layout);

/// Whether a program over such rows fills the device; else rows are reduced by many blocks each, and read again.
/// @param along_last  rows go along the last axis: not columns
bool rows_fit(const DeviceInfo& device, std::size_t count, std::size_t outputs, std::size_t kept_bytes,
              bool along_last);

}  // namespace gemel
