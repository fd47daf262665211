/// OpenGL objects (cl_khr_gl_sharing). Only EGL or GLX knows the current OpenGL context: the process has loaded one of
/// them, or there is no context.
#include "objects.hpp"

#include <gemel/core/text.hpp>

#include <CL/cl_gl.h>
#include <dlfcn.h>

#include <algorithm>

namespace gemel::plugin::opencl {
namespace {

/// A function of a library that the process has loaded already; null if it has not.
template <class F>
F* loaded(const char* library, const char* name) {
    void* const handle = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
    if (!handle) return nullptr;
    void* const address = dlsym(handle, name);
    dlclose(handle);  // it stays loaded: the process still holds it
    return reinterpret_cast<F*>(address);
}

struct GlContext {
    void* context = nullptr;  ///< EGLContext or GLXContext
    void* display = nullptr;
    cl_context_properties display_word = 0;
    void (*finish)() = nullptr;  ///< glFinish
};

/// The current context of this thread; empty if there is none.
GlContext current_gl() {
    using Get = void*();
    using Find = void*(const char*);
    for (const auto& [library, context, display, find, word] :
         {std::tuple{"libEGL.so.1", "eglGetCurrentContext", "eglGetCurrentDisplay", "eglGetProcAddress",
                     cl_context_properties{CL_EGL_DISPLAY_KHR}},
          std::tuple{"libGLX.so.0", "glXGetCurrentContext", "glXGetCurrentDisplay", "glXGetProcAddressARB",
                     cl_context_properties{CL_GLX_DISPLAY_KHR}},
          std::tuple{"libGL.so.1", "glXGetCurrentContext", "glXGetCurrentDisplay", "glXGetProcAddressARB",
                     cl_context_properties{CL_GLX_DISPLAY_KHR}}}) {
        Get* const get = loaded<Get>(library, context);
        void* const found = get ? get() : nullptr;
        if (!found) continue;
        Get* const get_display = loaded<Get>(library, display);
        Find* const find_function = loaded<Find>(library, find);
        return {found, get_display ? get_display() : nullptr, word,
                find_function ? reinterpret_cast<void (*)()>(find_function("glFinish")) : nullptr};
    }
    return {};
}

std::vector<cl_context_properties> properties_of(cl_platform_id platform, const GlContext& gl) {
    return {CL_CONTEXT_PLATFORM,
            reinterpret_cast<cl_context_properties>(platform),
            CL_GL_CONTEXT_KHR,
            reinterpret_cast<cl_context_properties>(gl.context),
            gl.display_word,
            reinterpret_cast<cl_context_properties>(gl.display),
            0};
}

/// The OpenGL context that an OpenCL context shares; null if none.
void* partner_of(cl_context context) {
    size_t bytes = 0;
    cl.GetContextInfo(context, CL_CONTEXT_PROPERTIES, 0, nullptr, &bytes);
    std::vector<cl_context_properties> all(bytes / sizeof(cl_context_properties));
    cl.GetContextInfo(context, CL_CONTEXT_PROPERTIES, bytes, all.data(), nullptr);
    for (std::size_t i = 0; i + 1 < all.size() && all[i] != 0; i += 2)
        if (all[i] == CL_GL_CONTEXT_KHR) return reinterpret_cast<void*>(all[i + 1]);
    return nullptr;
}

/// The extension's functions; a separate object, because few contexts share with OpenGL.
struct GlFunctions {
    Maker<cl_mem, cl_context, cl_mem_flags, cl_GLuint> CreateFromGLBuffer{"clCreateFromGLBuffer",
                                                                          &clCreateFromGLBuffer};
    Maker<cl_mem, cl_context, cl_mem_flags, cl_GLenum, cl_GLint, cl_GLuint> CreateFromGLTexture{"clCreateFromGLTexture",
                                                                                                &clCreateFromGLTexture};
    Entry<decltype(clEnqueueAcquireGLObjects)> EnqueueAcquireGLObjects{"clEnqueueAcquireGLObjects",
                                                                       &clEnqueueAcquireGLObjects};
    Entry<decltype(clEnqueueReleaseGLObjects)> EnqueueReleaseGLObjects{"clEnqueueReleaseGLObjects",
                                                                       &clEnqueueReleaseGLObjects};
};
const GlFunctions gl;

class OpenClGlObject final : public GlObject {
   public:
    OpenClGlObject(std::shared_ptr<Shared> shared, const GlName& name) : shared_(std::move(shared)), name_(name) {
        const cl_mem_flags flags = name.access == GlAccess::read    ? CL_MEM_READ_ONLY
                                   : name.access == GlAccess::write ? CL_MEM_WRITE_ONLY
                                                                    : CL_MEM_READ_WRITE;
        Status status = success;
        memory_ = name.target ? gl.CreateFromGLTexture.make(status, shared_->context, flags, name.target, 0, name.name)
                              : gl.CreateFromGLBuffer.make(status, shared_->context, flags, name.name);
        if (status == CL_INVALID_GL_OBJECT || status == CL_INVALID_IMAGE_FORMAT_DESCRIPTOR ||
            status == CL_INVALID_VALUE || status == CL_INVALID_MIP_LEVEL)
            throw ArgumentError(text("gl: the current OpenGL context has no ", name.target ? "texture " : "buffer ",
                                     name.name, " that kernels can use (", error_name(status),
                                     "); give it storage first, ",
                                     name.target ? "as glTexStorage2D() does" : "as glBufferData() does"));
        if (status != success) fail(name.target ? gl.CreateFromGLTexture.name() : gl.CreateFromGLBuffer.name(), status);
    }
    ~OpenClGlObject() override {
        if (shared_->dead) return;
        shared_->releases.fetch_add(1, std::memory_order_relaxed);
        cl.ReleaseMemObject.quietly(memory_);
    }

    void acquire(Stream& stream) override {
        // Without cl_khr_gl_event neither library knows the other's commands.
        const GlContext current = current_gl();
        if (!current.context || current.context != partner_of(shared_->context))
            throw Error("gl: the OpenGL context with which this one shares is not current on this thread; make it so");
        if (current.finish) current.finish();
        gl.EnqueueAcquireGLObjects(OpenClStream::Turn(dynamic_cast<OpenClStream&>(stream)), 1, &memory_, 0, nullptr,
                                   nullptr);
    }
    void release(Stream& stream) override {
        gl.EnqueueReleaseGLObjects(OpenClStream::Turn(dynamic_cast<OpenClStream&>(stream)), 1, &memory_, 0, nullptr,
                                   nullptr);
        stream.synchronize();
    }
    std::size_t size_bytes() override { return query<size_t>(cl.GetMemObjectInfo, CL_MEM_SIZE, memory_); }
    Memory memory() override {
        cl.RetainMemObject(memory_);  // released by release() of the context
        return {.handle = reinterpret_cast<std::uint64_t>(memory_), .bytes = size_bytes(), .foreign = true};
    }
    ImageShape shape() override {
        return shape_of_image(memory_, query<cl_mem_object_type>(cl.GetMemObjectInfo, CL_MEM_TYPE, memory_));
    }
    std::unique_ptr<Image> image(const ImageShape& shape) override { return image_over(shared_, shape, memory_); }

   private:
    std::shared_ptr<Shared> shared_;
    GlName name_;
    cl_mem memory_ = nullptr;
};

}  // namespace

bool OpenClDevice::shares_gl() const {
    const auto names = extensions();
    if (std::find(names.begin(), names.end(), "cl_khr_gl_sharing") == names.end()) return false;
    const GlContext current = current_gl();
    if (!current.context) return false;
    const auto get = reinterpret_cast<clGetGLContextInfoKHR_fn>(
        clGetExtensionFunctionAddressForPlatform(platform_, "clGetGLContextInfoKHR"));
    if (!get) return false;
    const auto properties = properties_of(platform_, current);
    std::array<cl_device_id, 32> devices{};
    size_t bytes = 0;
    if (get(properties.data(), CL_DEVICES_FOR_GL_CONTEXT_KHR, sizeof devices, devices.data(), &bytes) != success)
        return false;
    const auto end = devices.begin() + std::min(bytes / sizeof(cl_device_id), devices.size());
    return std::find(devices.begin(), end, device_) != end;
}

std::unique_ptr<Context> OpenClDevice::create_gl_context() {
    const auto properties = properties_of(platform_, current_gl());
    return std::make_unique<OpenClContext>(share(cl.CreateContext(properties.data(), 1, &device_, nullptr, nullptr)));
}

std::unique_ptr<GlObject> OpenClContext::share_gl(const GlName& name) {
    void* const partner = partner_of(shared_->context);
    if (!partner)
        throw Error(
            "gl: this context was not made to share with OpenGL; gl::create_context(device) makes one that was");
    if (current_gl().context != partner)
        throw Error("gl: the OpenGL context with which this one shares is not current on this thread; make it so");
    return std::make_unique<OpenClGlObject>(shared_, name);
}

}  // namespace gemel::plugin::opencl
