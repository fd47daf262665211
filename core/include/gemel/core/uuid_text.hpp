/// The text form of a device's UUID, shared by all plug-ins so that they give one GPU the same name.
#pragma once

#include <gemel/core/export.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace gemel {

/// "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", as nvidia-smi prints it.
GEMEL_API std::string uuid_text(std::span<const std::byte, 16> uuid);

}  // namespace gemel
