#include "tune/tuning_table.hpp"

#include <gemel/arrays/stored_tuning.hpp>
#include <gemel/core/disk_cache.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <bit>
#include <mutex>
#include <optional>
#include <sstream>

namespace gemel {
namespace {

/// Before GEMEL_TUNE existed, stores were entries of a DiskCache in the same folder, one for all tunings of a device.
/// They are still used; newer records take precedence.
std::optional<std::vector<std::byte>> older_store(const std::string& fingerprint) {
    const auto folder = RecordFile::folder();
    if (!folder) return std::nullopt;
    return DiskCache(*folder, DiskCache::default_limit_bytes, DiskCache::Mode::readonly).get("tunings\n" + fingerprint);
}

}  // namespace

std::string TuningTable::entry_name(std::string_view family, const codegen::Workload& work) {
    if (family.empty() ||
        !std::all_of(family.begin(), family.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; }))
        throw ArgumentError(
            text("store_tuning: expected an identifier as the family, got '", family, "'; use letters, digits and _"));
    return text(family, " item_bytes=", work.item_bytes, " arrays=", work.arrays,
                " log2_count=", std::bit_width(work.count), " log2_outputs=", std::bit_width(work.outputs));
}

std::shared_ptr<TuningTable> TuningTable::of(const Context& context) {
    static std::mutex& mutex = *new std::mutex;
    static auto& tables = *new std::map<std::string, std::shared_ptr<TuningTable>>;
    const std::string fingerprint = context.fingerprint();
    std::lock_guard lock(mutex);
    auto& table = tables[fingerprint];
    if (!table) table = std::make_shared<TuningTable>(fingerprint);
    return table;
}

TuningTable::TuningTable(const std::string& fingerprint)
    : fingerprint_(fingerprint), file_(fingerprint), is_off_(!uses_stored_tunings()), entries_(read()) {
    publish();
}

TuningTable::Entries TuningTable::read() const {
    Entries entries;
    if (const auto bytes = older_store(fingerprint_)) {
        std::istringstream lines(std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()));
        for (std::string line; std::getline(lines, line);) {
            const std::size_t colon = line.find(": ");
            if (colon != std::string::npos) entries[line.substr(0, colon)] = line.substr(colon + 2);
        }
    }
    for (const Record& record : file_.read())
        if (record.size() == 3 && record[0] == "use") entries[record[1]] = record[2];
    std::erase_if(entries, [](const auto& entry) { return entry.second.empty(); });
    return entries;
}

void TuningTable::publish() {
    empty_.store(is_off_ || entries_.empty(), std::memory_order_release);
    touch();
}

void TuningTable::reload() {
    std::unique_lock lock(mutex_);
    entries_ = read();
    publish();
}

std::string TuningTable::find(std::string_view family, const codegen::Workload& work) const {
    std::shared_lock lock(mutex_);
    if (entries_.empty()) return {};
    const auto found = entries_.find(entry_name(family, work));
    return found == entries_.end() ? std::string() : found->second;
}

void TuningTable::store(std::string_view family, const codegen::Workload& work, const std::string& tuning) {
    const std::string name = entry_name(family, work);
    std::unique_lock lock(mutex_);
    if (file_.append({"use", name, tuning})) {
        entries_ = read();  // includes what other processes have stored meanwhile
    } else if (tuning.empty()) {
        entries_.erase(name);
    } else {
        entries_[name] = tuning;
    }
    publish();
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
    const auto folder = RecordFile::folder();
    throw ArgumentError(text(family, ": the stored tuning \"", tuning, "\" (", TuningTable::entry_name(family, work),
                             ") asks for blocks of ", block, " threads, but ", device.name, " takes at most ",
                             max_threads(device), "; store_tuning(context, {.count = ", work.count,
                             ", .item_bytes = ", work.item_bytes, ", .arrays = ", work.arrays,
                             ", .outputs = ", work.outputs, "}, an empty tuning) removes it",
                             folder ? text(", deleting ", folder->string(), " all of them") : ""));
}

}  // namespace gemel
