/// How plug-ins write the UUID of a device, so that one GPU has one name in all of them.
#pragma once

#include <gemel/core/export.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace gemel {

/// "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", as nvidia-smi prints it.
GEMEL_API std::string uuid_text(std::span<const std::byte, 16> uuid);

}  // namespace gemel
