/// When things may be released: not from a driver's callback, not in a forked child, not once the process is exiting.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "device/calls_under_way.hpp"

namespace gemel {

/// Why this process must not call drivers.
enum class ProcessState : int {
    ordinary,
    forked,  ///< a child of fork() whose parent had loaded a driver
    ending,  ///< exit() has begun: nothing is released any more, and only the thread that exits may call drivers
};
extern std::atomic<ProcessState> process_state;

inline bool process_has_forked() noexcept {
    return process_state.load(std::memory_order_relaxed) == ProcessState::forked;
}
inline bool process_is_ending() noexcept {
    return process_state.load(std::memory_order_relaxed) == ProcessState::ending;
}
/// Throws in a forked child. While the process ends, returns on the thread that exits; any other thread is held up,
/// since nobody waits for what it does, and gets an Error if the end takes longer than the work at exit and a second.
void require_process_for_drivers();

/// From then on forks are noticed, and exit() begins with the work at exit. Called once the drivers are loaded, and
/// again after the first context and the first compilation: the work at exit must precede the end of what a driver
/// keeps in static objects, and it may make some as late as then.
void watch_process();
/// Waits for everything that is still running, quietly; see state.cpp.
void synchronize_live_contexts() noexcept;

/// While one exists, the thread is inside a driver's callback. Objects destroyed there are released later.
class CallbackScope {
   public:
    CallbackScope();
    ~CallbackScope();
    static bool active() noexcept;
};

/// Puts an object aside until drain_deferred() runs on a thread that may call the driver.
void defer(std::shared_ptr<void> object) noexcept;
/// Releases the objects put aside. Costs one relaxed load if there are none.
void drain_deferred() noexcept;

/// A shared object whose destructor may call the driver: never in a callback, never after exit began.
template <class T>
struct Release {
    void operator()(T* object) const noexcept {
        const CallScope scope;
        // Once exit has begun, or in a forked child, the driver may be gone: the object is kept and never released.
        if (CallbackScope::active() || process_state.load() != ProcessState::ordinary)
            defer(std::shared_ptr<void>(object, [](void* p) { delete static_cast<T*>(p); }));
        else
            delete object;
    }
};

template <class T>
std::shared_ptr<T> share(T* object) {
    return std::shared_ptr<T>(object, Release<T>{});
}

}  // namespace gemel
