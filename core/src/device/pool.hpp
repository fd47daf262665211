/// The stream-ordered memory pool, above the plug-ins: one algorithm for every backend.
///
/// A freed block goes to a bin of its size class and remembers the streams that used it. The next owner's stream waits
/// for those streams on the device, if it is another one. StreamUses::touch() does that at the first use, so the pool
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

/// A stream that memory refers to. Lives as long as any memory that it used.
struct StreamCore {
    std::unique_ptr<plugin::Stream> stream;
    DriverContext* context = nullptr;   ///< outlives its streams
    std::atomic<bool> recorded{false};  ///< by a thread in capture()
    std::atomic<bool> gone{false};      ///< a wrapped stream without handles: idle, and must not be used any more

    ~StreamCore();
};

/// The streams that have used some memory; orders uses on different streams.
class StreamUses {
   public:
    /// Called before a command on `stream` that reads or writes the memory: makes the stream wait for earlier
    /// conflicting uses. Repeated use on one stream costs one load.
    void touch(const std::shared_ptr<StreamCore>& stream, bool writes) {
        const auto tag = reinterpret_cast<std::uintptr_t>(stream.get());
        const auto sole = sole_.load(std::memory_order_relaxed);
        if ((sole & ~std::uintptr_t{1}) == tag && (!writes || (sole & 1))) return;
        if (!writes && last_reader_.load(std::memory_order_relaxed) == tag) return;
        touch_slowly(stream, writes);
    }
    /// Blocks the host until no stream uses the memory.
    void wait() const;
    /// Events that are done when nothing uses the memory any more.
    std::vector<std::unique_ptr<plugin::Event>> record() const;
    /// Whether any stream is recorded.
    bool any() const { return sole_.load(std::memory_order_relaxed) != 0 || mixed_.load(std::memory_order_relaxed); }
    void forget();

   private:
    std::vector<std::shared_ptr<StreamCore>> streams() const;
    void touch_slowly(const std::shared_ptr<StreamCore>& stream, bool writes);

    std::atomic<std::uintptr_t> sole_{0};         ///< the only stream in the history; lowest bit: it has written
    std::atomic<std::uintptr_t> last_reader_{0};  ///< it has waited for the last writer
    std::atomic<bool> mixed_{false};
    mutable std::mutex mutex_;
    std::shared_ptr<StreamCore> writer_;
    std::vector<std::shared_ptr<StreamCore>> readers_;  ///< since the last write; they have waited for the writer
};

/// The owner of memory from another library, which gets it back.
class Lender {
   public:
    virtual ~Lender() = default;
    /// Called once, when the memory is no longer used.
    virtual void take_back(StreamUses& uses) noexcept = 0;
};

/// Memory with its history.
struct Allocation {
    plugin::Memory memory;
    std::unique_ptr<plugin::Image> image;  ///< the image whose storage this is, if `memory` is empty
    int size_class = -1;                   ///< -1: not from a pool
    StreamUses uses;
    std::uint64_t argument = 0;                      ///< the kernel argument for offset 0
    std::shared_ptr<const UserAllocator> allocator;  ///< the allocator of this memory; null for the driver's
    std::shared_ptr<Lender> lender;                  ///< gets the memory back; usually null
    AllocationFigures* site = nullptr;               ///< the place that allocated it, while the pool is watched
    std::size_t asked_bytes = 0;                     ///< the size requested there
    /// An image over this memory: its offset, shape and pitch.
    struct MemoryImage {
        std::size_t offset_bytes = 0, row_pitch_bytes = 0;
        plugin::ImageShape shape;
        std::unique_ptr<plugin::Image> image;
    };
    std::vector<MemoryImage> memory_images;  ///< kept: kernels may use them, and the next owner may need them
    std::mutex views_mutex;                  ///< of the images, too
    std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> views;  ///< sub-buffers by offset and size
};

/// Size classes: 16 per power of two, so that a block is at most 6.25 % larger than requested.
int size_class_of(std::size_t bytes);
std::size_t size_of_class(int size_class);

/// Bins of free blocks. Thread-safe. Knows sizes only; the owner calls the driver.
class Pool {
   public:
    explicit Pool(bool enabled) : enabled_(enabled) {}

    bool enabled() const { return enabled_.load(std::memory_order_relaxed); }
    void enable(bool on) { enabled_.store(on, std::memory_order_relaxed); }
    /// A free block of the class, which then counts as active, or null.
    std::unique_ptr<Allocation> take(int size_class);
    /// Whether `bytes` more from the driver stay within the limit; if not, the caller trims and asks again.
    bool admits(std::size_t bytes) const;
    void count_new(std::size_t bytes);
    /// Returns a block for reuse.
    void give_back(std::unique_ptr<Allocation> allocation) noexcept;
    /// Removes an active block that is returned to the driver.
    void count_gone(std::size_t bytes) noexcept;
    /// Removes all held blocks, for release.
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
