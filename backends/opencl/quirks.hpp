/// Deviations of OpenCL implementations from the standard, or from each other: one table for the whole plug-in. No
/// other file compares names of platforms.
#pragma once

#include <gemel/core/device.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace gemel::plugin::opencl {

enum class Quirk : std::uint8_t {
    launches_collide,
    builds_collide,
    loads_any_binary,
    buffers_share_offset,
    compiles_at_first_launch,
    needs_a_kernel,
    counts_shared_pointers,
    ignores_line_directives,
    takes_inline_ptx,
    has_nvidia_attributes,
    lost_without_descriptors,
    large_fills_fail,
    misreads_half_images,
    scales_layers,
    copies_no_layers,
    hides_shared_memory,
    refuses_sm_90a,
};

/// The quirks of one device.
class Quirks {
   public:
    Quirks() = default;
    Quirks(std::string_view platform, DeviceInfo::Type type);
    bool has(Quirk quirk) const { return (set_ >> static_cast<unsigned>(quirk) & 1) != 0; }
    /// "launches_collide, builds_collide", for the log.
    std::string names() const;

   private:
    std::uint32_t set_ = 0;
};

/// Sets variables that drivers read when they start, unless the environment has them. @param may_write  caches may be
/// written
void set_driver_settings(bool may_write);

}  // namespace gemel::plugin::opencl
