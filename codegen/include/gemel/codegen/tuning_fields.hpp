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
/// left open stays as it is, and so do strategies and sizes of tiles but those of the families matmul and
/// sparse_product. It has at least the tuning itself.
/// @param family  whose kernels may be written for some numbers only
/// @param work    that the tuning was chosen for: with shared memory filled by tiles of it, tiles that do not fit are
///                left out
GEMEL_API Space tuning_space(std::string_view family, std::span<const codegen::TuningField> start,
                             const DeviceInfo& device, const codegen::Workload& work = {});
/// The tuning's own point of that space.
GEMEL_API Point tuning_point(std::span<const codegen::TuningField> start, const Space& space);

}  // namespace gemel::tune
