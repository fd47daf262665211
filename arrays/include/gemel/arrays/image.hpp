/// Image<T, rank>: images with a known element type, made of arrays and turned into them.
#pragma once

#include <gemel/arrays/gpu_array.hpp>
#include <gemel/core/image.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gemel {

/// Whether the integers of an image are read as integers, or as [0, 1] and [-1, 1].
enum class Channels : std::uint8_t { plain, normalised };

namespace detail {
[[noreturn]] GEMEL_API void refuse_image_rank(unsigned rank, bool layered, std::size_t given);
}

/// An image of 1, 2 or 3 dimensions: memory that the device lays out for sampling. A cheap handle. Its shape is that of
/// an array: {height, width}. A layered one has an axis of layers in front, {layers, height, width}.
template <ElementType T, unsigned rank = 2, bool layered = false>
class Image : public AnyImage {
    static_assert(rank >= 1 && rank <= 3, "an image has 1, 2 or 3 dimensions");
    static_assert(!layered || rank < 3, "layers have 1 or 2 dimensions");

   public:
    using value_type = T;

    Image() = default;
    /// A new image, its elements undefined. @throws ArgumentError for shapes and formats that the device does not have
    Image(const Context& context, const Shape& shape, Channels channels = Channels::plain)
        : AnyImage(context, {dtype_of<T>(), channels == Channels::normalised}, extents_of(shape), layered) {}
    /// A new image with the elements of an array with any strides.
    explicit Image(const GPUArray<T>& array, Channels channels = Channels::plain)
        : Image(array.context(), array.shape(), channels) {
        copy_from(array);
    }

    Shape shape() const {
        Shape shape;
        for (const std::size_t extent : extents()) shape.push_back(static_cast<std::int64_t>(extent));
        return shape;
    }
    /// The elements in a new array.
    GPUArray<T> array() const {
        GPUArray<T> to(context(), shape());
        copy_to(to);
        return to;
    }

    using AnyImage::copy_from;
    using AnyImage::copy_to;
    /// An array's elements into a box of its shape. @param origin  of the box, in the order of the axes; zeros if empty
    void copy_from(const GPUArray<T>& from, const std::vector<std::size_t>& origin = {}) const {
        const GPUArray<T> dense = from.is_contiguous() ? from : from.copy(Order::C);
        AnyImage::copy_from(bytes_of(dense), {origin, extents_of(from.shape())});
    }
    /// A box into an array of its shape and any layout.
    void copy_to(const GPUArray<T>& to, const std::vector<std::size_t>& origin = {}) const {
        const GPUArray<T> dense = to.is_contiguous() ? to : GPUArray<T>(to.context(), to.shape());
        AnyImage::copy_to(bytes_of(dense), {origin, extents_of(to.shape())});
        if (!to.is_contiguous()) to.assign(dense);
    }
    /// Sets all elements of the box to `value`.
    template <ValueFor<T> V>
    void fill(const V& value, const ImageBox& box = {}) const {
        const T element = detail::element_of<T>(value, "fill");
        fill_bytes(&element, sizeof element, box);
    }

   private:
    static std::vector<std::size_t> extents_of(const Shape& shape) {
        if (shape.rank() != rank + layered) refuse_rank(shape.rank());
        return {shape.begin(), shape.end()};
    }
    static Buffer bytes_of(const GPUArray<T>& dense) {
        return dense.buffer().view(dense.offset_bytes(), dense.size_bytes());
    }
    [[noreturn]] static void refuse_rank(std::size_t given) { detail::refuse_image_rank(rank, layered, given); }
};

/// Several images of one shape; kernels name the layer.
template <ElementType T, unsigned rank = 2>
using LayeredImage = Image<T, rank, true>;

template <ElementType T>
Image(const GPUArray<T>&) -> Image<T>;

}  // namespace gemel
