/// The stream-ordered memory pool, above the plug-ins: one algorithm for every backend.
///
/// A freed block goes into a bin of its size class and remembers the streams that used it. Whoever gets it next waits
/// on the device for those streams, if it is another: that is what StreamUses::touch does at the first use, so the pool
/// itself calls no driver.
/// @source size classes as in PyCUDA's and PyOpenCL's pools: exponent and four leading bits
#pragma once

#include <gemel/core/plugin.hpp>
#include <gemel/core/spin_lock.hpp>
#include <gemel/core/statistics.hpp>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace gemel {

struct DriverContext;
struct UserAllocator;

/// A stream as memory remembers it. Lives as long as any memory that it used.
struct StreamCore {
    std::unique_ptr<plugin::Stream> stream;
    DriverContext* context = nullptr;   ///< outlives its streams
    std::atomic<bool> recorded{false};  ///< by a thread in capture()
    std::atomic<bool> gone{false};  ///< a wrapped stream whose handles have died: empty, and no longer to be touched

    ~StreamCore();
};

/// Which streams have used some memory since when; orders uses on different streams.
class StreamUses {
   public:
    /// Called before a command on `stream` that reads or writes the memory is enqueued: makes the stream wait for what
    /// must come first. Uses on the same stream cost one load.
    void touch(const std::shared_ptr<StreamCore>& stream, bool writes) {
        const auto tag = reinterpret_cast<std::uintptr_t>(stream.get());
        const auto sole = sole_.load(std::memory_order_relaxed);
        if ((sole & ~std::uintptr_t{1}) == tag && (!writes || (sole & 1))) return;
        if (!writes && last_reader_.load(std::memory_order_relaxed) == tag) return;
        touch_slowly(stream, writes);
    }
    /// Blocks the host until nothing uses the memory.
    void wait() const;
    /// Events that are done when nothing uses the memory any more.
    std::vector<std::unique_ptr<plugin::Event>> record() const;
    /// Whether any stream is remembered.
    bool any() const { return sole_.load(std::memory_order_relaxed) != 0 || mixed_.load(std::memory_order_relaxed); }
    void forget();

   private:
    std::vector<std::shared_ptr<StreamCore>> streams() const;
    void touch_slowly(const std::shared_ptr<StreamCore>& stream, bool writes);

    std::atomic<std::uintptr_t> sole_{0};         ///< the only stream in the history; lowest bit: it has written
    std::atomic<std::uintptr_t> last_reader_{0};  ///< has waited for the last writer
    std::atomic<bool> mixed_{false};
    mutable std::mutex mutex_;
    std::shared_ptr<StreamCore> writer_;
    std::vector<std::shared_ptr<StreamCore>> readers_;  ///< since the last write; they have waited for the writer
};

/// Who lends memory that is another library's, and gets it back.
class Lender {
   public:
    virtual ~Lender() = default;
    /// Called once, after which nobody has the memory.
    virtual void take_back(StreamUses& uses) noexcept = 0;
};

/// Memory with its history.
struct Allocation {
    plugin::Memory memory;
    std::unique_ptr<plugin::Image> image;  ///< whose storage this is, if `memory` is none
    int size_class = -1;                   ///< -1: not from a pool
    StreamUses uses;
    std::uint64_t argument = 0;                      ///< what kernels take for offset 0
    std::shared_ptr<const UserAllocator> allocator;  ///< whose memory this is; null for the driver's
    std::shared_ptr<Lender> lender;                  ///< who gets it back; null for most
    AllocationFigures* site = nullptr;               ///< where it was made, while the pool watches
    std::size_t asked_bytes = 0;                     ///< what that place asked for
    /// An image of this memory: where, of what shape, with which pitch.
    struct MemoryImage {
        std::size_t offset_bytes = 0, row_pitch_bytes = 0;
        plugin::ImageShape shape;
        std::unique_ptr<plugin::Image> image;
    };
    std::vector<MemoryImage> memory_images;  ///< kept: kernels may use them, and the next owner may want the same
    std::mutex views_mutex;                  ///< of the images, too
    std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> views;  ///< sub-buffers by offset and size
};

/// Size classes: 16 per power of two, so a block is at most 6.25 % larger than requested.
int size_class_of(std::size_t bytes);
std::size_t size_of_class(int size_class);

/// Bins of free blocks. Thread-safe. Knows sizes, not drivers: whoever owns it allocates and releases.
class Pool {
   public:
    explicit Pool(bool enabled) : enabled_(enabled) {}

    bool enabled() const { return enabled_.load(std::memory_order_relaxed); }
    void enable(bool on) { enabled_.store(on, std::memory_order_relaxed); }
    /// A free block of the class, or null. Counts it as active.
    std::unique_ptr<Allocation> take(int size_class);
    /// Whether `bytes` more from the driver stay within the limit; the caller trims and asks again if not.
    bool admits(std::size_t bytes) const;
    void count_new(std::size_t bytes);
    /// Puts a block back for reuse.
    void give_back(std::unique_ptr<Allocation> allocation) noexcept;
    /// An active block that goes to the driver instead.
    void count_gone(std::size_t bytes) noexcept;
    /// Takes all held blocks out, for release.
    std::vector<std::unique_ptr<Allocation>> drain() noexcept;

    PoolStatistics statistics() const;
    void set_limit(std::size_t bytes);

   private:
    std::atomic<bool> enabled_;
    mutable SpinLock lock_;
    std::vector<std::vector<std::unique_ptr<Allocation>>> bins_;
    PoolStatistics figures_;
};

}  // namespace gemel
