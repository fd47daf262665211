/// Images, samplers, and their copies.
#include "objects.hpp"

#include <gemel/core/half.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <type_traits>

namespace gemel::plugin::opencl {
namespace {

cl_mem_object_type type_of(unsigned dimensions, bool is_layered) {
    if (dimensions == 1) return is_layered ? CL_MEM_OBJECT_IMAGE1D_ARRAY : CL_MEM_OBJECT_IMAGE1D;
    if (dimensions == 2) return is_layered ? CL_MEM_OBJECT_IMAGE2D_ARRAY : CL_MEM_OBJECT_IMAGE2D;
    return CL_MEM_OBJECT_IMAGE3D;
}

bool may_be_normalised(ChannelKind kind) {
    return kind == ChannelKind::uint8 || kind == ChannelKind::uint16 || kind == ChannelKind::int8 ||
           kind == ChannelKind::int16;
}

cl_image_format format_of(const ImageShape& shape) {
    cl_image_format format{};
    format.image_channel_order = shape.channels == 1 ? CL_R : shape.channels == 2 ? CL_RG : CL_RGBA;
    constexpr cl_channel_type plain[] = {CL_FLOAT,          CL_HALF_FLOAT,  CL_UNSIGNED_INT8, CL_UNSIGNED_INT16,
                                         CL_UNSIGNED_INT32, CL_SIGNED_INT8, CL_SIGNED_INT16,  CL_SIGNED_INT32};
    format.image_channel_data_type = plain[static_cast<std::size_t>(shape.kind)];
    if (shape.is_normalised) switch (shape.kind) {
            case ChannelKind::uint8: format.image_channel_data_type = CL_UNORM_INT8; break;
            case ChannelKind::uint16: format.image_channel_data_type = CL_UNORM_INT16; break;
            case ChannelKind::int8: format.image_channel_data_type = CL_SNORM_INT8; break;
            default: format.image_channel_data_type = CL_SNORM_INT16; break;
        }
    return format;
}

cl_mem create(cl_context context, const ImageShape& shape) {
    const cl_image_format format = format_of(shape);
    cl_image_desc description{};
    description.image_type = type_of(shape.dimensions, shape.is_layered);
    description.image_width = shape.extent[0];
    description.image_height = shape.dimensions > 1 ? shape.extent[1] : 1;
    description.image_depth = shape.dimensions > 2 ? shape.extent[2] : 1;
    description.image_array_size = shape.is_layered ? shape.extent[shape.dimensions] : 1;
    return cl.CreateImage(context, CL_MEM_READ_WRITE, &format, &description, nullptr);
}

class OpenClImage final : public Image {
   public:
    OpenClImage(std::shared_ptr<Shared> shared, cl_mem image, const ImageShape& shape)
        : shared_(std::move(shared)), image_(image), shape_(shape) {}
    ~OpenClImage() override {
        if (shared_->dead) return;
        shared_->releases.fetch_add(1, std::memory_order_relaxed);
        cl.ReleaseMemObject.quietly(image_);
    }
    ArgumentView argument() const override { return {&image_, sizeof image_}; }
    TextureHandles texture(const SamplerState& state) override {
        const bool repeats =
            state.address == SamplerState::Address::wrap || state.address == SamplerState::Address::mirror;
        return {.image = native(),
                .sampler = reinterpret_cast<std::uint64_t>(shared_->sampler(state)),
                .interpolates = !(repeats && shape_.is_layered && shared_->quirks.has(Quirk::scales_layers))};
    }
    std::uint64_t native() const override { return reinterpret_cast<std::uint64_t>(image_); }
    const ImageShape& shape() const { return shape_; }

   private:
    std::shared_ptr<Shared> shared_;
    cl_mem image_;
    ImageShape shape_;
};

/// NVIDIA's driver makes images beyond its limits, and the first copy fails.
bool fits(cl_device_id device, const ImageShape& shape) {
    const auto within = [&](std::uint32_t extent, cl_device_info limit) {
        return extent <= query<size_t>(cl.GetDeviceInfo, limit, device);
    };
    if (shape.is_layered && !within(shape.extent[shape.dimensions], CL_DEVICE_IMAGE_MAX_ARRAY_SIZE)) return false;
    if (shape.dimensions < 3)
        return within(shape.extent[0], CL_DEVICE_IMAGE2D_MAX_WIDTH) &&
               (shape.dimensions == 1 || within(shape.extent[1], CL_DEVICE_IMAGE2D_MAX_HEIGHT));
    return within(shape.extent[0], CL_DEVICE_IMAGE3D_MAX_WIDTH) &&
           within(shape.extent[1], CL_DEVICE_IMAGE3D_MAX_HEIGHT) &&
           within(shape.extent[2], CL_DEVICE_IMAGE3D_MAX_DEPTH);
}

ArgumentError too_large(const DeviceInfo& device, const ImageShape& shape) {
    return ArgumentError(text("Image: ", device.name, " has no ", to_string(shape),
                              "; gemel::Texture(array, sampler) samples arrays of any size"));
}

/// Four channels as clEnqueueFillImage takes them.
union Color {
    float numbers[4];
    std::int32_t integers[4];
    std::uint32_t naturals[4];
};

template <class T>
T channel(const std::byte* element, int which) {
    T value;
    std::memcpy(&value, element + which * sizeof(T), sizeof(T));
    return value;
}

/// Whether a channel is -128 or -32768. It stands for -1, as -127 or -32767 does, and no driver writes it.
bool has_lowest(const ImageShape& shape, const std::byte* element) {
    for (int i = 0; i < shape.channels; ++i)
        if ((shape.kind == ChannelKind::int8 && channel<std::int8_t>(element, i) == INT8_MIN) ||
            (shape.kind == ChannelKind::int16 && channel<std::int16_t>(element, i) == INT16_MIN))
            return true;
    return false;
}

/// The driver rounds a normalised channel back to the original integer.
Color color_of(const ImageShape& shape, const std::byte* element) {
    Color color{};
    for (int i = 0; i < shape.channels; ++i) {
        const auto set_integer = [&]<class T>(T value) {
            if (shape.is_normalised)
                color.numbers[i] = static_cast<float>(value) / static_cast<float>(std::numeric_limits<T>::max());
            else if constexpr (std::is_signed_v<T>)
                color.integers[i] = value;
            else
                color.naturals[i] = value;
        };
        switch (shape.kind) {
            case ChannelKind::float32: color.numbers[i] = channel<float>(element, i); break;
            case ChannelKind::float16: color.numbers[i] = float(channel<half>(element, i)); break;
            case ChannelKind::uint8: set_integer(channel<std::uint8_t>(element, i)); break;
            case ChannelKind::uint16: set_integer(channel<std::uint16_t>(element, i)); break;
            case ChannelKind::uint32: set_integer(channel<std::uint32_t>(element, i)); break;
            case ChannelKind::int8: set_integer(channel<std::int8_t>(element, i)); break;
            case ChannelKind::int16: set_integer(channel<std::int16_t>(element, i)); break;
            case ChannelKind::int32: set_integer(channel<std::int32_t>(element, i)); break;
        }
    }
    return color;
}

cl_mem handle(const ImageRegion& region) { return reinterpret_cast<cl_mem>(region.image->native()); }

}  // namespace

cl_sampler Shared::sampler(const SamplerState& state) {
    using Address = SamplerState::Address;
    std::lock_guard lock(images_mutex);
    cl_sampler& known = samplers[state.index()];
    if (known) return known;
    const bool repeats = state.address == Address::wrap || state.address == Address::mirror;
    const cl_addressing_mode mode = state.address == Address::clamp    ? CL_ADDRESS_CLAMP_TO_EDGE
                                    : state.address == Address::border ? CL_ADDRESS_CLAMP
                                    : state.address == Address::wrap   ? CL_ADDRESS_REPEAT
                                                                       : CL_ADDRESS_MIRRORED_REPEAT;
    known = cl.CreateSampler(context, repeats ? CL_TRUE : CL_FALSE, mode,
                             state.is_linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST);
    return known;
}

bool OpenClContext::has_image_format(const ImageShape& shape) {
    if (!shared_->info->has_images) return false;
    if (shape.kind == ChannelKind::float16 && shared_->quirks.has(Quirk::misreads_half_images)) return false;
    const cl_mem_object_type type = type_of(shape.dimensions, shape.is_layered);
    cl_uint count = 0;
    cl.GetSupportedImageFormats(shared_->context, CL_MEM_READ_WRITE, type, 0, nullptr, &count);
    std::vector<cl_image_format> known(count);
    if (count > 0) cl.GetSupportedImageFormats(shared_->context, CL_MEM_READ_WRITE, type, count, known.data(), nullptr);
    const cl_image_format wanted = format_of(shape);
    return std::any_of(known.begin(), known.end(), [&](const cl_image_format& one) {
        return one.image_channel_order == wanted.image_channel_order &&
               one.image_channel_data_type == wanted.image_channel_data_type;
    });
}

std::unique_ptr<Image> OpenClContext::create_image(const ImageShape& shape) {
    if (!fits(shared_->device, shape)) throw too_large(*shared_->info, shape);
    try {
        return std::make_unique<OpenClImage>(shared_, create(shared_->context, shape), shape);
    } catch (const DeviceError& error) {
        // PoCL returns CL_INVALID_OPERATION for a size beyond the device's limits.
        if (error.code() != CL_INVALID_IMAGE_SIZE && error.code() != CL_INVALID_IMAGE_DESCRIPTOR &&
            error.code() != CL_INVALID_OPERATION)
            throw;
        throw too_large(*shared_->info, shape);
    }
}

TextureHandles OpenClContext::plain_texture(unsigned dimensions, bool is_layered) {
    if (!shared_->info->has_images) return {.image_bytes = sizeof(cl_int), .sampler_bytes = sizeof(cl_int)};
    const cl_sampler sampler = shared_->sampler({});
    std::lock_guard lock(shared_->images_mutex);
    cl_mem& image = shared_->no_images[is_layered ? 2 + dimensions : dimensions - 1];
    if (!image)
        image = create(shared_->context, {.dimensions = static_cast<std::uint8_t>(dimensions),
                                          .is_layered = is_layered,
                                          .kind = ChannelKind::uint8,
                                          .is_normalised = true,
                                          .channels = 4});
    return {reinterpret_cast<std::uint64_t>(image), reinterpret_cast<std::uint64_t>(sampler)};
}

/// Layer by layer, through an image without layers.
void OpenClStream::copy_lines(const ImageRegion& image, const Place& memory, bool to_image) {
    const auto buffer = reinterpret_cast<cl_mem>(memory.memory->handle);
    ImageShape shape = static_cast<const OpenClImage&>(*image.image).shape();
    const std::size_t line_bytes = image.extent[0] * shape.element_bytes();
    shape.is_layered = false;
    shape.extent[0] = static_cast<std::uint32_t>(image.extent[0]);
    const OpenClImage line(shared_, create(shared_->context, shape), shape);
    const auto line_image = reinterpret_cast<cl_mem>(line.native());
    const std::array<std::size_t, 3> begin{0, 0, 0}, extent{image.extent[0], 1, 1};
    for (std::size_t k = 0; k < image.extent[1]; ++k) {
        const std::array<std::size_t, 3> layer{image.origin[0], image.origin[1] + k, 0};
        const std::size_t offset = memory.offset_bytes + k * line_bytes;
        if (to_image) {
            cl.EnqueueCopyBufferToImage(Turn(*this), buffer, line_image, offset, begin.data(), extent.data(), 0,
                                        nullptr, nullptr);
            cl.EnqueueCopyImage(Turn(*this), line_image, handle(image), begin.data(), layer.data(), extent.data(), 0,
                                nullptr, nullptr);
        } else {
            cl.EnqueueCopyImage(Turn(*this), handle(image), line_image, layer.data(), begin.data(), extent.data(), 0,
                                nullptr, nullptr);
            cl.EnqueueCopyImageToBuffer(Turn(*this), line_image, buffer, begin.data(), extent.data(), offset, 0,
                                        nullptr, nullptr);
        }
    }
}

void OpenClStream::copy_image(const ImageRegion& image, const Place& memory, bool to_image) {
    const auto buffer = reinterpret_cast<cl_mem>(memory.memory->handle);
    const ImageShape& shape = static_cast<const OpenClImage&>(*image.image).shape();
    if (shape.dimensions == 1 && shape.is_layered && shared_->quirks.has(Quirk::copies_no_layers))
        return copy_lines(image, memory, to_image);
    if (to_image)
        cl.EnqueueCopyBufferToImage(Turn(*this), buffer, handle(image), memory.offset_bytes, image.origin.data(),
                                    image.extent.data(), 0, nullptr, nullptr);
    else
        cl.EnqueueCopyImageToBuffer(Turn(*this), handle(image), buffer, image.origin.data(), image.extent.data(),
                                    memory.offset_bytes, 0, nullptr, nullptr);
}

bool OpenClStream::fill_image(const ImageRegion& image, const void* element) {
    const ImageShape& shape = static_cast<const OpenClImage&>(*image.image).shape();
    if (shape.dimensions == 1 && shape.is_layered && shared_->quirks.has(Quirk::copies_no_layers)) return false;
    const auto* const bytes = static_cast<const std::byte*>(element);
    if (shape.is_normalised && has_lowest(shape, bytes)) return false;
    const Color color = color_of(shape, bytes);
    cl.EnqueueFillImage(Turn(*this), handle(image), &color, image.origin.data(), image.extent.data(), 0, nullptr,
                        event_of_command());
    return true;
}

void OpenClStream::copy_images(const ImageRegion& to, const ImageRegion& from) {
    cl.EnqueueCopyImage(Turn(*this), handle(from), handle(to), from.origin.data(), to.origin.data(), to.extent.data(),
                        0, nullptr, nullptr);
}

std::unique_ptr<Image> image_over(std::shared_ptr<Shared> shared, const ImageShape& shape, cl_mem image) {
    auto made = std::make_unique<OpenClImage>(std::move(shared), image, shape);
    cl.RetainMemObject(image);
    return made;
}

ImageShape shape_of_image(cl_mem image, cl_mem_object_type type) {
    const auto format = query<cl_image_format>(cl.GetImageInfo, CL_IMAGE_FORMAT, image);
    const bool is_1d = type == CL_MEM_OBJECT_IMAGE1D || type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    ImageShape shape{.dimensions = static_cast<std::uint8_t>(is_1d                           ? 1
                                                             : type == CL_MEM_OBJECT_IMAGE3D ? 3
                                                                                             : 2),
                     .is_layered = type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY};
    const auto count = [&](cl_image_info which) {
        return static_cast<std::uint32_t>(std::max<size_t>(query<size_t>(cl.GetImageInfo, which, image), 1));
    };
    shape.extent = {count(CL_IMAGE_WIDTH), is_1d ? 1 : count(CL_IMAGE_HEIGHT),
                    shape.dimensions == 3 ? count(CL_IMAGE_DEPTH) : 1};
    if (shape.is_layered) shape.extent[shape.dimensions] = count(CL_IMAGE_ARRAY_SIZE);
    for (int kind = 0; kind < 8; ++kind)
        for (const bool normalised : {false, true})
            for (const int channels : {1, 2, 4}) {
                shape.kind = static_cast<ChannelKind>(kind);
                shape.is_normalised = normalised && may_be_normalised(shape.kind);
                shape.channels = static_cast<std::uint8_t>(channels);
                const cl_image_format known = format_of(shape);
                if (known.image_channel_order == format.image_channel_order &&
                    known.image_channel_data_type == format.image_channel_data_type)
                    return shape;
            }
    throw ArgumentError(
        text("Image: expected an image with 1, 2 or 4 channels of float, half or integers of 8 to 32 bits, got "
             "channel order ",
             format.image_channel_order, " and type ", format.image_channel_data_type,
             "; a texture of OpenGL has them as GL_RGBA8, GL_R32F, GL_RGBA32F and the like"));
}

}  // namespace gemel::plugin::opencl
