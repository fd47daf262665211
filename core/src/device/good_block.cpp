#include "device/good_block.hpp"

#include <algorithm>
#include <bit>

namespace gemel {
namespace {

/// The threads of a block, before they are distributed over axes.
std::uint64_t good_size(const KernelState& kernel, std::size_t shared_bytes) {
    const DeviceInfo& info = kernel.driver->info();
    const plugin::KernelFacts& facts = kernel.kernel->facts();
    const std::uint64_t most = std::max<std::uint64_t>(facts.max_threads_per_block, 1);
    const std::uint64_t multiple = std::max(facts.preferred_multiple.value_or(32), 1u);
    // A CPU runs the threads of a block in a loop: PoCL's preferred blocks of 8 threads took 14 times as long.
    if (info.type == DeviceInfo::Type::cpu)
        return std::min(multiple < 256 ? 256 / multiple * multiple : multiple, most);
    // Preferences among equals: large enough to hide latency, small enough that little idles when blocks end.
    std::uint64_t best = 0, best_resident = 0;
    for (const std::uint64_t size : {256, 128, 512, 64, 1024, 32}) {
        if (size > most || size < multiple) continue;
        const auto blocks = kernel.kernel->blocks_per_compute_unit(size, shared_bytes);
        if (!blocks) return best == 0 ? size : best;
        if (*blocks * size > best_resident) best = size, best_resident = *blocks * size;
    }
    return best ? best : most;
}

}  // namespace

Dim3 good_block(const KernelState& kernel, const Dim3& threads, std::size_t shared_bytes) {
    constexpr int shift = 16;
    std::uint64_t known = kernel.good_block.load(std::memory_order_relaxed);
    if (known == 0 || known >> shift != shared_bytes) {
        known = std::uint64_t{shared_bytes} << shift | std::min<std::uint64_t>(good_size(kernel, shared_bytes), 0xFFFF);
        kernel.good_block.store(known, std::memory_order_relaxed);
    }
    const auto& most = kernel.driver->info().max_block;
    std::uint64_t left = known & 0xFFFF;
    std::array<std::uint64_t, 3> block{1, 1, 1};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const bool is_last = threads[1] == 1 && threads[2] == 1;  // one size for all row lengths
        const std::uint64_t wanted =
            axis == 0 && is_last ? left : std::bit_ceil(std::max<std::uint64_t>(threads[axis], 1));
        block[axis] = std::max<std::uint64_t>(std::min({left, wanted, std::uint64_t{most[axis]}}), 1);
        left /= block[axis];
    }
    return Dim3(block[0], block[1], block[2]);
}

}  // namespace gemel
