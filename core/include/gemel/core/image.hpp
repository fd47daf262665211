/// Images: memory that a device lays out for sampling, and textures, what kernels sample.
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

/// What a texture gives between the centres of elements.
enum class Filter : std::uint8_t {
    nearest,  ///< the element in which the coordinate lies
    linear,   ///< interpolated between the nearest centres: 2, 4 or 8 elements
};

/// What a texture gives beyond its border.
enum class Address : std::uint8_t {
    clamp,   ///< the nearest element of the border
    border,  ///< 0
    wrap,    ///< the elements over again
    mirror,  ///< the elements over again, every other time in reverse
};

/// How coordinates become a value. Element k has its centre at k + 0.5.
struct Sampler {
    Filter filter = Filter::nearest;
    Address address = Address::clamp;
    bool normalised = false;  ///< coordinates run from 0 to 1 along each axis, instead of to the number of elements
    /// Interpolates an image by the kernel's own arithmetic in single precision; a GPU's own weighs by 8 bits.
    bool exact = false;
    /// Interpolates an array as the GPU's own sampling does an image, where that can sample plain memory: on CUDA
    /// arrays of two axes whose rows have no gaps between elements, begin at multiples of 32 bytes and lie in memory
    /// that begins at a multiple of 512. Everywhere else as without; Texture::is_sampled_by_hardware() tells.
    bool hardware = false;
};

/// What an element of an image is. Integers are read as integers or, normalised, as [0, 1] and [-1, 1].
struct ImageFormat {
    DType dtype;
    bool normalised = false;
    /// "uchar4", "uchar4, normalised"
    GEMEL_API std::string name() const;
    friend bool operator==(const ImageFormat&, const ImageFormat&) = default;
};

/// The formats of images with that many dimensions (layers not counted) that the context's device has. Empty for a
/// device without images.
GEMEL_API std::vector<ImageFormat> formats(const Context& context, unsigned dimensions = 2, bool is_layered = false);

/// A box of an image's elements in the order of an array's axes: layers first, x last.
struct ImageBox {
    std::vector<std::size_t> origin = {};  ///< zeros if left out
    std::vector<std::size_t> extent = {};  ///< up to the end if left out
};

/// An image whose element type is known at run time: a cheap handle. `Image<T, rank>` is the typed one.
class GEMEL_API AnyImage {
   public:
    AnyImage() = default;
    /// @param shape  as an array's: layers first if there are any, x last
    /// @throws ArgumentError for shapes and formats that the device does not have
    AnyImage(const Context& context, ImageFormat format, std::span<const std::size_t> shape, bool is_layered = false);

    bool empty() const { return !block_; }
    Context context() const;
    const ImageFormat& format() const { return format_; }
    DType dtype() const { return format_.dtype; }
    /// Layers not counted.
    unsigned dimensions() const { return shape_.dimensions; }
    bool is_layered() const { return shape_.is_layered; }
    /// Layers first if there are any, x last.
    std::vector<std::size_t> extents() const;
    std::size_t size() const { return std::size_t{shape_.extent[0]} * shape_.extent[1] * shape_.extent[2]; }

    /// Elements from and to memory where they lie in C order without gaps, enqueued on the thread's current stream.
    /// @throws ArgumentError if the box or the buffer does not fit
    void copy_from(const Buffer& from, const ImageBox& box = {}) const;
    void copy_to(const Buffer& to, const ImageBox& box = {}) const;
    /// From an image of the same format and context. @throws ArgumentError
    void copy_from(const AnyImage& from, const ImageBox& box, const std::vector<std::size_t>& origin = {}) const;
    void copy_from(const AnyImage& from) const { copy_from(from, {}, {}); }

    /// Every element of the box becomes the one whose bytes these are; enqueued. Where the driver fills no images
    /// (CUDA), memory of one slice is filled and copied. @throws ArgumentError if the box does not fit, or the number
    /// of bytes is not an element's
    void fill_bytes(const void* element, std::size_t bytes, const ImageBox& box = {}) const;

    /// Gives the memory back now, whatever other handles and textures there are: they throw from then on.
    void release();
    /// For IMAGE_2D_READ, IMAGE_2D_WRITE and their siblings. Pass a Texture for TEXTURE_2D.
    Argument argument() const;
    /// CUarray or cl_mem.
    std::uint64_t native_handle() const;

    /// Around storage that is there.
    AnyImage(std::shared_ptr<Block> block, ImageFormat format, const plugin::ImageShape& shape)
        : block_(std::move(block)), format_(format), shape_(shape) {}
    const plugin::ImageShape& shape_of_storage() const { return shape_; }
    const std::shared_ptr<Block>& block() const { return block_; }

   private:
    std::shared_ptr<Block> block_;
    ImageFormat format_;
    plugin::ImageShape shape_;
};

/// What a kernel is told of a texture beside its memory; the same struct as in the kernel language.
struct TextureFacts {
    std::int64_t offset_bytes = 0;             ///< of the first element
    std::array<std::int64_t, 3> step_bytes{};  ///< along x, y, z or layers
    std::array<std::int32_t, 3> extent{1, 1, 1};
    std::int32_t kind = 0;  ///< a ChannelKind, + 8 if normalised
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

/// Any array: what GPUArray and AnyArray are to this room.
template <class A>
concept ArrayLike = requires(const A& array) {
    array.buffer();
    array.strides();
    array.shape();
    array.dtype();
    array.offset_bytes();
};

/// What TEXTURE_2D and its siblings take: an image, or an array of any layout, with a sampler. Keeps the memory alive.
class GEMEL_API Texture {
   public:
    /// @throws ArgumentError for a linear filter over integers that are not normalised
    Texture(const AnyImage& image, const Sampler& sampler = {});
    /// Sampled by the kernel's own arithmetic in single precision, on every device.
    /// @param is_layered  the first axis counts layers
    /// @param normalised  integers of 8 and 16 bits stand for [0, 1] or [-1, 1]
    template <ArrayLike A>
    Texture(const A& array, const Sampler& sampler = {}, bool is_layered = false, bool normalised = false)
        : Texture(array.buffer(), {array.dtype(), normalised}, std::span(array.shape().begin(), array.shape().size()),
                  std::span(array.strides().begin(), array.strides().size()), array.offset_bytes(), sampler,
                  is_layered) {}
    /// Over memory: axes as an array's, layers first, x last; strides count elements.
    Texture(const Buffer& buffer, const ImageFormat& format, std::span<const std::int64_t> shape,
            std::span<const std::int64_t> strides, std::size_t offset_bytes, const Sampler& sampler, bool is_layered);

    Argument argument() const;
    /// Whether the device's own sampling interpolates, with weights of 8 bits on GPUs.
    bool is_sampled_by_hardware() const { return (parts_.facts.flags & TextureFacts::by_hardware) != 0; }

   private:
    std::shared_ptr<Block> block_;
    TextureParts parts_;
};

}  // namespace gemel
