/// Files and folders named by compiler options, on which a program depends besides its text.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gemel {

struct OptionFiles {
    std::vector<std::filesystem::path> folders;  ///< searched for #include, in order
    std::vector<std::string> included;           ///< files that come before the text
    std::string why_not;  ///< not empty: an option that makes the program depend on what is not followed
};

/// Reads options in every spelling that a compiler of ours may take: "-Ifolder", "-I", "folder", and two words in one.
/// What only one of them takes is read as well; a folder too many costs nothing.
OptionFiles files_of_options(const std::vector<std::string>& words);

}  // namespace gemel
