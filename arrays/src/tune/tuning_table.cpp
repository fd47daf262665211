#include "tune/tuning_table.hpp"

#include <gemel/arrays/stored_tuning.hpp>
#include <gemel/core/disk_cache.hpp>
#include <gemel/core/environment.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/file_lock.hpp>
#include <gemel/core/log.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <bit>
#include <mutex>
#include <optional>
#include <sstream>

namespace gemel {
namespace {

std::string entry_name(std::string_view family, const codegen::Workload& work) {
    if (family.empty() ||
        !std::all_of(family.begin(), family.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; }))
        throw ArgumentError(text("store_tuning: the family '", family, "' is no simple word"));
    return text(family, " item_bytes=", work.item_bytes, " arrays=", work.arrays,
                " log2_count=", std::bit_width(work.count), " log2_outputs=", std::bit_width(work.outputs));
}

std::optional<DiskCache> store_folder() {
    const DiskCache::Mode mode = DiskCache::kernels().mode();
    const auto folder = DiskCache::default_folder();
    if (!folder || mode == DiskCache::Mode::off) return std::nullopt;
    return DiskCache(*folder / "tuning", DiskCache::default_limit_bytes, mode);
}

}  // namespace

std::shared_ptr<TuningTable> TuningTable::of(const Context& context) {
    static std::mutex& mutex = *new std::mutex;
    static auto& tables = *new std::map<std::string, std::shared_ptr<TuningTable>>;
    const std::string fingerprint = context.fingerprint();
    std::lock_guard lock(mutex);
    auto& table = tables[fingerprint];
    if (!table) table = std::make_shared<TuningTable>(fingerprint);
    return table;
}

TuningTable::TuningTable(std::string fingerprint) : key_("tunings\n" + std::move(fingerprint)), entries_(read()) {
    empty_ = entries_.empty();
}

TuningTable::Entries TuningTable::read() const {
    Entries entries;
    const auto cache = store_folder();
    const auto bytes = cache ? cache->get(key_) : std::nullopt;
    if (!bytes) return entries;
    std::istringstream lines(std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()));
    for (std::string line; std::getline(lines, line);) {
        const std::size_t colon = line.find(": ");
        if (colon != std::string::npos) entries[line.substr(0, colon)] = line.substr(colon + 2);
    }
    return entries;
}

std::string TuningTable::find(std::string_view family, const codegen::Workload& work) const {
    if (empty()) return {};
    std::shared_lock lock(mutex_);
    const auto found = entries_.find(entry_name(family, work));
    return found == entries_.end() ? std::string() : found->second;
}

void TuningTable::store(std::string_view family, const codegen::Workload& work, const std::string& tuning) {
    const std::string name = entry_name(family, work);
    std::unique_lock lock(mutex_);
    const auto update = [&](Entries& entries) {
        if (tuning.empty()) {
            entries.erase(name);
        } else {
            entries[name] = tuning;
        }
    };
    if (auto cache = store_folder(); cache && cache->mode() == DiskCache::Mode::on) {
        // What other processes have stored meanwhile is kept.
        FileLock file_lock(cache->folder() / "lock");
        for (auto& [key, value] : read()) entries_.try_emplace(key, value);
        update(entries_);
        std::string lines;
        for (const auto& [key, value] : entries_) lines += text(key, ": ", value, "\n");
        cache->put(key_, std::as_bytes(std::span(lines)));
    } else {
        update(entries_);
    }
    empty_.store(entries_.empty(), std::memory_order_release);
}

void store_tuning_text(const Context& context, std::string_view family, const codegen::Workload& work,
                       const std::string& tuning) {
    TuningTable::of(context)->store(family, work, tuning);
}

std::string stored_tuning_text(const Context& context, std::string_view family, const codegen::Workload& work) {
    return TuningTable::of(context)->find(family, work);
}

namespace {

std::uint64_t max_threads(const DeviceInfo& device) {
    return std::min<std::uint64_t>(device.max_threads_per_block, device.max_block[0]);
}

}  // namespace

void check_given_block(std::string_view family, const std::string& tuning, std::uint32_t block,
                       const DeviceInfo& device) {
    if (block > max_threads(device))
        throw ArgumentError(text(family, ": the tuning \"", tuning, "\" asks for blocks of ", block, " threads, but ",
                                 device.name, " takes at most ", max_threads(device)));
}

void check_stored_block(std::string_view family, const std::string& tuning, std::uint32_t block,
                        const DeviceInfo& device, const codegen::Workload& work) {
    if (block <= max_threads(device)) return;
    const std::optional<DiskCache> folder = store_folder();
    throw ArgumentError(text(family, ": the stored tuning \"", tuning, "\" (", entry_name(family, work),
                             ") asks for blocks of ", block, " threads, but ", device.name, " takes at most ",
                             max_threads(device), "; store_tuning(context, {.count = ", work.count,
                             ", .item_bytes = ", work.item_bytes, ", .arrays = ", work.arrays,
                             ", .outputs = ", work.outputs, "}, an empty tuning) removes it",
                             folder ? text(", deleting ", folder->folder().string(), " all of them") : ""));
}

}  // namespace gemel
