/// The default block of a launch that gives threads but no block.
#pragma once

#include "device/state.hpp"

#include <gemel/core/launch.hpp>

namespace gemel {

/// A block that suits kernel and device. GPUs: the size with the most resident threads, if the driver reports them; of
/// equal sizes, or without a report, 256. CPUs: the largest multiple of the driver's preference up to 256. Threads are
/// distributed along the first axis as far as the launch has them, then along the others. Computed once per amount of
/// shared memory.
Dim3 good_block(const KernelState& kernel, const Dim3& threads, std::size_t shared_bytes);

}  // namespace gemel
