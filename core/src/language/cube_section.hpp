/// Cube maps for kernels: six layers, selected by a direction.
#pragma once

#include <gemel/core/dialect.hpp>

namespace gemel {

/// The section with texture_read_cube and texture_read_cube_layered, the same for all dialects.
Dialect::Section cube_section();

}  // namespace gemel
