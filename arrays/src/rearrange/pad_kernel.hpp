/// The kernel of pad().
#pragma once

#include <gemel/arrays/elementwise_kernel.hpp>
#include <gemel/arrays/pad.hpp>
#include <gemel/core/export.hpp>

#include <cstdint>
#include <vector>

namespace gemel {

/// The variant. Each axis has its extent in the result and its stride in x; axes with a border also have the extent in
/// x and the number of elements before.
struct PadForm {
    PadMode mode = PadMode::constant;
    bool wide = false;             ///< 64-bit indices
    std::vector<bool> has_border;  ///< per axis
};

/// (out, x, value, then of each axis: extent, step[, inner, before]); x is its first element.
GEMEL_API const ElementwiseKernel& pad_kernel(const PadForm& form);

}  // namespace gemel
