/// The values of the templates for tiles with transposed arrays.
#pragma once

#include "block/element_access.hpp"

#include <gemel/codegen/kernel_text.hpp>

namespace gemel::codegen {

/// The numbers and names of one kernel's tiles. @param block  threads per block
Values turned_values(const ElementAccess& access, const KernelLayout& layout, int block, KernelText& kernel);

}  // namespace gemel::codegen
