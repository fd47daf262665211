/// The commands of `gemel`. Each returns the exit code: 0, or 1 after a message on standard error.
#pragma once

#include <string>
#include <vector>

namespace gemel::tools {

/// Everything that a bug report needs: gemel, plug-ins, devices, libraries, cache, environment.
int info(bool as_json);

/// The compiled kernels on disk, newest first.
int cache_list();
/// Where the cache is, how it is used and how full it is.
int cache_stat();
/// Removes every entry.
int cache_clear();

/// Prints a portable program, or standard input if `file` is "-", as a complete one in each of the dialects, or writes
/// it to `output_folder` if that is not empty.
int translate(const std::string& file, const std::vector<std::string>& dialects, const std::string& output_folder,
              const std::vector<std::string>& include_folders);

}  // namespace gemel::tools
