/// Complex numbers for kernels: one source for all dialects, since it needs only structs and overloading.
#pragma once

#include <gemel/core/dialect.hpp>

namespace gemel {

/// The sections "cfloat" and "cdouble". The dialect's preamble must define GEMEL_FUNCTION, the prefix of an
/// overloadable device function. `double_guard` is the #if condition for the existence of double; empty: always.
std::vector<Dialect::Section> complex_sections(const std::string& double_guard);

}  // namespace gemel
