/// When things may be released: not from a driver's callback, not in a forked child, not once the process is exiting.
#pragma once

#include <memory>
#include <utility>

namespace gemel {

/// True in a child of fork() whose parent had loaded a driver.
bool process_has_forked() noexcept;
/// Called once when the first driver has been loaded: from then on forks are noticed, and at exit all live contexts are
/// synchronised (so that what kernels printed appears) and releases become no-ops.
void watch_process();
bool process_is_exiting() noexcept;
/// Waits for everything that is still running, quietly; see state.cpp.
void synchronize_live_contexts() noexcept;

/// While one exists, the thread is inside a driver's callback: what dies there is released later.
class CallbackScope {
   public:
    CallbackScope();
    ~CallbackScope();
    static bool active() noexcept;
};

/// Puts an object aside until drain_deferred() runs on a thread that may call the driver.
void defer(std::shared_ptr<void> object) noexcept;
/// Releases what was put aside; one relaxed load when there is nothing.
void drain_deferred() noexcept;

/// A shared object whose destructor may call the driver: never in a callback, never after exit began.
template <class T>
struct Release {
    void operator()(T* object) const noexcept {
        // Once exit has begun, or in a forked child, the driver may be gone: the object is kept and never released.
        if (CallbackScope::active() || process_is_exiting() || process_has_forked())
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
