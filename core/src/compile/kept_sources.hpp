/// Files of a compilation in addition to its program: texts for debuggers, GEMEL_DUMP, links to folders.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gemel {

/// The folder of the disk cache, if files may be written there: not with GEMEL_CACHE=off or readonly, nor if it is not
/// this user's alone.
std::optional<std::filesystem::path> writable_cache_folder();

/// Keeps a text for people and debuggers, in `folder`. Returns where, or nothing if it could not be written.
std::string keep_source(const std::filesystem::path& folder, std::string_view source, const std::string& extension);

/// Compilers take include folders as words of one line: a folder whose name has spaces gets an alias without.
std::vector<std::filesystem::path> folders_without_spaces(std::vector<std::filesystem::path> folders);

/// The files that GEMEL_DUMP writes for one compilation.
struct Dump {
    std::string_view name, extension, source, options, log;
    std::span<const std::byte> binary;
};
void dump(const std::string& folder, const Dump& what);

}  // namespace gemel
