/// Boxes of images in the driver's axis order.
#pragma once

#include <gemel/core/image.hpp>
#include <gemel/core/plugin.hpp>

#include "device/state.hpp"

#include <cstddef>

namespace gemel {

/// @throws ArgumentError if the image is empty or released
Block& checked(const AnyImage& image, const char* what);
/// A box in the driver's axis order. @throws ArgumentError if it does not lie inside
plugin::ImageRegion region_of(const char* what, const AnyImage& image, Block& block, const ImageBox& box);
std::size_t count_of(const plugin::ImageRegion& region);
/// Kind, channels and normalisation of a format's elements. @throws ArgumentError naming `who` if no images have them
plugin::ImageShape image_element(const char* who, const ImageFormat& format);
/// "uchar4": the elements of images with such channels, for types that take one channel each.
DType dtype_of_channels(plugin::ChannelKind kind, unsigned channels);

}  // namespace gemel
