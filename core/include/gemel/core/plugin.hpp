/// The plug-in boundary: what a backend must do, and nothing that all backends do alike.
///
/// Three promises, and what each governs:
///   1. The entry point. A plug-in is a shared library named libgemel_<name>.so that exports one C function,
///      `gemel_plugin_entry`, returning a pointer to a constant `PluginEntry`. The layout of PluginEntry never changes.
///   2. The build. `abi_version` counts changes to this file; `build_tag` names gemel's version, the compiler family,
///   the
///      standard library's ABI and the sanitizer. Both must match libgemel.so, or the plug-in is refused.
///   3. The classes below. Past that check they are ordinary C++: they may throw gemel's exceptions and pass standard
///      types. Plug-ins are never unloaded.
///
/// Rules for every virtual function, unless it says otherwise:
///   - Thread-safe on different objects; core adds the locks where one object is shared, except as stated at Kernel.
///   - A failed driver call throws DeviceError (DeviceLost if the context is unusable from then on; OutOfMemory if
///   memory
///     ran out). Core adds the names of the last launches to DeviceLost; the plug-in need not know them.
///   - Destructors and `noexcept` functions log failures and swallow them.
///   - Handles are what the driver has: CUdeviceptr, CUstream, cl_mem, cl_command_queue, as 64-bit integers.
///   - Sizes are in bytes, offsets too.
///   - Core checks everything that the user gave (ranges, null handles, contexts) before it calls.
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

inline constexpr std::uint32_t abi_version = 8;

/// A driver or compiler library in use; shown by `gemel info`.
struct Library {
    std::string name;          ///< "NVRTC"
    std::string path;          ///< file, or what the loader was asked for
    std::string version;       ///< "13.0"; empty if it is not known
    std::string trouble = {};  ///< why it cannot be used; empty if it can
};

enum class MemoryKind : std::uint8_t {
    device,   ///< ordinary device memory
    mapped,   ///< page-locked host memory that kernels reach directly (zero copy)
    managed,  ///< memory that migrates between host and device (CUDA managed memory, OpenCL shared virtual memory)
    image,    ///< the storage of an Image, which no pointer reaches
};

/// One allocation. `handle` is a CUdeviceptr or a cl_mem; `host` is where the host sees it, if it does without mapping.
struct Memory {
    std::uint64_t handle = 0;
    void* host = nullptr;
    std::size_t bytes = 0;
    MemoryKind kind = MemoryKind::device;
    void* owner = nullptr;  ///< the plug-in's own bookkeeping, if it needs any
    bool foreign = false;   ///< wrapped: release() must not free it
};

/// A place in device memory.
struct Place {
    const Memory* memory = nullptr;
    std::size_t offset_bytes = 0;
};

/// One side of a rectangular copy: `host` or `device` is set. Pitches are distances between rows and between slices.
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
    bool cooperative = false;  ///< all blocks run at once; there are at most Kernel::max_cooperative_blocks()
    std::array<std::uint64_t, 3> offset{};  ///< of OpenCL's get_global_id()
};

/// No launch has more arguments, the arena included.
inline constexpr std::size_t most_arguments = 88;

/// One argument as the driver takes it: bytes of a scalar or struct, or the 8-byte handle from Context::argument().
struct ArgumentView {
    const void* data;
    std::size_t bytes;
};

/// What a driver knows about a compiled kernel.
struct KernelFacts {
    std::optional<std::uint32_t> registers;
    std::optional<std::size_t> shared_bytes;  ///< static
    std::size_t arena_overhead_bytes = 0;     ///< shared memory that the driver takes for itself beside an arena
    std::optional<std::size_t> local_bytes;   ///< per thread; more than zero means spilled registers or local arrays
    std::optional<std::size_t> constant_bytes;
    std::size_t max_threads_per_block = 0;
    std::optional<std::uint32_t> preferred_multiple;  ///< block sizes that are multiples of this run best
    std::optional<std::string> binary_architecture;   ///< "sm_90"
    std::optional<std::array<std::uint32_t, 3>> required_block;
    /// Sizes of the parameters in order, where the driver tells; a cross-check of the parsed signature.
    std::optional<std::vector<std::size_t>> parameter_bytes;
    std::optional<std::size_t> parameter_count;
};

/// A variable of a module, reached by name.
struct Global {
    Memory memory;
};

class Context;
class Stream;

/// An in-order stream of commands. Every function enqueues and returns unless it says that it blocks.
class GEMEL_API Stream : public StreamExtras {
   public:
    ~Stream() override;

    /// Host memory to device. Blocking: `host` may be reused on return. Otherwise core keeps it alive and page-locked.
    virtual void upload(const Place& to, const void* host, std::size_t bytes, bool blocking) = 0;
    virtual void download(void* host, const Place& from, std::size_t bytes, bool blocking) = 0;
    /// Device to device, ranges disjoint. The source may belong to another context if that context's
    /// `copies_directly_to` said so.
    virtual void copy(const Place& to, const Place& from, std::size_t bytes, Context& source_context) = 0;
    /// A window of bytes x rows x slices between any two sides.
    virtual void copy_rectangle(const RectSide& to, const RectSide& from, std::array<std::size_t, 3> extent,
                                bool blocking) = 0;
    /// Repeats a pattern (1, 2, 4, 8, 12 or 16 bytes, ...) `count` times. Returns false, having done nothing, where the
    /// driver has no call for that size; core then launches a kernel.
    virtual bool fill(const Place& to, const void* pattern, std::size_t pattern_bytes, std::size_t count) = 0;

    /// Elements of an image from memory where they lie without gaps, or to it.
    virtual void copy_image(const ImageRegion& image, const Place& memory, bool to_image) = 0;
    /// Between two images, or two boxes of one that share no element; the extents are equal.
    virtual void copy_images(const ImageRegion& to, const ImageRegion& from) = 0;

    /// Gives the host access to mapped or managed memory until unmap(). Blocks until the stream's earlier work is done.
    /// Where host and device see the same bytes at all times there is no more to do than to wait.
    virtual void* map(const Place& from, std::size_t bytes) = 0;
    virtual void unmap(const Memory& memory, void* host) = 0;

    /// @param timed  whether milliseconds_since() will be asked of the event; without, it may cost less
    virtual std::unique_ptr<Event> record(bool timed) = 0;
    /// Commands enqueued later start only after the event, which may be of another stream or context of this plug-in.
    virtual void wait(Event& event) = 0;
    /// Blocks until the stream is empty; asynchronous failures surface here.
    virtual void synchronize() = 0;
    /// Whether the stream is empty; does not block.
    virtual bool idle() = 0;
    /// Hands enqueued commands to the device without waiting for them (nothing to do where that happens by itself).
    virtual void flush() = 0;
    /// Calls `function(data)` once on some thread of the driver when the stream has come this far. The function calls
    /// no driver function (core sees to that) and does not throw.
    virtual void call_host(void (*function)(void*), void* data) = 0;
    /// What this thread enqueues from now until stop_timing() is timed; no other thread enqueues meanwhile. By two
    /// events, unless the plug-in knows better.
    virtual std::shared_ptr<Timing> start_timing();
    virtual void stop_timing(Timing& timing);

    /// From now on the handle stays the same.
    virtual std::uint64_t native() = 0;
};

/// A kernel with its arguments set once. Not shared between threads.
class GEMEL_API BoundKernel {
   public:
    virtual ~BoundKernel();
    virtual void set(std::size_t index, const ArgumentView& argument) = 0;
    virtual void launch(Stream& stream, const LaunchShape& shape) = 0;
};

/// A kernel of a module. launch() and bind() may be called by several threads at once: where a driver's kernel object
/// holds the arguments, the plug-in locks around set and enqueue.
class GEMEL_API Kernel {
   public:
    virtual ~Kernel();
    virtual const KernelFacts& facts() const = 0;
    /// Number, sizes and kinds of the arguments have been checked. `arena` is the index of the SHARED_ARENA parameter,
    /// or -1; its view is empty. No heap allocation once warm.
    virtual void launch(Stream& stream, const LaunchShape& shape, std::span<const ArgumentView> arguments,
                        int arena) = 0;
    /// Whether the latest launch, also one of a BoundKernel, has come so far that nothing is compiled for it any more:
    /// it runs, or has run. Asked only where Module::finishes_at_first_launch(); does not block.
    virtual bool has_begun() = 0;
    /// A launch to be repeated; the views' data is copied.
    virtual std::unique_ptr<BoundKernel> bind(std::span<const ArgumentView> arguments, int arena) = 0;
    /// Blocks of that size that can be resident on one compute unit at once, where the driver tells.
    virtual std::optional<std::uint32_t> blocks_per_compute_unit(std::size_t threads_per_block,
                                                                 std::size_t dynamic_shared_bytes) = 0;
    /// Blocks of that size that the whole device runs at once in a cooperative launch. By default 1.
    virtual std::uint64_t max_cooperative_blocks(std::size_t threads_per_block, std::size_t dynamic_shared_bytes);
    /// See gemel::Kernel::prefer_shared_memory(). By default false.
    virtual bool prefer_shared_memory(int percent);
    /// See gemel::Kernel::prefer_cache(). By default false.
    virtual bool prefer_cache(CachePreference preference);
    /// Where facts() has none and the driver can be made to tell; may compile. By default those of facts().
    virtual std::optional<std::uint32_t> find_registers();
    virtual std::uint64_t native() const = 0;
};

/// One command of a recorded list. Core keeps what it points to for as long as the graph lives.
struct GraphCommand {
    enum class Kind : std::uint8_t { launch, copy, fill };
    Kind kind = Kind::launch;
    // A launch.
    Kernel* kernel = nullptr;
    LaunchShape shape = {};
    std::span<const ArgumentView> arguments = {};
    int arena = -1;
    // A copy; a host's side is page-locked. One row and one slice: `extent[0]` bytes, and pitches say nothing.
    RectSide to = {}, from = {};
    std::array<std::size_t, 3> extent{};
    // A fill: a pattern of 1, 2 or 4 bytes, at an address aligned to it.
    Place place = {};
    std::array<std::byte, 4> pattern{};
    std::size_t pattern_bytes = 0, count = 0;
};

/// Recorded commands that the driver holds. Not shared between threads: core locks.
class GEMEL_API Graph {
   public:
    virtual ~Graph();
    /// Enqueues all commands; each starts after the one before.
    virtual void launch(Stream& stream) = 0;
    /// Replaces an argument of a launch from the graph's next launch on. @param command  its place in the list
    virtual void set(std::size_t command, std::size_t argument, const ArgumentView& value) = 0;
};

/// A compiled program.
class GEMEL_API Module {
   public:
    virtual ~Module();
    /// Null if the program has no kernel of that name.
    virtual std::unique_ptr<Kernel> kernel(const std::string& name) = 0;
    virtual std::vector<std::string> kernel_names() const = 0;
    /// What Context::load takes. Where a driver finishes compiling at the first launch (PoCL), later calls give more.
    virtual std::vector<std::byte> binary() const = 0;
    virtual bool finishes_at_first_launch() const = 0;
    /// A writable variable at file scope. @throws Error where the API has no such thing
    virtual Global global(const std::string& name) = 0;
    virtual std::uint64_t native() const = 0;
};

/// One context of one device.
class GEMEL_API Context : public ContextExtras {
   public:
    ~Context() override;

    virtual Memory allocate(std::size_t bytes, MemoryKind kind) = 0;
    virtual void release(const Memory& memory) noexcept = 0;
    /// Adopts a foreign handle; core holds whatever keeps it alive.
    virtual Memory wrap_memory(std::uint64_t handle, std::size_t bytes) = 0;
    /// Page-locked host memory for asynchronous copies.
    virtual Memory allocate_host(std::size_t bytes) = 0;
    virtual void release_host(const Memory& memory) noexcept = 0;
    /// Memory of the user's as page-locked memory (`foreign`), page-locked where the driver can; release_host() undoes
    /// that and no more.
    virtual Memory register_host(void* host, std::size_t bytes);
    /// The 8-byte value that a kernel takes for this place: a device address, or a cl_mem (a sub-buffer for an offset;
    /// core caches it and gives it back). @throws ArgumentError naming the alignment that the offset lacks
    virtual std::uint64_t argument(const Place& place, std::size_t bytes) = 0;
    virtual void release_argument(const Place& place, std::uint64_t argument) noexcept = 0;
    /// Whether argument() of an offset is argument() of the start plus the offset, so that nobody need ask.
    virtual bool addresses_are_linear() const = 0;
    /// Whether there are images of this shape's format; its extents are not looked at. False without images.
    virtual bool has_image_format(const ImageShape& shape) = 0;
    /// Extents are within what the device's limits allow, or the driver refuses.
    virtual std::unique_ptr<Image> create_image(const ImageShape& shape) = 0;
    /// What stands for image and sampler in a texture over plain memory. They live as long as the context.
    virtual TextureHandles plain_texture(unsigned dimensions, bool is_layered) = 0;
    /// Free and total device memory, where the driver tells.
    virtual std::optional<std::pair<std::size_t, std::size_t>> memory_info() = 0;
    /// Whether Stream::copy can read this context's memory into `other`'s.
    virtual bool copies_directly_to(const Context& other) const = 0;

    virtual std::unique_ptr<Stream> create_stream() = 0;
    /// A foreign stream or queue of this context. @throws ArgumentError if it belongs to another
    virtual std::unique_ptr<Stream> wrap_stream(std::uint64_t handle) = 0;

    /// Command-line options for these wishes, in a fixed order: part of the cache key. Include folders are free of
    /// spaces.
    virtual std::vector<std::string> compiler_options(const CompileOptions& options) const = 0;
    /// @throws BuildFailure with the compiler's log
    virtual BuildResult build(const BuildRequest& request) = 0;
    /// Compiles several units, each by itself, and links them into one program. By default an Error: not every driver
    /// has a linker.
    /// @throws BuildFailure with the compiler's log and the unit, or with the linker's
    virtual BuildResult link(std::span<const BuildRequest> units);
    /// The binary of one text, for any architecture, without loading it. By default an Error.
    virtual std::vector<std::byte> compile(const BuildRequest& request, std::string& log);
    /// What a binary that is built with these options is for, as bundles call it: "sm_90". By default nothing: a binary
    /// fits where the device's fingerprint is the same.
    virtual std::string binary_target(const CompileOptions& options) const;
    /// How well a binary for such a target suits this device: 0 not at all, the more the better. By default 0.
    virtual int fit_of(std::string_view target) const;
    /// Whether the lines in this compiler's log are counted as #line directives say (NVIDIA's OpenCL of driver 580
    /// takes their names but counts lines of the whole text).
    virtual bool logs_follow_line_directives() const = 0;
    /// A file that core locks between processes while this driver compiles (at a build, and from the first launch until
    /// Kernel::has_begun() where it finishes then), because it shares a cache folder unsafely (PoCL 3.1 crashes). Never
    /// held while a kernel runs. Empty where that is not needed.
    virtual std::string build_lock() const = 0;
    /// A binary from Module::binary(), or a native one (cubin, PTX, program binary).
    /// @throws Error if the driver refuses it
    virtual std::unique_ptr<Module> load(std::span<const std::byte> binary) = 0;
    /// The same with options for the driver's assembler, and with what it says. By default load(): they are hints.
    virtual BuildResult load_with(std::span<const std::byte> binary, const JitOptions& jit);
    /// Kernels of DeviceExtras::built_in_kernels(), all of them known. By default an Error.
    virtual std::unique_ptr<Module> load_built_in(std::span<const std::string> names);

    /// A list of commands as one object of the driver's. Null where the driver has none: core then enqueues them one by
    /// one, kernels with Kernel::bind().
    virtual std::unique_ptr<Graph> make_graph(std::span<const GraphCommand> commands) = 0;

    /// Blocks until all streams of the context are empty.
    virtual void synchronize() = 0;
    /// The vendor's own profilers, where there are any, shall collect from now on, or no longer.
    virtual void let_profilers_collect(bool) noexcept;
    /// Gives up a lost context: from now on every release is a no-op. The next Device::create_context() works again.
    virtual void abandon() noexcept = 0;
    virtual std::uint64_t native() const = 0;
};

/// One device. Lives as long as the process.
class GEMEL_API Device : public DeviceExtras {
   public:
    ~Device() override;
    virtual const DeviceInfo& info() const = 0;
    virtual std::unique_ptr<Context> create_context() = 0;
    /// A context around a foreign one (cl_context). @throws ArgumentError if it does not hold this device, or where
    /// contexts are not wrapped because all share the primary one (CUDA)
    virtual std::unique_ptr<Context> wrap_context(std::uint64_t handle) = 0;
    /// Everything that decides what a binary for this device looks like and whether it still fits: architecture, driver
    /// and compiler versions and builds.
    virtual std::string fingerprint() const = 0;
    virtual std::uint64_t native() const = 0;
};

/// A loaded plug-in.
class GEMEL_API Plugin {
   public:
    virtual ~Plugin();
    virtual std::string name() const = 0;
    /// Name of the Dialect that its contexts compile.
    virtual std::string dialect() const = 0;
    /// Among devices of one type, higher comes first (CUDA 20, OpenCL 10).
    virtual int priority() const = 0;
    /// Usable devices, in the order of their index. Called once.
    virtual std::vector<std::shared_ptr<Device>> devices() = 0;
    /// Why devices() is empty, for a person: which library is missing, what the driver said, what to install.
    virtual std::string why_unavailable() const = 0;
    virtual std::vector<Library> libraries() const = 0;
    /// A range of the host's time for the vendor's own profilers, where there are any.
    virtual void push_range(const char* name) noexcept;
    virtual void pop_range() noexcept;
    /// Compiles for a named architecture without a device. @throws BackendUnavailable where that cannot be
    virtual std::vector<std::byte> compile_offline(std::string_view text, std::string_view architecture,
                                                   const CompileOptions& options) = 0;
};

/// What `gemel_plugin_entry` returns a pointer to.
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
