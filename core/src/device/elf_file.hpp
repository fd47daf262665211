/// Checks a shared library before the dynamic loader maps it: the loader trusts the file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gemel {

/// The result of checking a file.
struct ElfFile {
    std::string trouble;              ///< why this process cannot load it, in plain words; empty if it can
    std::vector<std::string> needed;  ///< the libraries that it depends on ("libc.so.6")
};

/// Reads headers and checks bounds. A truncated file would crash the process during loading, and for a file for another
/// machine the loader says only that it does not exist.
ElfFile read_elf(const std::filesystem::path& path);

/// Why a file must not be passed to dlopen(): the result of read_elf(), or a sanitizer's run-time library, which ends a
/// process that did not load it at the start. Empty if there is no reason.
std::string why_not_loadable(const std::filesystem::path& path);

}  // namespace gemel
