/// A private folder for the process's temporary files, and a check whether a folder can be trusted.
#pragma once

#include <gemel/core/export.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace gemel {

/// A folder for this process and this user only. The first call creates it below TMPDIR (else /tmp), in a folder with
/// an unpredictable name. It is removed with its contents when the process exits, but not if the process is killed.
/// @throws Error if it cannot be created
GEMEL_API std::filesystem::path process_folder(std::string_view name);

/// Why a folder's contents cannot be trusted: a user other than this one and root owns it or may write to it. Empty if
/// they can, or if the folder does not exist.
GEMEL_API std::string why_distrusted(const std::filesystem::path& folder);

}  // namespace gemel
