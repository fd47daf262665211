/// A device in use: where memory, streams and programs come from.
#pragma once

#include <gemel/core/buffer.hpp>
#include <gemel/core/device.hpp>
#include <gemel/core/dialect.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/options.hpp>
#include <gemel/core/source.hpp>
#include <gemel/core/statistics.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gemel {

class Event;
class Module;
class Stream;
struct ContextState;

/// A memory pool of a context: freed blocks are kept in size classes (at most 6.25 % larger than asked) and reused in
/// stream order.
class GEMEL_API MemoryPool {
   public:
    PoolStatistics statistics() const;
    /// Gives every held block back to the driver. Returns the bytes.
    std::size_t trim() const;
    /// Active and held memory together may not exceed this; 0 lifts the limit. Held blocks are given up first.
    void set_limit(std::size_t bytes) const;
    /// Gives up what is held; from now on blocks that die go to the driver at once.
    void stop_holding() const;
    void resume_holding() const;

    /// Whether allocations are counted by where they are made. What lives already is not counted.
    void watch(bool on) const;
    /// What was counted, most living bytes first; see AllocationSite.
    std::vector<AllocationFigures> allocations() const;

    MemoryPool(std::shared_ptr<ContextState> state, bool is_host) : state_(std::move(state)), is_host_(is_host) {}

   private:
    std::shared_ptr<ContextState> state_;
    bool is_host_ = false;
};

/// Names what allocates on this thread for as long as it lives, in MemoryPool::allocations(); the innermost counts.
class GEMEL_API AllocationSite {
   public:
    explicit AllocationSite(std::string name, const CallPlace& where = CallPlace::current());
    ~AllocationSite();
    AllocationSite(const AllocationSite&) = delete;
    AllocationSite& operator=(const AllocationSite&) = delete;

   private:
    std::string name_;
    const std::string* previous_;
};

/// Where device memory comes from, if not from the driver.
struct UserAllocator {
    /// @returns a handle of the driver's (a CUdeviceptr of the primary context, a cl_mem of this cl_context), 0 if
    /// there is no memory
    std::function<std::uint64_t(std::size_t bytes)> allocate;
    /// May be called from any thread that lets memory go. Does not throw.
    std::function<void(std::uint64_t handle, std::size_t bytes)> release;
};

/// Rows of bytes on a device, `pitch_bytes` apart.
struct PitchedBuffer {
    Buffer buffer;
    std::size_t pitch_bytes = 0;
};

/// The allocation of the driver's in which an address lies.
struct AddressRange {
    std::uint64_t address = 0;  ///< of its first byte
    std::size_t bytes = 0;
};

/// A context on one device: a cheap handle that shares ownership. Safe to use from several threads.
/// Contexts of one device share its address space and its faults; streams, pool and statistics are their own.
class GEMEL_API Context {
   public:
    /// @throws BackendUnavailable or DeviceError if the driver refuses
    explicit Context(const Device& device);

    Device device() const;
    /// The kernel language that this context compiles.
    const Dialect& dialect() const;

    /// Uninitialised device memory. Zero bytes are legal.
    /// @throws OutOfMemory with sizes and the pool's figures, after the pool gave up what it held
    /// @time under 0.2 us when the pool holds a block of the size, else the driver's own time
    /// @param where  what the pool's log says of it; see MemoryPool::watch()
    Buffer allocate(std::size_t bytes, const CallPlace& where = CallPlace::current()) const;
    /// Rows of so many bytes, each beginning where the device reads best. Rectangular copies take the pitch.
    PitchedBuffer allocate_pitched(std::size_t row_bytes, std::size_t rows) const;
    MemoryPool pool() const;
    /// That of page-locked memory.
    MemoryPool host_pool() const;
    /// From now on device memory comes from the user's functions; empty ones give it back to the driver. Memory that
    /// was allocated before goes back where it came from. The pool stands in front of either: stop_holding() takes it
    /// away.
    void set_allocator(UserAllocator allocator) const;
    /// Free and total device memory, in bytes, where the driver tells.
    std::optional<std::pair<std::size_t, std::size_t>> memory_info() const;

    /// Compiles portable kernel text. The same text and options give the same module, from memory or disk, without
    /// another run of the compiler.
    /// @throws CompileError with the numbered lines around each complaint
    Module compile(std::string_view text, const CompileOptions& options = {}) const;
    /// Compiles native text as it stands, without the portable words.
    Module compile(const NativeSource& source, const CompileOptions& options = {}) const;
    /// Compiles whatever prints itself in this context's dialect.
    template <SourceProvider S>
    Module compile(const S& source, const CompileOptions& options = {}) const;
    /// Loads what Module::binary() gave; on CUDA a cubin, PTX or a fatbin (the best image in it that fits); on OpenCL a
    /// program binary, or SPIR-V where the platform takes it (OpenCL 2.1, cl_khr_il_program).
    /// @param jit  for the driver's assembler, where there is anything to assemble; its words are in build_log()
    /// @throws Error with the driver's log if it does not fit this device or is damaged
    Module load_binary(std::span<const std::byte> binary, const JitOptions& jit = {}) const;
    /// Kernels that the device is born with, by the names that Device::built_in_kernels() lists.
    /// @throws Error that lists those there are; CUDA devices have none
    Module built_in_kernels(const std::vector<std::string>& names) const;

    Stream create_stream(StreamPriority priority = StreamPriority::normal) const;
    Stream default_stream() const;
    /// Blocks until every stream of the context is empty.
    void synchronize() const;
    /// Gives a working context again after DeviceLost. All memory, streams and modules made before are gone: using them
    /// throws DeviceLost. On a healthy context it does the same.
    void reset() const;

    /// Kernels of this context may from now on read and write the other's memory, which peer_view() gives.
    /// @throws Error if the devices cannot; Device::can_reach() asks
    void reach(const Context& other) const;
    /// A buffer of a context that is reached, as an argument of this context's kernels. Order between the two contexts'
    /// streams is the caller's: `stream.wait(event)`.
    Buffer peer_view(const Buffer& buffer) const;
    /// The allocation in which a raw device address lies, gemel's or another library's; empty if in none, and where
    /// memory has handles instead of addresses (OpenCL). Blocks of the pool may be larger than their buffers.
    std::optional<AddressRange> address_range(std::uint64_t address) const;
    /// A limit in bytes; empty where the driver has none (OpenCL).
    std::optional<std::size_t> limit(ContextLimit which) const;
    /// @throws Error where the driver has none, DeviceError if it refuses the value
    void set_limit(ContextLimit which, std::size_t bytes) const;

    Statistics statistics() const;
    /// Everything that identifies hardware, drivers, compilers and gemel: a key for stored results.
    std::string fingerprint() const;

    /// Adopts foreign memory, a foreign stream or queue by the driver's handle; see gemel/interop for typed functions.
    /// @param keep_alive  held for as long as any handle to it lives
    Buffer wrap_buffer(std::uint64_t handle, std::size_t bytes, std::shared_ptr<void> keep_alive = nullptr) const;
    Stream wrap_stream(std::uint64_t handle, std::shared_ptr<void> keep_alive = nullptr) const;
    /// A foreign event, for waits; it has no device times here.
    Event wrap_event(std::uint64_t handle, std::shared_ptr<void> keep_alive = nullptr) const;
    /// A context around a foreign one of this device (cl_context).
    static Context wrap(const Device& device, std::uint64_t handle, std::shared_ptr<void> keep_alive = nullptr);
    /// The driver's handle (CUcontext, cl_context).
    std::uint64_t native_handle() const;

    // For those who write generators.
    /// An object that lives as long as the context, or until reset(): made by `make` when `key` is first asked for.
    /// Compiled kernels belong into such an object: kept elsewhere they would outlive the context or keep it alive. It
    /// must hold no handle that keeps the context alive (Context, Stream, Module, Buffer); a Kernel does not.
    template <class T>
    std::shared_ptr<T> attached(const void* key) const {
        return std::static_pointer_cast<T>(attached_object(key, [] { return std::shared_ptr<void>(new T); }));
    }
    /// Device memory for attached objects: like allocate(), but the buffer does not keep the context alive.
    Buffer allocate_attached(std::size_t bytes) const;
    /// A number that no other context has, and that reset() changes: a key for what is remembered about a context.
    std::uint64_t id() const;
    /// Whether the host may add offsets to device addresses (a pointer). If not, kernels are told the offset of a view.
    bool addresses_are_linear() const;

    friend bool operator==(const Context& a, const Context& b) { return a.state_ == b.state_; }

    explicit Context(std::shared_ptr<ContextState> state) : state_(std::move(state)) {}
    const std::shared_ptr<ContextState>& state() const { return state_; }

   private:
    Module compile_generated(const std::string& text, const CompileOptions& options) const;
    std::shared_ptr<void> attached_object(const void* key, std::shared_ptr<void> (*make)()) const;

    std::shared_ptr<ContextState> state_;
};

/// The context of the device that GEMEL_BACKEND and GEMEL_DEVICE choose; made on first use, lives as long as the
/// process.
/// @throws BackendUnavailable saying what was tried, if there is no device or not the one that was named
GEMEL_API Context default_context();

/// The calling thread's current context: the innermost ContextScope, else the default context.
GEMEL_API Context current_context();

/// Makes a context the calling thread's current one for as long as it lives.
class GEMEL_API ContextScope {
   public:
    explicit ContextScope(const Context& context);
    ~ContextScope();
    ContextScope(const ContextScope&) = delete;
    ContextScope& operator=(const ContextScope&) = delete;

   private:
    std::optional<Context> previous_;
};

}  // namespace gemel

// What compile() returns, with the body of its template.
#include <gemel/core/module.hpp>
