/// Keyword substitution, the simplest way to generate kernel source.
#pragma once

#include <gemel/core/dialect.hpp>
#include <gemel/core/export.hpp>

#include <map>
#include <string>
#include <string_view>

namespace gemel::codegen {

using gemel::Dialect;

/// Replaces every `${name}` by its value, and `$$` by a dollar sign.
/// @throws ArgumentError for a name without a value, with the line and the known names
GEMEL_API std::string substitute(std::string_view pattern, const std::map<std::string, std::string>& values);

}  // namespace gemel::codegen
