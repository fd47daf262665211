/// Descriptions of arrays from which a device copies boxes to shared memory by itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gemel::plugin {

/// An array of up to three axes, x first. Along x, elements are contiguous. Copies fetch a box of elements; places
/// beyond the array become zeros. A line of a box has 128 bytes, whose 16-byte words are exchanged by the line's number
/// as tensor cores read them.
struct TensorMapShape {
    std::uint32_t element_bytes = 2;            ///< 2, 4 or 8
    std::array<std::uint64_t, 3> extent{};      ///< along x, y, z; none is 0
    std::array<std::uint64_t, 2> step_bytes{};  ///< along y and z: multiples of 16, below 2^40
    std::uint32_t box_lines = 64;               ///< along y: at most 256
    std::uint32_t box_elements() const { return line_bytes / element_bytes; }  ///< along x
    std::uint32_t box_bytes() const { return line_bytes * box_lines; }
    static constexpr std::uint32_t line_bytes = 128;
    /// The array begins at a multiple of this.
    static constexpr std::size_t alignment = 16;
    friend bool operator==(const TensorMapShape&, const TensorMapShape&) = default;
};

/// What a kernel takes for a parameter GEMEL_TENSOR_MAP(name): the driver's encoding.
struct alignas(64) TensorMap {
    std::array<std::byte, 128> bytes;
};

}  // namespace gemel::plugin
