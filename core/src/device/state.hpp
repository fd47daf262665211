/// The state behind the public handles: the driver's context with everything that belongs to one life of it, streams,
/// and the guards around every call into a plug-in.
#pragma once

#include <gemel/core/context.hpp>
#include <gemel/core/device.hpp>
#include <gemel/core/disk_cache.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/plugin.hpp>
#include <gemel/core/signature.hpp>
#include <gemel/core/spin_lock.hpp>
#include <gemel/core/statistics.hpp>

#include "device/allocation_log.hpp"
#include "device/copy_relay.hpp"
#include "device/external_links.hpp"
#include "device/leaving_memory.hpp"
#include "device/lifetime.hpp"
#include "device/pool.hpp"

#include <array>
#include <atomic>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace gemel {

struct Device::State {
    std::string backend;
    int index = 0;
    std::string dialect;
    int priority = 0;
    std::shared_ptr<plugin::Device> device;
    const State* parent = nullptr;  ///< the device of which this is a part; null for a whole device

    /// "opencl:0", "opencl:0.1"
    std::string id() const;
};

/// Statistics as atomics; they survive resets.
struct Counters {
    std::atomic<std::uint64_t> launches{0}, compilations{0}, disk_hits{0}, memory_hits{0}, allocations{0}, pool_hits{0},
        allocated_bytes{0}, uploaded_bytes{0}, downloaded_bytes{0}, copied_bytes{0}, filled_bytes{0};

    /// @returns the previous value
    static std::uint64_t add(std::atomic<std::uint64_t>& counter, std::uint64_t n = 1) {
        return counter.fetch_add(n, std::memory_order_relaxed);
    }
};

/// The last launches of a context, for messages about failures that are reported later. Written without locks or
/// allocation; a race can only garble a message.
class LaunchRing {
   public:
    struct Entry {
        const char* kernel = nullptr;  ///< interned, never freed
        std::array<std::uint32_t, 3> grid{}, block{};
    };
    /// @param number  of the launch; each context counts its launches from 0
    void add(std::uint64_t number, const char* kernel, const plugin::LaunchShape& shape) {
        const auto at = number % size;
        next_.store(number + 1, std::memory_order_relaxed);
        entries_[at].kernel.store(kernel, std::memory_order_relaxed);
        for (int i = 0; i < 3; ++i) {
            entries_[at].grid[i].store(shape.grid[i], std::memory_order_relaxed);
            entries_[at].block[i].store(shape.block[i], std::memory_order_relaxed);
        }
    }
    /// "scale (grid 2, block 200), ..." newest first; empty without launches.
    std::string text() const;

   private:
    static constexpr std::size_t size = 4;
    struct Slot {
        std::atomic<const char*> kernel{nullptr};
        std::array<std::atomic<std::uint32_t>, 3> grid{}, block{};
    };
    std::array<Slot, size> entries_;
    std::atomic<std::uint64_t> next_{0};
};

/// One life of a context, from creation to a reset.
struct DriverContext {
    DriverContext(std::shared_ptr<const Device::State> device, std::unique_ptr<plugin::Context> plugin,
                  std::shared_ptr<Counters> counters, std::shared_ptr<void> keep_alive);
    ~DriverContext();

    const DeviceInfo& info() const { return device->device->info(); }
    /// "NVIDIA H200 (cuda:0)"
    std::string description() const;

    /// Throws if calls are impossible: the context is lost, or the process has forked or is exiting.
    void check() const {
        if (status.load(std::memory_order_relaxed) != Status::ready ||
            process_state.load(std::memory_order_relaxed) != ProcessState::ordinary) [[unlikely]]
            refuse();
    }
    /// Calls the plug-in. A DeviceLost marks this context as lost and is rethrown with the last launches.
    template <class F>
    decltype(auto) call(F&& function) {
        const CallScope scope;
        check();
        drain_deferred();
        try {
            return function(*plugin);
        } catch (const DeviceLost& error) {
            if (error.code() == 0) throw;  // from check() of another life, not from a driver
            lose(error);
        }
    }
    bool usable() const { return status.load(std::memory_order_relaxed) == Status::ready && !process_has_forked(); }
    /// Whether the driver still completes enqueued work: after a reset it does, after a fault it does not.
    bool can_wait() const { return !faulted_.load() && process_state.load() == ProcessState::ordinary; }
    /// Marks the context as lost; later calls throw DeviceLost with this reason.
    void abandon(const std::string& reason);

    enum class Status : int { ready, lost };

    std::shared_ptr<const Device::State> device;
    std::shared_ptr<void> keep_alive;  ///< of a foreign context
    std::unique_ptr<plugin::Context> plugin;
    std::shared_ptr<Counters> counters;
    std::atomic<Status> status{Status::ready};
    LaunchRing launches;
    std::uint64_t const id;                   ///< unique in the process
    const bool synchronous;                   ///< GEMEL_SYNC
    const bool starts_grids_whole;            ///< of cooperative launches
    const bool has_native_offset;             ///< Dialect::has_native_offset
    const bool linear_addresses;              ///< an offset is added to the argument; otherwise a sub-buffer is made
    std::atomic<int> pending_user_events{0};  ///< not completed: commands may wait for the host
    const std::string build_lock;  ///< file to lock while the driver compiles; empty if processes may do so at once
    std::shared_ptr<StreamCore> default_stream;
    StreamUses exclusive_launches;  ///< as of memory that each of them writes
    std::mutex exclusive_mutex;     ///< held until such a launch is enqueued
    Pool device_pool;
    Pool host_pool;
    LeavingMemory leaving_memory;
    AllocationLog allocations;
    const std::shared_ptr<ExternalLinks> external_links = std::make_shared<ExternalLinks>();
    CopyRelay copy_relay;
    std::shared_ptr<const UserAllocator> allocator() const {
        std::lock_guard lock(allocator_lock);
        return user_allocator;
    }
    bool has_reached(const DriverContext& peer) {
        const std::lock_guard lock(peers_mutex);
        return peers.contains(peer.id);
    }
    std::mutex peers_mutex;
    std::set<std::uint64_t> peers;  ///< contexts whose memory kernels of this context may use
    mutable SpinLock allocator_lock;
    std::shared_ptr<const UserAllocator> user_allocator;  ///< null: the driver's

   private:
    void refuse() const;
    [[noreturn]] void lose(const DeviceLost& error);
    std::atomic<bool> faulted_{false};
    mutable std::mutex loss_mutex_;
    std::string loss_;
};

/// While it lives, a launch with LaunchConfig::exclusive may be enqueued on the stream: the earlier ones come before
/// it, and no other thread enqueues one. Does nothing for other launches.
class ExclusiveTurn {
   public:
    ExclusiveTurn(DriverContext& driver, const std::shared_ptr<StreamCore>& stream, bool is_exclusive) {
        if (!is_exclusive) [[likely]]
            return;
        lock_ = std::unique_lock(driver.exclusive_mutex);
        driver.exclusive_launches.touch(stream, true);
    }

   private:
    std::unique_lock<std::mutex> lock_;
};

/// Whether the process has a live context of this device.
bool has_live_context(const Device::State& device);

/// The state behind a Context handle: the current life, and state that survives a reset.
struct ContextState : std::enable_shared_from_this<ContextState> {
    std::shared_ptr<const Device::State> device;
    const Dialect* dialect = nullptr;
    std::shared_ptr<Counters> counters = std::make_shared<Counters>();
    bool foreign = false;
    bool shares_gl = false;  ///< made by gl::create_context()

    std::shared_ptr<DriverContext> driver() const {
        std::lock_guard lock(current_lock);
        return current;
    }

    mutable SpinLock current_lock;
    std::shared_ptr<DriverContext> current;

    /// Loaded modules by key, newest first; bounded.
    struct Loaded {
        std::string key;
        std::shared_ptr<ModuleState> module;
    };
    static constexpr std::size_t loaded_limit = 256;
    std::mutex modules_mutex;
    std::list<Loaded> modules;
    std::unordered_map<std::string, std::list<Loaded>::iterator> module_index;
    static std::uint64_t new_id();
    std::atomic<std::uint64_t> id{new_id()};
    std::mutex attached_mutex;
    std::unordered_map<const void*, std::shared_ptr<void>> attached;  ///< by the key of the owner
    std::shared_ptr<ModuleState> fill_module;  ///< kernels for fill patterns that the driver does not support
};

/// For gl::create_context(), which has checked the device.
std::shared_ptr<ContextState> make_gl_state(const Device& device);

struct StreamState {
    std::shared_ptr<ContextState> owner;
    std::shared_ptr<DriverContext> driver;
    std::shared_ptr<StreamCore> core;
    std::shared_ptr<void> keep_alive;  ///< of a foreign stream
    bool foreign = false;

    ~StreamState();
};

/// Counts a user event until it is completed or destroyed.
class PendingUserEvent {
   public:
    explicit PendingUserEvent(std::shared_ptr<DriverContext> driver) : driver_(std::move(driver)) {
        ++driver_->pending_user_events;
    }
    ~PendingUserEvent() { end(); }
    PendingUserEvent(const PendingUserEvent&) = delete;
    PendingUserEvent& operator=(const PendingUserEvent&) = delete;
    void end() {
        if (!has_ended_.exchange(true)) --driver_->pending_user_events;
    }

   private:
    std::shared_ptr<DriverContext> driver_;
    std::atomic<bool> has_ended_{false};
};

struct EventState {
    std::shared_ptr<DriverContext> driver;
    std::shared_ptr<StreamCore> stream;
    std::unique_ptr<plugin::Event> event;
    bool is_timed = false;
    bool is_interprocess = false;
    std::shared_ptr<void> keep_alive = {};           ///< of a foreign event
    std::unique_ptr<PendingUserEvent> pending = {};  ///< of a user event
};

/// @throws ArgumentError unless both are timed and of one context; `what` begins the message
void require_timed(const char* what, const Event& start, const Event& stop);

/// Makes a stream wait for an event of another driver, without blocking the host if possible.
void wait_across(StreamState& stream, const std::shared_ptr<EventState>& event);

class GraphMemory;

/// Device memory shared by Buffer handles.
struct Block : std::enable_shared_from_this<Block> {
    std::shared_ptr<ContextState> owner;
    std::shared_ptr<DriverContext> driver;
    std::unique_ptr<Allocation> allocation;  ///< null for zero bytes and after release()
    std::size_t size_bytes = 0;
    std::atomic<bool> released{false};
    std::shared_ptr<void> keep_alive;
    std::shared_ptr<GraphMemory> graph;  ///< the graph that owns the memory; usually null

    ~Block();
    void give_back() noexcept;
};

/// Returns memory to its pool, or to the driver.
void give_back(DriverContext& driver, std::unique_ptr<Allocation> allocation) noexcept;

/// Page-locked memory shared by HostBuffer handles.
struct HostBlock {
    std::shared_ptr<DriverContext> driver;
    std::unique_ptr<Allocation> allocation;
    std::size_t size_bytes = 0;

    ~HostBlock();
};

/// The source of a program, for captured calls.
struct ProgramText {
    bool is_portable = true;
    std::string source;
    CompileOptions options;
};

struct ModuleState {
    std::shared_ptr<void> keep_alive;  ///< of a foreign program
    std::shared_ptr<DriverContext> driver;
    std::unique_ptr<plugin::Module> module;
    std::vector<KernelSignature> signatures;
    std::string build_log;
    std::optional<ProgramText> text;  ///< of a program of one unit
    /// Called after a launch that may have completed the binary; stores it again.
    std::function<void()> refresh_binary;
    std::mutex kernels_mutex;
    std::map<std::string, std::weak_ptr<KernelState>> kernels;
};

/// A kernel with all facts that launches need, prepared once.
struct KernelState {
    std::shared_ptr<ModuleState> module;
    DriverContext* driver = nullptr;  ///< module->driver
    std::unique_ptr<plugin::Kernel> kernel;
    std::string name;
    const char* interned_name = nullptr;
    std::optional<KernelSignature> signature;
    int arena = -1;    ///< index of the SHARED_ARENA parameter
    int barrier = -1;  ///< index of the GRID_BARRIER parameter
    int offset = -1;   ///< index of the LAUNCH_OFFSET parameter
    /// The memory of the grid barrier's counters. Launches on different streams are ordered by it, as by any memory.
    std::shared_ptr<Block> barrier_memory;
    bool is_hidden(std::size_t slot) const {
        const int at = static_cast<int>(slot);
        return at == arena || at == barrier || at == offset;
    }
    std::size_t hidden_count() const { return std::size_t{arena >= 0} + (barrier >= 0) + (offset >= 0); }
    std::size_t argument_count = 0;  ///< the caller's, if there is a signature
    bool uses_images = false;        ///< a texture takes several of the driver's parameters
    std::size_t static_shared_bytes = 0;
    std::optional<std::array<std::uint32_t, 3>> required_block;
    bool finishes_at_first_launch = false;
    /// The result of good_block(): shared memory in the upper 48 bits, threads in the lower 16; 0: not computed yet.
    mutable std::atomic<std::uint64_t> good_block{0};
    /// The blocks of earlier launches, if the driver compiles for each.
    std::atomic<std::uint64_t> last_block{0};
    std::mutex blocks_mutex;
    std::vector<std::uint64_t> blocks;
};

/// Names for messages about earlier launches, and for profiles; each is stored once and never freed.
const char* intern(const std::string& name);

/// The stream of a call: the given one, otherwise the thread's current one if it is in this context, otherwise the
/// default.
/// @param kernel  named in the message if the stream is in another context
const std::shared_ptr<StreamCore>& choose_stream(const Stream& named, const std::shared_ptr<DriverContext>& driver,
                                                 const std::string* kernel = nullptr);

std::shared_ptr<StreamCore> make_stream_core(std::unique_ptr<plugin::Stream> stream, DriverContext& context);

/// Memory from a context's pool, outside any handle.
/// @param where  the place of the user's call, for the log
std::unique_ptr<Allocation> allocate_device(DriverContext& driver, std::size_t bytes, plugin::MemoryKind kind,
                                            const CallPlace* where = nullptr);
std::unique_ptr<Allocation> allocate_page_locked(DriverContext& driver, std::size_t bytes,
                                                 HostMemoryKind kind = HostMemoryKind::ordinary);
/// Returns device memory, with the objects that were created for it, to the driver or to the user's allocator.
void release_to_driver(DriverContext& driver, Allocation& allocation) noexcept;
/// Waits for copies from and to page-locked memory, and returns it to the driver.
void release_host_to_driver(DriverContext& driver, Allocation& allocation) noexcept;

/// The state behind a handle, or an ArgumentError that says what is wrong with it ("the buffer is empty", ...). A block
/// stays alive during the CallScope in which this was called.
Block& checked(const Buffer& buffer, const char* what);
StreamState& checked(const Stream& stream);
/// @throws ArgumentError unless block and stream are in one context; `what` begins the message
void require_context(const Block& block, const StreamState& stream, const char* what);

/// Compiles or finds a program; see compiler.cpp.
std::shared_ptr<ModuleState> compile_program(const std::shared_ptr<ContextState>& context, const std::string& text,
                                             bool portable, const CompileOptions& options,
                                             const std::filesystem::path& directory);
/// One of the texts of link_program().
struct UnitText {
    std::string text, name;
    bool is_portable = true;
};
std::shared_ptr<ModuleState> link_program(const std::shared_ptr<ContextState>& context, std::span<const UnitText> units,
                                          const CompileOptions& options);
std::shared_ptr<ModuleState> load_program(const std::shared_ptr<ContextState>& context,
                                          std::span<const std::byte> binary, const JitOptions& jit);
std::string context_fingerprint(const Device::State& device);

}  // namespace gemel
