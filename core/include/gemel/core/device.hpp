/// Devices and their properties.
#pragma once

#include <gemel/core/device_partition.hpp>
#include <gemel/core/export.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gemel {

/// Properties of one device, the same for every backend. A value that the driver does not report is `nullopt`, never a
/// guess.
struct DeviceInfo {
    enum class Type { gpu, cpu, accelerator, other };

    std::string name;      ///< "NVIDIA H200"
    std::string vendor;    ///< "NVIDIA Corporation"
    std::string platform;  ///< "CUDA", "Portable Computing Language"
    Type type = Type::other;

    std::uint32_t compute_units = 0;         ///< multiprocessors, or cores of a CPU
    std::optional<std::uint32_t> clock_mhz;  ///< highest core clock
    std::optional<std::uint32_t> memory_clock_mhz;
    std::optional<std::uint32_t> memory_bus_bits;

    std::size_t global_memory_bytes = 0;   ///< total, used and free
    std::size_t max_allocation_bytes = 0;  ///< the largest single buffer
    std::optional<std::size_t> l2_cache_bytes;
    std::size_t constant_memory_bytes = 0;
    std::size_t shared_memory_per_block_bytes = 0;          ///< available without opt-in
    std::optional<std::size_t> shared_memory_opt_in_bytes;  ///< maximum with opt-in
    /// The most that a kernel without an arena declares, if more than shared_memory_per_block_bytes (NVIDIA's OpenCL).
    std::optional<std::size_t> shared_memory_static_bytes;
    bool shared_memory_is_dedicated = true;  ///< false if it is ordinary memory, as on a CPU

    std::uint32_t max_threads_per_block = 0;
    std::array<std::uint64_t, 3> max_block{};  ///< per axis
    std::array<std::uint64_t, 3> max_grid{};   ///< blocks per axis
    std::optional<std::uint32_t> warp_size;    ///< threads that run in lock step (CUDA warp, sub-group), where known
    std::optional<std::uint32_t> preferred_vector_floats;  ///< the driver's preferred vector width, in floats
    std::optional<std::uint32_t> max_threads_per_compute_unit;

    std::size_t base_alignment_bytes = 1;  ///< of an allocation, and of a sub-buffer's origin
    std::size_t max_parameter_bytes = 0;   ///< of a kernel's arguments together

    // Capabilities.
    bool has_double = false;
    bool has_half_arithmetic = false;
    bool has_int64_atomics = false;
    bool has_float_atomics = false;  ///< native float add on device memory (otherwise a compare-and-swap loop)
    bool has_double_atomics = false;
    bool has_sub_groups = false;      ///< shuffles or sub-group functions
    bool has_unified_memory = false;  ///< host and device share one physical memory
    bool has_managed_memory = false;  ///< MappedBuffer with MappedKind::managed works
    bool has_images = false;
    bool has_warp_groups = false;     ///< warp-group matrix products (wgmma: sm_90)
    bool has_tensor_maps = false;     ///< the device copies boxes of arrays to shared memory (sm_90, through CUDA)
    bool has_kernel_overlap = false;  ///< kernels are launched while the previous one still runs (CUDA, sm_90)
    bool has_cross_block_visibility = false;  ///< other blocks see a block's writes while the kernel runs
    bool is_little_endian = true;
    bool has_error_correction = false;

    std::string driver_version;             ///< "580.159.04"
    std::string api_version;                ///< "CUDA 13.0", "OpenCL 3.0"
    std::string language_version;           ///< "NVRTC 13.0", "OpenCL C 1.2"
    std::string architecture;               ///< "sm_90"; CPU model on PoCL
    std::optional<std::string> pci_bus_id;  ///< "0000:3b:00.0"
    /// Identifies the physical device: a GPU's UUID or, if the driver has none, platform, model and index. CUDA and
    /// OpenCL give an NVIDIA GPU the same identity.
    std::string identity;
};

/// "gpu", "cpu", "accelerator", "other"
GEMEL_API const char* to_string(DeviceInfo::Type type);

/// A device of one backend: a cheap handle, valid for the life of the process.
class GEMEL_API Device {
   public:
    /// Backend name, e.g. "cuda".
    const std::string& backend() const;
    /// Index among this backend's devices, in the order of `gemel info`; GEMEL_DEVICE takes it.
    /// For a part of a device: its index among the parts.
    int index() const;
    /// "cuda:0"; "opencl:0.1" is the second part of "opencl:0".
    std::string id() const;
    const std::string& name() const;
    const DeviceInfo& info() const;

    /// All attributes that the driver reports, as names ("CU_DEVICE_ATTRIBUTE_WARP_SIZE", "CL_DEVICE_PROFILE") and
    /// values in text form, in the driver's order.
    /// @time queries the driver for each attribute at every call
    std::vector<std::pair<std::string, std::string>> attributes() const;
    /// The value of one attribute. The prefixes "CU_DEVICE_ATTRIBUTE_" and "CL_DEVICE_" are optional; upper and lower
    /// case are equal. Empty if the driver does not report it.
    std::optional<std::string> attribute(std::string_view name) const;
    /// Names of extensions; empty on CUDA, which has none.
    std::vector<std::string> extensions() const;
    bool has_extension(std::string_view name) const;
    /// Names of the device's built-in kernels, for Context::built_in_kernels(); empty on CUDA.
    std::vector<std::string> built_in_kernels() const;
    /// Whether Context::reach() can give this device's kernels access to the other device's memory.
    bool can_reach(const Device& other) const;
    /// The driver's handle (CUdevice, cl_device_id).
    std::uint64_t native_handle() const;

    /// Divides the device into parts, in the driver's order: devices with fewer compute units that share the memory.
    /// Contexts on parts work as on any other device. Parts live as long as the process; the same partition returns the
    /// same parts. gemel::devices() does not list parts, and GEMEL_DEVICE cannot select them.
    /// @throws ArgumentError if the device has too few compute units; Error, listing what the driver offers, if the
    ///         driver does not support this partition (CUDA supports none)
    std::vector<Device> partition(const DevicePartition& how) const;
    /// The device that this part belongs to; empty if this is a whole device.
    std::optional<Device> parent() const;

    friend bool operator==(const Device& a, const Device& b) { return a.state_ == b.state_; }

    struct State;
    explicit Device(std::shared_ptr<const State> state) : state_(std::move(state)) {}
    const State& state() const { return *state_; }

   private:
    std::shared_ptr<const State> state_;
};

}  // namespace gemel

template <>
struct std::hash<gemel::Device> {
    std::size_t operator()(const gemel::Device& device) const noexcept {
        return std::hash<const void*>()(&device.state());
    }
};
