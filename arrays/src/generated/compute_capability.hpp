#pragma once

#include <gemel/core/device.hpp>

#include <charconv>
#include <string_view>

namespace gemel {

/// 90 for "sm_90", 0 for devices other than NVIDIA GPUs.
inline int compute_capability(const DeviceInfo& device) {
    constexpr std::string_view prefix = "sm_";
    int number = 0;
    const std::string_view name = device.architecture;
    if (name.starts_with(prefix)) std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number);
    return number;
}

}  // namespace gemel
