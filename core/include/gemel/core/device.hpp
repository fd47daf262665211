/// Devices and the facts about them.
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

/// Facts about one device, filled alike by every backend. What a driver does not tell is `nullopt`, never a guess.
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

    std::size_t global_memory_bytes = 0;   ///< all of it, free or not
    std::size_t max_allocation_bytes = 0;  ///< the largest single buffer
    std::optional<std::size_t> l2_cache_bytes;
    std::size_t constant_memory_bytes = 0;
    std::size_t shared_memory_per_block_bytes = 0;          ///< without asking for more
    std::optional<std::size_t> shared_memory_opt_in_bytes;  ///< most that a kernel may ask for
    bool shared_memory_is_dedicated = true;                 ///< false where it is ordinary memory, as on a CPU

    std::uint32_t max_threads_per_block = 0;
    std::array<std::uint64_t, 3> max_block{};  ///< per axis
    std::array<std::uint64_t, 3> max_grid{};   ///< blocks per axis
    std::optional<std::uint32_t> warp_size;    ///< threads that run in lock step (CUDA warp, sub-group), where known
    std::optional<std::uint32_t> preferred_vector_floats;  ///< SIMD lanes that the driver would like in one item
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
    bool has_warp_groups = false;             ///< four warps multiply matrices together (wgmma: sm_90, through CUDA)
    bool has_cross_block_visibility = false;  ///< writes of one block become visible to others while a kernel runs
    bool is_little_endian = true;
    bool has_error_correction = false;

    std::string driver_version;             ///< "580.159.04"
    std::string api_version;                ///< "CUDA 13.0", "OpenCL 3.0"
    std::string language_version;           ///< "NVRTC 13.0", "OpenCL C 1.2"
    std::string architecture;               ///< "sm_90"; CPU model on PoCL
    std::optional<std::string> pci_bus_id;  ///< "0000:3b:00.0"
    /// Names this very piece of hardware (a GPU's UUID) or, where the driver has none, platform, model and place in the
    /// list. Equal in CUDA and OpenCL for one NVIDIA GPU.
    std::string identity;
};

/// "gpu", "cpu", "accelerator", "other"
GEMEL_API const char* to_string(DeviceInfo::Type type);

/// A device of one backend: a cheap handle, valid for the life of the process.
class GEMEL_API Device {
   public:
    /// Backend name, e.g. "cuda".
    const std::string& backend() const;
    /// Place among this backend's devices, in the order of `gemel info`: what GEMEL_DEVICE takes.
    /// Of a part of a device: its place among the parts.
    int index() const;
    /// "cuda:0"; "opencl:0.1" is the second part of "opencl:0".
    std::string id() const;
    const std::string& name() const;
    const DeviceInfo& info() const;

    /// Everything that the driver tells about the device, by the driver's names ("CU_DEVICE_ATTRIBUTE_WARP_SIZE",
    /// "CL_DEVICE_PROFILE"), as text, in the driver's order.
    /// @time asks the driver for each anew
    std::vector<std::pair<std::string, std::string>> attributes() const;
    /// One of them, by its name with or without "CU_DEVICE_ATTRIBUTE_" or "CL_DEVICE_", in any case; empty if the
    /// driver does not tell it.
    std::optional<std::string> attribute(std::string_view name) const;
    /// Names of extensions; empty on CUDA, which has none.
    std::vector<std::string> extensions() const;
    bool has_extension(std::string_view name) const;
    /// Names of the kernels that the device is born with, for Context::built_in_kernels(); empty on CUDA.
    std::vector<std::string> built_in_kernels() const;
    /// Whether Context::reach() can make its kernels read the other device's memory.
    bool can_reach(const Device& other) const;
    /// The driver's handle (CUdevice, cl_device_id).
    std::uint64_t native_handle() const;

    /// Parts of the device, in the driver's order: devices with fewer compute units, on which contexts are made as on
    /// any other. Memory is not divided. Parts live as long as the process, and the same partition gives the same
    /// parts. gemel::devices() does not list them, and GEMEL_DEVICE does not name them.
    /// @throws ArgumentError for numbers that the device's compute units do not allow; Error saying what the driver
    /// offers where it does not divide the device so (CUDA: never)
    std::vector<Device> partition(const DevicePartition& how) const;
    /// The device of which this is a part; empty for a whole one.
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
