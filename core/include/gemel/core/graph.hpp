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

/// Recorded launches, copies and fills, which run in the order in which they were recorded. A cheap handle; a graph may
/// be launched from several threads, one launch after the other. It keeps alive the memory and the kernels that it
/// uses.
class GEMEL_API Graph {
   public:
    Graph() = default;
    bool empty() const { return !state_; }
    /// How many commands it has: launches, copies, fills.
    std::size_t nodes() const;
    /// The stream that it was recorded on.
    const Stream& stream() const;
    /// Bytes of device memory that belong to the graph: what arrays made while it was recorded take.
    std::size_t own_bytes() const;

    /// Enqueues all of it, on the stream that it was recorded on or another one of the same context.
    /// @throws ArgumentError if a buffer that it uses has been released, or the stream is of another context
    /// @time   CUDA: one call of the driver. OpenCL: one call for each node, which sets no arguments.
    void launch() const;
    void launch(const Stream& stream) const;

    /// Replaces an argument of one node, a launch, from the next launch of the graph on. Values and memory are checked
    /// as at a launch of the kernel; memory must also be as large and as well aligned as what it replaces.
    /// @param node  as to_string() counts them. @param parameter  its name, as to_string() shows it, or its position
    template <KernelArgument T>
    void update(std::size_t node, std::string_view parameter, const T& value) const {
        update_named(node, parameter, as_argument(value));
    }
    template <KernelArgument T>
    void update(std::size_t node, std::size_t position, const T& value) const {
        update_at(node, position, as_argument(value));
    }
    /// The same in every node that launches the kernel of that name. @returns how many these are
    template <KernelArgument T>
    std::size_t update(std::string_view kernel, std::string_view parameter, const T& value) const {
        return update_all(kernel, parameter, as_argument(value));
    }
    /// Uses the memory of `to` wherever the graph uses that of `from`, in launches, copies and fills. Both are of one
    /// size. @returns how many nodes changed. @throws ArgumentError if none uses it
    std::size_t replace(const Buffer& from, const Buffer& to) const;
    /// The same with arrays, or whatever else has a buffer().
    template <class Array>
        requires requires(const Array& array) {
            { array.buffer() } -> std::convertible_to<const Buffer&>;
        }
    std::size_t replace(const Array& from, const Array& to) const {
        return replace(from.buffer(), to.buffer());
    }

    /// A line for each node: kernel, grid, block, arguments with their names.
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

/// Calls `function` and records what it enqueues, on `stream`, which is the thread's current one meanwhile. Nothing of
/// it runs. Arrays made in it belong to the graph; bytes uploaded from the host are copied now and uploaded by every
/// launch of the graph, except those of a HostBuffer, which every launch reads anew.
/// @throws what `function` throws. Reads by the host (get, item), waits, events and uses of other streams throw an
///         Error that names them. The stream and the context stay usable, and nothing is recorded any more.
/// @throws ArgumentError if the stream is empty; Error if this thread, or another one on this stream, records already
GEMEL_API Graph capture(const Stream& stream, const std::function<void()>& function);

/// The stream that this thread records; empty if it does not.
GEMEL_API Stream recorded_stream();

// For those who write generators.

/// What is called in it runs at once, though the thread records: uploads of tables, scratch memory that is kept with a
/// kernel.
class GEMEL_API RecordingPause {
   public:
    RecordingPause();
    ~RecordingPause();
    RecordingPause(const RecordingPause&) = delete;
    RecordingPause& operator=(const RecordingPause&) = delete;

   private:
    void* paused_;
};

/// Whether this thread records work of that context.
GEMEL_API bool is_recording(const Context& context);
/// An object of the recording under way on this thread, made by `make` when `key` is first asked for, gone when the
/// recording ends; null if the thread does not record. For what a kernel keeps from launch to launch: a graph, which
/// may run at any time, needs its own.
GEMEL_API void* recorded_object(const void* key, std::shared_ptr<void> (*make)());
template <class T>
T* recorded(const void* key) {
    return static_cast<T*>(recorded_object(key, [] { return std::shared_ptr<void>(std::make_shared<T>()); }));
}

}  // namespace gemel
