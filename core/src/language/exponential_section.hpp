/// The exponential function of expressions, which need not be the language's own.
#pragma once

#include <gemel/core/dialect.hpp>

#include <string>
#include <vector>

namespace gemel {

/// The sections "exp" (gemel_element_exp, of float) and "short_exp" (gemel_short_exp, for 16-bit floats).
/// @param ptx_macro  a macro that is defined where the compiler accepts PTX
/// @param may_be_cpu     whether the language also runs on CPUs, by OpenCL C
std::vector<Dialect::Section> exponential_sections(const std::string& ptx_macro, bool may_be_cpu);

}  // namespace gemel
