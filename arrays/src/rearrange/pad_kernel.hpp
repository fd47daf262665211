/// The kernel of pad().
#pragma once

#include <gemel/arrays/elementwise_kernel.hpp>
#include <gemel/arrays/pad.hpp>
#include <gemel/core/export.hpp>

#include <cstdint>
#include <vector>

namespace gemel {

/// Axes that the kernel tells apart: each is its extent in the result and its step in x; those with a border also the
/// extent in x and the elements before.
struct PadForm {
    PadMode mode = PadMode::constant;
    bool wide = false;             ///< indices in 64 bits
    std::vector<bool> has_border;  ///< per axis
};

/// (out, x, value, then of each axis: extent, step[, inner, before]); x is its first element.
GEMEL_API const ElementwiseKernel& pad_kernel(const PadForm& form);

}  // namespace gemel
