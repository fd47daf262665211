/// Entry points of OpenCL, the meaning of their status codes, and which of them lose a context.
#include "api.hpp"

#include <gemel/core/log.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel::plugin::opencl {

const Driver cl;

const char* error_name(Status status) {
    switch (status) {
#define GEMEL_CODE(code) \
    case code: return #code
        GEMEL_CODE(CL_SUCCESS);
        GEMEL_CODE(CL_DEVICE_NOT_FOUND);
        GEMEL_CODE(CL_DEVICE_NOT_AVAILABLE);
        GEMEL_CODE(CL_COMPILER_NOT_AVAILABLE);
        GEMEL_CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE);
        GEMEL_CODE(CL_OUT_OF_RESOURCES);
        GEMEL_CODE(CL_OUT_OF_HOST_MEMORY);
        GEMEL_CODE(CL_PROFILING_INFO_NOT_AVAILABLE);
        GEMEL_CODE(CL_MEM_COPY_OVERLAP);
        GEMEL_CODE(CL_BUILD_PROGRAM_FAILURE);
        GEMEL_CODE(CL_MAP_FAILURE);
        GEMEL_CODE(CL_MISALIGNED_SUB_BUFFER_OFFSET);
        GEMEL_CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        GEMEL_CODE(CL_COMPILE_PROGRAM_FAILURE);
        GEMEL_CODE(CL_LINKER_NOT_AVAILABLE);
        GEMEL_CODE(CL_LINK_PROGRAM_FAILURE);
        GEMEL_CODE(CL_DEVICE_PARTITION_FAILED);
        GEMEL_CODE(CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
        GEMEL_CODE(CL_INVALID_VALUE);
        GEMEL_CODE(CL_INVALID_DEVICE_TYPE);
        GEMEL_CODE(CL_INVALID_PLATFORM);
        GEMEL_CODE(CL_INVALID_DEVICE);
        GEMEL_CODE(CL_INVALID_CONTEXT);
        GEMEL_CODE(CL_INVALID_QUEUE_PROPERTIES);
        GEMEL_CODE(CL_INVALID_COMMAND_QUEUE);
        GEMEL_CODE(CL_INVALID_HOST_PTR);
        GEMEL_CODE(CL_INVALID_MEM_OBJECT);
        GEMEL_CODE(CL_INVALID_BINARY);
        GEMEL_CODE(CL_INVALID_BUILD_OPTIONS);
        GEMEL_CODE(CL_INVALID_PROGRAM);
        GEMEL_CODE(CL_INVALID_PROGRAM_EXECUTABLE);
        GEMEL_CODE(CL_INVALID_KERNEL_NAME);
        GEMEL_CODE(CL_INVALID_KERNEL_DEFINITION);
        GEMEL_CODE(CL_INVALID_KERNEL);
        GEMEL_CODE(CL_INVALID_ARG_INDEX);
        GEMEL_CODE(CL_INVALID_ARG_VALUE);
        GEMEL_CODE(CL_INVALID_ARG_SIZE);
        GEMEL_CODE(CL_INVALID_KERNEL_ARGS);
        GEMEL_CODE(CL_INVALID_WORK_DIMENSION);
        GEMEL_CODE(CL_INVALID_WORK_GROUP_SIZE);
        GEMEL_CODE(CL_INVALID_WORK_ITEM_SIZE);
        GEMEL_CODE(CL_INVALID_GLOBAL_OFFSET);
        GEMEL_CODE(CL_INVALID_EVENT_WAIT_LIST);
        GEMEL_CODE(CL_INVALID_EVENT);
        GEMEL_CODE(CL_INVALID_OPERATION);
        GEMEL_CODE(CL_INVALID_BUFFER_SIZE);
        GEMEL_CODE(CL_INVALID_GLOBAL_WORK_SIZE);
        GEMEL_CODE(CL_INVALID_PROPERTY);
        GEMEL_CODE(CL_INVALID_COMPILER_OPTIONS);
        GEMEL_CODE(CL_INVALID_LINKER_OPTIONS);
        GEMEL_CODE(CL_PLATFORM_NOT_FOUND_KHR);
#undef GEMEL_CODE
        default: return "an unknown OpenCL code";
    }
}

void fail(const char* call, Status status) {
    const std::string message = text(call, " failed: ", error_name(status), " (", status, ")");
    switch (status) {
        case CL_MEM_OBJECT_ALLOCATION_FAILURE:
        case CL_INVALID_BUFFER_SIZE:  // PoCL returns this for a buffer larger than the device's memory
            throw OutOfMemory(message);
        case CL_OUT_OF_RESOURCES: {
            const std::string_view where = call;
            if (where == "clCreateBuffer") throw OutOfMemory(message);
            if (where.find("ExternalMemObjects") != where.npos) break;  // refused before anything has run
            if (where == "clEnqueueNDRangeKernel" || where == "clCreateKernel" || where == "clBuildProgram") break;
            throw DeviceLost(message, call, status,
                             error_name(status));  // NVIDIA's status when waiting for a faulted kernel
        }
        case CL_INVALID_COMMAND_QUEUE:  // gemel's queues are valid: NVIDIA returns this for queues of a faulted context
        case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST:
        case CL_DEVICE_NOT_AVAILABLE:
        case -9999:  // NVIDIA: illegal read or write by a kernel
            throw DeviceLost(message, call, status, error_name(status));
        default: break;
    }
    throw DeviceError(message, call, status, error_name(status));
}

void log_failure(const char* call, Status status) noexcept {
    logging::write(logging::Level::warn, "opencl", text(call, " failed while releasing: ", error_name(status)));
}

std::vector<std::string> listed_names(const std::string& list) {
    std::vector<std::string> names;
    for (std::size_t from = 0; from < list.size();) {
        const auto end = std::min(list.find(';', from), list.size());
        if (end > from) names.push_back(list.substr(from, end - from));
        from = end + 1;
    }
    return names;
}

}  // namespace gemel::plugin::opencl
