/// Textures and images among the arguments of a captured call.
#pragma once

#include <gemel/core/argument.hpp>
#include <gemel/core/image.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gemel {

/// What a texture or image was made of, beside its elements.
struct CapturedImage {
    plugin::ImageShape shape;
    Sampler sampler;              ///< of a texture
    bool is_over_memory = false;  ///< a texture over a buffer, of which the following are
    std::uint64_t offset_bytes = 0;
    std::array<std::int64_t, 3> step_bytes{};  ///< as in TextureFacts

    ImageFormat format() const;
    /// In the order of an array's axes.
    std::vector<std::size_t> extents() const;
    /// Of memory, in elements and in that order.
    std::vector<std::int64_t> strides() const;
};

/// @param argument  a texture or an image
CapturedImage image_of(const Argument& argument);
/// The elements of an image in C order. @time blocks
std::vector<std::byte> image_contents(const AnyImage& image);
/// Of the image behind an argument, or of one behind its texture.
std::vector<std::byte> image_contents(const Argument& argument, const CapturedImage& captured);
/// An image that holds these elements.
AnyImage make_image(const Context& context, const CapturedImage& captured, std::span<const std::byte> elements);

/// Lines of a program: the image or texture `name` from the expression `from`, which gives its bytes.
std::string image_lines(const CapturedImage& captured, bool is_texture, const std::string& name,
                        const std::string& from);
/// Functions that these lines call.
extern const char* const image_helpers;

}  // namespace gemel
