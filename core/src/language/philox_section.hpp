/// philox_init and related functions: random numbers in kernels.
#pragma once

#include <gemel/core/dialect.hpp>

#include <string>
#include <vector>

namespace gemel {

/// @param double_guard  the #if condition for the existence of double; empty: always
/// @param needs  sections with as_float and related functions, for languages without them
std::vector<Dialect::Section> philox_sections(const std::string& double_guard, const std::vector<std::string>& needs);

}  // namespace gemel
