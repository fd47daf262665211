/// The commands of `gemel`. Each returns the exit code: 0, or 1 after a message on standard error.
#pragma once

namespace gemel::tools {

/// Everything that a bug report needs: gemel, plug-ins, devices, libraries, cache, environment.
int info(bool as_json);

/// The compiled kernels on disk, newest first.
int cache_list();
/// Where the cache is, how it is used and how full it is.
int cache_stat();
/// Removes every entry.
int cache_clear();

}  // namespace gemel::tools
