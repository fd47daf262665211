/// Graphs: work recorded once and replayed as one call.
#pragma once

#include <gemel/core/argument.hpp>
#include <gemel/core/buffer.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/stream.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace gemel {

class Context;
struct GraphState;

/// Recorded launches, copies and fills that run in recorded order. A cheap handle. Several threads may launch one
/// graph; the launches run one after another. A graph keeps the memory and kernels that it uses alive.
class GEMEL_API Graph {
   public:
    Graph() = default;
    bool empty() const { return !state_; }
    /// The number of commands: launches, copies, fills.
    std::size_t nodes() const;
    /// The stream on which the graph was recorded.
    const Stream& stream() const;
    /// Bytes of device memory that belong to the graph: the arrays made during the recording.
    std::size_t own_bytes() const;

    /// Enqueues the graph on the stream of its recording, or on another stream of the same context.
    /// @throws ArgumentError if a buffer of the graph has been released or the stream belongs to another context
    /// @time   CUDA: one driver call. OpenCL: one call per node, without setting arguments.
    void launch() const;
    void launch(const Stream& stream) const;

    /// Replaces an argument of one kernel node for later launches of the graph. The argument is checked as at a launch
    /// of the kernel. Memory must be at least as large and as aligned as the memory that it replaces.
    /// @param node  its number in to_string(). @param parameter  its name as in to_string(), or its position
    template <KernelArgument T>
    void update(std::size_t node, std::string_view parameter, const T& value) const {
        update_named(node, parameter, as_argument(value));
    }
    template <KernelArgument T>
    void update(std::size_t node, std::size_t position, const T& value) const {
        update_at(node, position, as_argument(value));
    }
    /// Replaces the argument in every node that launches the kernel of that name. @returns the number of these nodes
    template <KernelArgument T>
    std::size_t update(std::string_view kernel, std::string_view parameter, const T& value) const {
        return update_all(kernel, parameter, as_argument(value));
    }
    /// Replaces the memory of `from` by that of `to` in all launches, copies and fills. Both must have the same size.
    /// @returns the number of changed nodes. @throws ArgumentError if no node uses `from`
    std::size_t replace(const Buffer& from, const Buffer& to) const;
    /// The same for arrays and other types with a buffer().
    template <class Array>
        requires requires(const Array& array) {
            { array.buffer() } -> std::convertible_to<const Buffer&>;
        }
    std::size_t replace(const Array& from, const Array& to) const {
        return replace(from.buffer(), to.buffer());
    }

    /// One line per node: kernel, grid, block, arguments with their names.
    std::string to_string() const;

    explicit Graph(std::shared_ptr<GraphState> state) : state_(std::move(state)) {}
    const std::shared_ptr<GraphState>& state() const { return state_; }

   private:
    GraphState& checked(const char* function) const;
    void update_named(std::size_t node, std::string_view parameter, const Argument& argument) const;
    void update_at(std::size_t node, std::size_t position, const Argument& argument) const;
    std::size_t update_all(std::string_view kernel, std::string_view parameter, const Argument& argument) const;

    std::shared_ptr<GraphState> state_;
};

/// Calls `function` with `stream` as the thread's current stream and records the commands that it enqueues instead of
/// running them. Arrays made in `function` belong to the graph. Host data that it uploads is copied now, and every
/// launch of the graph uploads this copy; a HostBuffer is not copied: every launch reads its current contents.
/// @throws the exceptions of `function`. Host reads (get, item), waits, events and other streams throw an Error that
///         names the call. After an exception the stream and the context are usable and the recording has ended.
/// @throws ArgumentError if the stream is empty; Error if this thread, or another thread on this stream, is recording
GEMEL_API Graph capture(const Stream& stream, const std::function<void()>& function);

/// The stream that this thread is recording; empty if it records none.
GEMEL_API Stream recorded_stream();

// For authors of generators.

/// Suspends this thread's recording while it lives: commands run at once, for example uploads of tables and scratch
/// memory that a kernel keeps.
class GEMEL_API RecordingPause {
   public:
    RecordingPause();
    ~RecordingPause();
    RecordingPause(const RecordingPause&) = delete;
    RecordingPause& operator=(const RecordingPause&) = delete;

   private:
    void* paused_;
};

/// Whether this thread is recording commands of the context.
GEMEL_API bool is_recording(const Context& context);
/// An object that belongs to this thread's recording: `make` makes it at the first call with `key`, and it is released
/// when the recording ends. Null if the thread is not recording. Use it for state that a kernel keeps between launches:
/// a graph may run at any time and needs its own copy.
GEMEL_API void* recorded_object(const void* key, std::shared_ptr<void> (*make)());
template <class T>
T* recorded(const void* key) {
    return static_cast<T*>(recorded_object(key, [] { return std::shared_ptr<void>(std::make_shared<T>()); }));
}

}  // namespace gemel
