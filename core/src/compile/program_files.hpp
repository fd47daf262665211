/// The dependencies of a compilation besides its text.
#pragma once

#include <gemel/core/source.hpp>

#include "compile/includes.hpp"

#include <string>
#include <string_view>

namespace gemel {

namespace plugin {
class Context;
}

/// The options, with those of GEMEL_DEBUG and GEMEL_BUILD_OPTIONS added.
CompileOptions with_environment(CompileOptions options);

/// A text without the mark that some editors put before its first byte.
std::string_view without_mark(std::string_view source);

/// A program's name as it may stand in a #line directive, in quotes.
std::string line_name(std::string_view name);

/// Refuses text and options that would reach a compiler as something else than was meant.
/// @throws ArgumentError that begins with `function`
void check_program(const char* function, std::string_view source, const CompileOptions& options);

/// @throws ArgumentError that begins with `function` if a figure is out of range
void check_jit_options(const char* function, const JitOptions& jit);

/// "#define N 16" for each define, each under a name of its own in compilers' messages, but not in a text for
/// debuggers, whose lines are those of a file.
std::string define_lines(const CompileOptions& options);

/// Every file that a program may include: from its text, its defines and its options.
/// @param options  with the environment's
/// @param of_text  where the text lies, if it is a file: searched for names in quotes and in brackets
Includes files_of_program(const plugin::Context& plugin, const std::string& source, const CompileOptions& options,
                          const std::filesystem::path& of_text);

}  // namespace gemel
