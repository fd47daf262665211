/// How a generated kernel is cut into threads: chosen by a pure function of the device and the work, or by the user.
#pragma once

#include <gemel/core/device.hpp>
#include <gemel/core/export.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gemel::codegen {

/// A plain set of numbers; which of them matter depends on the generator. Zero means "not given".
struct Tuning {
    enum class Scan : std::uint8_t {
        automatic,
        look_back,     ///< one pass; groups read what those before them have published
        three_passes,  ///< totals of the tiles, their scan, the tiles again
        chunks,        ///< three passes with one thread per chunk, for devices with few cores
    };

    std::uint32_t block = 0;  ///< threads per block
    /// Of one memory access, a power of 2: 16 for the widest; up to an element's size for scalar ones.
    std::uint32_t access_bytes = 0;
    std::uint32_t unroll = 0;  ///< accesses that a thread has in flight
    // Element-wise kernels of arrays with gaps, of two axes and more: blocks have tiles of the last two.
    std::uint32_t tile_block = 0;  ///< threads per block there, if not `block`; 1: each goes through a tile by itself
    std::uint32_t tile_width = 0, tile_rows = 0;  ///< powers of 2; where an axis is shorter the other has more
    std::uint32_t blocks_per_unit = 0;            ///< reductions: blocks per compute unit
    std::uint32_t items_per_thread = 0;  ///< scans: elements per thread of a tile; reductions on a CPU: running results
    Scan scan = Scan::automatic;

    friend bool operator==(const Tuning&, const Tuning&) = default;
};

/// "block=256 access_bytes=16 unroll=2": the numbers that are given, readable by parse_tuning().
GEMEL_API std::string to_string(const Tuning& tuning);
/// @throws ArgumentError naming the word that it does not understand
GEMEL_API Tuning parse_tuning(std::string_view text);
/// @param who  whom the error names
/// @throws ArgumentError naming a number that no kernel can be cut by: accesses of other than 1, 2, 4 ... 64 bytes,
/// more
///         than 2^20 threads, 256 accesses in flight, 2^16 blocks per unit, or 4096 items per thread
GEMEL_API void check_tuning(std::string_view who, const Tuning& tuning);
/// `first`, with what it leaves open taken from `second`.
GEMEL_API Tuning merge(const Tuning& first, const Tuning& second);

/// What there is to do, as far as the choice depends on it.
struct Workload {
    std::size_t count = 0;         ///< elements
    std::uint32_t item_bytes = 4;  ///< of the largest element that is moved, or of the running result of a scan
    std::uint32_t arrays = 1;      ///< moved per element
    std::size_t outputs = 1;       ///< of a reduction
};

GEMEL_API Tuning elementwise_tuning(const DeviceInfo& device, const Workload& work);
GEMEL_API Tuning reduction_tuning(const DeviceInfo& device, const Workload& work);
GEMEL_API Tuning scan_tuning(const DeviceInfo& device, const Workload& work);

}  // namespace gemel::codegen
