/// The plug-in interface: what a backend implements. What all backends have in common is in core.
///
/// Three levels of compatibility:
///   1. The entry point. A plug-in is a shared library named libgemel_<name>.so that exports one C function,
///      `gemel_plugin_entry`, returning a pointer to a constant `PluginEntry`. The layout of PluginEntry never changes.
///   2. The build. `abi_version` counts changes to this file; `build_tag` contains gemel's version, the compiler
///      family, the standard library's ABI and the sanitizer. libgemel.so refuses a plug-in if either differs.
///   3. The classes below. After that check they are ordinary C++: they may throw gemel's exceptions and pass standard
///      types. Plug-ins are never unloaded.
///
/// Rules for every virtual function, unless its comment says otherwise:
///   - It is thread-safe on different objects. Core locks shared objects, except as stated at Kernel.
///   - A failed driver call throws DeviceError: DeviceLost if the context is unusable afterwards, OutOfMemory if memory
///     ran out. Core adds the names of the last launches to DeviceLost.
///   - Destructors and `noexcept` functions log failures and do not throw.
///   - Handles are the driver's, as 64-bit integers: CUdeviceptr, CUstream, cl_mem, cl_command_queue.
///   - Sizes and offsets are in bytes.
///   - Core checks all user input (ranges, null handles, contexts) before it calls.
#pragma once

#include <gemel/core/device.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/plugin_event.hpp>
#include <gemel/core/plugin_extras.hpp>
#include <gemel/core/plugin_image.hpp>
#include <gemel/core/plugin_program.hpp>
#include <gemel/core/plugin_timing.hpp>
#include <gemel/core/source.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gemel::plugin {

inline constexpr std::uint32_t abi_version = 9;

/// A driver or compiler library in use; shown by `gemel info`.
struct Library {
    std::string name;          ///< "NVRTC"
    std::string path;          ///< file, or the name given to the loader
    std::string version;       ///< "13.0"; empty if unknown
    std::string trouble = {};  ///< why it cannot be used; empty if it can
};

enum class MemoryKind : std::uint8_t {
    device,   ///< ordinary device memory
    mapped,   ///< page-locked host memory that kernels access directly (zero copy)
    managed,  ///< memory that migrates between host and device (CUDA managed memory, OpenCL shared virtual memory)
    image,    ///< the storage of an Image, not accessible by pointer
};

/// One allocation. `handle` is a CUdeviceptr or a cl_mem; `host` is its host address if the host can access it without
/// mapping.
struct Memory {
    std::uint64_t handle = 0;
    void* host = nullptr;
    std::size_t bytes = 0;
    MemoryKind kind = MemoryKind::device;
    void* owner = nullptr;  ///< the plug-in's own data, if any
    bool foreign = false;   ///< wrapped; release() must not free it
};

/// A place in device memory.
struct Place {
    const Memory* memory = nullptr;
    std::size_t offset_bytes = 0;
};

/// One side of a rectangular copy; either `host` or `device` is set. A pitch is the distance between rows or slices.
struct RectSide {
    std::byte* host = nullptr;
    const Memory* device = nullptr;
    std::size_t offset_bytes = 0;  ///< of the first byte
    std::size_t row_pitch_bytes = 0;
    std::size_t slice_pitch_bytes = 0;
};

/// Grid and block after all checks; never zero.
struct LaunchShape {
    std::array<std::uint32_t, 3> grid{1, 1, 1};
    std::array<std::uint32_t, 3> block{1, 1, 1};
    std::uint32_t shared_bytes = 0;
    bool cooperative = false;  ///< all blocks run at the same time; at most Kernel::max_cooperative_blocks()
    bool overlap = true;       ///< blocks may become resident while the stream's previous kernel still runs
    bool exclusive = false;    ///< core has ordered it after other exclusive launches; plug-ins ignore it
    std::array<std::uint64_t, 3> offset{};  ///< of OpenCL's get_global_id()
};

/// The maximum number of arguments of a launch, including the arena.
inline constexpr std::size_t max_arguments = 88;

/// One argument as the driver takes it: bytes of a scalar or struct, or the 8-byte handle from Context::argument().
struct ArgumentView {
    const void* data;
    std::size_t bytes;
};

/// The driver's attributes of a compiled kernel.
struct KernelFacts {
    std::optional<std::uint32_t> registers;
    std::optional<std::size_t> shared_bytes;  ///< static
    std::size_t arena_overhead_bytes = 0;     ///< shared memory that the driver uses in addition to an arena
    std::optional<std::size_t> local_bytes;   ///< per thread; above zero means spilled registers or local arrays
    std::optional<std::size_t> constant_bytes;
    std::size_t max_threads_per_block = 0;
    std::optional<std::uint32_t> preferred_multiple;  ///< preferred block sizes are multiples of this
    std::optional<std::string> binary_architecture;   ///< "sm_90"
    std::optional<std::array<std::uint32_t, 3>> required_block;
    /// Sizes of the parameters in order, if the driver reports them; checked against the parsed signature.
    std::optional<std::vector<std::size_t>> parameter_bytes;
    std::optional<std::size_t> parameter_count;
};

/// A variable of a module.
struct Global {
    Memory memory;
};

class Context;
class Stream;

/// An in-order stream of commands. Every function enqueues and returns unless it says that it blocks.
class GEMEL_API Stream : public StreamExtras {
   public:
    ~Stream() override;

    /// Copies host memory to the device. If `blocking`, `host` may be reused on return; otherwise it is page-locked and
    /// core keeps it alive.
    virtual void upload(const Place& to, const void* host, std::size_t bytes, bool blocking) = 0;
    virtual void download(void* host, const Place& from, std::size_t bytes, bool blocking) = 0;
    /// Copies between disjoint ranges of device memory. The source belongs to this stream's context; the target may
    /// belong to another to which that one copies_directly_to(). If `blocking`, the stream is empty on return.
    virtual void copy(const Place& to, const Place& from, std::size_t bytes, Context& target_context,
                      bool blocking) = 0;
    /// Copies a window of bytes x rows x slices between any two sides.
    virtual void copy_rectangle(const RectSide& to, const RectSide& from, std::array<std::size_t, 3> extent,
                                bool blocking) = 0;
    /// Writes a pattern (1, 2, 4, 8, 12 or 16 bytes, ...) `count` times. Returns false without writing if the driver
    /// has no call for that size; core then launches a kernel.
    virtual bool fill(const Place& to, const void* pattern, std::size_t pattern_bytes, std::size_t count) = 0;

    /// Copies elements of an image from or to contiguous memory.
    virtual void copy_image(const ImageRegion& image, const Place& memory, bool to_image) = 0;
    /// Copies between two images, or between two disjoint boxes of one image; the extents are equal.
    virtual void copy_images(const ImageRegion& to, const ImageRegion& from) = 0;

    /// Gives the host access to mapped or managed memory until unmap(). Blocks until the stream's earlier work is done.
    /// If host and device always see the same bytes, it only waits.
    virtual void* map(const Place& from, std::size_t bytes) = 0;
    virtual void unmap(const Memory& memory, void* host) = 0;

    /// @param timed  whether milliseconds_since() will be called on the event; an untimed event may cost less
    virtual std::unique_ptr<Event> record(bool timed) = 0;
    /// Makes later commands start only after the event, which may belong to another stream or context of this plug-in.
    virtual void wait(Event& event) = 0;
    /// Blocks until the stream is empty; throws asynchronous failures.
    virtual void synchronize() = 0;
    /// Whether the stream is empty; does not block.
    virtual bool idle() = 0;
    /// Submits enqueued commands to the device without waiting for them. Does nothing if the driver submits at once.
    virtual void flush() = 0;
    /// Calls `function(data)` once on a driver thread when the stream reaches this point. The function calls no driver
    /// function (core ensures this) and does not throw.
    virtual void call_host(void (*function)(void*), void* data) = 0;
    /// Times the commands that this thread enqueues until stop_timing(); no other thread enqueues meanwhile. The
    /// default uses two events.
    virtual std::shared_ptr<Timing> start_timing();
    virtual void stop_timing(Timing& timing);

    /// The driver's handle. It does not change after the first call.
    virtual std::uint64_t native() = 0;
};

/// A kernel with bound arguments. Not shared between threads.
class GEMEL_API BoundKernel {
   public:
    virtual ~BoundKernel();
    virtual void set(std::size_t index, const ArgumentView& argument) = 0;
    virtual void launch(Stream& stream, const LaunchShape& shape) = 0;
};

/// A kernel of a module. Several threads may call launch() and bind() at the same time. If the driver's kernel object
/// holds the arguments, the plug-in locks while it sets them and enqueues.
class GEMEL_API Kernel {
   public:
    virtual ~Kernel();
    virtual const KernelFacts& facts() const = 0;
    /// Core has checked the number, sizes and kinds of the arguments. `arena` is the index of the SHARED_ARENA
    /// parameter, or -1; its view is empty. Repeated launches allocate no heap memory.
    virtual void launch(Stream& stream, const LaunchShape& shape, std::span<const ArgumentView> arguments,
                        int arena) = 0;
    /// Whether the latest launch, including those of a BoundKernel, runs or has run, so that its compilation is over.
    /// Called only if Module::finishes_at_first_launch(); does not block.
    virtual bool has_begun() = 0;
    /// A launch for repetition; copies the arguments' data.
    virtual std::unique_ptr<BoundKernel> bind(std::span<const ArgumentView> arguments, int arena) = 0;
    /// The number of blocks of that size that can be resident on one compute unit, if the driver reports it.
    virtual std::optional<std::uint32_t> blocks_per_compute_unit(std::size_t threads_per_block,
                                                                 std::size_t dynamic_shared_bytes) = 0;
    /// The maximum number of blocks of that size in a cooperative launch. Default: 1.
    virtual std::uint64_t max_cooperative_blocks(std::size_t threads_per_block, std::size_t dynamic_shared_bytes);
    /// See gemel::Kernel::prefer_shared_memory(). Default: false.
    virtual bool prefer_shared_memory(int percent);
    /// See gemel::Kernel::prefer_cache(). Default: false.
    virtual bool prefer_cache(CachePreference preference);
    /// The register count if facts() has none but the driver can determine it; may compile. Default: that of facts().
    virtual std::optional<std::uint32_t> find_registers();
    virtual std::uint64_t native() const = 0;
};

/// One command of a recorded list. Core keeps the objects that it points to alive as long as the graph.
struct GraphCommand {
    enum class Kind : std::uint8_t { launch, copy, fill };
    Kind kind = Kind::launch;
    // A launch.
    Kernel* kernel = nullptr;
    LaunchShape shape = {};
    std::span<const ArgumentView> arguments = {};
    int arena = -1;
    // A copy; a host side is page-locked. With one row and one slice, `extent[0]` bytes are copied and pitches are
    // ignored.
    RectSide to = {}, from = {};
    std::array<std::size_t, 3> extent{};
    // A fill: a pattern of 1, 2 or 4 bytes, at an address aligned to it.
    Place place = {};
    std::array<std::byte, 4> pattern{};
    std::size_t pattern_bytes = 0, count = 0;
};

/// A command list in the driver. Not thread-safe: core locks.
class GEMEL_API Graph {
   public:
    virtual ~Graph();
    /// Enqueues all commands; each starts after the previous one.
    virtual void launch(Stream& stream) = 0;
    /// Replaces an argument of a kernel command for later launches of the graph. @param command  its index in the list
    virtual void set(std::size_t command, std::size_t argument, const ArgumentView& value) = 0;
};

/// A compiled program.
class GEMEL_API Module {
   public:
    virtual ~Module();
    /// Null if the program has no kernel of that name.
    virtual std::unique_ptr<Kernel> kernel(const std::string& name) = 0;
    virtual std::vector<std::string> kernel_names() const = 0;
    /// A binary for Context::load(). If the driver finishes compiling at the first launch (PoCL), a call after that
    /// returns a more complete binary.
    virtual std::vector<std::byte> binary() const = 0;
    virtual bool finishes_at_first_launch() const = 0;
    /// A writable variable at file scope. @throws Error if the API has no such variables
    virtual Global global(const std::string& name) = 0;
    virtual std::uint64_t native() const = 0;
};

/// One context of one device.
class GEMEL_API Context : public ContextExtras {
   public:
    ~Context() override;

    virtual Memory allocate(std::size_t bytes, MemoryKind kind) = 0;
    virtual void release(const Memory& memory) noexcept = 0;
    /// Adopts a foreign handle; core keeps its owner alive.
    virtual Memory wrap_memory(std::uint64_t handle, std::size_t bytes) = 0;
    /// Page-locked host memory for asynchronous copies.
    virtual Memory allocate_host(std::size_t bytes) = 0;
    virtual void release_host(const Memory& memory) noexcept = 0;
    /// Page-locks the user's memory (`foreign`) if the driver can; release_host() unlocks it without freeing it.
    virtual Memory register_host(void* host, std::size_t bytes);
    /// The 8-byte kernel argument for this place: a device address, or a cl_mem (a sub-buffer for an offset; core
    /// caches it and calls release_argument()). @throws ArgumentError with the required alignment of the offset
    virtual std::uint64_t argument(const Place& place, std::size_t bytes) = 0;
    virtual void release_argument(const Place& place, std::uint64_t argument) noexcept = 0;
    /// Whether argument() at an offset equals argument() at the start plus the offset. Core then calls it only once.
    virtual bool addresses_are_linear() const = 0;
    /// Whether the device has images of this shape's format; ignores the extents. False if it has no images.
    virtual bool has_image_format(const ImageShape& shape) = 0;
    /// Creates an image. The driver refuses extents beyond the device's limits.
    virtual std::unique_ptr<Image> create_image(const ImageShape& shape) = 0;
    /// Placeholder image and sampler for a texture over plain memory. They live as long as the context.
    virtual TextureHandles plain_texture(unsigned dimensions, bool is_layered) = 0;
    /// Free and total device memory, if the driver reports it.
    virtual std::optional<std::pair<std::size_t, std::size_t>> memory_info() = 0;
    /// Whether Stream::copy can read this context's memory into `other`'s.
    virtual bool copies_directly_to(const Context& other) const = 0;
    /// Whether a cooperative launch starts only when all of its blocks can run. Default: false.
    virtual bool starts_grids_whole() const;

    virtual std::unique_ptr<Stream> create_stream() = 0;
    /// Wraps a foreign stream or queue of this context. @throws ArgumentError if it belongs to another context
    virtual std::unique_ptr<Stream> wrap_stream(std::uint64_t handle) = 0;

    /// Command-line options for `options`, in a fixed order: they are part of the cache key. The include folders
    /// contain no spaces.
    virtual std::vector<std::string> compiler_options(const CompileOptions& options) const = 0;
    /// @throws BuildFailure with the compiler's log
    virtual BuildResult build(const BuildRequest& request) = 0;
    /// Compiles several units separately and links them into one program. The default throws Error: not every driver
    /// has a linker.
    /// @throws BuildFailure with the compiler's log and the unit, or with the linker's log
    virtual BuildResult link(std::span<const BuildRequest> units);
    /// Compiles one text for any architecture without loading it. The default throws Error.
    virtual std::vector<std::byte> compile(const BuildRequest& request, std::string& log);
    /// The bundle target of binaries that are built with these options: "sm_90". Default: empty; a binary then fits
    /// devices with the same fingerprint.
    virtual std::string binary_target(const CompileOptions& options) const;
    /// How well a binary for that target suits this device; 0 if it does not run, higher is better. Default: 0.
    virtual int fit_of(std::string_view target) const;
    /// Whether line numbers in this compiler's log follow #line directives. (NVIDIA's OpenCL of driver 580 uses their
    /// file names but counts the lines of the whole text.)
    virtual bool logs_follow_line_directives() const = 0;
    /// A file that core locks between processes while this driver compiles, because the driver's shared cache folder is
    /// not safe between processes (PoCL 3.1 crashes). Core locks it during a build and, if the driver finishes
    /// compiling at the first launch, from that launch until Kernel::has_begun(); never while a kernel runs. Empty if
    /// not needed.
    virtual std::string build_lock() const = 0;
    /// Loads a binary from Module::binary(), or a native one (cubin, PTX, program binary).
    /// @throws Error if the driver refuses it
    virtual std::unique_ptr<Module> load(std::span<const std::byte> binary) = 0;
    /// Loads with options for the driver's assembler and returns its log. Default: load(); the options are hints.
    virtual BuildResult load_with(std::span<const std::byte> binary, const JitOptions& jit);
    /// Loads kernels that DeviceExtras::built_in_kernels() lists. The default throws Error.
    virtual std::unique_ptr<Module> load_built_in(std::span<const std::string> names);

    /// Makes one driver object of a list of commands. Null if the driver has no such object: core then enqueues the
    /// commands one by one, kernels with Kernel::bind().
    virtual std::unique_ptr<Graph> make_graph(std::span<const GraphCommand> commands) = 0;

    /// Blocks until all streams of the context are empty.
    virtual void synchronize() = 0;
    /// Starts or stops the collection of the vendor's profilers, if there are any.
    virtual void let_profilers_collect(bool) noexcept;
    /// Abandons a lost context: later releases do nothing. The next Device::create_context() works again.
    virtual void abandon() noexcept = 0;
    virtual std::uint64_t native() const = 0;
};

/// One device. Lives as long as the process.
class GEMEL_API Device : public DeviceExtras {
   public:
    ~Device() override;
    virtual const DeviceInfo& info() const = 0;
    virtual std::unique_ptr<Context> create_context() = 0;
    /// Wraps a foreign context (cl_context). @throws ArgumentError if it does not contain this device, or on CUDA,
    /// where all contexts share the primary context
    virtual std::unique_ptr<Context> wrap_context(std::uint64_t handle) = 0;
    /// Everything that determines the binaries for this device: architecture, driver and compiler versions and builds.
    virtual std::string fingerprint() const = 0;
    virtual std::uint64_t native() const = 0;
};

/// A loaded plug-in.
class GEMEL_API Plugin {
   public:
    virtual ~Plugin();
    virtual std::string name() const = 0;
    /// The name of the Dialect that its contexts compile.
    virtual std::string dialect() const = 0;
    /// Order among devices of one type, highest first (CUDA 20, OpenCL 10).
    virtual int priority() const = 0;
    /// Usable devices in index order. Called once.
    virtual std::vector<std::shared_ptr<Device>> devices() = 0;
    /// Why devices() is empty: the missing library, the driver's error, what to install.
    virtual std::string why_unavailable() const = 0;
    virtual std::vector<Library> libraries() const = 0;
    /// A named host range for the vendor's profilers, if there are any.
    virtual void push_range(const char* name) noexcept;
    virtual void pop_range() noexcept;
    /// Compiles for a named architecture without a device. @throws BackendUnavailable if the backend cannot
    virtual std::vector<std::byte> compile_offline(std::string_view text, std::string_view architecture,
                                                   const CompileOptions& options) = 0;
};

/// `gemel_plugin_entry` returns a pointer to this.
struct PluginEntry {
    std::uint32_t abi_version;
    const char* build_tag;
    Plugin* (*create)();  ///< called once, after the check; the object lives as long as the process
};

using EntryFunction = const PluginEntry* (*)();
inline constexpr const char* entry_symbol = "gemel_plugin_entry";

/// The tag of this build of libgemel.so.
GEMEL_API const char* library_build_tag();

}  // namespace gemel::plugin

#include <gemel/core/build_tag.hpp>
