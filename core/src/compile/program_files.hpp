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

/// The options with GEMEL_DEBUG and GEMEL_BUILD_OPTIONS applied.
CompileOptions with_environment(CompileOptions options);

/// The text without a byte-order mark.
std::string_view without_mark(std::string_view source);

/// A program's name escaped for a #line directive.
std::string line_name(std::string_view name);

/// Refuses text and options that a compiler would misread.
/// @throws ArgumentError that begins with `function`
void check_program(const char* function, std::string_view source, const CompileOptions& options);

/// @throws ArgumentError beginning with `function` if a number is out of range
void check_jit_options(const char* function, const JitOptions& jit);

/// "#define N 16" for each define. Each has its own name in compilers' messages, except in text for debuggers, whose
/// lines must be those of a file.
std::string define_lines(const CompileOptions& options);

/// All files that a program may include: by its text, its defines and its options.
/// @param options  including those of the environment
/// @param of_text  the folder of the text, if it is a file; searched for names in quotes and in brackets
Includes files_of_program(const plugin::Context& plugin, const std::string& source, const CompileOptions& options,
                          const std::filesystem::path& of_text);

}  // namespace gemel
