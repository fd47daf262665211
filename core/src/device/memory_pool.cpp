/// The public handles of a context's pools, the user's allocator, and pitched memory.
#include <gemel/core/context.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include "device/state.hpp"

namespace gemel {
namespace {

Pool& pool_of(DriverContext& driver, bool is_host) { return is_host ? driver.host_pool : driver.device_pool; }

std::size_t drain(DriverContext& driver, bool is_host) {
    return driver.call([&](plugin::Context&) {
        std::size_t bytes = 0;
        for (auto& held : pool_of(driver, is_host).drain()) {
            bytes += held->memory.bytes;
            is_host ? release_host_to_driver(driver, *held) : release_to_driver(driver, *held);
        }
        return bytes;
    });
}

}  // namespace

MemoryPool Context::pool() const { return MemoryPool(state_, false); }
MemoryPool Context::host_pool() const { return MemoryPool(state_, true); }

PoolStatistics MemoryPool::statistics() const { return pool_of(*state_->driver(), is_host_).statistics(); }

std::size_t MemoryPool::trim() const {
    const auto driver = state_->driver();
    driver->leaving_memory.sweep(*driver);
    const std::size_t bytes = drain(*driver, is_host_);
    if (!is_host_) drain(*driver, true);
    return bytes;
}

void MemoryPool::set_limit(std::size_t bytes) const { pool_of(*state_->driver(), is_host_).set_limit(bytes); }

void MemoryPool::stop_holding() const {
    const auto driver = state_->driver();
    pool_of(*driver, is_host_).enable(false);
    drain(*driver, is_host_);
}

void MemoryPool::resume_holding() const { pool_of(*state_->driver(), is_host_).enable(true); }

void MemoryPool::watch(bool on) const {
    if (is_host_) throw ArgumentError("watch: page-locked memory is not counted by place; watch Context::pool()");
    state_->driver()->allocations.watch(on);
}

std::vector<AllocationFigures> MemoryPool::allocations() const { return state_->driver()->allocations.figures(); }

void Context::set_allocator(UserAllocator allocator) const {
    const bool is_whole = allocator.allocate && allocator.release;
    if (!is_whole && (allocator.allocate || allocator.release))
        throw ArgumentError("set_allocator: expected two functions or none, got one; give allocate and release");
    const auto driver = state_->driver();
    std::shared_ptr<const UserAllocator> next;
    if (is_whole) next = std::make_shared<const UserAllocator>(std::move(allocator));
    {
        std::lock_guard lock(driver->allocator_lock);
        driver->user_allocator.swap(next);
    }
    drain(*driver, false);  // held memory belongs to the previous allocator
}

PitchedBuffer Context::allocate_pitched(std::size_t row_bytes, std::size_t rows) const {
    const std::size_t step = device().info().base_alignment_bytes;
    std::size_t pitch = 0, bytes = 0;
    if (__builtin_add_overflow(row_bytes, step - 1, &pitch) ||
        __builtin_mul_overflow(pitch = pitch / step * step, rows, &bytes))
        throw OutOfMemory(text("allocate_pitched: ", rows, " rows of ", row_bytes,
                               " bytes are more than can be addressed; work in smaller pieces"));
    return {allocate(bytes), pitch};
}

}  // namespace gemel
