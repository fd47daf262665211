/// How a kernel is launched: grid, block, stream, dynamic shared memory.
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

/// Up to three extents from any integer types, range-checked; those left out are 1. All zero means "not given".
class Dim3 {
   public:
    constexpr Dim3() = default;
    template <std::integral X>
    constexpr Dim3(X x) : given_(true), extent_{checked(x), 1, 1} {}
    template <std::integral X, std::integral Y>
    constexpr Dim3(X x, Y y) : given_(true), extent_{checked(x), checked(y), 1} {}
    template <std::integral X, std::integral Y, std::integral Z>
    constexpr Dim3(X x, Y y, Z z) : given_(true), extent_{checked(x), checked(y), checked(z)} {}

    constexpr bool given() const { return given_; }
    constexpr std::uint64_t operator[](std::size_t axis) const { return extent_[axis]; }
    /// The number of elements, 64-bit.
    constexpr std::uint64_t count() const { return extent_[0] * extent_[1] * extent_[2]; }
    friend constexpr bool operator==(const Dim3&, const Dim3&) = default;

   private:
    template <std::integral I>
    static constexpr std::uint64_t checked(I value) {
        if (std::cmp_less(value, 0)) refuse_negative(static_cast<long long>(value));
        return static_cast<std::uint64_t>(value);
    }
    [[noreturn]] GEMEL_API static void refuse_negative(long long value);

    bool given_ = false;
    std::array<std::uint64_t, 3> extent_{1, 1, 1};
};

/// "4 x 4", "128": the extents up to the last that is not 1.
GEMEL_API std::string to_string(const Dim3& dim);

/// Give `grid` (number of blocks) and `block` (threads per block), or `threads` (rounded up to whole blocks) with or
/// without `block`: where it is left out, one is taken that suits kernel and device.
struct LaunchConfig {
    Dim3 grid = {};
    Dim3 block = {};
    Dim3 threads = {};
    std::size_t shared_bytes = 0;  ///< dynamic shared memory: the size of `shared_arena`
    Stream stream = {};            ///< the thread's current stream if left out, else the context's default stream
};

}  // namespace gemel
