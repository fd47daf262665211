/// See the header. The program is linked with this library before the OpenCL loader, so that the plug-in finds these
/// functions first.
#include "opencl_layer.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace layer {
namespace {

std::atomic<unsigned> imports{0}, with_device_list{0}, acquires{0}, releases{0}, freed{0}, repeats{0};
std::atomic<cl_mem> last{nullptr};

template <class F>
F* next(const char* name) {
    return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

cl_int give(const void* value, size_t bytes, size_t room, void* to, size_t* size) {
    if (size) *size = bytes;
    if (to && room < bytes) return CL_INVALID_VALUE;
    if (to) std::memcpy(to, value, bytes);
    return CL_SUCCESS;
}

cl_int acquire(cl_command_queue queue, cl_uint, const cl_mem* memory, cl_uint, const cl_event*, cl_event*) {
    if (acquires++ >= settings.acquires_before_status && settings.acquire_status != CL_SUCCESS)
        return settings.acquire_status;
    repeats += last.exchange(*memory) == *memory;
    if (settings.delay.count() == 0) return CL_SUCCESS;
    cl_context context = nullptr;
    clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, nullptr);
    const cl_event gate = clCreateUserEvent(context, nullptr);
    clEnqueueBarrierWithWaitList(queue, 1, &gate, nullptr);
    std::thread([gate, delay = settings.delay] {
        std::this_thread::sleep_for(delay);
        clSetUserEventStatus(gate, CL_COMPLETE);
        clReleaseEvent(gate);
    }).detach();
    return CL_SUCCESS;
}

cl_int release(cl_command_queue, cl_uint, const cl_mem*, cl_uint, const cl_event*, cl_event*) {
    return ++releases, CL_SUCCESS;
}

/// -1 if the properties name none. Answers as NVIDIA's driver does where the context has several devices.
int file_in(cl_context context, const cl_mem_properties* properties) {
    cl_uint devices = 0;
    clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof devices, &devices, nullptr);
    int file = -1;
    bool has_list = false;
    while (properties && *properties != 0) {
        if (*properties == 0x2060) file = static_cast<int>(properties[1]), properties += 2;
        if (*properties == 0x2051) {
            has_list = true;
            while (*properties++ != 0) {}
        }
    }
    with_device_list += has_list;
    return devices > 1 && !has_list ? -1 : file;
}

/// 0, 1, ... in the order in which the devices are first asked; with LAYER_UUIDS=each only, else 0 for all.
unsigned char number_of(cl_device_id device) {
    static const bool counts = std::getenv("LAYER_UUIDS") != nullptr;
    static std::mutex mutex;
    static std::vector<cl_device_id> known;
    if (!counts) return 0;
    const std::lock_guard lock(mutex);
    const auto found = std::find(known.begin(), known.end(), device);
    if (found != known.end()) return static_cast<unsigned char>(found - known.begin());
    known.push_back(device);
    return static_cast<unsigned char>(known.size() - 1);
}

struct Pages {
    void* begin;
    size_t bytes;
};

}  // namespace

Settings settings;

Counts take_counts() {
    return {imports.exchange(0), with_device_list.exchange(0), acquires.exchange(0), releases.exchange(0),
            freed.exchange(0),   repeats.exchange(0)};
}

}  // namespace layer

extern "C" {

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info which, size_t room, void* to, size_t* size) {
    const auto ask = layer::next<decltype(clGetDeviceInfo)>("clGetDeviceInfo");
    if (which == 0x106A && layer::settings.has_extension) {  // CL_DEVICE_UUID_KHR
        unsigned char uuid[16];
        std::memset(uuid, layer::settings.uuid + layer::number_of(device), sizeof uuid);
        return layer::give(uuid, sizeof uuid, room, to, size);
    }
    if (which != CL_DEVICE_EXTENSIONS || !layer::settings.has_extension) return ask(device, which, room, to, size);
    size_t bytes = 0;
    ask(device, which, 0, nullptr, &bytes);
    std::string names(bytes, '\0');
    ask(device, which, bytes, names.data(), nullptr);
    names.resize(std::strlen(names.c_str()));
    names += " cl_khr_device_uuid cl_khr_external_memory cl_khr_external_memory_opaque_fd";
    return layer::give(names.c_str(), names.size() + 1, room, to, size);
}

void* clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char* name) {
    if (std::strcmp(name, "clEnqueueAcquireExternalMemObjectsKHR") == 0)
        return reinterpret_cast<void*>(&layer::acquire);
    if (std::strcmp(name, "clEnqueueReleaseExternalMemObjectsKHR") == 0)
        return reinterpret_cast<void*>(&layer::release);
    return layer::next<decltype(clGetExtensionFunctionAddressForPlatform)>("clGetExtensionFunctionAddressForPlatform")(
        platform, name);
}

cl_mem clCreateBufferWithProperties(cl_context context, const cl_mem_properties* properties, cl_mem_flags flags,
                                    size_t bytes, void*, cl_int* status) {
    ++layer::imports;
    const int file = layer::file_in(context, properties);
    *status = layer::settings.import_status != CL_SUCCESS ? layer::settings.import_status
              : file < 0                                  ? CL_INVALID_VALUE
                                                          : CL_SUCCESS;
    if (*status != CL_SUCCESS) return nullptr;
    void* const pages = layer::settings.imports_other_memory
                            ? ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                            : ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (pages == MAP_FAILED) return *status = CL_INVALID_VALUE, nullptr;
    ::close(file);  // the driver's since it succeeded
    const cl_mem buffer = clCreateBuffer(context, flags | CL_MEM_USE_HOST_PTR, bytes, pages, status);
    clSetMemObjectDestructorCallback(
        buffer,
        [](cl_mem, void* data) {
            const auto* const own = static_cast<layer::Pages*>(data);
            ::munmap(own->begin, own->bytes);
            delete own;
            ++layer::freed;
        },
        new layer::Pages{pages, bytes});
    return buffer;
}

}  // extern "C"
