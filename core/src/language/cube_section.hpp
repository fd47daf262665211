/// Cube maps for kernels: six layers that a direction chooses from.
#pragma once

#include <gemel/core/dialect.hpp>

namespace gemel {

/// The section for texture_read_cube and texture_read_cube_layered, the same in each dialect.
Dialect::Section cube_section();

}  // namespace gemel
