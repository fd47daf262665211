/// Folders and files that only this user may enter, and how to tell those of others.
#pragma once

#include <gemel/core/process_folder.hpp>

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace gemel {

/// Makes a folder and those above it, with mode 0700. False with errno where that cannot be.
bool make_private_folder(const std::filesystem::path& folder);

/// As why_distrusted(folder), of a file that is open.
std::string why_distrusted(const struct stat& status);

/// Writes a file with mode 0600 beside its name and moves it there, so that no link of that name is followed. Makes the
/// folder if need be.
bool write_private_file(const std::filesystem::path& path, std::string_view contents);

}  // namespace gemel
