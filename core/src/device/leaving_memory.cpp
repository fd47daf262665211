/// When memory of host and device together goes back to its driver.
#include "device/leaving_memory.hpp"

#include "device/state.hpp"

#include <gemel/core/log.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <iterator>

namespace gemel {
namespace {

void warn_of(const std::exception& error) {
    logging::write(logging::Level::warn, "memory", text("while releasing: ", error.what()));
}

/// Blocks where no event can be had. After a fault there is nothing to wait for.
void wait_for_uses(const DriverContext& driver, const Allocation& allocation) noexcept {
    try {
        if (driver.can_wait()) allocation.uses.wait();
    } catch (const std::exception& error) {
        warn_of(error);
    }
}

}  // namespace

bool LeavingMemory::Leaving::is_done() const noexcept {
    try {
        return std::all_of(uses.begin(), uses.end(), [](const auto& event) { return event->done(); });
    } catch (const std::exception& error) {  // a command that has failed uses nothing any more
        warn_of(error);
        return true;
    }
}

void LeavingMemory::add(DriverContext& driver, std::unique_ptr<Allocation> allocation) noexcept {
    sweep(driver);
    Leaving leaving{std::move(allocation), {}};
    try {
        if (driver.can_wait()) leaving.uses = leaving.allocation->uses.record();
        if (!leaving.is_done()) {
            const std::lock_guard lock(mutex_);
            all_.push_back(std::move(leaving));
            any_ = true;
            return;
        }
    } catch (const std::exception& error) {
        warn_of(error);
        wait_for_uses(driver, *leaving.allocation);
    }
    release_to_driver(driver, *leaving.allocation);
}

void LeavingMemory::sweep(DriverContext& driver) noexcept {
    if (!any_.load(std::memory_order_relaxed)) return;
    std::vector<Leaving> done;
    {
        const std::lock_guard lock(mutex_);
        const auto first_done = std::stable_partition(
            all_.begin(), all_.end(), [&](const Leaving& one) { return driver.can_wait() && !one.is_done(); });
        done.assign(std::make_move_iterator(first_done), std::make_move_iterator(all_.end()));
        all_.erase(first_done, all_.end());
        any_ = !all_.empty();
    }
    for (const Leaving& one : done) release_to_driver(driver, *one.allocation);
}

bool LeavingMemory::drain(DriverContext& driver) noexcept {
    std::vector<Leaving> all;
    {
        const std::lock_guard lock(mutex_);
        all.swap(all_);
        any_ = false;
    }
    for (const Leaving& one : all) {
        wait_for_uses(driver, *one.allocation);
        release_to_driver(driver, *one.allocation);
    }
    return !all.empty();
}

}  // namespace gemel
