/// philox_init and its siblings: random numbers within kernels.
#pragma once

#include <gemel/core/dialect.hpp>

#include <string>
#include <vector>

namespace gemel {

/// @param double_guard  what the preprocessor asks whether there is double; empty where there always is
/// @param needs  sections with as_float and its siblings, where the language has them not
std::vector<Dialect::Section> philox_sections(const std::string& double_guard, const std::vector<std::string>& needs);

}  // namespace gemel
