/// Folders and files that only this user can access, and the check of others.
#pragma once

#include <gemel/core/process_folder.hpp>

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace gemel {

/// Creates a folder and its parents with mode 0700. False with errno on failure.
bool make_private_folder(const std::filesystem::path& folder);

/// As why_distrusted(folder), for an open file.
std::string why_distrusted(const struct stat& status);

/// Writes a temporary file with mode 0600 and renames it, so that a link of that name is not followed. Creates the
/// folder if necessary.
bool write_private_file(const std::filesystem::path& path, std::string_view contents);

}  // namespace gemel
