#include "generated/row_parts.hpp"

#include "generated/compute_capability.hpp"
#include "generated/row_layout.hpp"

#include <algorithm>

namespace gemel {
namespace {

constexpr std::size_t guaranteed_part_bytes = std::size_t{72} << 10;  ///< that any of these blocks keeps

}  // namespace

/// Softmax of 2^27 floats on an H100, in us: rows of 64 Ki 424 in registers alone, 397 so; of 256 Ki 470 and 408;
/// columns of 4 Ki 507 and 454. Columns of 4096 of 2^27 bfloat16 on an H200, CUDA: softmax 269 with 96 and 160 bytes,
/// 221 with 128 and 192, 209 so; standardize 246, 210 and 212; of 12000 330, 288 and 254. OpenCL: softmax of columns of
/// 4096 228, 232 and 254.
PartRoom room_of_part(const DeviceInfo& device, bool columns, bool narrow) {
    if (!columns) return narrow ? PartRoom{160, 176} : PartRoom{80, 176};
    if (!narrow) return {96, 160};
    return has_clusters(device) ? PartRoom{256, 256} : PartRoom{128, 192};
}

bool has_large_shared_memory(const DeviceInfo& device) {
    const int capability = compute_capability(device);
    return capability == 80 || capability == 87 || (capability >= 90 && capability < 120);
}

bool has_clusters(const DeviceInfo& device) { return device.has_tensor_maps; }

std::size_t max_parts(const DeviceInfo& device) {
    const bool can = device.type == DeviceInfo::Type::gpu && device.has_cross_block_visibility &&
                     device.max_threads_per_block >= part_block;
    return can ? std::min<std::size_t>(device.compute_units / (has_large_shared_memory(device) ? 2 : 4), 64) : 1;
}

bool rows_fit(const DeviceInfo& device, std::size_t count, std::size_t outputs, std::size_t kept_bytes,
              bool along_last) {
    if (device.type == DeviceInfo::Type::cpu) return count <= 4096 || outputs >= device.compute_units;
    const std::size_t in_block = 1024 * 128 / std::max<std::size_t>(kept_bytes, 1);
    const std::size_t part = has_large_shared_memory(device) ? guaranteed_part_bytes : part_block * part_room;
    const std::size_t in_parts = along_last ? max_parts(device) * part / std::max<std::size_t>(kept_bytes, 1) : 0;
    // A block would read long columns in each loop again, a few of them at a time.
    return count <= std::max(in_block, in_parts) || (along_last && outputs >= device.compute_units);
}

}  // namespace gemel
