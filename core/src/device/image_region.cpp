#include "device/image_region.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/half.hpp>
#include <gemel/core/text.hpp>

#include <array>
#include <string>
#include <vector>

namespace gemel {

std::string plugin::to_string(const ImageShape& shape) {
    std::vector<std::string> extents;
    for (std::size_t at = shape.dimensions + std::size_t{shape.is_layered}; at-- > 0;)
        extents.push_back(std::to_string(shape.extent[at]));
    return text(int{shape.dimensions}, "-D images", shape.is_layered ? " with layers" : "", " of shape (",
                join(extents, ", "), ")");
}

Block& checked(const AnyImage& image, const char* what) {
    if (image.empty()) throw ArgumentError(text(what, ": the image is empty; Image(context, shape) makes one"));
    if (image.block()->released) throw ArgumentError(text(what, ": the image has been released; make another"));
    return *image.block();
}

plugin::ImageRegion region_of(const char* what, const AnyImage& image, Block& block, const ImageBox& box) {
    const std::vector<std::size_t> whole = image.extents();
    const std::size_t rank = whole.size();
    plugin::ImageRegion region{.image = block.allocation->image.get()};
    if ((!box.origin.empty() && box.origin.size() != rank) || (!box.extent.empty() && box.extent.size() != rank))
        throw ArgumentError(text(what, ": expected a box with ", rank, " axes, got ",
                                 box.origin.empty() ? box.extent.size() : box.origin.size(),
                                 "; give one number for each axis of the image"));
    for (std::size_t axis = 0; axis < rank; ++axis) {
        const std::size_t origin = box.origin.empty() ? 0 : box.origin[axis];
        if (origin > whole[axis])
            throw ArgumentError(text(what, ": the box begins at ", origin, " of axis ", axis, ", which has ",
                                     whole[axis], " elements; move the box into the image"));
        const std::size_t extent = box.extent.empty() ? whole[axis] - origin : box.extent[axis];
        if (extent > whole[axis] - origin)
            throw ArgumentError(text(what, ": a box of ", extent, " elements from ", origin, " on does not fit axis ",
                                     axis, ", which has ", whole[axis], "; use a smaller box"));
        const std::size_t at =
            image.is_layered() ? (axis == 0 ? image.dimensions() : rank - 1 - axis) : rank - 1 - axis;
        region.origin[at] = origin;
        region.extent[at] = extent;
    }
    return region;
}

std::size_t count_of(const plugin::ImageRegion& region) {
    return region.extent[0] * region.extent[1] * region.extent[2];
}

DType dtype_of_channels(plugin::ChannelKind kind, unsigned channels) {
    static const std::array<DType, 8> types{
        dtype_of<float>(),         dtype_of<half>(),        dtype_of<std::uint8_t>(), dtype_of<std::uint16_t>(),
        dtype_of<std::uint32_t>(), dtype_of<std::int8_t>(), dtype_of<std::int16_t>(), dtype_of<std::int32_t>()};
    const DType one = types[static_cast<std::size_t>(kind)];
    return DType(one.kind(), one.size_bytes() * channels, static_cast<std::uint8_t>(channels));
}

}  // namespace gemel
