/// Tuning while a program runs (GEMEL_TUNE=auto): the first calls of a kind are trials. Each call runs once, with a
/// configuration that gives correct results; only the time differs.
#pragma once

#include "tune/tuning_hook.hpp"

#include <gemel/core/context.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/graph.hpp>
#include <gemel/core/stream.hpp>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gemel {

class OnlineKind;

/// A call that may be a trial.
class OnlineTrial : public TuningHook {
   public:
    explicit OnlineTrial(const Context& context) : context_(context) {}
    std::string replace(std::string_view family, const codegen::Workload& work,
                        std::span<const codegen::TuningField> chosen, bool is_open) override;

    /// Whether the call is no trial, because its kind is tuned already or cannot be tuned.
    bool may_remember() const override { return !kind_; }
    /// Mark the beginning and the end of the launches. end() waits for them.
    void begin(const Stream& named);
    void end();
    /// Records that the configuration cannot be used. @returns whether the call should be repeated without it
    bool has_failed(const Error& error);

   private:
    Context context_;
    std::shared_ptr<OnlineKind> kind_;
    std::size_t step_ = 0;
    bool has_chosen_ = false;
    Stream stream_;
    Event start_;
};

/// Runs a call that chooses its tuning, as a trial if the program tunes online and does not record. A configuration
/// that cannot be used is replaced by the default.
/// @param run  takes an OnlineTrial*; if it is not null, it must mark the beginning and the end of the launches
template <class Cache, class Run>
void run_tuned(const Context& context, Cache& cache, const Run& run) {
    if (!cache.tunes_online() || TuningHook::current() || is_recording(context)) return run(nullptr);
    OnlineTrial trial(context);
    try {
        const TuningHookScope scope(&trial);
        return run(&trial);
    } catch (const Error& error) {
        if (!trial.has_failed(error)) throw;
    }
    run(nullptr);
}

}  // namespace gemel
