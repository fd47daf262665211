#include "compile/program_files.hpp"

#include <gemel/core/environment.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/plugin.hpp>
#include <gemel/core/text.hpp>

#include "base/text_file.hpp"
#include "compile/option_files.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <sstream>
#include <system_error>

namespace gemel {

namespace fs = std::filesystem;

CompileOptions with_environment(CompileOptions options) {
    options.debug = options.debug || env::flag("GEMEL_DEBUG");
    if (const auto extra = env::get("GEMEL_BUILD_OPTIONS")) {
        std::istringstream words(*extra);
        for (std::string word; words >> word;) options.extra.push_back(word);
    }
    return options;
}

std::string_view without_mark(std::string_view source) {
    constexpr std::string_view mark = "\xEF\xBB\xBF";
    return source.substr(source.starts_with(mark) ? mark.size() : 0);
}

std::string line_name(std::string_view name) {
    std::string shown(name);
    for (char& c : shown)
        c = c == '"' ? '\'' : c == '\\' ? '/' : static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
    return shown;
}

namespace {

bool is_word(std::string_view name) {
    const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    return !name.empty() && letter(name[0]) &&
           std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

/// The error in a define; empty if it is valid. The name may have parameters: "MAX(a, b)".
std::string why_no_define(std::string_view name, std::string_view value) {
    const std::size_t open = name.find('(');
    if (!is_word(name.substr(0, open)) || (open != std::string_view::npos && !name.ends_with(')')))
        return "its name is not an identifier";
    if ((text(name, value)).find_first_of(std::string_view("\n\r\0", 3)) != std::string::npos)
        return "it has a line end or a zero byte in it";
    if (value.ends_with('\\')) return "its value ends in a backslash, which would take in the next line";
    const std::size_t comment = value.rfind("/*");
    if (comment != std::string_view::npos && value.find("*/", comment) == std::string_view::npos)
        return "its value begins a comment that does not end";
    return {};
}

}  // namespace

void check_program(const char* function, std::string_view source, const CompileOptions& options) {
    const auto refuse = [&](const std::string& what) { throw ArgumentError(text(function, ": ", what)); };
    const std::string name = line_name(options.name);
    if (const std::size_t zero = source.find('\0'); zero != std::string_view::npos)
        refuse(text("the text of '", name, "' has a zero byte in line ",
                    1 + std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(zero), '\n'),
                    "; compilers would ignore the rest (is the text UTF-16?)"));
    if (source.size() > largest_text_bytes)
        refuse(text("the text of '", name, "' has ", readable_bytes(source.size()), ", expected at most ",
                    readable_bytes(largest_text_bytes)));
    for (const auto& [define, value] : options.defines)
        if (const std::string why = why_no_define(define, value); !why.empty())
            refuse(text("the define '", line_name(define), "' = '", line_name(value), "' is invalid: ", why));
    check_jit_options(function, options.jit);
    for (const auto& word : options.extra)
        if (word.find_first_of(std::string_view("\n\r\0", 3)) != std::string::npos)
            refuse(text("the option '", line_name(word), "' is invalid: it contains a line end or a zero byte"));
}

void check_jit_options(const char* function, const JitOptions& jit) {
    if (jit.max_registers < 0)
        throw ArgumentError(
            text(function, ": expected jit.max_registers of at least 1, or 0 for no limit, got ", jit.max_registers));
    if (jit.optimization_level < -1 || jit.optimization_level > 4)
        throw ArgumentError(text(function,
                                 ": expected jit.optimization_level 0 to 4, or -1 for the assembler's own, got ",
                                 jit.optimization_level));
}

std::string define_lines(const CompileOptions& options) {
    std::string lines;
    for (const auto& [name, value] : options.defines) {
        if (!options.debug) lines += text("#line 1 \"the define ", line_name(name), "\"\n");
        lines += text("#define ", name, " ", value, "\n");
    }
    if (!lines.empty() && !options.debug) lines += "#line 1 \"before the program\"\n";
    return lines;
}

Includes files_of_program(const plugin::Context& plugin, const std::string& source, const CompileOptions& options,
                          const fs::path& of_text) {
    const OptionFiles named = files_of_options(options.extra);
    std::string all;
    for (const auto& file : named.included) all += text("#include \"", file, "\"\n");
    all += define_lines(options);
    all += source;

    const bool may_include = all.find('#') != std::string::npos || all.find("__") != std::string::npos ||
                             all.find("%:") != std::string::npos || all.find("?\?") != std::string::npos ||
                             all.find(".inc") != std::string::npos;
    Includes found;
    if (may_include) {
        IncludeFolders folders{.named = {}, .of_text = of_text, .perhaps = {}, .of_compiler = {}};
        if (!of_text.empty()) folders.named.push_back(of_text);
        folders.named.insert(folders.named.end(), options.include_directories.begin(),
                             options.include_directories.end());
        folders.named.insert(folders.named.end(), named.folders.begin(), named.folders.end());
        // PoCL searches the current folder first; NVRTC searches the folder in the program's name.
        std::error_code none;
        if (const fs::path current = fs::current_path(none); !none) {
            folders.perhaps.push_back(current);
            if (const fs::path beside = fs::path(options.name).parent_path(); !beside.empty())
                folders.perhaps.push_back(current / beside);
        }
        // PoCL compiles a copy of the text in its cache folder, relative to which it resolves #include "...".
        if (const fs::path lock = plugin.build_lock(); !lock.empty()) folders.perhaps.push_back(lock.parent_path());
        CompileOptions plain = options;
        plain.include_directories.clear();
        plain.extra.clear();
        folders.of_compiler = files_of_options(plugin.compiler_options(plain)).folders;
        found = follow_includes(all, folders);
    }
    if (found.cacheable && !named.why_not.empty()) {
        found.cacheable = false;
        found.why_not = named.why_not;
    }
    return found;
}

}  // namespace gemel
