#include "program_files.hpp"

#include <gemel/core/environment.hpp>
#include <gemel/core/plugin.hpp>
#include <gemel/core/text.hpp>

#include "option_files.hpp"

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

std::string define_lines(const CompileOptions& options) {
    std::string lines;
    for (const auto& [name, value] : options.defines) lines += text("#define ", name, " ", value, "\n");
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
        // PoCL looks in the current folder first. NVRTC looks where the program's name says that it lies.
        std::error_code none;
        if (const fs::path current = fs::current_path(none); !none) {
            folders.perhaps.push_back(current);
            if (const fs::path beside = fs::path(options.name).parent_path(); !beside.empty())
                folders.perhaps.push_back(current / beside);
        }
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
