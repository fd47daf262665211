/// Images in the plug-in interface; a part of plugin.hpp.
#pragma once

#include <gemel/core/export.hpp>
#include <gemel/core/image_shape.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace gemel::plugin {

struct ArgumentView;

/// An image. Its handles live as long as it does.
class GEMEL_API Image {
   public:
    virtual ~Image();
    /// The argument for an IMAGE_*_READ or IMAGE_*_WRITE parameter.
    virtual ArgumentView argument() const = 0;
    /// The handles for a sampler state, made once per state. Thread-safe.
    virtual TextureHandles texture(const SamplerState& sampler) = 0;
    virtual std::uint64_t native() const = 0;
};

/// A box of an image's elements; origin and extent along x, y, z or layers.
struct ImageRegion {
    Image* image = nullptr;
    std::array<std::size_t, 3> origin{}, extent{1, 1, 1};
};

}  // namespace gemel::plugin
