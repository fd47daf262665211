/// The driver's attributes of a device, by the names in the standard and in vendors' extensions.
#include "objects.hpp"

#include <gemel/core/text.hpp>

#include <sstream>

namespace gemel::plugin::opencl {
namespace {

enum class Kind : std::uint8_t { text, number32, number64, size, truth, bits };

struct Named {
    const char* name;
    cl_device_info number;
    Kind kind;
};

// clang-format off
constexpr Named names[] = {
    {"CL_DEVICE_PROFILE", CL_DEVICE_PROFILE, Kind::text},
    {"CL_DEVICE_VERSION", CL_DEVICE_VERSION, Kind::text},
    {"CL_DEVICE_NAME", CL_DEVICE_NAME, Kind::text},
    {"CL_DEVICE_VENDOR", CL_DEVICE_VENDOR, Kind::text},
    {"CL_DEVICE_EXTENSIONS", CL_DEVICE_EXTENSIONS, Kind::text},
    {"CL_DEVICE_OPENCL_C_VERSION", CL_DEVICE_OPENCL_C_VERSION, Kind::text},
    {"CL_DEVICE_BUILT_IN_KERNELS", CL_DEVICE_BUILT_IN_KERNELS, Kind::text},
    {"CL_DEVICE_VENDOR_ID", CL_DEVICE_VENDOR_ID, Kind::number32},
    {"CL_DEVICE_MAX_COMPUTE_UNITS", CL_DEVICE_MAX_COMPUTE_UNITS, Kind::number32},
    {"CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS", CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, Kind::number32},
    {"CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR", CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, Kind::number32},
    {"CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT", CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, Kind::number32},
    {"CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT", CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, Kind::number32},
    {"CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG", CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, Kind::number32},
    {"CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT", CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, Kind::number32},
    {"CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE", CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, Kind::number32},
    {"CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF", CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, Kind::number32},
    {"CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR", CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, Kind::number32},
    {"CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT", CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, Kind::number32},
    {"CL_DEVICE_NATIVE_VECTOR_WIDTH_INT", CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, Kind::number32},
    {"CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG", CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, Kind::number32},
    {"CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT", CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, Kind::number32},
    {"CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE", CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, Kind::number32},
    {"CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF", CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, Kind::number32},
    {"CL_DEVICE_MAX_CLOCK_FREQUENCY", CL_DEVICE_MAX_CLOCK_FREQUENCY, Kind::number32},
    {"CL_DEVICE_ADDRESS_BITS", CL_DEVICE_ADDRESS_BITS, Kind::number32},
    {"CL_DEVICE_MAX_READ_IMAGE_ARGS", CL_DEVICE_MAX_READ_IMAGE_ARGS, Kind::number32},
    {"CL_DEVICE_MAX_WRITE_IMAGE_ARGS", CL_DEVICE_MAX_WRITE_IMAGE_ARGS, Kind::number32},
    {"CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS", CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, Kind::number32},
    {"CL_DEVICE_MAX_SAMPLERS", CL_DEVICE_MAX_SAMPLERS, Kind::number32},
    {"CL_DEVICE_IMAGE_PITCH_ALIGNMENT", CL_DEVICE_IMAGE_PITCH_ALIGNMENT, Kind::number32},
    {"CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT", CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, Kind::number32},
    {"CL_DEVICE_MEM_BASE_ADDR_ALIGN", CL_DEVICE_MEM_BASE_ADDR_ALIGN, Kind::number32},
    {"CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE", CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, Kind::number32},
    {"CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE", CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, Kind::number32},
    {"CL_DEVICE_MAX_CONSTANT_ARGS", CL_DEVICE_MAX_CONSTANT_ARGS, Kind::number32},
    {"CL_DEVICE_PARTITION_MAX_SUB_DEVICES", CL_DEVICE_PARTITION_MAX_SUB_DEVICES, Kind::number32},
    {"CL_DEVICE_REFERENCE_COUNT", CL_DEVICE_REFERENCE_COUNT, Kind::number32},
    {"CL_DEVICE_MAX_PIPE_ARGS", CL_DEVICE_MAX_PIPE_ARGS, Kind::number32},
    {"CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS", CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, Kind::number32},
    {"CL_DEVICE_PIPE_MAX_PACKET_SIZE", CL_DEVICE_PIPE_MAX_PACKET_SIZE, Kind::number32},
    {"CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT", CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, Kind::number32},
    {"CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT", CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, Kind::number32},
    {"CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT", CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, Kind::number32},
    {"CL_DEVICE_MAX_NUM_SUB_GROUPS", CL_DEVICE_MAX_NUM_SUB_GROUPS, Kind::number32},
    {"CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE", CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, Kind::number32},
    {"CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE", CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, Kind::number32},
    {"CL_DEVICE_MAX_ON_DEVICE_QUEUES", CL_DEVICE_MAX_ON_DEVICE_QUEUES, Kind::number32},
    {"CL_DEVICE_MAX_ON_DEVICE_EVENTS", CL_DEVICE_MAX_ON_DEVICE_EVENTS, Kind::number32},
    {"CL_DEVICE_NUMERIC_VERSION", CL_DEVICE_NUMERIC_VERSION, Kind::number32},
    {"CL_DEVICE_MAX_MEM_ALLOC_SIZE", CL_DEVICE_MAX_MEM_ALLOC_SIZE, Kind::number64},
    {"CL_DEVICE_GLOBAL_MEM_CACHE_SIZE", CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, Kind::number64},
    {"CL_DEVICE_GLOBAL_MEM_SIZE", CL_DEVICE_GLOBAL_MEM_SIZE, Kind::number64},
    {"CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE", CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, Kind::number64},
    {"CL_DEVICE_LOCAL_MEM_SIZE", CL_DEVICE_LOCAL_MEM_SIZE, Kind::number64},
    {"CL_DEVICE_MAX_WORK_GROUP_SIZE", CL_DEVICE_MAX_WORK_GROUP_SIZE, Kind::size},
    {"CL_DEVICE_IMAGE2D_MAX_WIDTH", CL_DEVICE_IMAGE2D_MAX_WIDTH, Kind::size},
    {"CL_DEVICE_IMAGE2D_MAX_HEIGHT", CL_DEVICE_IMAGE2D_MAX_HEIGHT, Kind::size},
    {"CL_DEVICE_IMAGE3D_MAX_WIDTH", CL_DEVICE_IMAGE3D_MAX_WIDTH, Kind::size},
    {"CL_DEVICE_IMAGE3D_MAX_HEIGHT", CL_DEVICE_IMAGE3D_MAX_HEIGHT, Kind::size},
    {"CL_DEVICE_IMAGE3D_MAX_DEPTH", CL_DEVICE_IMAGE3D_MAX_DEPTH, Kind::size},
    {"CL_DEVICE_IMAGE_MAX_BUFFER_SIZE", CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, Kind::size},
    {"CL_DEVICE_IMAGE_MAX_ARRAY_SIZE", CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, Kind::size},
    {"CL_DEVICE_MAX_PARAMETER_SIZE", CL_DEVICE_MAX_PARAMETER_SIZE, Kind::size},
    {"CL_DEVICE_PROFILING_TIMER_RESOLUTION", CL_DEVICE_PROFILING_TIMER_RESOLUTION, Kind::size},
    {"CL_DEVICE_PRINTF_BUFFER_SIZE", CL_DEVICE_PRINTF_BUFFER_SIZE, Kind::size},
    {"CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE", CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, Kind::size},
    {"CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE", CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, Kind::size},
    {"CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE", CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, Kind::size},
    {"CL_DEVICE_IMAGE_SUPPORT", CL_DEVICE_IMAGE_SUPPORT, Kind::truth},
    {"CL_DEVICE_ERROR_CORRECTION_SUPPORT", CL_DEVICE_ERROR_CORRECTION_SUPPORT, Kind::truth},
    {"CL_DEVICE_HOST_UNIFIED_MEMORY", CL_DEVICE_HOST_UNIFIED_MEMORY, Kind::truth},
    {"CL_DEVICE_ENDIAN_LITTLE", CL_DEVICE_ENDIAN_LITTLE, Kind::truth},
    {"CL_DEVICE_AVAILABLE", CL_DEVICE_AVAILABLE, Kind::truth},
    {"CL_DEVICE_COMPILER_AVAILABLE", CL_DEVICE_COMPILER_AVAILABLE, Kind::truth},
    {"CL_DEVICE_LINKER_AVAILABLE", CL_DEVICE_LINKER_AVAILABLE, Kind::truth},
    {"CL_DEVICE_PREFERRED_INTEROP_USER_SYNC", CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, Kind::truth},
    {"CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS", CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, Kind::truth},
    {"CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT", CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, Kind::truth},
    {"CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT", CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, Kind::truth},
    {"CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT", CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, Kind::truth},
    {"CL_DEVICE_PIPE_SUPPORT", CL_DEVICE_PIPE_SUPPORT, Kind::truth},
    {"CL_DEVICE_TYPE", CL_DEVICE_TYPE, Kind::bits},
    {"CL_DEVICE_SINGLE_FP_CONFIG", CL_DEVICE_SINGLE_FP_CONFIG, Kind::bits},
    {"CL_DEVICE_DOUBLE_FP_CONFIG", CL_DEVICE_DOUBLE_FP_CONFIG, Kind::bits},
    {"CL_DEVICE_EXECUTION_CAPABILITIES", CL_DEVICE_EXECUTION_CAPABILITIES, Kind::bits},
    {"CL_DEVICE_QUEUE_PROPERTIES", CL_DEVICE_QUEUE_PROPERTIES, Kind::bits},
    {"CL_DEVICE_PARTITION_AFFINITY_DOMAIN", CL_DEVICE_PARTITION_AFFINITY_DOMAIN, Kind::bits},
    {"CL_DEVICE_SVM_CAPABILITIES", CL_DEVICE_SVM_CAPABILITIES, Kind::bits},
    {"CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES", CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, Kind::bits},
    {"CL_DEVICE_ATOMIC_FENCE_CAPABILITIES", CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, Kind::bits},
    {"CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES", CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, Kind::bits},
    {"CL_DEVICE_GLOBAL_MEM_CACHE_TYPE", CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, Kind::number32},
    {"CL_DEVICE_LOCAL_MEM_TYPE", CL_DEVICE_LOCAL_MEM_TYPE, Kind::number32},
    {"CL_DRIVER_VERSION", CL_DRIVER_VERSION, Kind::text},
    // Vendors' extensions, by number so that no vendor's header is needed.
    {"CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV", 0x4000, Kind::number32},
    {"CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV", 0x4001, Kind::number32},
    {"CL_DEVICE_REGISTERS_PER_BLOCK_NV", 0x4002, Kind::number32},
    {"CL_DEVICE_WARP_SIZE_NV", 0x4003, Kind::number32},
    {"CL_DEVICE_GPU_OVERLAP_NV", 0x4004, Kind::truth},
    {"CL_DEVICE_KERNEL_EXEC_TIMEOUT_NV", 0x4005, Kind::truth},
    {"CL_DEVICE_INTEGRATED_MEMORY_NV", 0x4006, Kind::truth},
    {"CL_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT_NV", 0x4007, Kind::number32},
    {"CL_DEVICE_PCI_BUS_ID_NV", 0x4008, Kind::number32},
    {"CL_DEVICE_PCI_SLOT_ID_NV", 0x4009, Kind::number32},
    {"CL_DEVICE_PCI_DOMAIN_ID_NV", 0x400A, Kind::number32},
};
// clang-format on

/// Empty if the driver does not know it.
template <class T>
std::string number_text(cl_device_id device, cl_device_info which, const char* before = "") {
    T value{};
    if (!query_if_known(value, cl.GetDeviceInfo, which, device)) return {};
    std::ostringstream out;
    if (*before) out << std::hex;
    out << before << value;
    return out.str();
}

std::string value_of(cl_device_id device, const Named& each) {
    switch (each.kind) {
        case Kind::text: return query_text(cl.GetDeviceInfo, each.number, device);
        case Kind::number32: return number_text<cl_uint>(device, each.number);
        case Kind::number64: return number_text<cl_ulong>(device, each.number);
        case Kind::size: return number_text<size_t>(device, each.number);
        case Kind::bits: return number_text<cl_bitfield>(device, each.number, "0x");
        case Kind::truth: break;
    }
    const std::string number = number_text<cl_uint>(device, each.number);
    return number.empty() ? "" : number == "0" ? "false" : "true";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> OpenClDevice::attributes() const {
    std::vector<std::pair<std::string, std::string>> all;
    for (const Named& each : names)
        if (std::string value = value_of(device_, each); !value.empty()) all.emplace_back(each.name, std::move(value));
    return all;
}

std::vector<std::string> OpenClDevice::built_in_kernels() const {
    return listed_names(query_text(cl.GetDeviceInfo, CL_DEVICE_BUILT_IN_KERNELS, device_));
}

std::vector<std::string> OpenClDevice::extensions() const {
    std::istringstream words(query_text(cl.GetDeviceInfo, CL_DEVICE_EXTENSIONS, device_));
    std::vector<std::string> all;
    for (std::string word; words >> word;) all.push_back(word);
    return all;
}

}  // namespace gemel::plugin::opencl
