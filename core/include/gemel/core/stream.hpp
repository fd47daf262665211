/// Streams and events: queues of commands in order, and points in them.
#pragma once

#include <gemel/core/buffer.hpp>
#include <gemel/core/device.hpp>
#include <gemel/core/export.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace gemel {

class Context;
class Stream;
template <class T>
class HostBuffer;
struct EventState;
struct StreamState;

/// A point in a stream. A cheap handle; a default-constructed one counts as complete.
class GEMEL_API Event {
   public:
    Event() = default;
    /// Blocks until everything before the point has finished. @throws DeviceLost if something there failed
    const Event& wait() const;
    /// Whether that is so already; does not block.
    bool done() const;
    bool empty() const { return !state_; }
    /// The device whose stream it is in. @throws ArgumentError if the event is empty
    Device device() const;
    /// The driver's handle (CUevent, cl_event); gemel/interop gives it its type.
    std::uint64_t native_handle() const;

    explicit Event(std::shared_ptr<EventState> state) : state_(std::move(state)) {}
    const std::shared_ptr<EventState>& state() const { return state_; }

   private:
    std::shared_ptr<EventState> state_;
};

/// Device time from one point to another, in milliseconds; negative if `stop` came first. Waits for both.
/// @throws ArgumentError if the events are of different contexts or empty
GEMEL_API double elapsed_milliseconds(const Event& start, const Event& stop);

/// One side of a rectangular copy: a window into an array of rows and slices. Offsets and pitches in bytes.
struct RectWindow {
    std::size_t x_bytes = 0;  ///< into a row
    std::size_t row = 0;
    std::size_t slice = 0;
    std::size_t row_pitch_bytes = 0;    ///< from row to row; 0 means rows of exactly the copied width
    std::size_t slice_pitch_bytes = 0;  ///< from slice to slice; 0 means as many rows as are copied
};

/// What is copied: bytes in a row, rows, slices.
struct RectExtent {
    std::size_t width_bytes = 0;
    std::size_t rows = 1;
    std::size_t slices = 1;
};

/// An in-order queue of commands on one device. A cheap handle; commands are enqueued and run later. Memory that was
/// last used on another stream is waited for by the device, without blocking the host.
class GEMEL_API Stream {
   public:
    Stream() = default;
    bool empty() const { return !state_; }
    Context context() const;

    /// Marks this point of the stream.
    Event record() const;
    /// Commands enqueued from now on start only after `event`, which may be of another stream.
    /// @time  returns at once for an event of the same context, and on CUDA of the same device. Blocks until the event
    /// is
    ///        done where it is of another device, another backend or another OpenCL context: no driver orders these.
    void wait(const Event& event) const;
    /// Blocks until the stream is empty. @throws DeviceLost naming the last launches if one of them failed
    void synchronize() const;
    /// Whether all commands have finished; does not block.
    bool idle() const;
    /// Hands enqueued commands to the device (OpenCL drivers may collect them).
    void flush() const;
    /// Runs `function` once, on a thread of the driver, when the stream has come this far. It may not call gemel
    /// functions that reach the device; handles may die in it. An exception in it is logged.
    void call(std::function<void()> function) const;

    // Asynchronous copies. Page-locked memory is kept alive until its copy is done.
    /// @throws ArgumentError if the sizes differ, or the buffers are of different contexts
    void copy(const Buffer& to, const Buffer& from) const;
    template <class T>
    void copy(const Buffer& to, const HostBuffer<T>& from) const {
        upload(to, from.raw(), from.offset_bytes(), from.size_bytes());
    }
    template <class T>
    void copy(const HostBuffer<T>& to, const Buffer& from) const {
        download(to.raw(), to.offset_bytes(), from, to.size_bytes());
    }
    /// A rectangular window from one buffer to another.
    void copy_rectangle(const Buffer& to, const RectWindow& to_window, const Buffer& from,
                        const RectWindow& from_window, const RectExtent& extent) const;
    /// Repeats the bytes of `value` over the whole buffer, whose size must be a multiple of sizeof(T) (at most 16).
    template <class T>
        requires(std::is_trivially_copyable_v<T> && sizeof(T) <= 16)
    void fill(const Buffer& buffer, const T& value) const {
        fill_bytes(buffer, &value, sizeof(T));
    }
    void fill_bytes(const Buffer& buffer, const void* pattern, std::size_t pattern_bytes) const;

    /// The driver's handle (CUstream, cl_command_queue); see gemel/interop.
    std::uint64_t native_handle() const;

    GEMEL_API friend bool operator==(const Stream& a, const Stream& b);

    explicit Stream(std::shared_ptr<StreamState> state) : state_(std::move(state)) {}
    const std::shared_ptr<StreamState>& state() const { return state_; }

   private:
    void upload(const Buffer& to, const std::shared_ptr<HostBlock>& from, std::size_t offset_bytes,
                std::size_t bytes) const;
    void download(const std::shared_ptr<HostBlock>& to, std::size_t offset_bytes, const Buffer& from,
                  std::size_t bytes) const;

    std::shared_ptr<StreamState> state_;
};

/// Makes a stream the calling thread's current one for as long as it lives: launches and copies that name no stream use
/// it, if they are of its context.
class GEMEL_API StreamScope {
   public:
    explicit StreamScope(const Stream& stream);
    ~StreamScope();
    StreamScope(const StreamScope&) = delete;
    StreamScope& operator=(const StreamScope&) = delete;

   private:
    Stream previous_;
};

/// The calling thread's current stream; empty if none was set.
GEMEL_API Stream current_stream();

}  // namespace gemel
