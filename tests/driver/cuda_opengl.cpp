/// The stand-in's objects of OpenGL: mapping copies them from the current OpenGL context of EGL's, unmapping copies
/// them back. The commands of both run at once, so that this is in order.
#include "cuda_driver.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace {

constexpr unsigned gl_buffer_size = 0x8764, gl_texture_width = 0x1000, gl_texture_height = 0x1001,
                   gl_texture_depth = 0x8071, gl_internal_format = 0x1003, gl_texture_3d = 0x806F,
                   gl_texture_2d_array = 0x8C1A;

void* egl(const char* name) {
    void* const library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_NOLOAD);
    return library ? dlsym(library, name) : nullptr;
}

bool has_current() {
    const auto get = reinterpret_cast<void* (*)()>(egl("eglGetCurrentContext"));
    return get && get();
}

/// Calls a function of OpenGL's that returns nothing.
template <class... P>
void call(const char* name, P... arguments) {
    const auto find = reinterpret_cast<void* (*)(const char*)>(egl("eglGetProcAddress"));
    reinterpret_cast<void (*)(P...)>(find(name))(arguments...);
}

/// How a texture's elements lie in memory.
struct Elements {
    unsigned internal, format, type;
    CUarray_format kind;
    unsigned channels, bytes;
};
constexpr Elements known[] = {
    {0x8058, 0x1908, 0x1401, CU_AD_FORMAT_UNSIGNED_INT8, 4, 4},  // GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE
    {0x822E, 0x1903, 0x1406, CU_AD_FORMAT_FLOAT, 1, 4},          // GL_R32F, GL_RED, GL_FLOAT
    {0x8814, 0x1908, 0x1406, CU_AD_FORMAT_FLOAT, 4, 16},         // GL_RGBA32F, GL_RGBA, GL_FLOAT
};

struct Resource {
    unsigned name = 0, target = 0, flags = 0;
    std::size_t bytes = 0;
    CUdeviceptr address = 0;  ///< while it is mapped
    CUDA_ARRAY3D_DESCRIPTOR description{};
    const Elements* elements = nullptr;
    CUarray array = nullptr;  ///< while it is mapped
};
Resource& of(CUgraphicsResource handle) { return *reinterpret_cast<Resource*>(handle); }

/// Between an array and memory without gaps.
CUresult move(const Resource& resource, std::vector<char>& memory, bool to_array) {
    CUDA_MEMCPY3D copy{};
    copy.WidthInBytes = resource.description.Width * resource.elements->bytes;
    copy.Height = resource.description.Height;
    copy.Depth = std::max<std::size_t>(resource.description.Depth, 1);
    copy.srcMemoryType = to_array ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_ARRAY;
    copy.dstMemoryType = to_array ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_DEVICE;
    (to_array ? copy.srcDevice : copy.dstDevice) = reinterpret_cast<CUdeviceptr>(memory.data());
    (to_array ? copy.srcPitch : copy.dstPitch) = copy.WidthInBytes;
    (to_array ? copy.srcHeight : copy.dstHeight) = copy.Height;
    (to_array ? copy.dstArray : copy.srcArray) = resource.array;
    return cuMemcpy3DAsync(&copy, nullptr);
}

int level_of(unsigned texture, unsigned which) {
    int value = 0;
    call("glGetTextureLevelParameteriv", texture, 0, which, &value);
    return value;
}

}  // namespace

extern "C" {

CUresult cuGLGetDevices_v2(unsigned* count, CUdevice* devices, unsigned, unsigned) {
    GEMEL_CALLED("cuGLGetDevices_v2");
    if (!has_current()) return CUDA_ERROR_INVALID_GRAPHICS_CONTEXT;
    return *count = 1, *devices = 0, CUDA_SUCCESS;
}

CUresult cuGraphicsGLRegisterBuffer(CUgraphicsResource* resource, unsigned buffer, unsigned flags) {
    GEMEL_CALLED("cuGraphicsGLRegisterBuffer");
    if (!has_current()) return CUDA_ERROR_INVALID_GRAPHICS_CONTEXT;
    int bytes = 0;
    call("glGetNamedBufferParameteriv", buffer, gl_buffer_size, &bytes);
    if (bytes <= 0) return CUDA_ERROR_INVALID_VALUE;
    auto* const made = new Resource{.name = buffer, .flags = flags, .bytes = static_cast<std::size_t>(bytes)};
    *resource = reinterpret_cast<CUgraphicsResource>(made);
    return CUDA_SUCCESS;
}

CUresult cuGraphicsGLRegisterImage(CUgraphicsResource* resource, unsigned texture, unsigned target, unsigned flags) {
    GEMEL_CALLED("cuGraphicsGLRegisterImage");
    if (!has_current()) return CUDA_ERROR_INVALID_GRAPHICS_CONTEXT;
    const auto internal = static_cast<unsigned>(level_of(texture, gl_internal_format));
    const auto* const elements =
        std::find_if(std::begin(known), std::end(known), [&](const Elements& e) { return e.internal == internal; });
    if (elements == std::end(known)) return CUDA_ERROR_INVALID_VALUE;
    auto made = std::make_unique<Resource>(Resource{.name = texture, .target = target, .flags = flags});
    made->elements = elements;
    const auto extent = [&](unsigned which) { return static_cast<std::size_t>(level_of(texture, which)); };
    const bool is_deep = target == gl_texture_3d || target == gl_texture_2d_array;
    made->description.Width = extent(gl_texture_width);
    made->description.Height = extent(gl_texture_height);
    made->description.Depth = is_deep ? extent(gl_texture_depth) : 0;
    made->description.Format = elements->kind;
    made->description.NumChannels = elements->channels;
    made->description.Flags = CUDA_ARRAY3D_SURFACE_LDST | (target == gl_texture_2d_array ? CUDA_ARRAY3D_LAYERED : 0);
    made->bytes = made->description.Width * made->description.Height *
                  std::max<std::size_t>(made->description.Depth, 1) * elements->bytes;
    *resource = reinterpret_cast<CUgraphicsResource>(made.release());
    return CUDA_SUCCESS;
}

CUresult cuGraphicsUnregisterResource(CUgraphicsResource resource) {
    delete &of(resource);
    return called("cuGraphicsUnregisterResource");
}

CUresult cuGraphicsMapResources(unsigned count, CUgraphicsResource* resources, CUstream) {
    GEMEL_CALLED("cuGraphicsMapResources");
    if (!has_current()) return CUDA_ERROR_INVALID_GRAPHICS_CONTEXT;
    for (unsigned i = 0; i < count; ++i) {
        Resource& resource = of(resources[i]);
        if (resource.address || resource.array) return CUDA_ERROR_ALREADY_MAPPED;
        if (!resource.target) {
            if (const CUresult status = cuMemAlloc(&resource.address, resource.bytes); status != CUDA_SUCCESS)
                return status;
            call("glGetNamedBufferSubData", resource.name, std::intptr_t{0}, static_cast<std::intptr_t>(resource.bytes),
                 reinterpret_cast<void*>(resource.address));
            continue;
        }
        if (const CUresult status = cuArray3DCreate(&resource.array, &resource.description); status != CUDA_SUCCESS)
            return status;
        std::vector<char> memory(resource.bytes);
        call("glGetTextureImage", resource.name, 0, resource.elements->format, resource.elements->type,
             static_cast<int>(memory.size()), static_cast<void*>(memory.data()));
        if (const CUresult status = move(resource, memory, true); status != CUDA_SUCCESS) return status;
    }
    return CUDA_SUCCESS;
}

CUresult cuGraphicsUnmapResources(unsigned count, CUgraphicsResource* resources, CUstream) {
    GEMEL_CALLED("cuGraphicsUnmapResources");
    if (!has_current()) return CUDA_ERROR_INVALID_GRAPHICS_CONTEXT;
    for (unsigned i = 0; i < count; ++i) {
        Resource& resource = of(resources[i]);
        if (!resource.address && !resource.array) return CUDA_ERROR_NOT_MAPPED;
        if (!resource.target) {
            call("glNamedBufferSubData", resource.name, std::intptr_t{0}, static_cast<std::intptr_t>(resource.bytes),
                 reinterpret_cast<const void*>(resource.address));
            (void)cuMemFree(resource.address);
            resource.address = 0;
            continue;
        }
        std::vector<char> memory(resource.bytes);
        if (const CUresult status = move(resource, memory, false); status != CUDA_SUCCESS) return status;
        const int width = static_cast<int>(resource.description.Width),
                  height = static_cast<int>(resource.description.Height),
                  depth = static_cast<int>(resource.description.Depth);
        const Elements& e = *resource.elements;
        if (depth)
            call("glTextureSubImage3D", resource.name, 0, 0, 0, 0, width, height, depth, e.format, e.type,
                 static_cast<const void*>(memory.data()));
        else
            call("glTextureSubImage2D", resource.name, 0, 0, 0, width, height, e.format, e.type,
                 static_cast<const void*>(memory.data()));
        (void)cuArrayDestroy(resource.array);
        resource.array = nullptr;
    }
    return CUDA_SUCCESS;
}

CUresult cuGraphicsResourceGetMappedPointer_v2(CUdeviceptr* address, std::size_t* bytes, CUgraphicsResource resource) {
    GEMEL_CALLED("cuGraphicsResourceGetMappedPointer_v2");
    if (!of(resource).address) return CUDA_ERROR_NOT_MAPPED;
    return *address = of(resource).address, *bytes = of(resource).bytes, CUDA_SUCCESS;
}

CUresult cuGraphicsSubResourceGetMappedArray(CUarray* array, CUgraphicsResource resource, unsigned, unsigned) {
    GEMEL_CALLED("cuGraphicsSubResourceGetMappedArray");
    if (!of(resource).array) return CUDA_ERROR_NOT_MAPPED;
    return *array = of(resource).array, CUDA_SUCCESS;
}

}  // extern "C"
