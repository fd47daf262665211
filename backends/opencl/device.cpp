/// Devices: properties, contexts, fingerprints.
#include "nvrtc.hpp"
#include "objects.hpp"

#include <gemel/core/environment.hpp>
#include <gemel/core/text.hpp>
#include <gemel/core/uuid_text.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace gemel::plugin::opencl {
namespace {

// Parameters of vendors' extensions, by number so that no vendor's header is needed.
constexpr cl_device_info nv_compute_capability_major = 0x4000, nv_compute_capability_minor = 0x4001,
                         nv_warp_size = 0x4003, nv_pci_bus = 0x4008, nv_pci_slot = 0x4009, nv_pci_domain = 0x400A;
constexpr cl_device_info khr_device_uuid = 0x106A;
constexpr cl_device_info ext_single_float_atomics = 0x4231, ext_double_float_atomics = 0x4232;
constexpr cl_bitfield ext_global_float_atomic_add = 1 << 1;

std::uint64_t number(cl_device_id device, cl_device_info parameter) {
    return query<cl_ulong>(cl.GetDeviceInfo, parameter, device);
}
std::uint32_t count(cl_device_id device, cl_device_info parameter) {
    return query<cl_uint>(cl.GetDeviceInfo, parameter, device);
}

/// 12 from "OpenCL 1.2 PoCL ...", 30 from "OpenCL 3.0 CUDA".
int version_number(const std::string& version) {
    int major = 1, minor = 2;
    std::sscanf(version.c_str(), "OpenCL %d.%d", &major, &minor);
    return major * 10 + minor;
}

DeviceInfo::Type type_of(cl_device_type type) {
    if (type & CL_DEVICE_TYPE_GPU) return DeviceInfo::Type::gpu;
    if (type & CL_DEVICE_TYPE_CPU) return DeviceInfo::Type::cpu;
    if (type & CL_DEVICE_TYPE_ACCELERATOR) return DeviceInfo::Type::accelerator;
    return DeviceInfo::Type::other;
}

std::string device_text(cl_device_id device, cl_device_info parameter) {
    return query_text(cl.GetDeviceInfo, parameter, device);
}

bool has_extension(cl_device_id device, const char* name) {
    const std::string all = " " + device_text(device, CL_DEVICE_EXTENSIONS) + " ";
    return all.find(text(" ", name, " ")) != std::string::npos;
}

/// Sizes and counts.
void read_limits(DeviceInfo& d, cl_device_id device) {
    d.compute_units = count(device, CL_DEVICE_MAX_COMPUTE_UNITS);
    if (const auto clock = count(device, CL_DEVICE_MAX_CLOCK_FREQUENCY)) d.clock_mhz = clock;

    d.global_memory_bytes = number(device, CL_DEVICE_GLOBAL_MEM_SIZE);
    d.max_allocation_bytes = number(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    if (const auto cache = number(device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE); cache && d.type == DeviceInfo::Type::gpu)
        d.l2_cache_bytes = cache;
    d.constant_memory_bytes = number(device, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE);
    d.shared_memory_per_block_bytes = number(device, CL_DEVICE_LOCAL_MEM_SIZE);
    d.shared_memory_is_dedicated =
        query<cl_device_local_mem_type>(cl.GetDeviceInfo, CL_DEVICE_LOCAL_MEM_TYPE, device) == CL_LOCAL;

    d.max_threads_per_block =
        static_cast<std::uint32_t>(query<size_t>(cl.GetDeviceInfo, CL_DEVICE_MAX_WORK_GROUP_SIZE, device));
    size_t sizes[16] = {};
    cl.GetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, nullptr);
    d.max_block = {sizes[0], sizes[1], sizes[2]};
    // OpenCL limits the number of work items only to size_t; on every backend gemel's grids are 32-bit.
    d.max_grid.fill(std::numeric_limits<std::uint32_t>::max());
    cl_uint warp = 0;
    if (query_if_known(warp, cl.GetDeviceInfo, nv_warp_size, device) && warp) d.warp_size = warp;
    if (const auto width = count(device, CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT)) d.preferred_vector_floats = width;

    d.base_alignment_bytes = count(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
    d.max_parameter_bytes = query<size_t>(cl.GetDeviceInfo, CL_DEVICE_MAX_PARAMETER_SIZE, device);
}

/// What the device can do; `version` as of version_number().
void read_abilities(DeviceInfo& d, cl_device_id device, const Quirks& quirks, int version) {
    const auto has = [&](const char* extension) { return has_extension(device, extension); };
    const bool takes_ptx = quirks.has(Quirk::takes_inline_ptx);
    const bool may_use_double = env::flag("GEMEL_DOUBLE", true);
    d.has_double =
        may_use_double && query<cl_device_fp_config>(cl.GetDeviceInfo, CL_DEVICE_DOUBLE_FP_CONFIG, device) != 0;
    d.has_half_arithmetic = has("cl_khr_fp16");
    d.has_int64_atomics = has("cl_khr_int64_base_atomics") && has("cl_khr_int64_extended_atomics");
    cl_bitfield float_atomics = 0, double_atomics = 0;
    if (has("cl_ext_float_atomics")) {
        query_if_known(float_atomics, cl.GetDeviceInfo, ext_single_float_atomics, device);
        query_if_known(double_atomics, cl.GetDeviceInfo, ext_double_float_atomics, device);
    }
    d.has_float_atomics = takes_ptx || (float_atomics & ext_global_float_atomic_add);
    d.has_double_atomics = takes_ptx || (double_atomics & ext_global_float_atomic_add);
    d.has_sub_groups = has("cl_khr_subgroups") || has("cl_intel_subgroups");
    d.has_unified_memory = query<cl_bool>(cl.GetDeviceInfo, CL_DEVICE_HOST_UNIFIED_MEMORY, device) != 0;
    cl_device_svm_capabilities svm = 0;
    if (version >= 20) query_if_known(svm, cl.GetDeviceInfo, CL_DEVICE_SVM_CAPABILITIES, device);
    d.has_managed_memory = (svm & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) != 0;
    d.has_images = query<cl_bool>(cl.GetDeviceInfo, CL_DEVICE_IMAGE_SUPPORT, device) != 0;
    // Portable kernels are OpenCL C 1.2, which has no fence for a whole device; PTX has one.
    d.has_cross_block_visibility = takes_ptx;
    // NVIDIA's OpenCL reports first-level caches here: 4 MiB on an H200, whose second-level cache has 60 MiB.
    if (quirks.has(Quirk::has_nvidia_attributes)) d.l2_cache_bytes.reset();
    d.is_little_endian = query<cl_bool>(cl.GetDeviceInfo, CL_DEVICE_ENDIAN_LITTLE, device) != 0;
    d.has_error_correction = query<cl_bool>(cl.GetDeviceInfo, CL_DEVICE_ERROR_CORRECTION_SUPPORT, device) != 0;
}

/// Identifiers of this device.
void read_identity(DeviceInfo& d, cl_device_id device, const Quirks& quirks, int number) {
    const bool nvidia = quirks.has(Quirk::has_nvidia_attributes);
    cl_uint major = 0, minor = 0;
    if (nvidia && query_if_known(major, cl.GetDeviceInfo, nv_compute_capability_major, device) &&
        query_if_known(minor, cl.GetDeviceInfo, nv_compute_capability_minor, device))
        d.architecture = text("sm_", major, minor);
    else
        d.architecture = d.name;
    cl_uint bus = 0, slot = 0, domain = 0;
    if (nvidia && query_if_known(bus, cl.GetDeviceInfo, nv_pci_bus, device) &&
        query_if_known(slot, cl.GetDeviceInfo, nv_pci_slot, device)) {
        query_if_known(domain, cl.GetDeviceInfo, nv_pci_domain, device);
        char id[32];
        std::snprintf(id, sizeof id, "%04x:%02x:%02x.0", domain, bus, slot >> 3 ? slot >> 3 : slot);
        d.pci_bus_id = id;
    }
    unsigned char uuid[16] = {};
    if (has_extension(device, "cl_khr_device_uuid") &&
        cl.GetDeviceInfo.status(device, khr_device_uuid, sizeof uuid, uuid, nullptr) == success &&
        std::any_of(std::begin(uuid), std::end(uuid), [](unsigned char c) { return c != 0; }))
        d.identity = uuid_text(std::as_bytes(std::span(uuid)));
    else
        d.identity = text(d.platform, ", ", d.name, ", number ", number);
}

}  // namespace

Shared::~Shared() {
    if (dead) return;
    for (cl_command_queue queue : queues) cl.ReleaseCommandQueue.quietly(queue);
    for (cl_sampler sampler : samplers)
        if (sampler) cl.ReleaseSampler.quietly(sampler);
    for (cl_mem image : no_images)
        if (image) cl.ReleaseMemObject.quietly(image);
    cl.ReleaseContext.quietly(context);
}

OpenClDevice::OpenClDevice(cl_platform_id platform, cl_device_id device, int number, const std::string& part)
    : platform_(platform), device_(device), number_(number) {
    DeviceInfo& d = info_;
    d.name = device_text(device, CL_DEVICE_NAME);
    d.vendor = device_text(device, CL_DEVICE_VENDOR);
    d.platform = query_text(cl.GetPlatformInfo, CL_PLATFORM_NAME, platform);
    d.type = type_of(query<cl_device_type>(cl.GetDeviceInfo, CL_DEVICE_TYPE, device));
    d.driver_version = device_text(device, CL_DRIVER_VERSION);
    const std::string version = device_text(device, CL_DEVICE_VERSION);
    d.api_version = version.substr(0, version.find(' ', 7));
    d.language_version = device_text(device, CL_DEVICE_OPENCL_C_VERSION);
    version_ = version_number(version);
    quirks_ = Quirks(d.platform, d.type);
    rounds_correctly_ = (query<cl_device_fp_config>(cl.GetDeviceInfo, CL_DEVICE_SINGLE_FP_CONFIG, device) &
                         CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
    read_limits(d, device);
    read_abilities(d, device, quirks_, version_);
    read_identity(d, device, quirks_, number);
    constexpr int seen_with = 580;
    if (d.architecture == "sm_90" && std::atoi(d.driver_version.c_str()) >= seen_with) {
        d.has_warp_groups = quirks_.has(Quirk::refuses_sm_90a);
        if (quirks_.has(Quirk::hides_shared_memory)) d.shared_memory_static_bytes = std::size_t{227} << 10;
    }
    d.identity += part;

    fingerprint_ = text("opencl; ", d.platform, "; ", query_text(cl.GetPlatformInfo, CL_PLATFORM_VERSION, platform),
                        "; ", d.vendor, "; ", d.name, "; ", version, "; ", d.language_version, "; ", d.driver_version,
                        "; ", d.architecture, "; ", device_text(device, CL_DEVICE_EXTENSIONS));
}

const DeviceInfo& OpenClDevice::info() const { return info_; }

std::shared_ptr<Shared> OpenClDevice::share(cl_context context) const {
    auto shared = std::make_shared<Shared>();
    shared->context = context;
    shared->device = device_;
    shared->info = &info_;
    shared->quirks = quirks_;
    shared->version = version_;
    shared->rounds_correctly = rounds_correctly_;
    shared->uses_nvrtc = uses_nvrtc();
    shared->imports_files = has_extension(device_, "cl_khr_external_memory_opaque_fd");
    shared->takes_assembler_options = has_extension(device_, "cl_nv_compiler_options");
    return shared;
}

std::unique_ptr<Context> OpenClDevice::create_context() {
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(platform_),
                                                0};
    cl_context context = nullptr;
    try {
        context = cl.CreateContext(properties, 1, &device_, nullptr, nullptr);
    } catch (const DeviceLost& error) {
        throw DeviceLost(text("the driver gives this process no working context on ", info_.name, " after the fault: ",
                              error.what(), ". Start the program anew; devices of other backends go on working"),
                         error.call(), error.code(), error.code_name());
    }
    return std::make_unique<OpenClContext>(share(context));
}

std::unique_ptr<Context> OpenClDevice::wrap_context(std::uint64_t handle) {
    const auto context = reinterpret_cast<cl_context>(handle);
    if (!context) throw ArgumentError("wrap: the cl_context is null");
    std::vector<cl_device_id> devices(query<cl_uint>(cl.GetContextInfo, CL_CONTEXT_NUM_DEVICES, context));
    cl.GetContextInfo(context, CL_CONTEXT_DEVICES, devices.size() * sizeof(cl_device_id), devices.data(), nullptr);
    if (std::find(devices.begin(), devices.end(), device_) == devices.end())
        throw ArgumentError(text("wrap: the cl_context does not hold the device ", info_.name));
    cl.RetainContext(context);
    return std::make_unique<OpenClContext>(share(context));
}

bool OpenClDevice::uses_nvrtc() const { return quirks_.has(Quirk::takes_inline_ptx) && wants_nvrtc(); }

std::string OpenClDevice::dialect() const { return uses_nvrtc() ? nvrtc_dialect().name : std::string(); }

std::string OpenClDevice::fingerprint() const {
    return uses_nvrtc() ? text(fingerprint_, "; NVRTC ", nvrtc_version()) : fingerprint_;
}
std::uint64_t OpenClDevice::native() const { return reinterpret_cast<std::uint64_t>(device_); }

}  // namespace gemel::plugin::opencl
