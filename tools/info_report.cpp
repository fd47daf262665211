/// Collects the data for `gemel info`. A failing backend is part of the report: it must not make the report fail.
#include "info_report.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/plugin.hpp>
#include <gemel/core/version.hpp>

#include <dlfcn.h>
#include <sys/utsname.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace gemel::tools {
namespace {

/// Variables of drivers, loaders and compilers that affect gemel.
constexpr const char* foreign_variables[] = {"CUDA_VISIBLE_DEVICES",
                                             "CUDA_PATH",
                                             "CUDA_HOME",
                                             "CUDA_CACHE_DISABLE",
                                             "CUDA_CACHE_PATH",
                                             "CUDA_LAUNCH_BLOCKING",
                                             "CUDA_MODULE_LOADING",
                                             "NVIDIA_VISIBLE_DEVICES",
                                             "OCL_ICD_VENDORS",
                                             "OCL_ICD_FILENAMES",
                                             "OPENCL_VENDOR_PATH",
                                             "OPENCL_LAYERS",
                                             "POCL_DEVICES",
                                             "POCL_CACHE_DIR",
                                             "POCL_KERNEL_CACHE",
                                             "POCL_MAX_PTHREAD_COUNT",
                                             "POCL_DEBUG",
                                             "RUSTICL_ENABLE",
                                             "XDG_CACHE_HOME",
                                             "LD_LIBRARY_PATH",
                                             "LD_PRELOAD"};

std::string library_path() {
    Dl_info found{};
    if (dladdr(reinterpret_cast<const void*>(&plugin::library_build_tag), &found) == 0 || !found.dli_fname) return {};
    std::error_code ignored;
    const std::filesystem::path real = std::filesystem::canonical(found.dli_fname, ignored);
    return ignored ? found.dli_fname : real.string();
}

std::string system_description() {
    std::string name;
    std::ifstream release("/etc/os-release");
    for (std::string line; std::getline(release, line);) {
        constexpr std::string_view key = "PRETTY_NAME=";
        if (line.starts_with(key)) {
            name = line.substr(key.size());
            std::erase(name, '"');
        }
    }
    utsname kernel{};
    if (uname(&kernel) == 0)
        name += (name.empty() ? "" : ", ") + std::string(kernel.sysname) + " " + kernel.release + " " + kernel.machine;
    return name;
}

const char* to_string(DiskCache::Mode mode) {
    switch (mode) {
        case DiskCache::Mode::on: return "on";
        case DiskCache::Mode::readonly: return "readonly";
        case DiskCache::Mode::off: return "off";
    }
    return "unknown";
}

}  // namespace

CacheReport cache_report() {
    CacheReport report;
    if (const auto folder = DiskCache::default_folder()) {
        report.folder = folder->string();
        // Opened by its folder, not by DiskCache::kernels(), so that the entries are shown even if the cache is off.
        const DiskCache stored(*folder, DiskCache::default_limit_bytes, DiskCache::Mode::readonly);
        for (const DiskCache::Entry& entry : stored.entries()) {
            ++report.entries;
            report.bytes += entry.bytes;
        }
    }
    try {
        const DiskCache cache = DiskCache::kernels();
        report.mode = to_string(cache.mode());
        report.limit_bytes = cache.limit_bytes();
    } catch (const Error& error) {
        report.mode = error.what();
    }
    return report;
}

InfoReport info_report() {
    InfoReport report;
    report.version = GEMEL_VERSION;
    report.build_tag = plugin::library_build_tag();
    report.library = library_path();
    report.system = system_description();
    report.search_path = plugin_search_path();
    report.backends = backends();
    report.devices = report.excluded_devices = all_devices();
    try {
        report.default_device = default_device();
        for (const Device& left : devices()) std::erase(report.excluded_devices, left);
    } catch (const Error& error) {
        report.no_default = error.what();
    }
    report.cache = cache_report();
    report.environment = environment();
    for (const char* name : foreign_variables)
        if (const char* value = std::getenv(name)) report.foreign.emplace_back(name, value);
    return report;
}

}  // namespace gemel::tools
