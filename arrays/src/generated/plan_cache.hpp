/// Compiled variants of generated kernels, kept by their context.
#pragma once

#include "generated/call.hpp"
#include "generated/recent_calls.hpp"
#include "tune/tuning_table.hpp"

#include <gemel/codegen/tuning.hpp>
#include <gemel/core/context.hpp>
#include <gemel/core/kernel.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace gemel {

/// One variant: what a launch needs. Generators with more than one kernel derive from it.
struct Plan {
    virtual ~Plan() = default;
    Kernel kernel{nullptr};
    std::uint32_t block = 0, unroll = 0;
};

/// All plans of one context, of all generators. Bounded: when it is full it starts anew.
class PlanCache {
   public:
    /// The plan for a key, made by `make` if there is none yet. Two threads may make one at once; the first stays.
    template <class Make>
    std::shared_ptr<Plan> find(const CallKey& key, Make&& make) {
        {
            std::lock_guard lock(mutex_);
            if (const auto found = plans_.find(key); found != plans_.end()) return found->second;
        }
        std::shared_ptr<Plan> plan = make();
        std::lock_guard lock(mutex_);
        if (plans_.size() >= most_plans) plans_.clear();  // recent calls go on with theirs
        return plans_.try_emplace(key, std::move(plan)).first->second;
    }

    /// The context's. It lives as long as that does, until reset(). @time remembered per thread
    static PlanCache& of(const Context& context);
    /// The same of an array's context.
    static PlanCache& of(const AnyArray& array);
    /// What was measured and stored for the context's device.
    const TuningTable& tunings(const Context& context);
    /// Whether nothing has been stored for it. To be asked after tunings(), in whatever thread.
    bool has_no_tunings() const;
    RecentCalls& recent() { return recent_; }
    const DeviceInfo& info() const { return *info_; }
    bool addresses_are_linear() const { return linear_; }
    /// GEMEL_CHECK, as it was when the context first met a generated kernel.
    bool checks_bounds() const { return checks_bounds_; }
    /// A number that tells generators apart.
    static std::uint64_t new_generator();

   private:
    static constexpr std::size_t most_plans = 4096;
    static const char tag_;
    std::optional<Device> device_;
    const DeviceInfo* info_ = nullptr;
    bool linear_ = false, checks_bounds_ = false;
    std::once_flag has_tunings_, has_facts_;
    std::shared_ptr<TuningTable> tunings_;
    std::mutex mutex_;
    std::unordered_map<CallKey, std::shared_ptr<Plan>, CallKeyHash> plans_;
    RecentCalls recent_;
};

/// Text that prints itself: what Context::compile takes.
struct GeneratedText {
    std::string text;
    const std::string& source(const Dialect&) const { return text; }
};

/// The tuning of a call in this context; see tuning_table.hpp.
codegen::Tuning choose_tuning(const codegen::Tuning& given, const Context& context, PlanCache& cache,
                              const char* family, const codegen::Workload& work, TuningHeuristic* heuristic);

}  // namespace gemel
