/// The distribution of the rows of a row program.
#pragma once

#include "generated/reduction_layout.hpp"

#include <gemel/codegen/rows.hpp>

#include <optional>

namespace gemel {

/// One call's grid and sizes.
struct RowSpread {
    std::size_t count = 1, outputs = 1;  ///< elements per row, and rows
    std::size_t span = 1;                ///< rows per block, for serial rows
    std::size_t blocks = 1;
};

/// The properties of a call's rows on which the choice depends.
struct RowWork {
    std::size_t count = 1, outputs = 1;
    std::size_t kept_bytes = 4;      ///< of the elements at one position that several loops use
    std::size_t stored_bytes = 4;    ///< of the same elements in memory
    std::size_t computed_bytes = 0;  ///< of the values that loops compute at one position for later ones
    std::size_t running_bytes = 4;   ///< of all running values
    bool narrow = false;             ///< some of the elements that several loops use are 16-bit floats
};

/// A pure function: fills mapping, tile, slots, block, serial and warps.
RowSpread spread_rows(const ReductionAxesLayout& over, const codegen::RowTuning& tuning, const DeviceInfo& device,
                      const RowWork& work, codegen::RowLayout& layout);

/// The same for CPU devices.
RowSpread spread_rows_serially(const ReductionAxesLayout& over, const DeviceInfo& device, const RowWork& work,
                               codegen::RowLayout& layout);

/// The same for short rows that a block copies to shared memory, where that is faster.
std::optional<RowSpread> spread_staged_rows(const ReductionAxesLayout& over, const DeviceInfo& device,
                                            const RowWork& work, codegen::RowLayout& layout);

/// The accesses of a thread that every thread has in every row: all of them, or all but one or two; otherwise 0, so
/// that there are few variants of a kernel.
int whole_slots(const ReductionAxesLayout& over, const RowWork& work, const codegen::RowLayout& layout);

/// Whether a row program fills the device; otherwise many blocks reduce each row, and rows are read again.
/// @param along_last  rows extend along the last axis, not along columns
bool rows_fit(const DeviceInfo& device, std::size_t count, std::size_t outputs, std::size_t kept_bytes,
              bool along_last);

}  // namespace gemel
