/// The spaces of the library's own generators: what else the numbers of a tuning could be.
#pragma once

#include <gemel/codegen/tuning.hpp>
#include <gemel/codegen/tuning_space.hpp>
#include <gemel/core/device.hpp>
#include <gemel/core/export.hpp>

#include <span>
#include <string_view>

namespace gemel::tune {

/// The space around a tuning: its numbers that are given and have others worth a trial on the device. A number that is
/// left open, a strategy and the sizes of tiles stay as they are. It has at least the tuning itself.
/// @param family  whose kernels may be written for some numbers only
GEMEL_API Space tuning_space(std::string_view family, std::span<const codegen::TuningField> start,
                             const DeviceInfo& device);
/// The tuning's own point of that space.
GEMEL_API Point tuning_point(std::span<const codegen::TuningField> start, const Space& space);

}  // namespace gemel::tune
