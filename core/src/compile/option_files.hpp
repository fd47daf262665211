/// Files and folders in compiler options, on which a program depends besides its text.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gemel {

struct OptionFiles {
    std::vector<std::filesystem::path> folders;  ///< searched for #include, in order
    std::vector<std::string> included;           ///< files that are included before the text
    std::string why_not;  ///< an option that makes the program depend on files that are not followed; empty: none
};

/// Parses options in every form that one of the compilers may accept: "-Ifolder", "-I", "folder", and two words in one.
/// An additional folder does no harm.
OptionFiles files_of_options(const std::vector<std::string>& words);

}  // namespace gemel
