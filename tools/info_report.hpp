/// The data of `gemel info`, collected before anything is printed.
#pragma once

#include <gemel/core/device.hpp>
#include <gemel/core/disk_cache.hpp>
#include <gemel/core/environment.hpp>
#include <gemel/core/registry.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gemel::tools {

/// The state of the cache of compiled kernels.
struct CacheReport {
    std::optional<std::string> folder;  ///< nothing without a home folder
    std::string mode;                   ///< "on", "readonly", "off", or the error in the setting
    std::size_t entries = 0;
    std::size_t bytes = 0;
    std::size_t limit_bytes = DiskCache::default_limit_bytes;
};

struct InfoReport {
    std::string version, build_tag;
    std::string library;  ///< libgemel.so, as loaded
    std::string system;   ///< "Debian GNU/Linux 12 (bookworm), Linux 6.1.0 x86_64"
    std::vector<std::string> search_path;
    std::vector<BackendStatus> backends;
    std::vector<Device> devices;           ///< all
    std::vector<Device> excluded_devices;  ///< devices that GEMEL_BACKEND and GEMEL_DEVICE exclude
    std::optional<Device> default_device;
    std::string no_default;  ///< why there is no default device
    CacheReport cache;
    std::vector<EnvironmentVariable> environment;              ///< gemel's own, set or not
    std::vector<std::pair<std::string, std::string>> foreign;  ///< others that drivers and loaders read, if set
};

CacheReport cache_report();
InfoReport info_report();

}  // namespace gemel::tools
