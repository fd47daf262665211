/// Image descriptions that core and the plug-ins share.
#pragma once

#include <gemel/core/export.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace gemel::plugin {

/// The type of an image's channels.
enum class ChannelKind : std::uint8_t { float32, float16, uint8, uint16, uint32, int8, int16, int32 };

/// The extents and format that determine an image's storage.
struct ImageShape {
    std::array<std::uint32_t, 3> extent{1, 1, 1};  ///< along x, y, z; layers come after the last axis
    std::uint8_t dimensions = 2;                   ///< 1 to 3, not counting layers
    bool is_layered = false;                       ///< at most two dimensions
    ChannelKind kind = ChannelKind::float32;
    bool is_normalised = false;  ///< integers of 8 and 16 bits represent [0, 1] or [-1, 1]
    std::uint8_t channels = 1;   ///< 1, 2 or 4
    std::size_t element_bytes() const {
        const std::size_t bytes[] = {4, 2, 1, 2, 4, 1, 2, 4};
        return bytes[static_cast<std::size_t>(kind)] * channels;
    }
    friend bool operator==(const ImageShape&, const ImageShape&) = default;
};

/// "2-D images with layers of shape (5, 1080, 1920)": layers first, x last.
GEMEL_API std::string to_string(const ImageShape& shape);

/// The state of the device's sampler. With `clamp` and `border` coordinates count elements; with `wrap` and `mirror`
/// they run from 0 to 1, the only form that devices offer.
struct SamplerState {
    enum class Address : std::uint8_t { clamp, border, wrap, mirror };
    bool is_linear = false;
    Address address = Address::clamp;
    /// Index in a table of all sampler states.
    std::size_t index() const { return static_cast<std::size_t>(address) * 2 + is_linear; }
    static constexpr std::size_t count = 8;
};

/// The last two parts of a texture argument.
struct TextureHandles {
    std::uint64_t image = 0, sampler = 0;
    std::uint8_t image_bytes = 8, sampler_bytes = 8;
    bool interpolates = true;  ///< if false, `image` reads elements and the kernel interpolates
};

}  // namespace gemel::plugin
