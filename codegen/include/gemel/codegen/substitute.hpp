/// Keyword substitution: the simplest way to make kernel text.
#pragma once

#include <gemel/core/dialect.hpp>
#include <gemel/core/export.hpp>

#include <map>
#include <string>
#include <string_view>

namespace gemel::codegen {

using gemel::Dialect;

/// Replaces every `${name}` by its value; `$$` is a dollar sign.
/// @throws ArgumentError with the line and the names that there are, for a name without a value
GEMEL_API std::string substitute(std::string_view pattern, const std::map<std::string, std::string>& values);

}  // namespace gemel::codegen
