/// Scans whose segments are rows of equal length: which of them are scanned row by row, and by how many threads.
#pragma once

#include <gemel/codegen/scan.hpp>
#include <gemel/core/device.hpp>

#include <cstddef>

namespace gemel {

/// The rows of a call.
struct ScannedRows {
    std::size_t length = 1, count = 1;  ///< elements per row, and of all rows
    std::size_t vector_width = 1;       ///< elements per pack
    std::size_t item_bytes = 4;         ///< of a running result
    bool may_shift = false;             ///< rows may begin and end within packs
};

/// Sets layout.along, loops and shifted, and the tuning's block and items, if rows are many or short, and consist of
/// whole packs or may be shifted. Otherwise blocks look back.
void cut_into_rows(const ScannedRows& rows, const DeviceInfo& device, codegen::ScanLayout& layout,
                   codegen::ScanTuning& tuning);

}  // namespace gemel
