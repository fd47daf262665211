/// Asymmetric synchronisation: membarrier(2) lets the frequent side do without a fence.
#include "device/calls_under_way.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

namespace gemel {
namespace {

using Clock = std::chrono::steady_clock;
using Slot = CallScope::Slot;

/// Never shrinks: new threads reuse the slots of threads that have ended.
std::atomic<Slot*> first_slot{nullptr};

bool barrier(int command) { return ::syscall(SYS_membarrier, command, 0, 0) == 0; }

/// Whether the operating system can run a fence on the other threads for us. The thread sanitizer does not know about
/// it.
#ifdef __SANITIZE_THREAD__
constexpr bool others_fence = false;
#else
const bool others_fence = barrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
#endif

Slot* take_slot() {
    for (Slot* slot = first_slot.load(); slot; slot = slot->next) {
        bool free = false;
        if (slot->taken.compare_exchange_strong(free, true)) return slot;
    }
    auto* const slot = new Slot;
    slot->next = first_slot.load();
    while (!first_slot.compare_exchange_weak(slot->next, slot)) {}
    return slot;
}

thread_local Slot* mine = nullptr;

/// Frees the slot when its thread ends. Later destructors that call gemel take a slot permanently.
struct Owner {
    Slot* slot;
    ~Owner() {
        mine = nullptr;
        slot->taken = false;
    }
};

Slot* slot_of_thread() {
    if (mine) return mine;
    mine = take_slot();
    thread_local bool owned = false;
    if (!owned) {
        owned = true;
        thread_local const Owner owner{mine};
    }
    return mine;
}

void begin(Slot& slot) {
    const std::uint64_t odd = slot.count.load(std::memory_order_relaxed) + 1;
    if (others_fence) {
        slot.count.store(odd, std::memory_order_relaxed);
        std::atomic_signal_fence(std::memory_order_seq_cst);
    } else {
        slot.count.exchange(odd);
    }
}

void end(Slot& slot) { slot.count.store(slot.count.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

}  // namespace

CallScope::CallScope() noexcept : slot_(slot_of_thread()) {
    if (slot_->depth++ == 0) begin(*slot_);
}

CallScope::~CallScope() {
    if (--slot_->depth == 0) end(*slot_);
}

CallScope::Pause::Pause() noexcept {
    if (mine && mine->depth > 0) end(*mine);
}

CallScope::Pause::~Pause() {
    if (mine && mine->depth > 0) begin(*mine);
}

bool CallScope::others_have_ended(std::chrono::milliseconds limit) noexcept {
    const auto deadline = Clock::now() + limit;
    if (others_fence) barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
    for (const Slot* slot = first_slot.load(); slot; slot = slot->next) {
        if (slot == mine) continue;
        const std::uint64_t seen = slot->count.load();
        if (seen % 2 == 0) continue;
        for (auto pause = std::chrono::microseconds(1); slot->count.load(std::memory_order_acquire) == seen;
             pause = std::min(pause * 2, std::chrono::microseconds(1000))) {
            if (Clock::now() >= deadline) return false;
            std::this_thread::sleep_for(pause);
        }
    }
    return true;
}

}  // namespace gemel
