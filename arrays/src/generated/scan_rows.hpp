/// Scans whose segments are rows of one length: which of them are scanned each for itself, and by how many threads.
#pragma once

#include <gemel/codegen/scan.hpp>
#include <gemel/core/device.hpp>

#include <cstddef>

namespace gemel {

/// A call's rows.
struct ScannedRows {
    std::size_t length = 1, count = 1;  ///< elements of a row, and of all rows
    std::size_t vector_width = 1;       ///< of the packs in which elements are moved
    std::size_t item_bytes = 4;         ///< of a running result
};

/// Fills layout.along and loops, and the tuning's block and items, where rows are whole numbers of packs, and many or
/// short; elsewhere all stays as it is: blocks look back.
void cut_into_rows(const ScannedRows& rows, const DeviceInfo& device, codegen::ScanLayout& layout,
                   codegen::ScanTuning& tuning);

}  // namespace gemel
