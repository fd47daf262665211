/// The stored tunings of one kind of device, and the choice among them, the caller's and the heuristic's.
#pragma once

#include "tune/record_file.hpp"
#include "tune/tuning_hook.hpp"

#include <gemel/codegen/tuning.hpp>
#include <gemel/core/context.hpp>
#include <gemel/core/error.hpp>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>

namespace gemel {

class TuningTable {
   public:
    /// The table of the context's device, read from disk on first use.
    static std::shared_ptr<TuningTable> of(const Context& context);

    explicit TuningTable(const std::string& fingerprint);
    /// Whether the table has no tunings to use; always true with GEMEL_TUNE=off. Takes no lock.
    bool empty() const { return empty_.load(std::memory_order_acquire); }
    /// Changes whenever choices may change; calls remembered with another version choose again.
    std::uint64_t version() const { return version_.load(std::memory_order_acquire); }
    void touch() { version_.fetch_add(1, std::memory_order_acq_rel); }
    /// The tuning as text, regardless of GEMEL_TUNE; empty if there is none.
    std::string find(std::string_view family, const codegen::Workload& work) const;
    /// @param tuning  as text; empty removes the stored one
    void store(std::string_view family, const codegen::Workload& work, const std::string& tuning);
    /// Reads the file again, which another process or `gemel tune clear` may have changed.
    void reload();
    /// The name of such work in the store. @throws ArgumentError if the family is not a simple word
    static std::string entry_name(std::string_view family, const codegen::Workload& work);
    const RecordFile& file() const { return file_; }

    template <codegen::TuningStruct T>
    T find(const codegen::Workload& work) const {
        try {
            const T tuning = codegen::parse_tuning<T>(find(T::family, work));
            codegen::check_tuning("stored", tuning);
            return tuning;
        } catch (const ArgumentError&) {
            return {};  // stored by another version of gemel: the heuristic is used instead
        }
    }

   private:
    using Entries = std::map<std::string, std::string>;
    Entries read() const;
    void publish();

    const std::string fingerprint_;
    const RecordFile file_;
    const bool is_off_;
    std::atomic<bool> empty_{true};
    std::atomic<std::uint64_t> version_{1};
    mutable std::shared_mutex mutex_;
    Entries entries_;
};

/// @throws ArgumentError if the device does not support blocks of this many threads
void check_given_block(std::string_view family, const std::string& tuning, std::uint32_t block,
                       const DeviceInfo& device);
/// A stored tuning that this device cannot run; the message says where it is stored, since the caller has never seen
/// it. @throws ArgumentError
void check_stored_block(std::string_view family, const std::string& tuning, std::uint32_t block,
                        const DeviceInfo& device, const codegen::Workload& work);

/// The threads of the largest block that a tuning requests.
template <codegen::TuningStruct T>
std::uint32_t largest_block(const T& tuning) {
    if constexpr (requires { tuning.tile_block; }) {
        return std::max(tuning.block, tuning.tile_block);
    } else if constexpr (requires { tuning.block; }) {
        return tuning.block;
    } else {
        return 0;  // derived from other numbers
    }
}

/// The caller's tuning, the table's for such work, and the heuristic's.
/// @param heuristic  a function of DeviceInfo and Workload
template <codegen::TuningStruct T, class Heuristic>
T merged_tuning(const T& given, const DeviceInfo& device, const TuningTable& table, const codegen::Workload& work,
                const Heuristic& heuristic) {
    if (given == T{} && table.empty()) return heuristic(device, work);
    codegen::check_tuning(T::family, given);
    check_given_block(T::family, to_string(given), largest_block(given), device);
    T tuning = given;
    if (!table.empty()) {
        const T stored = table.find<T>(work);
        T used = stored;
        if constexpr (requires { given.block; })
            if (given.block) used.block = 0;
        if constexpr (requires { given.tile_block; })
            if (given.tile_block) used.tile_block = 0;
        check_stored_block(T::family, to_string(stored), largest_block(used), device, work);
        tuning = merge(tuning, stored);
    }
    return merge(tuning, heuristic(device, work));
}

/// The tuning of a call: the caller's numbers, then the table's for such work, then the heuristic's. A tuning hook may
/// replace it.
/// @throws ArgumentError if the device cannot run it; the message says if it is a stored one
template <codegen::TuningStruct T, class Heuristic>
T choose_tuning(const T& given, const DeviceInfo& device, const TuningTable& table, const codegen::Workload& work,
                const Heuristic& heuristic) {
    const T tuning = merged_tuning(given, device, table, work, heuristic);
    TuningHook* const hook = TuningHook::current();
    if (!hook) return tuning;
    const auto fields = codegen::tuning_fields(tuning);
    const T other = codegen::parse_tuning<T>(hook->replace(T::family, work, fields, given == T{}));
    codegen::check_tuning(T::family, other);
    check_given_block(T::family, to_string(other), largest_block(other), device);
    return merge(other, tuning);
}

}  // namespace gemel
