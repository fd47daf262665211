/// Who looks on while generated kernels choose their tunings, and may put another in place: the tuner of library
/// calls, and tuning while a program runs.
#pragma once

#include <gemel/codegen/tuning.hpp>

#include <span>
#include <string>
#include <string_view>

namespace gemel {

class TuningHook {
   public:
    virtual ~TuningHook() = default;
    /// @param chosen   what would be used
    /// @param is_open  whether the caller left the tuning to the library
    /// @returns numbers to use instead, as text: "block=64"; empty for none
    virtual std::string replace(std::string_view family, const codegen::Workload& work,
                                std::span<const codegen::TuningField> chosen, bool is_open) = 0;
    /// Whether calls made meanwhile may be launched again as they were.
    virtual bool may_remember() const = 0;

    /// The calling thread's; null nearly always.
    static TuningHook* current();
};

/// Makes a hook the thread's own for as long as it lives.
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
