/// The stored tunings of one kind of device.
#pragma once

#include <gemel/codegen/tuning.hpp>
#include <gemel/core/context.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>

namespace gemel {

class TuningTable {
   public:
    /// The one of the context's device, read from disk when it is first asked for.
    static std::shared_ptr<TuningTable> of(const Context& context);

    explicit TuningTable(std::string fingerprint);
    /// Nearly always nothing is stored: that costs no lock.
    bool empty() const { return empty_.load(std::memory_order_acquire); }
    codegen::Tuning find(std::string_view family, const codegen::Workload& work) const;
    void store(std::string_view family, const codegen::Workload& work, const codegen::Tuning& tuning);

   private:
    using Entries = std::map<std::string, codegen::Tuning>;
    Entries read() const;

    const std::string key_;
    std::atomic<bool> empty_{true};
    mutable std::shared_mutex mutex_;
    Entries entries_;
};

using TuningHeuristic = codegen::Tuning(const DeviceInfo&, const codegen::Workload&);

/// The tuning of a call: what the caller gave, then what the table has for such work, then the heuristic's.
/// @throws ArgumentError if the device cannot run it; a stored one is named as such
codegen::Tuning choose_tuning(const codegen::Tuning& given, const DeviceInfo& device, const TuningTable& table,
                              const char* family, const codegen::Workload& work, TuningHeuristic* heuristic);

}  // namespace gemel
