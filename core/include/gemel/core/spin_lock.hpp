/// A spin lock for critical sections of a few instructions.
#pragma once

#include <atomic>
#include <thread>

namespace gemel {

/// Costs one atomic exchange; std::mutex costs two exchanges and two calls. A waiting thread spins and, if that takes
/// long, yields the processor. Use it for short sections on the path of every call.
class SpinLock {
   public:
    void lock() noexcept {
        for (int turn = 0; held_.exchange(true, std::memory_order_acquire); ++turn)
            for (; held_.load(std::memory_order_relaxed); ++turn)
                if (turn > spins) std::this_thread::yield();
    }
    void unlock() noexcept { held_.store(false, std::memory_order_release); }

   private:
    static constexpr int spins = 64;
    std::atomic<bool> held_{false};
};

}  // namespace gemel
