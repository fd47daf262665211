/// subgroup_add and its siblings: what neighbouring threads that run in step can do together.
#pragma once

#include <gemel/core/dialect.hpp>

#include <string>

namespace gemel {

/// @param platform  the dialect's subgroup_size(), _lane(), _id(), gemel_subgroup_word() and gemel_subgroup_votes()
/// @param double_guard  what the preprocessor asks whether there is double; empty where there always is
Dialect::Section subgroup_section(const std::string& platform, const std::string& double_guard,
                                  std::vector<std::string> needs);

}  // namespace gemel
