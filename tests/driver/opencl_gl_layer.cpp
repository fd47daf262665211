/// A layer over PoCL that has cl_khr_gl_sharing, which PoCL lacks: acquiring copies an object from the current OpenGL
/// context of EGL's, releasing copies it back. Preloaded, so that the plug-in finds these functions before the OpenCL
/// loader's.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_gl.h>

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace {

constexpr unsigned gl_buffer_size = 0x8764, gl_texture_width = 0x1000, gl_texture_height = 0x1001,
                   gl_internal_format = 0x1003, gl_texture_2d = 0x0DE1;

template <class F>
F* next(const char* name) {
    return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

void* egl(const char* name) {
    void* const library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_NOLOAD);
    return library ? dlsym(library, name) : nullptr;
}
void* current_gl() {
    const auto get = reinterpret_cast<void* (*)()>(egl("eglGetCurrentContext"));
    return get ? get() : nullptr;
}
template <class... P>
void call(const char* name, P... arguments) {
    const auto find = reinterpret_cast<void* (*)(const char*)>(egl("eglGetProcAddress"));
    reinterpret_cast<void (*)(P...)>(find(name))(arguments...);
}
int level_of(unsigned texture, unsigned which) {
    int value = 0;
    call("glGetTextureLevelParameteriv", texture, 0, which, &value);
    return value;
}

/// How a texture's elements lie in memory.
struct Elements {
    unsigned internal, format, type;
    cl_image_format kind;
    std::size_t bytes;
};
constexpr Elements known[] = {
    {0x8058, 0x1908, 0x1401, {CL_RGBA, CL_UNORM_INT8}, 4},  // GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE
    {0x822E, 0x1903, 0x1406, {CL_R, CL_FLOAT}, 4},          // GL_R32F, GL_RED, GL_FLOAT
    {0x8814, 0x1908, 0x1406, {CL_RGBA, CL_FLOAT}, 16},      // GL_RGBA32F, GL_RGBA, GL_FLOAT
};

struct Object {
    unsigned name = 0;
    const Elements* elements = nullptr;  ///< of a texture
    std::array<std::size_t, 3> extent{1, 1, 1};
    std::size_t bytes = 0;
};

std::mutex mutex;
std::map<cl_mem, Object> objects;
std::map<cl_context, std::vector<cl_context_properties>> contexts;  ///< with the words that PoCL does not know

Object find(cl_mem memory) {
    const std::lock_guard lock(mutex);
    return objects.at(memory);
}

cl_int give(const void* value, size_t bytes, size_t room, void* to, size_t* size) {
    if (size) *size = bytes;
    if (to && room < bytes) return CL_INVALID_VALUE;
    if (to) std::memcpy(to, value, bytes);
    return CL_SUCCESS;
}

cl_mem remember(cl_mem made, const Object& object) {
    const std::lock_guard lock(mutex);
    if (made) objects[made] = object;
    return made;
}

/// PoCL's one device drives every context of EGL's.
cl_int get_gl_context_info(const cl_context_properties* properties, cl_gl_context_info, size_t room, void* to,
                           size_t* size) {
    cl_platform_id platform = nullptr;
    for (; properties && *properties != 0; properties += 2)
        if (properties[0] == CL_CONTEXT_PLATFORM) platform = reinterpret_cast<cl_platform_id>(properties[1]);
    cl_device_id device = nullptr;
    const cl_int status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr);
    return status == CL_SUCCESS ? give(&device, sizeof device, room, to, size) : status;
}

constexpr std::array<std::size_t, 3> origin{0, 0, 0};

}  // namespace

extern "C" {

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info which, size_t room, void* to, size_t* size) {
    const auto ask = next<decltype(clGetDeviceInfo)>("clGetDeviceInfo");
    if (which != CL_DEVICE_EXTENSIONS) return ask(device, which, room, to, size);
    size_t bytes = 0;
    ask(device, which, 0, nullptr, &bytes);
    std::string names(bytes, '\0');
    ask(device, which, bytes, names.data(), nullptr);
    names.resize(std::strlen(names.c_str()));
    names += " cl_khr_gl_sharing";
    return give(names.c_str(), names.size() + 1, room, to, size);
}

void* clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char* name) {
    if (std::strcmp(name, "clGetGLContextInfoKHR") == 0) return reinterpret_cast<void*>(&get_gl_context_info);
    return next<decltype(clGetExtensionFunctionAddressForPlatform)>("clGetExtensionFunctionAddressForPlatform")(
        platform, name);
}

cl_context clCreateContext(const cl_context_properties* properties, cl_uint count, const cl_device_id* devices,
                           void(CL_CALLBACK* notify)(const char*, const void*, size_t, void*), void* data,
                           cl_int* status) {
    std::vector<cl_context_properties> all, kept;
    for (; properties && *properties != 0; properties += 2) {
        all.insert(all.end(), {properties[0], properties[1]});
        if (properties[0] == CL_CONTEXT_PLATFORM) kept.insert(kept.end(), {properties[0], properties[1]});
    }
    all.push_back(0);
    kept.push_back(0);
    const auto create = next<decltype(clCreateContext)>("clCreateContext");
    const cl_context made = create(kept.size() > 1 ? kept.data() : nullptr, count, devices, notify, data, status);
    const std::lock_guard lock(mutex);
    contexts.erase(made);  // one that was there before
    if (made && all.size() != kept.size()) contexts[made] = all;
    return made;
}

cl_int clGetContextInfo(cl_context context, cl_context_info which, size_t room, void* to, size_t* size) {
    if (which == CL_CONTEXT_PROPERTIES) {
        const std::lock_guard lock(mutex);
        const auto found = contexts.find(context);
        if (found != contexts.end())
            return give(found->second.data(), found->second.size() * sizeof(cl_context_properties), room, to, size);
    }
    return next<decltype(clGetContextInfo)>("clGetContextInfo")(context, which, room, to, size);
}

cl_mem clCreateFromGLBuffer(cl_context context, cl_mem_flags flags, cl_GLuint name, cl_int* status) {
    int bytes = 0;
    if (current_gl()) call("glGetNamedBufferParameteriv", name, gl_buffer_size, &bytes);
    if (bytes <= 0) return *status = CL_INVALID_GL_OBJECT, nullptr;
    const auto size = static_cast<std::size_t>(bytes);
    return remember(clCreateBuffer(context, flags, size, nullptr, status),
                    {.name = name, .elements = nullptr, .extent = {1, 1, 1}, .bytes = size});
}

/// Two dimensions only.
cl_mem clCreateFromGLTexture(cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint, cl_GLuint name,
                             cl_int* status) {
    if (target != gl_texture_2d) return *status = CL_INVALID_VALUE, nullptr;
    const auto internal = static_cast<unsigned>(current_gl() ? level_of(name, gl_internal_format) : 0);
    const auto* const elements =
        std::find_if(std::begin(known), std::end(known), [&](const Elements& e) { return e.internal == internal; });
    if (elements == std::end(known)) return *status = CL_INVALID_GL_OBJECT, nullptr;
    Object object{.name = name, .elements = elements};
    object.extent = {static_cast<std::size_t>(level_of(name, gl_texture_width)),
                     static_cast<std::size_t>(level_of(name, gl_texture_height)), 1};
    object.bytes = object.extent[0] * object.extent[1] * elements->bytes;
    cl_image_desc description{};
    description.image_type = CL_MEM_OBJECT_IMAGE2D;
    description.image_width = object.extent[0];
    description.image_height = object.extent[1];
    return remember(clCreateImage(context, flags, &elements->kind, &description, nullptr, status), object);
}

cl_int clEnqueueAcquireGLObjects(cl_command_queue queue, cl_uint count, const cl_mem* memory, cl_uint, const cl_event*,
                                 cl_event*) {
    for (cl_uint i = 0; i < count; ++i) {
        const Object object = find(memory[i]);
        std::vector<char> bytes(object.bytes);
        cl_int status = CL_SUCCESS;
        if (object.elements) {
            call("glGetTextureImage", object.name, 0, object.elements->format, object.elements->type,
                 static_cast<int>(bytes.size()), static_cast<void*>(bytes.data()));
            status = clEnqueueWriteImage(queue, memory[i], CL_TRUE, origin.data(), object.extent.data(), 0, 0,
                                         bytes.data(), 0, nullptr, nullptr);
        } else {
            call("glGetNamedBufferSubData", object.name, std::intptr_t{0}, static_cast<std::intptr_t>(bytes.size()),
                 static_cast<void*>(bytes.data()));
            status =
                clEnqueueWriteBuffer(queue, memory[i], CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr, nullptr);
        }
        if (status != CL_SUCCESS) return status;
    }
    return CL_SUCCESS;
}

cl_int clEnqueueReleaseGLObjects(cl_command_queue queue, cl_uint count, const cl_mem* memory, cl_uint, const cl_event*,
                                 cl_event*) {
    for (cl_uint i = 0; i < count; ++i) {
        const Object object = find(memory[i]);
        std::vector<char> bytes(object.bytes);
        cl_int status = CL_SUCCESS;
        if (object.elements) {
            status = clEnqueueReadImage(queue, memory[i], CL_TRUE, origin.data(), object.extent.data(), 0, 0,
                                        bytes.data(), 0, nullptr, nullptr);
            call("glTextureSubImage2D", object.name, 0, 0, 0, static_cast<int>(object.extent[0]),
                 static_cast<int>(object.extent[1]), object.elements->format, object.elements->type,
                 static_cast<const void*>(bytes.data()));
        } else {
            status = clEnqueueReadBuffer(queue, memory[i], CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr, nullptr);
            call("glNamedBufferSubData", object.name, std::intptr_t{0}, static_cast<std::intptr_t>(bytes.size()),
                 static_cast<const void*>(bytes.data()));
        }
        if (status != CL_SUCCESS) return status;
    }
    return CL_SUCCESS;
}

}  // extern "C"
