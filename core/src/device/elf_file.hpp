/// Checks a shared library before the dynamic loader maps it: the loader trusts the file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gemel {

/// The result of checking a file.
struct ElfFile {
    std::string trouble;              ///< why this process cannot load it, in words for a person; empty if it may
    std::vector<std::string> needed;  ///< the libraries that it is linked with ("libc.so.6")
};

/// Reads headers and bounds: a file that is cut short would end the process while it is loaded, and one for another
/// machine is said by the loader not to be there.
ElfFile read_elf(const std::filesystem::path& path);

/// Why a file must not be given to dlopen(): what read_elf() says, or a sanitizer's run-time library, which ends a
/// process that it was not loaded into at the start. Empty if nothing is known against it.
std::string why_not_loadable(const std::filesystem::path& path);

}  // namespace gemel
