/// Available backends and devices, and the selection of a device.
#pragma once

#include <gemel/core/device.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/plugin.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace gemel {

/// The state of one backend.
struct BackendStatus {
    std::string name;        ///< "cuda"; derived from the file name if the file could not be loaded
    bool available = false;  ///< loaded, with at least one usable device
    std::string reason;      ///< why it is not available; empty if it is
    std::string path;        ///< the plug-in file that was chosen; empty if none was found
    std::size_t device_count = 0;
    std::vector<plugin::Library> libraries;  ///< driver and compiler libraries in use
    /// Every file that was tried for this backend, in order, with the result ("loaded", or the loader's message).
    struct Attempt {
        std::string path, outcome;
    };
    std::vector<Attempt> attempts;
};

/// Every backend that was found or named by GEMEL_BACKEND, in order of preference.
/// @time the first call of a process loads the plug-ins and queries the drivers for their devices
GEMEL_API std::vector<BackendStatus> backends();

/// The folders that were searched for plug-ins, in order.
GEMEL_API std::vector<std::string> plugin_search_path();

/// All devices that GEMEL_BACKEND and GEMEL_DEVICE allow, best first: GPUs before CPUs, CUDA before OpenCL. With
/// GEMEL_DEVICE the list has one device. Empty if neither is set and there is no device.
/// @throws BackendUnavailable if the backend or device that they name is not available
GEMEL_API std::vector<Device> devices();
/// All devices of all backends in the same order; ignores the environment.
GEMEL_API std::vector<Device> all_devices();
/// The devices of one backend in index order; ignores the environment.
/// @param backend  its name, in upper or lower case
/// @throws BackendUnavailable, with what was tried and why it failed, if the backend is unknown or not available
GEMEL_API std::vector<Device> devices(std::string_view backend);

/// A driver and its devices. CUDA is one platform; OpenCL has one platform per installed driver.
struct Platform {
    std::string backend;         ///< "opencl"
    std::string name;            ///< "NVIDIA CUDA", "Portable Computing Language"
    std::string vendor;          ///< of its first device
    std::string driver_version;  ///< of its first device
    std::vector<Device> devices;
};
/// The platforms of all_devices(), best first.
GEMEL_API std::vector<Platform> platforms();

/// Finds a device by the syntax of GEMEL_DEVICE; ignores the environment. `selection` is an index ("0", within
/// `backend`, or within the first device's backend if `backend` is empty), "opencl:1", or part of a device's name.
/// @throws BackendUnavailable, listing the existing devices, if there is none
GEMEL_API Device find_device(std::string_view selection, std::string_view backend = {});

/// The device at a PCI address, "0000:3b:00.0" or "3b:00.0", in upper or lower case; the CUDA device unless `backend`
/// names another backend.
/// @throws BackendUnavailable, listing the existing addresses, if there is none
GEMEL_API Device find_device_by_pci(std::string_view address, std::string_view backend = {});
/// The device with this driver handle (CUdevice, cl_device_id).
/// @throws BackendUnavailable if gemel uses no such device
GEMEL_API Device find_device_by_handle(std::string_view backend, std::uint64_t handle);

/// The device that GEMEL_BACKEND and GEMEL_DEVICE select, else the best one.
/// @throws BackendUnavailable if the selected device is not available; there is no silent fallback
GEMEL_API Device default_device();

/// Compiles native text for an architecture without a device or driver, e.g. compile_offline("cuda", text, "sm_90").
/// GEMEL_BUILD_OPTIONS and GEMEL_DEBUG add to `options`. Put `prelude(...)` before portable text.
/// @returns a binary for `Context::load_binary`
/// @throws BackendUnavailable if the backend has no such compiler; CompileError if the text does not compile
GEMEL_API std::vector<std::byte> compile_offline(std::string_view backend, std::string_view text,
                                                 std::string_view architecture, const CompileOptions& options);

}  // namespace gemel
