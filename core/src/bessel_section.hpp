/// Bessel functions for kernels: one text for every dialect.
#pragma once

#include <gemel/core/dialect.hpp>

namespace gemel {

/// Section "bessel", in double precision; `double_guard` as for complex_sections.
Dialect::Section bessel_section(const std::string& double_guard);

}  // namespace gemel
