/// The first launches of a kernel, for drivers that compile at a launch.
#pragma once

#include "device/state.hpp"

#include <gemel/core/file_lock.hpp>

#include <algorithm>
#include <cstdint>
#include <mutex>

namespace gemel {

inline std::uint64_t block_key(const plugin::LaunchShape& shape) {
    return (std::uint64_t{shape.block[0]} << 40) | (std::uint64_t{shape.block[1]} << 20) | shape.block[2];
}

/// Returns when the driver has compiled what the latest launch needs, or after a time limit: another thread's kernel
/// may occupy all cores and never end, and no process may be blocked for longer.
void wait_until_begun(plugin::Kernel& kernel);

/// Launches. If the driver compiles at the first launch with each block size, only one process at a time does so, and
/// the completed binary is stored again.
template <class Launch>
void launch_finished(KernelState& kernel, StreamCore& core, const plugin::LaunchShape& shape, Launch&& launch) {
    const std::uint64_t block = kernel.finishes_at_first_launch ? block_key(shape) : 0;
    if (!kernel.finishes_at_first_launch || kernel.last_block.load(std::memory_order_relaxed) == block) return launch();
    // The stream may wait for what this thread completes later.
    if (kernel.driver->pending_user_events.load() > 0) return launch();
    std::unique_lock blocks(kernel.blocks_mutex);
    if (std::find(kernel.blocks.begin(), kernel.blocks.end(), block) != kernel.blocks.end()) {
        blocks.unlock();
        kernel.last_block.store(block, std::memory_order_relaxed);
        return launch();
    }
    // Work that is already in the stream runs before the lock is taken, and the kernel after it is released, so that
    // other processes wait only for the compiler. A separate event, because PoCL runs it when a core is free, and later
    // commands too.
    core.stream->record(false)->wait();
    {
        FileLock lock(kernel.driver->build_lock);
        launch();
        wait_until_begun(*kernel.kernel);
    }
    core.stream->synchronize();
    kernel.blocks.push_back(block);
    kernel.last_block.store(block, std::memory_order_relaxed);
    if (kernel.module->refresh_binary) kernel.module->refresh_binary();
}

}  // namespace gemel
