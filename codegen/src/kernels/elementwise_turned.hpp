/// What the templates of tiles in which arrays are turned round are filled with.
#pragma once

#include "block/element_access.hpp"

#include <gemel/codegen/kernel_text.hpp>

namespace gemel::codegen {

/// Numbers and names of one kernel's tiles. @param block  threads
Values turned_values(const ElementAccess& access, const KernelLayout& layout, int block, KernelText& kernel);

}  // namespace gemel::codegen
