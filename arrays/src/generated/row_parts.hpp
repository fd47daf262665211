/// How much of a row several blocks can share.
#pragma once

#include <gemel/core/device.hpp>

#include <cstddef>

namespace gemel {

/// Maximum threads of blocks that share a row; half as many if that suffices: then several blocks fit a multiprocessor,
/// and some read while others wait.
inline constexpr std::size_t part_block = 512;
inline constexpr std::size_t part_room = 128;  ///< bytes of a row per thread of such blocks in registers
inline constexpr std::size_t max_cluster = 8;  ///< blocks of a cluster, on every device with clusters
inline constexpr std::size_t min_part_bytes = std::size_t{32} << 10;  ///< of a row that is divided to fill the device

/// Bytes of a row per thread of such blocks, where they have shared memory for it as well: then more of the rows is
/// under way while blocks wait for each other, at the same number of registers.
struct PartRoom {
    std::size_t in_registers, in_shared_memory;
};
/// @param narrow  as RowWork::narrow
PartRoom room_of_part(const DeviceInfo& device, bool columns, bool narrow);

/// Whether a multiprocessor has 160 KiB of shared memory or more.
bool has_large_shared_memory(const DeviceInfo& device);

/// Whether blocks can be a thread block cluster: through CUDA, on sm_90 and newer.
bool has_clusters(const DeviceInfo& device);

/// Maximum blocks that share a row: few enough that a whole row is resident, whatever compilers do with registers, and
/// another kernel beside it. Their launches are exclusive, so that no two of them wait for each other's places. At
/// least two of these blocks fit a multiprocessor that has the shared memory for them.
std::size_t max_parts(const DeviceInfo& device);

}  // namespace gemel
