/// Devices: properties, contexts, fingerprints.
#include "objects.hpp"

#include <gemel/core/text.hpp>
#include <gemel/core/uuid_text.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>

namespace gemel::plugin::cuda {
namespace {

int attribute(CUdevice device, CUdevice_attribute which) {
    int value = 0;
    cu.DeviceGetAttribute(&value, which, device);
    return value;
}
/// The same for attributes that the driver may not know: then zero.
int attribute_if_known(CUdevice device, CUdevice_attribute which) {
    int value = 0;
    return cu.DeviceGetAttribute.status(&value, which, device) == success ? value : 0;
}

/// "580.159.04" from the kernel module, if it is readable; the driver API has only the CUDA version that it supports.
std::string kernel_module_version() {
    std::ifstream file("/sys/module/nvidia/version");
    std::string version;
    if (std::getline(file, version) && !version.empty()) return version;
    std::ifstream proc("/proc/driver/nvidia/version");
    for (std::string word; proc >> word;)
        if (std::count(word.begin(), word.end(), '.') >= 1 && std::isdigit(static_cast<unsigned char>(word[0])))
            return word;
    return {};
}

std::string version_text(int version) { return text(version / 1000, ".", version % 1000 / 10); }

/// Sizes and counts.
void read_limits(DeviceInfo& d, CUdevice device, int major) {
    const auto number = [&](CUdevice_attribute which) { return static_cast<std::uint32_t>(attribute(device, which)); };
    d.compute_units = number(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    if (const int khz = attribute_if_known(device, CU_DEVICE_ATTRIBUTE_CLOCK_RATE)) d.clock_mhz = khz / 1000;
    if (const int khz = attribute_if_known(device, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE))
        d.memory_clock_mhz = khz / 1000;
    if (const int bits = attribute_if_known(device, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH))
        d.memory_bus_bits = bits;

    cu.DeviceTotalMem(&d.global_memory_bytes, device);
    d.max_allocation_bytes = d.global_memory_bytes;
    if (const int bytes = attribute_if_known(device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)) d.l2_cache_bytes = bytes;
    d.constant_memory_bytes = number(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY);
    d.shared_memory_per_block_bytes = number(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
    if (const int bytes = attribute_if_known(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN))
        d.shared_memory_opt_in_bytes = bytes;
    d.shared_memory_is_dedicated = true;

    d.max_threads_per_block = number(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    d.max_block = {number(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X), number(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
                   number(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)};
    d.max_grid = {number(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X), number(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
                  number(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)};
    d.warp_size = number(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    d.preferred_vector_floats = 1;
    d.max_threads_per_compute_unit = number(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);

    d.base_alignment_bytes = std::max<std::uint32_t>(256, number(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT));
    d.max_parameter_bytes = major >= 7 && compiler().major * 1000 + compiler().minor * 10 >= 12010 ? 32764 : 4096;
}

/// What the device can do.
void read_abilities(DeviceInfo& d, CUdevice device, int major, int minor) {
    d.has_double = true;
    d.has_half_arithmetic = major > 5 || (major == 5 && minor >= 3);
    d.has_int64_atomics = true;
    d.has_float_atomics = true;
    d.has_double_atomics = major >= 6;
    d.has_sub_groups = true;
    d.has_unified_memory = attribute(device, CU_DEVICE_ATTRIBUTE_INTEGRATED) != 0;
    d.has_managed_memory = attribute_if_known(device, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY) != 0;
    d.has_images = true;
    d.has_cross_block_visibility = true;
    d.is_little_endian = true;
    d.has_error_correction = attribute(device, CU_DEVICE_ATTRIBUTE_ECC_ENABLED) != 0;
}

/// Identifiers of this device.
void read_identity(DeviceInfo& d, CUdevice device, int major, int minor) {
    d.architecture = text("sm_", major, minor);
    char bus[32] = {};
    if (cu.DeviceGetPCIBusId.status(bus, sizeof bus, device) == success) {
        d.pci_bus_id = bus;
        for (char& c : *d.pci_bus_id) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    CUuuid uuid{};
    cu.DeviceGetUuid(&uuid, device);
    d.identity = uuid_text(std::as_bytes(std::span(uuid.bytes)));
}

}  // namespace

Shared::~Shared() {
    if (dead) return;
    for (const CUevent event : idle_events_) cu.EventDestroy.quietly(event);
    for (void* const page : word_pages_) cu.MemFreeHost.quietly(page);
    cu.DevicePrimaryCtxRelease.quietly(device);
}

CudaDevice::CudaDevice(CUdevice device) : device_(device) {
    DeviceInfo& d = info_;
    char name[256] = {};
    cu.DeviceGetName(name, sizeof name, device);
    d.name = name;
    d.vendor = "NVIDIA Corporation";
    d.platform = "CUDA";
    d.type = DeviceInfo::Type::gpu;
    d.driver_version = kernel_module_version();
    if (d.driver_version.empty()) d.driver_version = version_text(driver().version);
    d.api_version = text("CUDA ", version_text(driver().version));
    d.language_version =
        compiler().trouble.empty() ? text("NVRTC ", compiler().major, ".", compiler().minor) : "no NVRTC";
    const int major = attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    const int minor = attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    read_limits(d, device, major);
    read_abilities(d, device, major, minor);
    read_identity(d, device, major, minor);
    d.has_warp_groups = major == 9 && minor == 0 && compiler().major >= 12;
    d.has_tensor_maps = d.has_warp_groups && cu.TensorMapEncodeTiled;
    d.has_kernel_overlap = major >= 9 && may_overlap_kernels();

    fingerprint_ = text("cuda; ", d.name, "; ", d.architecture, "; driver ", d.driver_version, "; ", d.api_version,
                        "; ", d.language_version, " (", compiler().build, ")");
}

const DeviceInfo& CudaDevice::info() const { return info_; }

std::unique_ptr<Context> CudaDevice::create_context() {
    std::lock_guard lock(primary_mutex_);
    auto shared = primary_.lock();
    if (lost_) shared.reset();
    if (!shared) {
        if (lost_) give_up_primary();
        shared = std::make_shared<Shared>();
        shared->dead = true;  // nothing must be released until it is retained
        shared->device = device_;
        shared->info = &info_;
        shared->device_lost = &lost_;
        const Status status = cu.DevicePrimaryCtxRetain.status(&shared->context, device_);
        if (status != success && lost_)
            throw DeviceLost(text("the driver gives this process no working context on ", info_.name,
                                  " after the fault: cuDevicePrimaryCtxRetain still answers ", error_name(status),
                                  ". Start the program anew; devices of other backends go on working"),
                             cu.DevicePrimaryCtxRetain.name(), static_cast<int>(status), error_name(status));
        if (status != success) fail(cu.DevicePrimaryCtxRetain.name(), status);
        lost_ = false;
        shared->dead = false;
        primary_ = shared;
    }
    return std::make_unique<CudaContext>(std::move(shared));
}

void CudaDevice::give_up_primary() {
    CUcontext current = nullptr;
    cu.CtxGetCurrent(&current);
    cu.CtxSetCurrent(nullptr);
    // The lost context still holds its reference; everything made in it is destroyed with the context.
    cu.DevicePrimaryCtxRelease.quietly(device_);
    cu.DevicePrimaryCtxReset.quietly(device_);
}

std::unique_ptr<Context> CudaDevice::wrap_context(std::uint64_t) {
    throw ArgumentError(
        "wrap: CUDA contexts are not wrapped, because gemel uses the device's primary context, which the "
        "CUDA run-time library and its libraries share; make a Context on the device");
}

std::string CudaDevice::fingerprint() const { return fingerprint_; }
std::uint64_t CudaDevice::native() const { return static_cast<std::uint64_t>(device_); }

}  // namespace gemel::plugin::cuda
