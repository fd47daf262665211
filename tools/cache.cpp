/// `gemel cache ls|stat|clear`: the compiled kernels on disk.
#include "commands.hpp"
#include "info_report.hpp"
#include "table.hpp"

#include <gemel/core/disk_cache.hpp>
#include <gemel/core/environment.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/process_folder.hpp>
#include <gemel/core/text.hpp>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

namespace gemel::tools {
namespace {

std::filesystem::path folder() {
    const auto found = DiskCache::default_folder();
    if (!found) throw Error("there is no kernel cache, because there is no home folder: set GEMEL_CACHE_DIR");
    std::error_code failure;
    if (std::filesystem::exists(*found, failure) && !std::filesystem::is_directory(*found, failure))
        throw Error(text("the kernel cache ", found->string(), " is a file; set GEMEL_CACHE_DIR to a folder"));
    return *found;
}

}  // namespace

int cache_list() {
    (void)env::get("GEMEL_CACHE");  // an invalid value throws; cache_stat() shows it
    const DiskCache stored(folder(), DiskCache::default_limit_bytes, DiskCache::Mode::readonly);
    Table table(0);
    for (const DiskCache::Entry& entry : stored.entries())
        table.row(
            {readable_time(entry.last_use), readable_bytes(entry.bytes), entry.file.filename().string(), entry.label});
    std::fputs(table.text().c_str(), stdout);
    return 0;
}

int cache_stat() {
    folder();  // throws if there is none
    const CacheReport report = cache_report();
    Table table(0);
    table.row({"folder", *report.folder});
    table.row({"mode", report.mode});
    table.row({"entries", std::to_string(report.entries)});
    table.row({"size", readable_bytes(report.bytes)});
    table.row({"limit", readable_bytes(report.limit_bytes)});
    std::fputs(table.text().c_str(), stdout);
    return 0;
}

int cache_clear() {
    if (DiskCache::kernels().mode() == DiskCache::Mode::readonly)
        throw Error("the kernel cache is read-only (GEMEL_CACHE=readonly): nothing was removed");
    DiskCache stored(folder());
    if (const std::string why = why_distrusted(stored.folder()); !why.empty())
        throw Error(text("nothing was removed from ", stored.folder().string(), ": ", why));
    std::set<std::pair<std::filesystem::path, std::chrono::system_clock::time_point>> before;
    for (const DiskCache::Entry& entry : stored.entries()) before.emplace(entry.file, entry.last_use);
    const std::size_t removed = stored.clear();
    std::printf("removed %s from %s\n", counted(removed, "entry", "entries").c_str(), stored.folder().c_str());
    // Entries that other processes have added or rewritten meanwhile are no failure.
    std::size_t left = 0;
    for (const DiskCache::Entry& entry : stored.entries())
        left += before.contains({entry.file, entry.last_use}) ? 1 : 0;
    if (left > 0)
        throw Error(text(counted(left, "entry", "entries"),
                         " cannot be removed: the folder may be another user's, or read-only"));
    return 0;
}

}  // namespace gemel::tools
