/// Streams and events: queues of commands in order, and points in them.
#pragma once

#include <gemel/core/buffer.hpp>
#include <gemel/core/device.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/options.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

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

/// The same without waiting: empty until both are done.
GEMEL_API std::optional<double> elapsed_milliseconds_if_done(const Event& start, const Event& stop);

/// Blocks until all of them are done. @throws DeviceLost if something before one of them failed
GEMEL_API void wait_all(std::span<const Event> events);

/// An event that the host completes: `stream.wait(event)` lets the stream's commands wait for what the host does, a
/// file that is read or an answer that arrives. It completes when its last handle dies, too.
class GEMEL_API UserEvent : public Event {
   public:
    /// @throws Error if the driver has no such events (CUDA: drivers before 11.7)
    explicit UserEvent(const Context& context);
    /// Lets go on what waits. A second call does nothing. May be called from any thread, also in Stream::call().
    void complete() const;
};

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
    Event record(EventKind kind = EventKind::timed) const;
    /// Commands enqueued from now on start only after `event`, which may be of another stream.
    /// @time  returns at once, also for events of other devices and backends: a callback of the event's driver lets
    ///        the stream go on. Blocks until the event is done where a driver has no events that the host completes.
    ///        If what comes before an event of another backend fails and the driver says so to nobody, the stream waits
    ///        until that event is waited for.
    void wait(const Event& event) const;
    /// For all of them.
    void wait(std::span<const Event> events) const {
        for (const Event& event : events) wait(event);
    }
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
    /// The same from and to page-locked memory, whose window counts in bytes from its first element.
    template <class T>
    void copy_rectangle(const Buffer& to, const RectWindow& to_window, const HostBuffer<T>& from,
                        const RectWindow& from_window, const RectExtent& extent) const {
        upload_rectangle(to, to_window, from.raw(), from.offset_bytes(), from.size_bytes(), from_window, extent);
    }
    template <class T>
    void copy_rectangle(const HostBuffer<T>& to, const RectWindow& to_window, const Buffer& from,
                        const RectWindow& from_window, const RectExtent& extent) const {
        download_rectangle(to.raw(), to.offset_bytes(), to.size_bytes(), to_window, from, from_window, extent);
    }
    /// Moves mapped or managed memory to the device ahead of its use, or to the host. A hint: nothing on other memory.
    void prefetch(const Buffer& buffer, bool to_host = false) const;
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
    void upload_rectangle(const Buffer& to, const RectWindow& to_window, const std::shared_ptr<HostBlock>& from,
                          std::size_t from_offset, std::size_t from_bytes, const RectWindow& from_window,
                          const RectExtent& extent) const;
    void download_rectangle(const std::shared_ptr<HostBlock>& to, std::size_t to_offset, std::size_t to_bytes,
                            const RectWindow& to_window, const Buffer& from, const RectWindow& from_window,
                            const RectExtent& extent) const;

    std::shared_ptr<StreamState> state_;
};

/// Makes a stream the calling thread's current one for as long as it lives: launches and copies that name no stream use
/// it, if they are of its context.
class GEMEL_API StreamScope {
   public:
    /// What happens at its end.
    enum class AtEnd : std::uint8_t { nothing, synchronize };
    explicit StreamScope(const Stream& stream, AtEnd at_end = AtEnd::nothing);
    /// With AtEnd::synchronize it blocks until the stream is empty; failures are logged, never thrown.
    ~StreamScope();
    StreamScope(const StreamScope&) = delete;
    StreamScope& operator=(const StreamScope&) = delete;

   private:
    Stream previous_;
    AtEnd at_end_;
};

/// The calling thread's current stream; empty if none was set.
GEMEL_API Stream current_stream();

}  // namespace gemel
