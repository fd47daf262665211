/// Which threads are inside a call of gemel's. Launches pay two plain stores for it; whoever must know pays the rest.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace gemel {

/// Exists while a thread uses memory or a driver. What it reads after its start is either older than a question of
/// others_have_ended(), which then waits for the scope's end, or already sees what was stored before the question.
class CallScope {
   public:
    CallScope() noexcept;
    ~CallScope();
    CallScope(const CallScope&) = delete;
    CallScope& operator=(const CallScope&) = delete;

    /// Waits until every call that another thread had begun has ended; calls begun later do not count.
    /// @returns false if one of them lasted longer than `limit`
    static bool others_have_ended(std::chrono::milliseconds limit) noexcept;

    /// While one exists, the calls of this thread count as ended.
    class Pause {
       public:
        Pause() noexcept;
        ~Pause();
        Pause(const Pause&) = delete;
        Pause& operator=(const Pause&) = delete;
    };

    /// One thread's calls. Odd: inside one.
    struct Slot {
        std::atomic<std::uint64_t> count{0};
        std::atomic<bool> taken{true};
        int depth = 0;  ///< scopes within scopes; the thread's own
        Slot* next = nullptr;
    };

   private:
    Slot* slot_;
};

}  // namespace gemel
