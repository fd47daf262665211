/// Complex numbers for kernels: one text for every dialect, since it needs nothing but structs and overloading.
#pragma once

#include <gemel/core/dialect.hpp>

namespace gemel {

/// Sections "cfloat" and "cdouble". The dialect's preamble must define GEMEL_FUNCTION, what stands before an
/// overloadable device function; `double_guard` is the #if condition under which double exists, empty for always.
std::vector<Dialect::Section> complex_sections(const std::string& double_guard);

}  // namespace gemel
