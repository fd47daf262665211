/// Bessel functions for kernels: one text for every dialect.
#pragma once

#include <gemel/core/dialect.hpp>

namespace gemel {

/// Sections "bessel" and "complex_bessel", in double precision; `double_guard` as for complex_sections.
std::vector<Dialect::Section> bessel_sections(const std::string& double_guard);

}  // namespace gemel
