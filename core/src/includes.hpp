/// Follows #include lines of kernel text, so that an edited header means another cache key.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gemel {

/// What a program's text depends on beyond itself.
struct Includes {
    struct File {
        std::filesystem::path path;
        std::string text;
    };
    std::vector<File> files;  ///< found in `directories` or beside the includer, each once, in order of first use
    std::vector<std::string> unresolved;  ///< names that the compiler must find by itself ("cuda_fp16.h")
    bool cacheable = true;                ///< false with __DATE__, __TIME__, __TIMESTAMP__ or a computed #include
    std::string why_not;                  ///< for the log, when it is false
};

/// @param directory_of_text  where the text itself lies, if it is a file: searched first for "quoted" names
Includes follow_includes(std::string_view text, const std::vector<std::filesystem::path>& directories,
                         const std::filesystem::path& directory_of_text = {});

}  // namespace gemel
