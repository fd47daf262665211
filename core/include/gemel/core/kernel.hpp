/// Kernels and their launches.
#pragma once

#include <gemel/core/argument.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/launch.hpp>
#include <gemel/core/options.hpp>
#include <gemel/core/signature.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace gemel {

struct KernelState;
struct PreparedState;

/// The driver's attributes of a compiled kernel; `nullopt` if unknown.
struct KernelAttributes {
    std::optional<std::uint32_t> registers;   ///< per thread
    std::optional<std::size_t> shared_bytes;  ///< static, per block
    std::optional<std::size_t> local_bytes;   ///< per thread; above zero means spills or private arrays
    std::optional<std::size_t> constant_bytes;
    std::size_t max_threads_per_block = 0;
    std::optional<std::uint32_t> preferred_multiple;  ///< preferred block sizes are multiples of this
    std::optional<std::string> binary_architecture;   ///< "sm_90"
};

/// How well a block size fills the device.
struct Occupancy {
    std::uint32_t blocks_per_compute_unit = 0;
    double fraction = 0;  ///< resident threads divided by the compute unit's maximum
    std::uint32_t warps_per_compute_unit = 0;
    enum class Limit : std::uint8_t { threads, registers, shared_memory, blocks };
    Limit limited_by = Limit::threads;  ///< what keeps one more block from being resident
    /// Estimated by gemel from hardware limits (OpenCL) instead of reported by the driver (CUDA).
    bool is_estimated = false;
};
/// "threads", "registers", "shared memory", "blocks"
GEMEL_API const char* to_string(Occupancy::Limit limit);

/// A launch with bound arguments, for repetition at the lowest cost per launch. Use it from one thread at a time. It
/// keeps its kernel and arguments alive.
class GEMEL_API PreparedLaunch {
   public:
    PreparedLaunch() = default;
    void operator()() const;
    void operator()(const Stream& stream) const;
    /// Replaces one argument, checked as at a launch.
    template <KernelArgument T>
    void set(std::size_t index, const T& value) const {
        set_argument(index, as_argument(value));
    }

    explicit PreparedLaunch(std::shared_ptr<PreparedState> state) : state_(std::move(state)) {}

   private:
    void set_argument(std::size_t index, const Argument& argument) const;
    std::shared_ptr<PreparedState> state_;
};

/// A kernel of a module: a cheap handle; it keeps its module alive and may be launched from several threads at once.
class GEMEL_API Kernel {
   public:
    /// Launches the kernel. Arguments are checked against its parameters: count, type, size, kind, context.
    /// @throws ArgumentError naming the kernel and the argument, before anything is launched
    /// @time enqueued, returns at once; waits if there is an Out or InOut argument
    template <KernelArgument... A>
    void operator()(const LaunchConfig& config, const A&... arguments) const {
        const std::array<Argument, sizeof...(A)> packed{as_argument(arguments)...};
        launch(config, packed);
    }
    /// Binds arguments for repeated launches. In, Out and InOut cannot be bound.
    template <KernelArgument... A>
    [[nodiscard]] PreparedLaunch prepare(const LaunchConfig& config, const A&... arguments) const {
        const std::array<Argument, sizeof...(A)> packed{as_argument(arguments)...};
        return prepare_packed(config, packed);
    }
    /// Launches once, waits, and returns the device time in milliseconds.
    template <KernelArgument... A>
    double time(const LaunchConfig& config, const A&... arguments) const {
        const std::array<Argument, sizeof...(A)> packed{as_argument(arguments)...};
        return time_packed(config, packed);
    }
    /// Launches once, waits, and writes the call into a new folder: the program's text and options, the launch sizes,
    /// all arguments before and after the launch as .npy files, and main.cpp, a complete program that repeats the call
    /// and compares. GEMEL_CAPTURE does this for the first call of every kernel; `gemel replay` and replay() repeat the
    /// call. Files that the text includes are not copied.
    /// @throws ArgumentError if the folder exists; then nothing was launched
    template <KernelArgument... A>
    void capture(const std::string& folder, const LaunchConfig& config, const A&... arguments) const {
        const std::array<Argument, sizeof...(A)> packed{as_argument(arguments)...};
        capture_packed(folder, config, packed);
    }
    void launch(const LaunchConfig& config, std::span<const Argument> arguments) const;
    /// Launches without dynamic shared memory and without copying a handle.
    void launch(const Dim3& grid, const Dim3& block, const Stream& stream, std::span<const Argument> arguments) const;

    const std::string& name() const;
    /// The parameters parsed from the source; empty if unknown (then only the driver checks arguments).
    const std::optional<KernelSignature>& signature() const;
    KernelAttributes attributes() const;
    /// The occupancy of a launch. CUDA: reported by the driver. OpenCL has no query, so it is estimated
    /// (`is_estimated`): on NVIDIA's devices from the multiprocessor's limits and the assembler's register count; on
    /// CPUs as one block per core; elsewhere as a lower bound from the limits of work-group size and local memory.
    /// @param threads_per_block, dynamic_shared_bytes  of the launch
    /// @returns empty only if the plug-in has no data about its device
    /// @time the first call on NVIDIA's OpenCL compiles the program's PTX again, for its report
    std::optional<Occupancy> occupancy(std::size_t threads_per_block, std::size_t dynamic_shared_bytes = 0) const;
    /// The number of blocks that can be resident at the same time, the maximum grid of a cooperative launch. 1 if the
    /// device guarantees nothing (OpenCL on CPUs). On NVIDIA's OpenCL one per multiprocessor; cooperative launches
    /// of one context come one after another there (LaunchConfig::exclusive), but not those of other contexts.
    /// @throws ArgumentError if the kernel cannot have such a block
    std::int64_t max_cooperative_blocks(const Dim3& block, std::size_t shared_bytes = 0) const;
    /// A hint for later launches: the percentage of a multiprocessor's on-chip memory to use as shared memory, the rest
    /// as cache; -1 lets the driver decide. @returns whether the device has this setting (CUDA)
    bool prefer_shared_memory(int percent) const;
    /// The same hint in the form that older devices take; on devices with a free division the driver converts it to a
    /// percentage. @returns whether the device has this setting (CUDA; OpenCL has no such call)
    bool prefer_cache(CachePreference preference) const;
    std::uint64_t native_handle() const;

    explicit Kernel(std::shared_ptr<KernelState> state) : state_(std::move(state)) {}

   private:
    struct Sizes;
    void launch(const Sizes& sizes, const Stream& stream, std::span<const Argument> arguments) const;
    PreparedLaunch prepare_packed(const LaunchConfig& config, std::span<const Argument> arguments) const;
    void launch_watched(const Sizes& sizes, const Stream& stream, std::span<const Argument> arguments) const;
    void capture_packed(const std::string& folder, const LaunchConfig& config,
                        std::span<const Argument> arguments) const;
    double time_packed(const LaunchConfig& config, std::span<const Argument> arguments) const;

    std::shared_ptr<KernelState> state_;
};

}  // namespace gemel
