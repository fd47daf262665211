/// What a compilation depends on beyond the text that it was given.
#pragma once

#include <gemel/core/source.hpp>

#include "includes.hpp"

namespace gemel {

namespace plugin {
class Context;
}

/// The options with what GEMEL_DEBUG and GEMEL_BUILD_OPTIONS add.
CompileOptions with_environment(CompileOptions options);

/// "#define N 16" for each define, a line each.
std::string define_lines(const CompileOptions& options);

/// Every file that a program may include: from its text, its defines and its options.
/// @param options  with the environment's
/// @param of_text  where the text lies, if it is a file: searched for names in quotes and in brackets
Includes files_of_program(const plugin::Context& plugin, const std::string& source, const CompileOptions& options,
                          const std::filesystem::path& of_text);

}  // namespace gemel
