/// Records commands into a graph, and the test in every call whether it is recorded.
#pragma once

#include "device/marshal.hpp"
#include "device/state.hpp"

#include <gemel/core/stream.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace gemel {

/// The memory of a graph. Memory that is released during recording is reused by later commands of the graph; all of it
/// lives until the graph and its handles are destroyed.
class GraphMemory {
   public:
    explicit GraphMemory(std::shared_ptr<DriverContext> driver) : driver_(std::move(driver)) {}
    ~GraphMemory();
    std::unique_ptr<Allocation> allocate(std::size_t bytes);
    void keep(std::unique_ptr<Allocation> allocation) noexcept;
    std::size_t bytes() const;

   private:
    const std::shared_ptr<DriverContext> driver_;
    mutable std::mutex mutex_;
    std::vector<std::unique_ptr<Allocation>> idle_;
    std::size_t bytes_ = 0;
};

/// Memory that a node uses. `block` keeps it alive; it is null for memory of the graph, which lives as long as the
/// graph.
struct GraphUse {
    std::shared_ptr<Block> block;
    Allocation* allocation = nullptr;
    bool writes = false;
    int slot = -1;  ///< of a launch's arguments
    std::size_t offset_bytes = 0, bytes = 0;
};

struct GraphNode {
    plugin::GraphCommand command;
    std::shared_ptr<KernelState> kernel;
    std::vector<std::vector<std::byte>> values;  ///< of a launch's arguments
    std::vector<plugin::ArgumentView> views;     ///< of the values
    std::vector<GraphUse> uses;
    std::shared_ptr<HostBlock> host;
    bool host_is_written = false;

    /// The memory that it uses.
    std::size_t bytes() const;
    /// Adjusts pointers after the node was moved; they point into the node itself.
    void point();
};

/// One recording on one thread.
struct Recorder {
    std::shared_ptr<DriverContext> driver;
    Stream stream;
    std::vector<GraphNode> nodes;
    std::shared_ptr<GraphMemory> memory;
    std::map<const void*, std::shared_ptr<void>> objects;

    StreamCore* core() const { return stream.state()->core.get(); }
    GraphUse use(Block& block, bool writes, std::size_t offset_bytes, std::size_t bytes) const;

    void launch(const std::shared_ptr<KernelState>& kernel, const plugin::LaunchShape& shape,
                std::span<const plugin::ArgumentView> views, std::vector<GraphUse> uses);
    void copy(const plugin::RectSide& to, GraphUse to_use, const plugin::RectSide& from, GraphUse from_use,
              std::array<std::size_t, 3> extent);
    /// To or from page-locked memory.
    void upload(Block& to, std::size_t offset, std::shared_ptr<HostBlock> from, std::size_t from_offset,
                std::size_t bytes);
    void download(std::shared_ptr<HostBlock> to, std::size_t to_offset, Block& from, std::size_t offset,
                  std::size_t bytes);
    /// From memory that may be gone when the graph runs: copies the bytes now.
    void upload_copy(Block& to, std::size_t offset, const void* from, std::size_t bytes);
    void fill(Block& to, std::size_t offset, const std::byte* pattern, std::size_t pattern_bytes, std::size_t count);
};

/// The number of recordings in the process, with `profile_bit` while a profile collects and `capture_bit` if
/// GEMEL_CAPTURE is set.
extern std::atomic<int> watchers;
inline constexpr int profile_bit = 1 << 30, capture_bit = 1 << 29;

/// The test in every call: a load and a branch while nothing records or profiles.
inline bool anyone_watches() { return watchers.load(std::memory_order_relaxed) != 0; }
inline bool anyone_profiles() { return (watchers.load(std::memory_order_relaxed) & profile_bit) != 0; }

/// The recorder of a call on this stream; null if the call runs. `what` and `kernel` begin messages.
/// @throws Error if another thread records this stream, or this thread records another one
Recorder* recorder_on(const StreamCore& stream, const char* what, const std::string* kernel = nullptr);
/// For calls that cannot be recorded. @param instead  the next step
void refuse_while_recording(const char* what, const char* instead);

inline Recorder* find_recorder(const StreamCore& stream, const char* what) {
    return anyone_watches() ? recorder_on(stream, what) : nullptr;
}
inline void not_recorded(const char* what, const char* instead = "call it before or after capture()") {
    if (anyone_watches()) [[unlikely]]
        refuse_while_recording(what, instead);
}
/// The graph's memory if this thread records work of that context.
std::shared_ptr<GraphMemory> memory_of_recording(const DriverContext& driver);

}  // namespace gemel
