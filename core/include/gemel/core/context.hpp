/// Context: a device in use, which allocates memory, creates streams and compiles programs.
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

/// A context's memory pool: it keeps freed blocks in size classes (at most 6.25 % larger than requested) and reuses
/// them in stream order.
class GEMEL_API MemoryPool {
   public:
    PoolStatistics statistics() const;
    /// Returns all held blocks to the driver. @returns their bytes
    std::size_t trim() const;
    /// Limits active and held memory together; 0 removes the limit. At the limit held blocks are released first.
    void set_limit(std::size_t bytes) const;
    /// Releases held blocks; from now on freed blocks are returned to the driver at once.
    void stop_holding() const;
    void resume_holding() const;

    /// Turns counting of allocations by call site on or off. Existing allocations are not counted.
    void watch(bool on) const;
    /// The counts by call site, in descending order of live bytes; see AllocationSite.
    std::vector<AllocationFigures> allocations() const;

    MemoryPool(std::shared_ptr<ContextState> state, bool is_host) : state_(std::move(state)), is_host_(is_host) {}

   private:
    std::shared_ptr<ContextState> state_;
    bool is_host_ = false;
};

/// Names the call site of this thread's allocations in MemoryPool::allocations() during its lifetime; the innermost
/// name is used.
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

/// Functions that allocate device memory instead of the driver.
struct UserAllocator {
    /// @returns a driver handle (a CUdeviceptr of the primary context, a cl_mem of this cl_context), or 0 if out of
    ///          memory
    std::function<std::uint64_t(std::size_t bytes)> allocate;
    /// Called from any thread that frees memory. Must not throw.
    std::function<void(std::uint64_t handle, std::size_t bytes)> release;
};

/// Rows of bytes on a device, `pitch_bytes` apart.
struct PitchedBuffer {
    Buffer buffer;
    std::size_t pitch_bytes = 0;
};

/// The driver's allocation that contains an address.
struct AddressRange {
    std::uint64_t address = 0;  ///< of the first byte
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

    /// Allocates uninitialised device memory. Zero bytes are allowed.
    /// @param where  the call site, for MemoryPool::watch()
    /// @throws OutOfMemory with the sizes and the pool's figures, after the pool has released all held blocks
    /// @time under 0.2 us if the pool holds a block of the size, else the driver's allocation time
    Buffer allocate(std::size_t bytes, const CallPlace& where = CallPlace::current()) const;
    /// Allocates `rows` rows of `row_bytes` bytes, each aligned for fast access; RectWindow takes the pitch.
    PitchedBuffer allocate_pitched(std::size_t row_bytes, std::size_t rows) const;
    MemoryPool pool() const;
    /// The pool of page-locked host memory.
    MemoryPool host_pool() const;
    /// Allocates device memory by the user's functions from now on; empty functions restore the driver. Existing memory
    /// is freed by the allocator that it came from. The pool keeps blocks of either; stop_holding() turns that off.
    void set_allocator(UserAllocator allocator) const;
    /// Free and total device memory in bytes; empty if the driver does not report them.
    std::optional<std::pair<std::size_t, std::size_t>> memory_info() const;

    /// Compiles source in the portable kernel language. Equal source and options return the cached module, from memory
    /// or disk.
    /// @throws CompileError with numbered source lines around each error
    Module compile(std::string_view text, const CompileOptions& options = {}) const;
    /// Compiles native CUDA or OpenCL source without the portable words.
    Module compile(const NativeSource& source, const CompileOptions& options = {}) const;
    /// Compiles `source.source(dialect())`.
    template <SourceProvider S>
    Module compile(const S& source, const CompileOptions& options = {}) const;
    /// Loads a result of Module::binary(). CUDA: a cubin, PTX or a fatbin (its best matching image). OpenCL: a program
    /// binary, or SPIR-V if the platform accepts it (OpenCL 2.1, cl_khr_il_program).
    /// @param jit  options of the driver's PTX assembler; build_log() has its output
    /// @throws Error with the driver's log if the binary is damaged or for another device
    Module load_binary(std::span<const std::byte> binary, const JitOptions& jit = {}) const;
    /// The device's built-in kernels, by names that Device::built_in_kernels() lists.
    /// @throws Error that lists the existing names; CUDA devices have none
    Module built_in_kernels(const std::vector<std::string>& names) const;

    Stream create_stream(StreamPriority priority = StreamPriority::normal) const;
    Stream default_stream() const;
    /// Blocks until every stream of the context is empty.
    void synchronize() const;
    /// Makes the context usable again after DeviceLost (or at any other time). All its memory, streams and modules
    /// become invalid: using them throws DeviceLost.
    void reset() const;

    /// Enables peer access: kernels of this context may read and write the other context's memory through peer_view().
    /// @throws Error if the devices do not support it; check with Device::can_reach()
    void reach(const Context& other) const;
    /// A buffer of a reached context as an argument of this context's kernels; `stream.wait(event)` orders the two.
    /// @throws ArgumentError if reach() was not called for that context of another device
    Buffer peer_view(const Buffer& buffer) const;
    /// The allocation, gemel's or another library's, that contains a raw device address; empty if there is none, and on
    /// OpenCL, whose memory has handles instead of addresses. Blocks of the pool may be larger than their buffers.
    std::optional<AddressRange> address_range(std::uint64_t address) const;
    /// The value of a limit in bytes; empty if the driver has no such limit (OpenCL).
    std::optional<std::size_t> limit(ContextLimit which) const;
    /// @throws Error if the driver has no such limit, DeviceError if it refuses the value
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

    // For authors of generators.
    /// An object of type T that lives as long as the context, or until reset(); default-constructed at the first call
    /// with this key. Store compiled kernels in it. It must not own handles that keep the context alive (Context,
    /// Stream, Module, Buffer); a Kernel does not.
    template <class T>
    std::shared_ptr<T> attached(const void* key) const {
        return std::static_pointer_cast<T>(attached_object(key, [] { return std::shared_ptr<void>(new T); }));
    }
    /// Device memory for attached objects: like allocate(), but the buffer does not keep the context alive.
    Buffer allocate_attached(std::size_t bytes) const;
    /// A number that is unique among contexts and changes at reset(): a key for data about a context.
    std::uint64_t id() const;
    /// Whether device memory has linear addresses, to which the host may add offsets. If not, a view's offset is passed
    /// to kernels separately.
    bool addresses_are_linear() const;

    friend bool operator==(const Context& a, const Context& b) { return a.state_ == b.state_; }

    explicit Context(std::shared_ptr<ContextState> state) : state_(std::move(state)) {}
    const std::shared_ptr<ContextState>& state() const { return state_; }

   private:
    Module compile_generated(const std::string& text, const CompileOptions& options) const;
    std::shared_ptr<void> attached_object(const void* key, std::shared_ptr<void> (*make)()) const;

    std::shared_ptr<ContextState> state_;
};

/// The context of the device that GEMEL_BACKEND and GEMEL_DEVICE select; created on first use, lives as long as the
/// process.
/// @throws BackendUnavailable, listing what was tried, if there is no device or the selected one does not exist
GEMEL_API Context default_context();

/// The calling thread's current context: the innermost ContextScope, else the default context.
GEMEL_API Context current_context();

/// Makes a context the calling thread's current context while the scope lives.
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

// The return type of compile(), and the body of its template.
#include <gemel/core/module.hpp>
