/// What core and the plug-ins say about images.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gemel::plugin {

/// What a channel of an image holds.
enum class ChannelKind : std::uint8_t { float32, float16, uint8, uint16, uint32, int8, int16, int32 };

/// Everything that decides about an image's storage.
struct ImageShape {
    std::array<std::uint32_t, 3> extent{1, 1, 1};  ///< along x, y, z; layers come after the last axis
    std::uint8_t dimensions = 2;                   ///< 1 to 3, layers not counted
    bool is_layered = false;                       ///< at most two dimensions
    ChannelKind kind = ChannelKind::float32;
    bool is_normalised = false;  ///< integers of 8 and 16 bits stand for [0, 1] or [-1, 1]
    std::uint8_t channels = 1;   ///< 1, 2 or 4
    std::size_t element_bytes() const {
        const std::size_t bytes[] = {4, 2, 1, 2, 4, 1, 2, 4};
        return bytes[static_cast<std::size_t>(kind)] * channels;
    }
    friend bool operator==(const ImageShape&, const ImageShape&) = default;
};

/// How the device's own sampling is set. Coordinates count elements with `clamp` and `border`, and run from 0 to 1 with
/// `wrap` and `mirror`, which no device offers otherwise.
struct SamplerState {
    enum class Address : std::uint8_t { clamp, border, wrap, mirror };
    bool is_linear = false;
    Address address = Address::clamp;
    /// A place in a table of all of them.
    std::size_t index() const { return static_cast<std::size_t>(address) * 2 + is_linear; }
    static constexpr std::size_t count = 8;
};

/// What a kernel takes for the last two parts of a texture.
struct TextureHandles {
    std::uint64_t image = 0, sampler = 0;
    std::uint8_t image_bytes = 8, sampler_bytes = 8;
    bool interpolates = true;  ///< otherwise a linear filter is the kernel's own affair, and `image` reads elements
};

}  // namespace gemel::plugin
