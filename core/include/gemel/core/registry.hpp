/// Which backends and devices there are, and which one a program gets.
#pragma once

#include <gemel/core/device.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/plugin.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace gemel {

/// What became of one backend.
struct BackendStatus {
    std::string name;        ///< "cuda"; for a file that could not be loaded, the name that its file name suggests
    bool available = false;  ///< loaded, and at least one device is usable
    std::string reason;      ///< why not, in words for a person; empty when available
    std::string path;        ///< the plug-in file that was chosen; empty if none was found
    std::size_t device_count = 0;
    std::vector<plugin::Library> libraries;  ///< driver and compiler libraries in use
    /// Every file that was tried for this backend, in order, with what happened ("loaded", or the loader's own words).
    struct Attempt {
        std::string path, outcome;
    };
    std::vector<Attempt> attempts;
};

/// Every backend that was found or asked for by GEMEL_BACKEND, in order of preference.
/// @time the first call of a process loads the plug-ins and asks the drivers for their devices
GEMEL_API std::vector<BackendStatus> backends();

/// The folders in which plug-ins were looked for, in order.
GEMEL_API std::vector<std::string> plugin_search_path();

/// All devices that GEMEL_BACKEND and GEMEL_DEVICE leave to the program, best first: GPUs before CPUs, CUDA before
/// OpenCL. With GEMEL_DEVICE it is one. Empty if nothing is named and there is none.
/// @throws BackendUnavailable if what the variables name cannot be had
GEMEL_API std::vector<Device> devices();
/// All devices of all backends, whatever the environment says, in the same order.
GEMEL_API std::vector<Device> all_devices();
/// The devices of one backend, in index order, whatever the environment says.
/// @param backend  its name, in any case
/// @throws BackendUnavailable if the backend is unknown or cannot be used here; it says what was tried and why it
/// failed
GEMEL_API std::vector<Device> devices(std::string_view backend);

/// A driver and its devices: CUDA is one platform, OpenCL has one for each driver that is installed.
struct Platform {
    std::string backend;         ///< "opencl"
    std::string name;            ///< "NVIDIA CUDA", "Portable Computing Language"
    std::string vendor;          ///< of its first device
    std::string driver_version;  ///< of its first device
    std::vector<Device> devices;
};
/// The platforms of all_devices(), best first.
GEMEL_API std::vector<Platform> platforms();

/// One device by the syntax of GEMEL_DEVICE, whatever the environment says: an index ("0", counted within `backend`, or
/// within the backend of the first device when that is empty), "opencl:1", or part of a device's name.
/// @throws BackendUnavailable listing the devices that exist
GEMEL_API Device find_device(std::string_view selection, std::string_view backend = {});

/// The device at a PCI address, "0000:3b:00.0" or "3b:00.0", in any case; CUDA's unless `backend` says otherwise.
/// @throws BackendUnavailable listing the addresses that exist
GEMEL_API Device find_device_by_pci(std::string_view address, std::string_view backend = {});
/// The device of a backend that the driver knows by this handle (CUdevice, cl_device_id).
/// @throws BackendUnavailable if gemel uses no such device
GEMEL_API Device find_device_by_handle(std::string_view backend, std::uint64_t handle);

/// The device that GEMEL_BACKEND and GEMEL_DEVICE choose, else the best one.
/// @throws BackendUnavailable if what they name cannot be had: never a silent fallback
GEMEL_API Device default_device();

/// Compiles native text for an architecture without any device or driver, e.g. compile_offline("cuda", text, "sm_90").
/// Options are those of CompileOptions, with what GEMEL_BUILD_OPTIONS and GEMEL_DEBUG add; portable text needs its
/// prelude in front (`prelude(...)`).
/// @returns the binary, as `Context::load_binary` takes it
/// @throws BackendUnavailable where the backend has no such compiler; CompileError if the text does not compile
GEMEL_API std::vector<std::byte> compile_offline(std::string_view backend, std::string_view text,
                                                 std::string_view architecture, const CompileOptions& options);

}  // namespace gemel
