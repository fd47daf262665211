/// Images (memory that the device lays out for sampling) and textures (an image or array with a sampler).
#pragma once

#include <gemel/core/argument.hpp>
#include <gemel/core/context.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/image_shape.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gemel {

/// The value of a texture between the centres of elements.
enum class Filter : std::uint8_t {
    nearest,  ///< the element that contains the coordinate
    linear,   ///< interpolated between the nearest centres: 2, 4 or 8 elements
};

/// The value of a texture outside its extents.
enum class Address : std::uint8_t {
    clamp,   ///< the nearest element of the border
    border,  ///< 0
    wrap,    ///< the texture repeats
    mirror,  ///< the texture repeats, every other copy mirrored
};

/// How a texture is sampled. The centre of element k is at k + 0.5.
struct Sampler {
    Filter filter = Filter::nearest;
    Address address = Address::clamp;
    bool normalised = false;  ///< coordinates run from 0 to 1 along each axis instead of 0 to the number of elements
    /// Interpolates images in the kernel, in single precision. GPU hardware uses weights of 8 bits.
    bool exact = false;
    /// Samples arrays with the GPU's texture hardware if it can read plain memory: on CUDA arrays of two axes whose
    /// rows are contiguous and start at multiples of 32 bytes, in memory that starts at a multiple of 512 bytes. No
    /// effect on other arrays; check with Texture::is_sampled_by_hardware().
    bool hardware = false;
};

/// The element format of an image. Integers are read as integers or, if normalised, as values in [0, 1] or [-1, 1].
struct ImageFormat {
    DType dtype;
    bool normalised = false;
    /// "uchar4", "uchar4, normalised"
    GEMEL_API std::string name() const;
    friend bool operator==(const ImageFormat&, const ImageFormat&) = default;
};

/// The image formats that the context's device supports for that number of dimensions (not counting layers). Empty if
/// the device has no images.
GEMEL_API std::vector<ImageFormat> formats(const Context& context, unsigned dimensions = 2, bool is_layered = false);

/// A box of an image's elements in the order of an array's axes: layers first, x last.
struct ImageBox {
    std::vector<std::size_t> origin = {};  ///< zeros if left out
    std::vector<std::size_t> extent = {};  ///< up to the end if left out
};

/// An image whose element type is known at run time: a cheap handle. `Image<T, rank>` is the typed form.
class GEMEL_API AnyImage {
   public:
    AnyImage() = default;
    /// @param shape  in the order of an array's axes: layers first if there are any, x last
    /// @throws ArgumentError if the device does not support the shape or the format
    AnyImage(const Context& context, ImageFormat format, std::span<const std::size_t> shape, bool is_layered = false);

    bool empty() const { return !block_; }
    Context context() const;
    const ImageFormat& format() const { return format_; }
    DType dtype() const { return format_.dtype; }
    /// The number of dimensions, not counting layers.
    unsigned dimensions() const { return shape_.dimensions; }
    bool is_layered() const { return shape_.is_layered; }
    /// Layers first if there are any, x last.
    std::vector<std::size_t> extents() const;
    std::size_t size() const { return std::size_t{shape_.extent[0]} * shape_.extent[1] * shape_.extent[2]; }

    /// Copy a box of elements from and to contiguous memory in C order; enqueued on the thread's current stream.
    /// @throws ArgumentError if the box or the buffer does not fit
    void copy_from(const Buffer& from, const ImageBox& box = {}) const;
    void copy_to(const Buffer& to, const ImageBox& box = {}) const;
    /// Copies from an image. @throws ArgumentError if format or context differ, or a box does not fit
    void copy_from(const AnyImage& from, const ImageBox& box, const std::vector<std::size_t>& origin = {}) const;
    void copy_from(const AnyImage& from) const { copy_from(from, {}, {}); }

    /// Sets every element of the box to the given bytes; enqueued. If the driver cannot fill images (CUDA), memory for
    /// one slice is filled and copied.
    /// @throws ArgumentError if the box does not fit or `bytes` is not the size of an element
    void fill_bytes(const void* element, std::size_t bytes, const ImageBox& box = {}) const;

    /// Releases the memory now. Other handles and textures of the image throw from then on.
    void release();
    /// The argument for IMAGE_2D_READ, IMAGE_2D_WRITE and so on. For TEXTURE_2D pass a Texture.
    Argument argument() const;
    /// The driver's handle (CUarray, cl_mem).
    std::uint64_t native_handle() const;

    /// Wraps existing storage.
    AnyImage(std::shared_ptr<Block> block, ImageFormat format, const plugin::ImageShape& shape)
        : block_(std::move(block)), format_(format), shape_(shape) {}
    const plugin::ImageShape& shape_of_storage() const { return shape_; }
    const std::shared_ptr<Block>& block() const { return block_; }

   private:
    std::shared_ptr<Block> block_;
    ImageFormat format_;
    plugin::ImageShape shape_;
};

/// The parameters of a texture in a kernel, in addition to its memory; the kernel language has the same struct.
struct TextureFacts {
    std::int64_t offset_bytes = 0;             ///< of the first element
    std::array<std::int64_t, 3> step_bytes{};  ///< along x, y, z or layers
    std::array<std::int32_t, 3> extent{1, 1, 1};
    std::int32_t kind = 0;  ///< a ChannelKind, plus 8 if normalised
    std::int32_t channels = 1;
    std::int32_t address = 0;
    std::int32_t flags = 0;
    std::int32_t unused = 0;
    static constexpr std::int32_t linear = 1, normalised = 2, over_memory = 4, by_hardware = 8;
};
static_assert(sizeof(TextureFacts) == 64);

struct TextureParts {
    TextureFacts facts;
    plugin::TextureHandles handles;
    std::uint8_t dimensions = 0;
    bool is_layered = false;
};

/// What core needs of an array: GPUArray and AnyArray.
template <class A>
concept ArrayLike = requires(const A& array) {
    array.buffer();
    array.strides();
    array.shape();
    array.dtype();
    array.offset_bytes();
};

/// The argument for TEXTURE_2D and so on: an image, or an array of any layout, with a sampler. Keeps the memory alive.
class GEMEL_API Texture {
   public:
    /// @throws ArgumentError if the filter is linear and the elements are integers that are not normalised
    Texture(const AnyImage& image, const Sampler& sampler = {});
    /// A texture over an array, sampled in the kernel in single precision on every device.
    /// @param is_layered  the first axis counts layers
    /// @param normalised  integers of 8 and 16 bits stand for [0, 1] or [-1, 1]
    template <ArrayLike A>
    Texture(const A& array, const Sampler& sampler = {}, bool is_layered = false, bool normalised = false)
        : Texture(array.buffer(), {array.dtype(), normalised}, std::span(array.shape().begin(), array.shape().size()),
                  std::span(array.strides().begin(), array.strides().size()), array.offset_bytes(), sampler,
                  is_layered) {}
    /// A texture over a buffer. Axes are in array order: layers first, x last. Strides count elements.
    Texture(const Buffer& buffer, const ImageFormat& format, std::span<const std::int64_t> shape,
            std::span<const std::int64_t> strides, std::size_t offset_bytes, const Sampler& sampler, bool is_layered);

    Argument argument() const;
    /// Whether the device's texture hardware interpolates; GPUs use weights of 8 bits.
    bool is_sampled_by_hardware() const { return (parts_.facts.flags & TextureFacts::by_hardware) != 0; }

   private:
    std::shared_ptr<Block> block_;
    TextureParts parts_;
};

}  // namespace gemel
