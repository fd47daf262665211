/// Streams (in-order command queues) and events (points in a stream).
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

/// A point in a stream. A cheap handle; a default-constructed event counts as complete.
class GEMEL_API Event {
   public:
    Event() = default;
    /// Blocks until all commands before the event have finished. @throws DeviceLost if one of them failed
    const Event& wait() const;
    /// Whether all commands before the event have finished; does not block.
    bool done() const;
    bool empty() const { return !state_; }
    /// The device of the event's stream. @throws ArgumentError if the event is empty
    Device device() const;
    /// The driver's handle (CUevent, cl_event); gemel/interop gives it its type.
    std::uint64_t native_handle() const;

    explicit Event(std::shared_ptr<EventState> state) : state_(std::move(state)) {}
    const std::shared_ptr<EventState>& state() const { return state_; }

   private:
    std::shared_ptr<EventState> state_;
};

/// Device time between two events in milliseconds; negative if `stop` came first. Waits for both.
/// @throws ArgumentError if an event is empty or the events belong to different contexts
GEMEL_API double elapsed_milliseconds(const Event& start, const Event& stop);

/// Like elapsed_milliseconds(), without waiting: empty until both events are done.
GEMEL_API std::optional<double> elapsed_milliseconds_if_done(const Event& start, const Event& stop);

/// Blocks until all events are done. @throws DeviceLost if a command before one of them failed
GEMEL_API void wait_all(std::span<const Event> events);

/// An event that the host completes. After `stream.wait(event)` the stream's commands wait for the host, for example
/// until it has read a file. The event also completes when its last handle is destroyed.
class GEMEL_API UserEvent : public Event {
   public:
    /// @throws Error if the driver does not support user events (CUDA drivers before 11.7)
    explicit UserEvent(const Context& context);
    /// Completes the event. A second call does nothing. May be called from any thread and inside Stream::call().
    void complete() const;
};

/// One side of a rectangular copy: a window of an array of rows and slices. Offsets and pitches are in bytes.
struct RectWindow {
    std::size_t x_bytes = 0;  ///< offset within a row
    std::size_t row = 0;
    std::size_t slice = 0;
    std::size_t row_pitch_bytes = 0;    ///< from row to row; 0 means the copied width
    std::size_t slice_pitch_bytes = 0;  ///< from slice to slice; 0 means the copied rows
};

/// The size of a rectangular copy: bytes per row, rows, slices.
struct RectExtent {
    std::size_t width_bytes = 0;
    std::size_t rows = 1;
    std::size_t slices = 1;
};

/// An in-order queue of commands on one device. A cheap handle; commands are enqueued and run later. If memory was last
/// used on another stream, the device waits for that stream; the host does not block.
class GEMEL_API Stream {
   public:
    Stream() = default;
    bool empty() const { return !state_; }
    Context context() const;

    /// Records an event at this point of the stream.
    Event record(EventKind kind = EventKind::timed) const;
    /// Makes commands enqueued later start only after `event`, which may belong to another stream.
    /// @time  returns at once, also for events of other devices and backends: a callback of the event's driver resumes
    ///        the stream. If a driver has no user events, the call blocks until the event is done. If a command before
    ///        an event of another backend fails and that driver reports nothing, the stream waits until somebody calls
    ///        wait() on the event.
    void wait(const Event& event) const;
    /// Waits for all events.
    void wait(std::span<const Event> events) const {
        for (const Event& event : events) wait(event);
    }
    /// Blocks until the stream is empty. @throws DeviceLost with the names of the last launches if one of them failed
    void synchronize() const;
    /// Whether all commands have finished; does not block.
    bool idle() const;
    /// Submits enqueued commands to the device (OpenCL drivers may hold them back).
    void flush() const;
    /// Runs `function` once on a driver thread when the stream reaches this point. It must not call gemel functions
    /// that access the device; destroying handles in it is allowed. Exceptions from it are logged.
    void call(std::function<void()> function) const;

    // Asynchronous copies. They keep page-locked memory alive until they are done.
    /// @throws ArgumentError if the sizes differ or the buffers belong to different contexts
    void copy(const Buffer& to, const Buffer& from) const;
    template <class T>
    void copy(const Buffer& to, const HostBuffer<T>& from) const {
        upload(to, from.raw(), from.offset_bytes(), from.size_bytes());
    }
    template <class T>
    void copy(const HostBuffer<T>& to, const Buffer& from) const {
        download(to.raw(), to.offset_bytes(), from, to.size_bytes());
    }
    /// Copies a rectangular window from one buffer to another.
    void copy_rectangle(const Buffer& to, const RectWindow& to_window, const Buffer& from,
                        const RectWindow& from_window, const RectExtent& extent) const;
    /// Copies a window from or to page-locked memory, whose window starts at its first element.
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
    /// Moves mapped or managed memory to the device, or to the host, before its use. A hint; no effect on other memory.
    void prefetch(const Buffer& buffer, bool to_host = false) const;
    /// Fills the whole buffer with copies of `value`. The buffer's size must be a multiple of sizeof(T), at most 16.
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

/// Makes a stream the calling thread's current stream while the scope lives. Launches and copies of its context that
/// name no stream use it.
class GEMEL_API StreamScope {
   public:
    /// What the destructor does.
    enum class AtEnd : std::uint8_t { nothing, synchronize };
    explicit StreamScope(const Stream& stream, AtEnd at_end = AtEnd::nothing);
    /// With AtEnd::synchronize, blocks until the stream is empty; failures are logged, never thrown.
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
