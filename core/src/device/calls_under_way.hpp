/// Which threads are inside a call of gemel. Launches pay two plain stores for it; a thread that asks pays the rest.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace gemel {

/// Exists while a thread uses memory or a driver. A value that it reads after its start is either older than a call of
/// others_have_ended(), which then waits for the end of the scope, or includes all stores before that call.
class CallScope {
   public:
    CallScope() noexcept;
    ~CallScope();
    CallScope(const CallScope&) = delete;
    CallScope& operator=(const CallScope&) = delete;

    /// Waits until all calls that other threads had begun have ended; later calls do not count.
    /// @returns false if one of them lasted longer than `limit`
    static bool others_have_ended(std::chrono::milliseconds limit) noexcept;

    /// While one exists, the thread's calls count as ended.
    class Pause {
       public:
        Pause() noexcept;
        ~Pause();
        Pause(const Pause&) = delete;
        Pause& operator=(const Pause&) = delete;
    };

    /// The calls of one thread. Odd: inside a call.
    struct Slot {
        std::atomic<std::uint64_t> count{0};
        std::atomic<bool> taken{true};
        int depth = 0;  ///< nested scopes; used by the thread only
        Slot* next = nullptr;
    };

   private:
    Slot* slot_;
};

}  // namespace gemel
