/// subgroup_add and related functions: cooperation of neighbouring threads that run in lockstep.
#pragma once

#include <gemel/core/dialect.hpp>

#include <string>

namespace gemel {

/// @param platform  the dialect's subgroup_size(), _lane(), _id(), gemel_subgroup_word() and gemel_subgroup_votes()
/// @param double_guard  the #if condition for the existence of double; empty: always
Dialect::Section subgroup_section(const std::string& platform, const std::string& double_guard,
                                  std::vector<std::string> needs);

}  // namespace gemel
