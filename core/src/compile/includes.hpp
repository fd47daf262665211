/// Follows #include lines of kernel text, so that an edited header changes the cache key.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gemel {

/// The files on which a program's text depends.
struct Includes {
    struct File {
        std::filesystem::path path;
        std::string text;
    };
    /// all files that the names may refer to, each once, in order of first use
    std::vector<File> files;
    std::vector<std::string> unresolved;  ///< names that the compiler must find by itself ("cuda_fp16.h")
    std::vector<std::string> stamps;      ///< path, size and time of those that lie in the compiler's own folders
    bool cacheable = true;                ///< false with __DATE__, a computed #include and the like
    std::string why_not;                  ///< for the log, when it is false
};

/// Where names are looked for.
struct IncludeFolders {
    std::vector<std::filesystem::path> named;  ///< in order
    std::filesystem::path of_text;  ///< where the text itself lies, if it is a file: first for "quoted" names
    /// Folders that some compilers search too, before or after the others (the current folder): files in them are
    /// dependencies in addition to the files found.
    std::vector<std::filesystem::path> perhaps;
    /// The compiler's own folders: their files are identified by stamps, not read.
    std::vector<std::filesystem::path> of_compiler;
};

/// No chain of files that include each other is longer; compilers have the same limit.
inline constexpr int deepest_include = 200;

/// @throws Error beyond that limit, and for a file that is too large
Includes follow_includes(std::string_view text, const IncludeFolders& folders);

}  // namespace gemel
