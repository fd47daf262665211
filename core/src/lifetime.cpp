/// When things may be released: callbacks, forks, exit.
#include "lifetime.hpp"

#include "state.hpp"

#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace gemel {
namespace {

std::atomic<bool> forked{false};
std::atomic<bool> exiting{false};
thread_local int callback_depth = 0;

/// Leaked on purpose: handles may die after static destructors have run.
struct Deferred {
    std::mutex mutex;
    std::vector<std::shared_ptr<void>> objects;
    std::atomic<std::size_t> count{0};
};
Deferred& deferred() {
    static auto* const instance = new Deferred;
    return *instance;
}

void at_exit() {
    // On a thread of its own: the main thread's thread-local objects are gone by now, and drivers have some (Oclgrind).
    try {
        std::thread(synchronize_live_contexts).join();
    } catch (...) {  // no thread to be had: what is still running is lost
    }
    exiting.store(true);
}

}  // namespace

bool process_has_forked() noexcept { return forked.load(std::memory_order_relaxed); }
bool process_is_exiting() noexcept { return exiting.load(std::memory_order_relaxed); }

void watch_process() {
    static const bool once = [] {
        pthread_atfork(nullptr, nullptr, [] { forked.store(true); });
        return std::atexit(at_exit) == 0;
    }();
    (void)once;
}

CallbackScope::CallbackScope() { ++callback_depth; }
CallbackScope::~CallbackScope() { --callback_depth; }
bool CallbackScope::active() noexcept { return callback_depth > 0; }

void defer(std::shared_ptr<void> object) noexcept {
    auto& d = deferred();
    std::lock_guard lock(d.mutex);
    d.objects.push_back(std::move(object));
    d.count.store(d.objects.size(), std::memory_order_relaxed);
}

void drain_deferred() noexcept {
    auto& d = deferred();
    if (d.count.load(std::memory_order_relaxed) == 0 || CallbackScope::active() || process_is_exiting() ||
        process_has_forked())
        return;
    std::vector<std::shared_ptr<void>> objects;
    {
        std::lock_guard lock(d.mutex);
        objects.swap(d.objects);
        d.count.store(0, std::memory_order_relaxed);
    }
}

}  // namespace gemel
