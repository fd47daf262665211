/// The search spaces of the library's generators.
#pragma once

#include <gemel/codegen/tuning.hpp>
#include <gemel/codegen/tuning_space.hpp>
#include <gemel/core/device.hpp>
#include <gemel/core/export.hpp>

#include <span>
#include <string_view>

namespace gemel::tune {

/// The space around a tuning. Its parameters are the given numbers that have other values worth measuring on the
/// device. Numbers that are not given stay so. Tile sizes vary only in the family matmul, strategies only in
/// sparse_product. The tuning itself is always a point of the space.
/// @param family  of the kernels; matmul and sparse_product have constraints
/// @param work    the workload of the tuning; tiles of its elements that exceed shared memory are excluded
GEMEL_API Space tuning_space(std::string_view family, std::span<const codegen::TuningField> start,
                             const DeviceInfo& device, const codegen::Workload& work = {});
/// The point of that space that is the tuning itself.
GEMEL_API Point tuning_point(std::span<const codegen::TuningField> start, const Space& space);

}  // namespace gemel::tune
