/// When objects may be released: not in a driver's callback, not in a forked child, not while the process exits.
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
    ending,  ///< exit() has begun: nothing is released any more, and only the exiting thread may call drivers
};
extern std::atomic<ProcessState> process_state;

inline bool process_has_forked() noexcept {
    return process_state.load(std::memory_order_relaxed) == ProcessState::forked;
}
inline bool process_is_ending() noexcept {
    return process_state.load(std::memory_order_relaxed) == ProcessState::ending;
}
/// Throws in a forked child. While the process exits, returns on the exiting thread. Other threads are blocked, since
/// no thread waits for their work; they get an Error if exiting takes a second longer than the work at exit.
void require_process_for_drivers();

/// From now on, forks are detected, and exit() begins with the work at exit. Called once the drivers are loaded, and
/// again after the first context and the first compilation: the work at exit must run before drivers destroy their
/// static objects, some of which they create only then.
void watch_process();
/// Waits for everything that is still running; ignores errors. See state.cpp.
void synchronize_live_contexts() noexcept;

/// Marks the thread as inside a driver's callback. Objects destroyed there are released later.
class CallbackScope {
   public:
    CallbackScope();
    ~CallbackScope();
    static bool active() noexcept;
};

/// Defers the release of an object to drain_deferred(), on a thread that may call the driver.
void defer(std::shared_ptr<void> object) noexcept;
/// Releases the deferred objects. Costs one relaxed load if there are none.
void drain_deferred() noexcept;

/// A shared object whose destructor may call the driver: never runs in a callback, nor after exit has begun.
template <class T>
struct Release {
    void operator()(T* object) const noexcept {
        const CallScope scope;
        // After exit has begun, or in a forked child, the driver may be gone: the object is never released.
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
