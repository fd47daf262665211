/// Images, texture and surface objects, and their copies.
#include "objects.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel::plugin::cuda {
namespace {

constexpr CUarray_format array_formats[] = {
    CU_AD_FORMAT_FLOAT,          CU_AD_FORMAT_HALF,        CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_UNSIGNED_INT16,
    CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT8, CU_AD_FORMAT_SIGNED_INT16,  CU_AD_FORMAT_SIGNED_INT32};

/// The argument for an image parameter; the same struct as gemel_surface in the kernel language.
struct SurfaceArgument {
    std::uint64_t surface = 0;
    std::int32_t kind = 0, channels = 1, extent[3]{1, 1, 1}, unused = 0;
};
static_assert(sizeof(SurfaceArgument) == 32);

CUarray create(const ImageShape& shape) {
    CUDA_ARRAY3D_DESCRIPTOR description{};
    description.Width = shape.extent[0];
    description.Height = shape.dimensions > 1 ? shape.extent[1] : 0;
    description.Depth = shape.is_layered ? shape.extent[shape.dimensions] : shape.dimensions > 2 ? shape.extent[2] : 0;
    description.Format = array_formats[static_cast<std::size_t>(shape.kind)];
    description.NumChannels = shape.channels;
    description.Flags = CUDA_ARRAY3D_SURFACE_LDST | (shape.is_layered ? CUDA_ARRAY3D_LAYERED : 0);
    CUarray array = nullptr;
    cu.Array3DCreate(&array, &description);
    return array;
}

CUDA_RESOURCE_DESC resource_of(CUarray array) {
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    return resource;
}

CUtexObject make_texture(const CUDA_RESOURCE_DESC& resource, const ImageShape& shape, const SamplerState& state) {
    using Address = SamplerState::Address;
    constexpr CUaddress_mode modes[] = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_BORDER, CU_TR_ADDRESS_MODE_WRAP,
                                        CU_TR_ADDRESS_MODE_MIRROR};
    CUDA_TEXTURE_DESC description{};
    // With border mode on an axis that a 1-D image lacks, the border contributes: an H200 halves the values.
    for (CUaddress_mode& mode : description.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP;
    std::fill_n(description.addressMode, shape.dimensions, modes[static_cast<std::size_t>(state.address)]);
    description.filterMode = state.is_linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
    const bool is_integer = shape.kind > ChannelKind::float16 && !shape.is_normalised;
    if (is_integer) description.flags |= CU_TRSF_READ_AS_INTEGER;
    if (state.address == Address::wrap || state.address == Address::mirror)
        description.flags |= CU_TRSF_NORMALIZED_COORDINATES;
    CUtexObject object = 0;
    cu.TexObjectCreate(&object, &resource, &description, nullptr);
    return object;
}

/// Texture objects of one storage, each made on first use.
class Textures {
   public:
    CUtexObject get(const Shared& shared, const CUDA_RESOURCE_DESC& resource, const ImageShape& shape,
                    const SamplerState& state) {
        const std::lock_guard lock(mutex_);
        CUtexObject& object = objects_[state.index()];
        if (!object) {
            Current current(shared);
            object = make_texture(resource, shape, state);
        }
        return object;
    }
    void destroy() {
        for (const CUtexObject object : objects_)
            if (object) cu.TexObjectDestroy.quietly(object);
    }

   private:
    std::mutex mutex_;
    std::array<CUtexObject, SamplerState::count> objects_{};
};

class CudaImage final : public Image {
   public:
    /// @param foreign  an array that another library has made and destroys; null to make one
    CudaImage(std::shared_ptr<Shared> shared, const ImageShape& shape, CUarray foreign = nullptr)
        : shared_(std::move(shared)),
          shape_(shape),
          is_foreign_(foreign != nullptr),
          array_(foreign ? foreign : create(shape)) {
        const CUDA_RESOURCE_DESC resource = resource_of(array_);
        CUsurfObject surface = 0;
        if (const Status status = cu.SurfObjectCreate.status(&surface, &resource); status != success) {
            if (!is_foreign_) cu.ArrayDestroy.quietly(array_);
            fail(cu.SurfObjectCreate.name(), status);
        }
        argument_ = {.surface = surface,
                     .kind = static_cast<std::int32_t>(shape.kind) + (shape.is_normalised ? 8 : 0),
                     .channels = shape.channels};
        for (int i = 0; i < 3; ++i) argument_.extent[i] = static_cast<std::int32_t>(shape.extent[i]);
    }
    ~CudaImage() override {
        if (shared_->dead) return;
        try {
            Current current(*shared_);
            textures_.destroy();
            cu.SurfObjectDestroy.quietly(argument_.surface);
            if (!is_foreign_) cu.ArrayDestroy.quietly(array_);
        } catch (...) {  // the context has just been lost: its memory went with it
        }
    }

    ArgumentView argument() const override { return {&argument_, sizeof argument_}; }

    TextureHandles texture(const SamplerState& state) override {
        return {textures_.get(*shared_, resource_of(array_), shape_, state), 0};
    }

    std::uint64_t native() const override { return reinterpret_cast<std::uint64_t>(array_); }
    CUarray array() const { return array_; }
    const ImageShape& shape() const { return shape_; }

   private:
    std::shared_ptr<Shared> shared_;
    ImageShape shape_;
    bool is_foreign_;
    CUarray array_;
    SurfaceArgument argument_;
    Textures textures_;
};

/// Pitched linear memory, which textures sample.
class MemoryImage final : public Image {
   public:
    MemoryImage(std::shared_ptr<Shared> shared, const ImageShape& shape, CUdeviceptr address, std::size_t pitch)
        : shared_(std::move(shared)), shape_(shape) {
        resource_.resType = CU_RESOURCE_TYPE_PITCH2D;
        resource_.res.pitch2D = {.devPtr = address,
                                 .format = array_formats[static_cast<std::size_t>(shape.kind)],
                                 .numChannels = shape.channels,
                                 .width = shape.extent[0],
                                 .height = shape.extent[1],
                                 .pitchInBytes = pitch};
    }
    ~MemoryImage() override {
        if (shared_->dead) return;
        try {
            Current current(*shared_);
            textures_.destroy();
        } catch (...) {  // the context has just been lost
        }
    }
    ArgumentView argument() const override { return {nullptr, 0}; }
    TextureHandles texture(const SamplerState& state) override {
        return {textures_.get(*shared_, resource_, shape_, state), 0};
    }
    std::uint64_t native() const override { return resource_.res.pitch2D.devPtr; }

   private:
    std::shared_ptr<Shared> shared_;
    ImageShape shape_;
    CUDA_RESOURCE_DESC resource_{};
    Textures textures_;
};

/// One side of a copy; layers lie along the third axis, whatever the number of dimensions.
struct ArraySide {
    explicit ArraySide(const ImageRegion& region)
        : image(static_cast<const CudaImage&>(*region.image)),
          lines_are_layers(image.shape().dimensions == 1 && image.shape().is_layered),
          x_bytes(region.origin[0] * image.shape().element_bytes()),
          y(lines_are_layers ? 0 : region.origin[1]),
          z(lines_are_layers ? region.origin[1] : region.origin[2]) {}
    const CudaImage& image;
    bool lines_are_layers;
    std::size_t x_bytes, y, z;
};

CUDA_MEMCPY3D window(const ImageRegion& region, const ArraySide& side) {
    CUDA_MEMCPY3D copy{};
    copy.WidthInBytes = region.extent[0] * side.image.shape().element_bytes();
    copy.Height = side.lines_are_layers ? 1 : region.extent[1];
    copy.Depth = side.lines_are_layers ? region.extent[1] : region.extent[2];
    return copy;
}

void set_source(CUDA_MEMCPY3D& copy, const ArraySide& side) {
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.srcArray = side.image.array();
    copy.srcXInBytes = side.x_bytes;
    copy.srcY = side.y;
    copy.srcZ = side.z;
}

void set_target(CUDA_MEMCPY3D& copy, const ArraySide& side) {
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = side.image.array();
    copy.dstXInBytes = side.x_bytes;
    copy.dstY = side.y;
    copy.dstZ = side.z;
}

}  // namespace

ImageShape shape_of_array(CUarray array) {
    CUDA_ARRAY3D_DESCRIPTOR description{};
    cu.Array3DGetDescriptor(&description, array);
    const auto* const format = std::find(std::begin(array_formats), std::end(array_formats), description.Format);
    if (format == std::end(array_formats))
        throw ArgumentError(
            text("Image: expected an image with channels of float, half or integers of 8 to 32 bits, got one "
                 "of CUarray_format ",
                 static_cast<int>(description.Format),
                 "; a texture of OpenGL has them as GL_RGBA8, GL_R32F, GL_RGBA32F and the like"));
    ImageShape shape{.is_layered = (description.Flags & CUDA_ARRAY3D_LAYERED) != 0,
                     .kind = static_cast<ChannelKind>(format - std::begin(array_formats)),
                     .channels = static_cast<std::uint8_t>(description.NumChannels)};
    const std::size_t depth = std::max<std::size_t>(description.Depth, 1);
    const bool is_flat = shape.is_layered || depth == 1;
    shape.dimensions = description.Height == 0 ? 1 : is_flat ? 2 : 3;
    shape.extent = {static_cast<std::uint32_t>(description.Width),
                    static_cast<std::uint32_t>(std::max<std::size_t>(description.Height, 1)),
                    static_cast<std::uint32_t>(depth)};
    if (shape.is_layered && shape.dimensions == 1) std::swap(shape.extent[1], shape.extent[2]);
    return shape;
}

std::unique_ptr<Image> image_over(std::shared_ptr<Shared> shared, const ImageShape& shape, CUarray array) {
    return std::make_unique<CudaImage>(std::move(shared), shape, array);
}

std::unique_ptr<Image> CudaContext::image_of_memory(const Place& place, const ImageShape& shape, std::size_t pitch) {
    Current current(*shared_);
    const auto attribute = [&](CUdevice_attribute which) {
        int value = 0;
        cu.DeviceGetAttribute(&value, which, shared_->device);
        return static_cast<std::size_t>(value);
    };
    const CUdeviceptr address = place.memory->handle + place.offset_bytes;
    const bool fits = address % attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT) == 0 &&
                      pitch % attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT) == 0 &&
                      pitch <= attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH) &&
                      shape.extent[0] <= attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH) &&
                      shape.extent[1] <= attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT);
    return fits ? std::make_unique<MemoryImage>(shared_, shape, address, pitch) : nullptr;
}

bool CudaContext::has_image_format(const ImageShape&) {
    return true;  // of all kinds, with 1, 2 or 4 channels
}

std::unique_ptr<Image> CudaContext::create_image(const ImageShape& shape) {
    Current current(*shared_);
    try {
        return std::make_unique<CudaImage>(shared_, shape);
    } catch (const DeviceError& error) {
        if (error.code() != CUDA_ERROR_INVALID_VALUE) throw;
        throw ArgumentError(text("Image: ", shared_->info->name, " has no ", to_string(shape),
                                 "; gemel::Texture(array, sampler) samples arrays of any size"));
    }
}

TextureHandles CudaContext::plain_texture(unsigned, bool) { return {}; }

void CudaStream::copy_image(const ImageRegion& region, const Place& memory, bool to_image) {
    Current current(*shared_);
    const ArraySide side(region);
    CUDA_MEMCPY3D copy = window(region, side);
    const CUdeviceptr address = memory.memory->handle + memory.offset_bytes;
    if (to_image) {
        set_target(copy, side);
        copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
        copy.srcDevice = address;
        copy.srcPitch = copy.WidthInBytes;
        copy.srcHeight = copy.Height;
    } else {
        set_source(copy, side);
        copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        copy.dstDevice = address;
        copy.dstPitch = copy.WidthInBytes;
        copy.dstHeight = copy.Height;
    }
    cu.Memcpy3DAsync(&copy, stream_);
}

void CudaStream::copy_images(const ImageRegion& to, const ImageRegion& from) {
    Current current(*shared_);
    const ArraySide target(to), source(from);
    CUDA_MEMCPY3D copy = window(to, target);
    set_target(copy, target);
    set_source(copy, source);
    cu.Memcpy3DAsync(&copy, stream_);
}

}  // namespace gemel::plugin::cuda
