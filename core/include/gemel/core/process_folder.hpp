/// A folder for files that must not outlive the process, and whether one that is there can be relied upon.
#pragma once

#include <gemel/core/export.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace gemel {

/// A folder of that name, for this process and this user alone: made at the first call below TMPDIR (else /tmp) with a
/// name that nobody can foresee, removed with all that is in it when the process ends by itself. A process that is
/// killed leaves it behind.
/// @throws Error where none can be made
GEMEL_API std::filesystem::path process_folder(std::string_view name);

/// Why what lies in a folder is not to be relied upon: somebody other than this user and root owns it or may write to
/// it. Empty if all is well, or if there is no such folder.
GEMEL_API std::string why_distrusted(const std::filesystem::path& folder);

}  // namespace gemel
