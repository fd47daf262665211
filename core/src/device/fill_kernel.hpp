/// The kernels that fill memory if the driver has no call for it, and the division of a fill between them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace gemel {

/// One thread per 4-byte word, or per byte. `first` counts words or bytes from the beginning of the allocation.
inline constexpr const char* fill_source = R"(
KERNEL void gemel_fill_words(GLOBAL_MEM uint32_t *p, int64_t first, int64_t n, int period,
                             uint32_t w0, uint32_t w1, uint32_t w2, uint32_t w3)
{
    int64_t i = GLOBAL_ID_0;
    if (i < n) {
        int k = period == 1 ? 0 : (int)(i % period);
        p[first + i] = k == 0 ? w0 : k == 1 ? w1 : k == 2 ? w2 : w3;
    }
}
KERNEL void gemel_fill_bytes(GLOBAL_MEM uint8_t *p, int64_t first, int64_t n, int period,
                             uint32_t w0, uint32_t w1, uint32_t w2, uint32_t w3)
{
    int64_t i = GLOBAL_ID_0;
    if (i < n) {
        int k = (int)(i % period);
        uint32_t w = k < 4 ? w0 : k < 8 ? w1 : k < 12 ? w2 : w3;
        p[first + i] = (uint8_t)(w >> (8 * (k % 4)));
    }
})";

/// One launch; `first`, `count` and `period` are in 4-byte words, or in bytes.
struct FillLaunch {
    const char* kernel = nullptr;
    std::int64_t first = 0;
    std::int64_t count = 0;  ///< 0: no launch
    int period = 1;
};

/// First whole words, then the remaining bytes. Only bytes if the first word would not be aligned, or if neither the
/// pattern is a multiple of a word nor a word a multiple of the pattern (3, 5, 6 bytes ...).
/// @param address  of the first byte to fill; only its alignment matters
/// @param offset   of the same byte in its allocation
inline std::array<FillLaunch, 2> fill_launches(std::uint64_t address, std::size_t offset, std::size_t bytes,
                                               std::size_t period) {
    const bool in_words = address % 4 == 0 && offset % 4 == 0 && (period % 4 == 0 || 4 % period == 0);
    const std::size_t words = in_words ? bytes / 4 : 0;
    return {FillLaunch{"gemel_fill_words", static_cast<std::int64_t>(offset / 4), static_cast<std::int64_t>(words),
                       static_cast<int>(std::max<std::size_t>(period / 4, 1))},
            FillLaunch{"gemel_fill_bytes", static_cast<std::int64_t>(offset + 4 * words),
                       static_cast<std::int64_t>(bytes - 4 * words), static_cast<int>(period)}};
}

/// The last arguments of the kernels: the pattern repeated over sixteen bytes.
inline std::array<std::uint32_t, 4> fill_words(const std::byte* pattern, std::size_t period) {
    std::array<std::byte, 16> repeated{};
    for (std::size_t i = 0; i < repeated.size(); ++i) repeated[i] = pattern[i % period];
    return std::bit_cast<std::array<std::uint32_t, 4>>(repeated);
}

}  // namespace gemel
