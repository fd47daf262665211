/// Sorting on the device.
#pragma once

#include <gemel/arrays/evaluated.hpp>
#include <gemel/arrays/gpu_array.hpp>
#include <gemel/core/stream.hpp>

namespace gemel {

/// Options of sort() and its siblings, by name: `sort(x, {.axis = 0, .descending = true})`.
struct SortOptions {
    int axis = -1;            ///< sorted along it; negative ones count from the end
    bool descending = false;  ///< the largest first, NaN before it; equal elements keep their order all the same
    Stream stream = {};
};

}  // namespace gemel
