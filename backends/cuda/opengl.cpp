/// OpenGL objects.
#include "objects.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel::plugin::cuda {
namespace {

constexpr unsigned read_only = 1, write_discard = 2, for_surfaces = 4;  // CU_GRAPHICS_REGISTER_FLAGS_*
constexpr unsigned all_devices = 1;                                     // CU_GL_DEVICE_LIST_ALL

void check_context(Status status) {
    if (status == CUDA_ERROR_INVALID_GRAPHICS_CONTEXT || status == CUDA_ERROR_OPERATING_SYSTEM)
        throw Error(text("gl: no OpenGL context that this device drives is current on this thread (",
                         error_name(status), "); make one current, as eglMakeCurrent() does"));
}

/// @throws an exception with the next step, for errors that the user can correct
void check_registration(const char* call, Status status, const GlName& name) {
    if (status == success) return;
    check_context(status);
    if (status == CUDA_ERROR_INVALID_VALUE || status == CUDA_ERROR_INVALID_HANDLE)
        throw ArgumentError(text("gl: the current OpenGL context has no ", name.target ? "texture " : "buffer ",
                                 name.name, " that kernels can use (", error_name(status), "); give it storage first, ",
                                 name.target ? "as glTexStorage2D() does" : "as glBufferData() does"));
    fail(call, status);
}

class CudaGlObject final : public GlObject {
   public:
    CudaGlObject(std::shared_ptr<Shared> shared, const GlName& name) : shared_(std::move(shared)) {
        if (name.target) {  // kernels read images through surfaces
            check_registration(cu.GraphicsGLRegisterImage.name(),
                               cu.GraphicsGLRegisterImage.status(&resource_, name.name, name.target, for_surfaces),
                               name);
            return;
        }
        const unsigned flags = name.access == GlAccess::read    ? read_only
                               : name.access == GlAccess::write ? write_discard
                                                                : 0;
        check_registration(cu.GraphicsGLRegisterBuffer.name(),
                           cu.GraphicsGLRegisterBuffer.status(&resource_, name.name, flags), name);
        cu.GraphicsMapResources(1, &resource_, nullptr);  // needed to read the size
        bytes_ = mapped().second;
        cu.GraphicsUnmapResources(1, &resource_, nullptr);
    }
    ~CudaGlObject() override {
        if (shared_->dead || !resource_) return;
        try {
            Current current(*shared_);
            cu.GraphicsUnregisterResource.quietly(resource_);
        } catch (...) {  // the context has just been lost
        }
    }

    void acquire(Stream& stream) override {
        Current current(*shared_);
        const Status status = cu.GraphicsMapResources.status(1, &resource_, stream_of(stream));
        check_context(status);
        if (status != success) fail(cu.GraphicsMapResources.name(), status);
    }
    void release(Stream& stream) override {
        Current current(*shared_);
        cu.GraphicsUnmapResources(1, &resource_, stream_of(stream));
    }
    std::size_t size_bytes() override { return bytes_; }
    Memory memory() override {
        Current current(*shared_);
        const auto [address, bytes] = mapped();
        return {.handle = address, .bytes = bytes, .foreign = true};
    }
    ImageShape shape() override {
        Current current(*shared_);
        return shape_of_array(mapped_array());
    }
    std::unique_ptr<Image> image(const ImageShape& shape) override {
        Current current(*shared_);
        return image_over(shared_, shape, mapped_array());
    }

   private:
    static CUstream stream_of(Stream& stream) { return reinterpret_cast<CUstream>(stream.native()); }
    std::pair<CUdeviceptr, std::size_t> mapped() const {
        CUdeviceptr address = 0;
        std::size_t bytes = 0;
        cu.GraphicsResourceGetMappedPointer(&address, &bytes, resource_);
        return {address, bytes};
    }
    CUarray mapped_array() const {
        CUarray array = nullptr;
        cu.GraphicsSubResourceGetMappedArray(&array, resource_, 0, 0);
        return array;
    }

    std::shared_ptr<Shared> shared_;
    CUgraphicsResource resource_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace

bool CudaDevice::shares_gl() const {
    if (!cu.GLGetDevices) return false;
    std::array<CUdevice, 32> devices{};
    unsigned count = 0;
    if (cu.GLGetDevices.status(&count, devices.data(), devices.size(), all_devices) != success) return false;
    const auto end = devices.begin() + std::min<std::size_t>(count, devices.size());
    return std::find(devices.begin(), end, device_) != end;
}

std::unique_ptr<Context> CudaDevice::create_gl_context() { return create_context(); }

std::unique_ptr<GlObject> CudaContext::share_gl(const GlName& name) {
    if (!cu.GraphicsGLRegisterBuffer || !cu.GraphicsMapResources)
        throw Error("gl: this driver shares nothing with OpenGL (it lacks cuGraphicsGLRegisterBuffer)");
    Current current(*shared_);
    return std::make_unique<CudaGlObject>(shared_, name);
}

}  // namespace gemel::plugin::cuda
