/// `gemel translate FILE --to cuda,opencl`: a portable program as a complete one of either language, which compiles
/// without gemel.
#include "commands.hpp"

#include <gemel/core/dialect.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <set>
#include <system_error>

namespace gemel::tools {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> contents(const fs::path& file) {
    std::error_code ignored;
    if (fs::is_directory(file, ignored)) return std::nullopt;
    std::ifstream in(file, std::ios::binary);
    if (!in) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(in), {});
}

/// What stands behind the '#' of a directive, without blanks before it; empty for other lines.
std::string_view directive(std::string_view line) {
    const auto without_blanks = [](std::string_view rest) {
        return rest.substr(std::min(rest.find_first_not_of(" \t"), rest.size()));
    };
    line = without_blanks(line);
    return line.starts_with('#') ? without_blanks(line.substr(1)) : std::string_view();
}

/// Puts what the program includes by "name" in that place, if it lies beside the includer or in one of the folders.
/// Other includes stay, for the compiler to find.
class Inliner {
   public:
    explicit Inliner(const std::vector<std::string>& folders) : folders_(folders) {}

    /// @param name  of the file, for messages
    std::string run(const std::string& text, const std::string& name, const fs::path& folder, int depth = 0) {
        if (depth > deepest)
            throw Error(gemel::text(name, ": #include goes more than ", deepest,
                                    " files deep; put '#pragma once' into files that include each other"));
        std::string result;
        for (std::size_t from = 0; from < text.size();) {
            const std::size_t end = std::min(text.find('\n', from), text.size());
            const std::string line = text.substr(from, end - from);
            from = end + 1;
            if (depth > 0 && directive(line).starts_with("pragma once")) continue;
            const std::optional<fs::path> file = included(line, folder);
            if (!file) {
                result += line + "\n";
                continue;
            }
            const std::string inner = contents(*file).value_or("");
            const bool is_new = seen_.insert(fs::weakly_canonical(*file)).second;
            if (is_new || inner.find("#pragma once") == std::string::npos)
                result += run(inner, file->string(), file->parent_path(), depth + 1);
        }
        return result;
    }

   private:
    static constexpr int deepest = 64;

    std::optional<fs::path> included(std::string_view line, const fs::path& folder) const {
        const std::string_view what = directive(line);
        if (!what.starts_with("include")) return std::nullopt;
        const std::size_t open = what.find('"'), close = what.find('"', open + 1);
        if (open == std::string_view::npos || close == std::string_view::npos) return std::nullopt;
        const std::string name(what.substr(open + 1, close - open - 1));
        std::vector<fs::path> places{folder / name};
        for (const std::string& other : folders_) places.push_back(fs::path(other) / name);
        for (const fs::path& place : places)
            if (contents(place)) return place;
        return std::nullopt;
    }

    const std::vector<std::string>& folders_;
    std::set<fs::path> seen_;
};

void write(const fs::path& file, const std::string& text) {
    std::ofstream out(file, std::ios::binary);
    out << text;
    out.close();
    if (!out)
        throw Error(gemel::text("cannot write ", file.string(), ": ", std::strerror(errno),
                                "; --output names a folder that may be written"));
}

}  // namespace

int translate(const std::string& file, const std::vector<std::string>& dialects, const std::string& output_folder,
              const std::vector<std::string>& include_folders) {
    std::vector<const Dialect*> targets;
    for (const std::string& name : dialects) {
        const Dialect* const dialect = &Dialect::find(name);
        if (std::find(targets.begin(), targets.end(), dialect) == targets.end()) targets.push_back(dialect);
    }

    const bool from_input = file == "-";
    std::optional<std::string> text;
    if (from_input)
        text = std::string(std::istreambuf_iterator<char>(std::cin), {});
    else
        text = contents(file);
    if (!text)
        throw Error(gemel::text("cannot read ", file, ": give a file with portable kernels, or - for standard input"));
    const std::string program =
        Inliner(include_folders).run(*text, file, from_input ? "." : fs::path(file).parent_path());

    for (const Dialect* dialect : targets) {
        const std::string complete = prelude(*dialect, program) + "\n" + program;
        if (output_folder.empty()) {
            if (targets.size() > 1) std::cout << "// ---- " << dialect->name << " ----\n";
            std::cout << complete;
            continue;
        }
        std::error_code ignored;
        fs::create_directories(output_folder, ignored);
        const std::string stem = from_input ? "kernel" : fs::path(file).stem().string();
        const fs::path target = fs::path(output_folder) / (stem + dialect->file_extension);
        if (fs::equivalent(target, file, ignored))
            throw Error(gemel::text(target.string(), " is the file that is read: --output must name another folder"));
        write(target, complete);
    }
    return 0;
}

}  // namespace gemel::tools
