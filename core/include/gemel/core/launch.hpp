/// Launch configuration: grid, block, stream, dynamic shared memory.
#pragma once

#include <gemel/core/export.hpp>
#include <gemel/core/stream.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace gemel {

/// Up to three extents of any integer types, range-checked; missing ones are 1. All zero means "not given".
class Dim3 {
   public:
    constexpr Dim3() = default;
    template <std::integral X>
    constexpr Dim3(X x) : given_(1), extent_{checked(x), 1, 1} {}
    template <std::integral X, std::integral Y>
    constexpr Dim3(X x, Y y) : given_(2), extent_{checked(x), checked(y), 1} {}
    template <std::integral X, std::integral Y, std::integral Z>
    constexpr Dim3(X x, Y y, Z z) : given_(3), extent_{checked(x), checked(y), checked(z)} {}

    constexpr bool given() const { return given_ != 0; }
    constexpr std::uint64_t operator[](std::size_t axis) const { return extent_[axis]; }
    /// The extent of an axis; 0 if it was not given.
    constexpr std::uint64_t given_extent(std::size_t axis) const { return given_ >= axis + 1 ? extent_[axis] : 0; }
    /// The number of elements, 64-bit.
    constexpr std::uint64_t count() const { return extent_[0] * extent_[1] * extent_[2]; }
    friend constexpr bool operator==(const Dim3& a, const Dim3& b) {
        return a.given() == b.given() && a.extent_ == b.extent_;
    }

   private:
    template <std::integral I>
    static constexpr std::uint64_t checked(I value) {
        if (std::cmp_less(value, 0)) refuse_negative(static_cast<long long>(value));
        return static_cast<std::uint64_t>(value);
    }
    [[noreturn]] GEMEL_API static void refuse_negative(long long value);

    std::uint8_t given_ = 0;  ///< number of given extents
    std::array<std::uint64_t, 3> extent_{1, 1, 1};
};

/// "4 x 4", "128": the extents up to the last one that is not 1.
GEMEL_API std::string to_string(const Dim3& dim);

/// Give `grid` (number of blocks) and `block` (threads per block), or `threads` (rounded up to whole blocks) and
/// optionally `block`. With `threads` and without `block`, gemel chooses one for the kernel and the device.
struct LaunchConfig {
    Dim3 grid = {};
    Dim3 block = {};
    Dim3 threads = {};
    std::size_t shared_bytes = 0;  ///< dynamic shared memory: the size of `shared_arena`
    /// All blocks run at the same time, so that grid_barrier() can make them wait for each other; their number is at
    /// most Kernel::max_cooperative_blocks().
    bool cooperative = false;
    /// On devices with DeviceInfo::has_kernel_overlap, blocks become resident where blocks of the stream's previous
    /// kernel end, while others of it still run. A compute unit that is free early then gets more blocks than others.
    /// False launches the kernel after the previous one has ended, which spreads the blocks evenly: for kernels whose
    /// blocks have equal, long work and fill the device once.
    bool overlap = true;
    /// The launch begins after the context's earlier exclusive launches, on whatever streams, have ended. For kernels
    /// whose blocks wait for each other although not all of them are resident: several such kernels at once could keep
    /// each other's blocks from starting, and wait for ever. A graph that contains one begins after them, too.
    /// Cooperative launches are ordered in this way on devices that do not start their blocks together (OpenCL).
    bool exclusive = false;
    /// The values of LAUNCH_OFFSET's OFFSET_0, OFFSET_1 and OFFSET_2, in threads; 0 by default. For a kernel without
    /// that parameter OpenCL adds the offset to get_global_id(), and other backends throw.
    Dim3 offset = {};
    Stream stream = {};  ///< by default the thread's current stream, else the context's default stream
};

}  // namespace gemel
