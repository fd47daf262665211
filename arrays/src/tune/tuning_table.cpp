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
        if (colon == std::string::npos) continue;
        try {
            const codegen::Tuning tuning = codegen::parse_tuning(std::string_view(line).substr(colon + 2));
            codegen::check_tuning("stored", tuning);
            entries[line.substr(0, colon)] = tuning;
        } catch (const ArgumentError&) {
            // Stored by a newer gemel: the heuristic is used instead.
        }
    }
    return entries;
}

codegen::Tuning TuningTable::find(std::string_view family, const codegen::Workload& work) const {
    if (empty()) return {};
    std::shared_lock lock(mutex_);
    const auto found = entries_.find(entry_name(family, work));
    return found == entries_.end() ? codegen::Tuning{} : found->second;
}

void TuningTable::store(std::string_view family, const codegen::Workload& work, const codegen::Tuning& tuning) {
    const std::string name = entry_name(family, work);
    std::unique_lock lock(mutex_);
    const auto update = [&](Entries& entries) {
        if (tuning == codegen::Tuning{}) {
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
        for (const auto& [key, value] : entries_) lines += text(key, ": ", codegen::to_string(value), "\n");
        cache->put(key_, std::as_bytes(std::span(lines)));
    } else {
        update(entries_);
    }
    empty_.store(entries_.empty(), std::memory_order_release);
}

void store_tuning(const Context& context, std::string_view family, const codegen::Workload& work,
                  const codegen::Tuning& tuning) {
    codegen::check_tuning("store_tuning", tuning);
    TuningTable::of(context)->store(family, work, tuning);
}

codegen::Tuning stored_tuning(const Context& context, std::string_view family, const codegen::Workload& work) {
    return TuningTable::of(context)->find(family, work);
}

namespace {

std::uint64_t most_threads(const DeviceInfo& device) {
    return std::min<std::uint64_t>(device.max_threads_per_block, device.max_block[0]);
}

/// The threads of the largest block that a tuning asks for, if the device has none of that size; else 0.
std::uint32_t too_large_block(const codegen::Tuning& tuning, const DeviceInfo& device) {
    const std::uint32_t block = std::max(tuning.block, tuning.tile_block);
    return block > most_threads(device) ? block : 0;
}

void check_given(const codegen::Tuning& given, const DeviceInfo& device, const char* family) {
    codegen::check_tuning(family, given);
    if (const std::uint32_t block = too_large_block(given, device))
        throw ArgumentError(text(family, ": the tuning \"", codegen::to_string(given), "\" asks for blocks of ", block,
                                 " threads, but ", device.name, " takes at most ", most_threads(device)));
}

/// A measured tuning that this device cannot run is named as such: the caller has never seen it.
void check_stored(const codegen::Tuning& stored, const codegen::Tuning& given, const DeviceInfo& device,
                  const char* family, const codegen::Workload& work) {
    codegen::Tuning used = stored;
    if (given.block) used.block = 0;
    if (given.tile_block) used.tile_block = 0;
    const std::uint32_t block = too_large_block(used, device);
    if (!block) return;
    const std::optional<DiskCache> folder = store_folder();
    throw ArgumentError(text(family, ": the stored tuning \"", codegen::to_string(stored), "\" (",
                             entry_name(family, work), ") asks for blocks of ", block, " threads, but ", device.name,
                             " takes at most ", most_threads(device), "; store_tuning(context, \"", family,
                             "\", {.count = ", work.count, ", .item_bytes = ", work.item_bytes,
                             ", .arrays = ", work.arrays, ", .outputs = ", work.outputs, "}, {}) removes it",
                             folder ? text(", deleting ", folder->folder().string(), " all of them") : ""));
}

}  // namespace

codegen::Tuning choose_tuning(const codegen::Tuning& given, const DeviceInfo& device, const TuningTable& table,
                              const char* family, const codegen::Workload& work, TuningHeuristic* heuristic) {
    if (given == codegen::Tuning{} && table.empty()) return heuristic(device, work);
    check_given(given, device, family);
    codegen::Tuning tuning = given;
    if (!table.empty()) {
        const codegen::Tuning stored = table.find(family, work);
        check_stored(stored, given, device, family, work);
        tuning = merge(tuning, stored);
    }
    return merge(tuning, heuristic(device, work));
}

}  // namespace gemel
