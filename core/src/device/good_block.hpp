/// The block of a launch that names threads and no block.
#pragma once

#include "device/state.hpp"

#include <gemel/core/launch.hpp>

namespace gemel {

/// A block that suits kernel and device. GPUs: the size with which most threads are resident, where the driver tells,
/// 256 among equals and where it does not. CPUs: as many multiples of what the driver prefers as 256 hold. Along the
/// first axis as far as there are threads, then along the others. Asked once for each amount of shared memory.
Dim3 good_block(const KernelState& kernel, const Dim3& threads, std::size_t shared_bytes);

}  // namespace gemel
