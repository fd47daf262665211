/// How a device is divided into parts, which are devices themselves.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace gemel {

/// Sizes are numbers of compute units, as in DeviceInfo::compute_units. @see Device::partition
struct DevicePartition {
    enum class Kind : std::uint8_t { equally, by_counts, by_affinity };
    /// What the compute units of a part share. `next`: the outermost level at which the device can be divided.
    enum class Affinity : std::uint8_t { next, numa, l4_cache, l3_cache, l2_cache, l1_cache };

    /// As many parts of `units` compute units as fit; remaining units belong to no part.
    static DevicePartition equally(std::uint32_t units) { return {Kind::equally, {units}, {}}; }
    /// One part per count.
    static DevicePartition by_counts(std::vector<std::uint32_t> counts) {
        return {Kind::by_counts, std::move(counts), {}};
    }
    static DevicePartition by_affinity(Affinity affinity) { return {Kind::by_affinity, {}, affinity}; }

    Kind kind = Kind::equally;
    std::vector<std::uint32_t> counts;
    Affinity affinity = Affinity::next;
    friend bool operator==(const DevicePartition&, const DevicePartition&) = default;
};

}  // namespace gemel
