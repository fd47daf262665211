/// The OpenCL API for this plug-in: every entry point is an object that traces and checks its calls.
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS  // clCreateCommandQueue: its successor is not in OpenCL 1.2
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <gemel/core/error.hpp>
#include <gemel/core/trace.hpp>

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace gemel::plugin::opencl {

using Status = cl_int;
inline constexpr Status success = CL_SUCCESS;

/// "CL_INVALID_VALUE"
const char* error_name(Status status);
/// Throws the exception for a failed call: OutOfMemory, DeviceLost or DeviceError.
[[noreturn]] void fail(const char* call, Status status);
/// For destructors: logs a failed call, unless the driver has only been shut down.
void log_failure(const char* call, Status status) noexcept;

/// A driver function. Calling it throws on failure; `status()` returns the code; `quietly()` logs.
template <class F>
class Entry;

/// Functions that return a status.
template <class... P>
class Entry<Status(P...)> {
   public:
    using Function = Status (*)(P...);
    Entry(const char* name, Function function) : name_(name), function_(function) {}
    explicit operator bool() const { return function_ != nullptr; }
    const char* name() const { return name_; }

    Status status(P... arguments) const {
        const Status result = function_(arguments...);
        if (trace::enabled.load(std::memory_order_relaxed)) [[unlikely]]
            trace::write(name_, trace::arguments(result == success, arguments...), error_name(result));
        return result;
    }
    void operator()(P... arguments) const {
        if (const Status result = status(arguments...); result != success) [[unlikely]]
            fail(name_, result);
    }
    void quietly(P... arguments) const noexcept {
        if (const Status result = status(arguments...); result != success) log_failure(name_, result);
    }

   private:
    const char* name_;
    Function function_;
};

/// Functions that return an object and take the address of a status as the last argument, which the caller omits.
template <class R, class... P>
class Maker {
   public:
    Maker(const char* name, R (*function)(P..., Status*)) : name_(name), function_(function) {}

    const char* name() const { return name_; }
    R operator()(P... arguments) const {
        Status status = success;
        R result = make(status, arguments...);
        if (status != success) [[unlikely]]
            fail(name_, status);
        return result;
    }
    /// May return an object even if the status is a failure.
    R make(Status& status, P... arguments) const {
        status = success;
        R result = function_(arguments..., &status);
        if (trace::enabled.load(std::memory_order_relaxed)) [[unlikely]]
            trace::write(name_, trace::arguments(true, arguments...),
                         status == success ? trace::arguments(true, result) : error_name(status));
        return result;
    }

   private:
    const char* name_;
    R (*function_)(P..., Status*);
};

/// Functions that return no status; they return null or nothing on failure.
template <class F>
class Plain;
template <class R, class... P>
class Plain<R(P...)> {
   public:
    Plain(const char* name, R (*function)(P...)) : name_(name), function_(function) {}

    R operator()(P... arguments) const {
        const auto write = [&](const std::string& result) {
            if (trace::enabled.load(std::memory_order_relaxed)) [[unlikely]]
                trace::write(name_, trace::arguments(true, arguments...), result);
        };
        if constexpr (std::is_void_v<R>) {
            function_(arguments...);
            write("returned");
        } else {
            R result = function_(arguments...);
            write(trace::arguments(true, result));
            return result;
        }
    }

   private:
    const char* name_;
    R (*function_)(P...);
};

using BufferCallback = void(CL_CALLBACK*)(cl_mem, void*);
using EventCallback = void(CL_CALLBACK*)(cl_event, cl_int, void*);
using ContextCallback = void(CL_CALLBACK*)(const char*, const void*, size_t, void*);
using ProgramCallback = void(CL_CALLBACK*)(cl_program, void*);

/// The functions in use. The ICD loader is linked, so all functions of OpenCL 1.2 exist; newer ones are optional and
/// used only after a version check.
struct Driver {
#define GEMEL_CL(member) \
    Entry<decltype(cl##member)> member { "cl" #member, &cl##member }
    GEMEL_CL(GetPlatformIDs);
    GEMEL_CL(GetPlatformInfo);
    GEMEL_CL(GetDeviceIDs);
    GEMEL_CL(GetDeviceInfo);
    GEMEL_CL(CreateSubDevices);
    GEMEL_CL(GetDeviceAndHostTimer);
    GEMEL_CL(GetContextInfo);
    GEMEL_CL(RetainContext);
    GEMEL_CL(ReleaseContext);
    GEMEL_CL(RetainCommandQueue);
    GEMEL_CL(ReleaseCommandQueue);
    GEMEL_CL(GetCommandQueueInfo);
    GEMEL_CL(RetainMemObject);
    GEMEL_CL(ReleaseMemObject);
    GEMEL_CL(GetMemObjectInfo);
    GEMEL_CL(GetImageInfo);
    GEMEL_CL(SetMemObjectDestructorCallback);
    GEMEL_CL(EnqueueWriteBuffer);
    GEMEL_CL(EnqueueReadBuffer);
    GEMEL_CL(EnqueueCopyBuffer);
    GEMEL_CL(EnqueueWriteBufferRect);
    GEMEL_CL(EnqueueReadBufferRect);
    GEMEL_CL(EnqueueCopyBufferRect);
    GEMEL_CL(EnqueueFillBuffer);
    GEMEL_CL(EnqueueCopyBufferToImage);
    GEMEL_CL(EnqueueCopyImageToBuffer);
    GEMEL_CL(EnqueueCopyImage);
    GEMEL_CL(EnqueueFillImage);
    GEMEL_CL(GetSupportedImageFormats);
    GEMEL_CL(ReleaseSampler);
    GEMEL_CL(EnqueueUnmapMemObject);
    GEMEL_CL(EnqueueMigrateMemObjects);
    GEMEL_CL(EnqueueMarkerWithWaitList);
    GEMEL_CL(EnqueueBarrierWithWaitList);
    GEMEL_CL(EnqueueNDRangeKernel);
    GEMEL_CL(WaitForEvents);
    GEMEL_CL(GetEventInfo);
    GEMEL_CL(GetEventProfilingInfo);
    GEMEL_CL(SetEventCallback);
    GEMEL_CL(SetUserEventStatus);
    GEMEL_CL(ReleaseEvent);
    GEMEL_CL(RetainEvent);
    GEMEL_CL(RetainProgram);
    GEMEL_CL(Flush);
    GEMEL_CL(Finish);
    GEMEL_CL(BuildProgram);
    GEMEL_CL(CompileProgram);
    GEMEL_CL(GetProgramInfo);
    GEMEL_CL(GetProgramBuildInfo);
    GEMEL_CL(ReleaseProgram);
    GEMEL_CL(SetKernelArg);
    GEMEL_CL(GetKernelInfo);
    GEMEL_CL(GetKernelWorkGroupInfo);
    GEMEL_CL(ReleaseKernel);
#undef GEMEL_CL
    Maker<cl_context, const cl_context_properties*, cl_uint, const cl_device_id*, ContextCallback, void*> CreateContext{
        "clCreateContext", &clCreateContext};
    Maker<cl_command_queue, cl_context, cl_device_id, cl_command_queue_properties> CreateCommandQueue{
        "clCreateCommandQueue", &clCreateCommandQueue};
    Maker<cl_event, cl_context> CreateUserEvent{"clCreateUserEvent", &clCreateUserEvent};
    Maker<cl_mem, cl_context, cl_mem_flags, size_t, void*> CreateBuffer{"clCreateBuffer", &clCreateBuffer};
    Maker<cl_mem, cl_mem, cl_mem_flags, cl_buffer_create_type, const void*> CreateSubBuffer{"clCreateSubBuffer",
                                                                                            &clCreateSubBuffer};
    Maker<cl_mem, cl_context, cl_mem_flags, const cl_image_format*, const cl_image_desc*, void*> CreateImage{
        "clCreateImage", &clCreateImage};
    Maker<cl_sampler, cl_context, cl_bool, cl_addressing_mode, cl_filter_mode> CreateSampler{"clCreateSampler",
                                                                                             &clCreateSampler};
    Maker<void*, cl_command_queue, cl_mem, cl_bool, cl_map_flags, size_t, size_t, cl_uint, const cl_event*, cl_event*>
        EnqueueMapBuffer{"clEnqueueMapBuffer", &clEnqueueMapBuffer};
    Maker<cl_program, cl_context, cl_uint, const char**, const size_t*> CreateProgramWithSource{
        "clCreateProgramWithSource", &clCreateProgramWithSource};
    Maker<cl_program, cl_context, cl_uint, const cl_device_id*, const size_t*, const unsigned char**, cl_int*>
        CreateProgramWithBinary{"clCreateProgramWithBinary", &clCreateProgramWithBinary};
    Maker<cl_program, cl_context, cl_uint, const cl_device_id*, const char*> CreateProgramWithBuiltInKernels{
        "clCreateProgramWithBuiltInKernels", &clCreateProgramWithBuiltInKernels};
    Maker<cl_program, cl_context, const void*, size_t> CreateProgramWithIL{"clCreateProgramWithIL",
                                                                           &clCreateProgramWithIL};
    Maker<cl_program, cl_context, cl_uint, const cl_device_id*, const char*, cl_uint, const cl_program*,
          ProgramCallback, void*>
        LinkProgram{"clLinkProgram", &clLinkProgram};
    Maker<cl_kernel, cl_program, const char*> CreateKernel{"clCreateKernel", &clCreateKernel};
    Plain<void*(cl_context, cl_svm_mem_flags, size_t, cl_uint)> SVMAlloc{"clSVMAlloc", &clSVMAlloc};
    Plain<void(cl_context, void*)> SVMFree{"clSVMFree", &clSVMFree};
};

extern const Driver cl;

/// Reads a property of fixed size, e.g. query<cl_uint>(cl.GetDeviceInfo, CL_DEVICE_MAX_COMPUTE_UNITS, device).
template <class T, class E, class P, class... Handles>
T query(const E& entry, P parameter, Handles... handles) {
    T value{};
    entry(handles..., parameter, sizeof(T), &value, nullptr);
    return value;
}

/// The same for parameters that the driver may not know.
template <class T, class E, class P, class... Handles>
bool query_if_known(T& value, const E& entry, P parameter, Handles... handles) {
    return entry.status(handles..., parameter, sizeof(T), &value, nullptr) == success;
}

/// Reads a property that is a text.
template <class E, class P, class... Handles>
std::string query_text(const E& entry, P parameter, Handles... handles) {
    size_t size = 0;
    if (entry.status(handles..., parameter, 0, nullptr, &size) != success || size == 0) return {};
    std::string text(size, '\0');
    entry(handles..., parameter, size, text.data(), nullptr);
    while (!text.empty() && (text.back() == '\0' || text.back() == ' ' || text.back() == '\n')) text.pop_back();
    return text;
}

/// The names in one of OpenCL's lists, which are separated by semicolons.
std::vector<std::string> listed_names(const std::string& list);

}  // namespace gemel::plugin::opencl
