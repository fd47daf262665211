/// Folders that only this user may enter.
#pragma once

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

namespace gemel {

/// Makes a folder and those above it, with mode 0700. False with errno where that cannot be.
inline bool make_private_folder(const std::filesystem::path& folder) {
    if (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) {
        return true;
    }
    const std::filesystem::path above = folder.parent_path();
    return errno == ENOENT && above != folder && !above.empty() && make_private_folder(above) &&
           (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST);
}

}  // namespace gemel
