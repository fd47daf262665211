/// When objects may be released: callbacks, forks, exit.
#include "device/lifetime.hpp"

#include "device/timed.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/log.hpp>
#include <gemel/core/text.hpp>

#include <pthread.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace gemel {
namespace {

thread_local int callback_depth = 0;

/// Leaked on purpose: handles may be destroyed after static destructors have run.
struct Deferred {
    std::mutex mutex;
    std::vector<std::shared_ptr<void>> objects;
    std::atomic<std::size_t> count{0};
};
Deferred& deferred() {
    static auto* const instance = new Deferred;
    return *instance;
}

/// How long exit() waits for calls of other threads, and then for enqueued work: an endless kernel must not keep the
/// process alive.
constexpr auto exit_limit = std::chrono::seconds(10);

std::atomic<pthread_t> exiting_thread{};
std::atomic<bool> exit_work_done{false};

void warn(const char* what) noexcept {
    try {
        logging::write(logging::Level::warn, "context",
                       text("at exit: ", what, " after ", exit_limit.count(), " s; the process ends without waiting"));
    } catch (...) {}
}

/// Runs on a separate thread: the exiting thread's thread-local objects are already destroyed, and some drivers have
/// such objects (Oclgrind). If the driver never returns, the thread is abandoned.
bool synchronized_within_limit() {
    struct Shared {
        std::mutex mutex;
        std::condition_variable changed;
        bool done = false;
    };
    const auto shared = std::make_shared<Shared>();
    std::thread([shared] {
        synchronize_live_contexts();
        finish_whole_program();
        std::lock_guard lock(shared->mutex);
        shared->done = true;
        shared->changed.notify_all();
    }).detach();
    std::unique_lock lock(shared->mutex);
    return shared->changed.wait_for(lock, exit_limit, [&] { return shared->done; });
}

void at_exit() {
    auto ordinary = ProcessState::ordinary;
    exiting_thread = ::pthread_self();
    if (!process_state.compare_exchange_strong(ordinary, ProcessState::ending)) return;  // forked, or done already
    try {
        if (!CallScope::others_have_ended(exit_limit)) warn("another thread is still in a call");
        if (!synchronized_within_limit()) warn("work is still running on a device");
    } catch (...) {  // no thread can be created: enqueued work is lost
    }
    exit_work_done = true;
}

}  // namespace

std::atomic<ProcessState> process_state{ProcessState::ordinary};

void watch_process() {
    static const int once = ::pthread_atfork(nullptr, nullptr, [] { process_state = ProcessState::forked; });
    (void)once;
    (void)std::atexit(at_exit);
}

void require_process_for_drivers() {
    if (process_has_forked())
        throw Error(
            "gemel: this process was made by fork() after gemel had started a driver, so device work is impossible "
            "here; fork before the first use of gemel, or start a new program");
    if (!process_is_ending() || ::pthread_equal(exiting_thread, ::pthread_self())) return;
    const CallScope::Pause pause;
    using Clock = std::chrono::steady_clock;
    auto until = Clock::time_point::max();
    while (Clock::now() < until) {
        if (exit_work_done && until == Clock::time_point::max()) until = Clock::now() + std::chrono::seconds(1);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    throw Error(
        "gemel: the process is exiting, so device work is refused; join threads that use gemel before main() returns");
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
    if (d.count.load(std::memory_order_relaxed) == 0 || CallbackScope::active() ||
        process_state.load(std::memory_order_relaxed) != ProcessState::ordinary)
        return;
    std::vector<std::shared_ptr<void>> objects;
    {
        std::lock_guard lock(d.mutex);
        objects.swap(d.objects);
        d.count.store(0, std::memory_order_relaxed);
    }
}

}  // namespace gemel
