/// Images, samplers, and their copies.
#include "objects.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel::plugin::opencl {
namespace {

cl_mem_object_type type_of(unsigned dimensions, bool is_layered) {
    if (dimensions == 1) return is_layered ? CL_MEM_OBJECT_IMAGE1D_ARRAY : CL_MEM_OBJECT_IMAGE1D;
    if (dimensions == 2) return is_layered ? CL_MEM_OBJECT_IMAGE2D_ARRAY : CL_MEM_OBJECT_IMAGE2D;
    return CL_MEM_OBJECT_IMAGE3D;
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
    OpenClImage(std::shared_ptr<Shared> shared, cl_mem image, bool is_layered)
        : shared_(std::move(shared)), image_(image), is_layered_(is_layered) {}
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
                .interpolates = !(repeats && is_layered_ && shared_->quirks.has(Quirk::scales_layers))};
    }
    std::uint64_t native() const override { return reinterpret_cast<std::uint64_t>(image_); }

   private:
    std::shared_ptr<Shared> shared_;
    cl_mem image_;
    bool is_layered_;
};

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
    try {
        return std::make_unique<OpenClImage>(shared_, create(shared_->context, shape), shape.is_layered);
    } catch (const DeviceError& error) {
        // PoCL calls a size beyond the device's an operation.
        if (error.code() != CL_INVALID_IMAGE_SIZE && error.code() != CL_INVALID_IMAGE_DESCRIPTOR &&
            error.code() != CL_INVALID_OPERATION)
            throw;
        throw ArgumentError(text("Image: ", shared_->info->name, " has no ", shape.dimensions, "-D images",
                                 shape.is_layered ? " with layers" : "", " of ", shape.extent[0], " x ",
                                 shape.extent[1], " x ", shape.extent[2],
                                 " elements; gemel::Texture(array, sampler) samples arrays of any size"));
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

void OpenClStream::copy_image(const ImageRegion& image, const Place& memory, bool to_image) {
    const auto buffer = reinterpret_cast<cl_mem>(memory.memory->handle);
    if (to_image)
        cl.EnqueueCopyBufferToImage(Turn(*this), buffer, handle(image), memory.offset_bytes, image.origin.data(),
                                    image.extent.data(), 0, nullptr, nullptr);
    else
        cl.EnqueueCopyImageToBuffer(Turn(*this), handle(image), buffer, image.origin.data(), image.extent.data(),
                                    memory.offset_bytes, 0, nullptr, nullptr);
}

void OpenClStream::copy_images(const ImageRegion& to, const ImageRegion& from) {
    cl.EnqueueCopyImage(Turn(*this), handle(from), handle(to), from.origin.data(), to.origin.data(), to.extent.data(),
                        0, nullptr, nullptr);
}

}  // namespace gemel::plugin::opencl
