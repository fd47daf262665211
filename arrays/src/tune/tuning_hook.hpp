/// Observes the choice of tunings for generated kernels, and may replace them: used by the tuner of library calls, and
/// by tuning while a program runs.
#pragma once

#include <gemel/codegen/tuning.hpp>

#include <span>
#include <string>
#include <string_view>

namespace gemel {

class TuningHook {
   public:
    virtual ~TuningHook() = default;
    /// @param chosen   the tuning that would be used
    /// @param is_open  whether the caller left the choice to the library
    /// @returns replacing numbers, as text: "block=64"; empty for none
    virtual std::string replace(std::string_view family, const codegen::Workload& work,
                                std::span<const codegen::TuningField> chosen, bool is_open) = 0;
    /// Whether calls made meanwhile may repeat remembered launches.
    virtual bool may_remember() const = 0;

    /// The hook of the calling thread; usually null.
    static TuningHook* current();
};

/// Sets the thread's hook for its own lifetime.
class TuningHookScope {
   public:
    explicit TuningHookScope(TuningHook* hook);
    ~TuningHookScope();
    TuningHookScope(const TuningHookScope&) = delete;
    TuningHookScope& operator=(const TuningHookScope&) = delete;

   private:
    TuningHook* previous_;
};

}  // namespace gemel
