#include "device/recorder.hpp"

#include "device/graph_state.hpp"

#include <gemel/core/graph.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <cstring>
#include <exception>

namespace gemel {

std::atomic<int> watchers{0};

namespace {

thread_local Recorder* own = nullptr;     ///< of this thread; null while it is paused
thread_local Recorder* paused = nullptr;  ///< the recorder while it is paused

std::string begun(const char* what, const std::string* kernel) {
    return kernel ? text("kernel '", *kernel, "'") : std::string(what);
}

}  // namespace

GraphMemory::~GraphMemory() {
    for (auto& allocation : idle_) give_back(*driver_, std::move(allocation));
}

std::unique_ptr<Allocation> GraphMemory::allocate(std::size_t bytes) {
    if (bytes == 0) return nullptr;
    {
        std::lock_guard lock(mutex_);
        const auto fits = [&](const std::unique_ptr<Allocation>& a) {
            return a->memory.bytes >= bytes && a->memory.bytes - bytes <= bytes / 8;
        };
        const auto found = std::find_if(idle_.begin(), idle_.end(), fits);
        if (found != idle_.end()) {
            auto allocation = std::move(*found);
            idle_.erase(found);
            return allocation;
        }
    }
    auto allocation = allocate_device(*driver_, bytes, plugin::MemoryKind::device);
    std::lock_guard lock(mutex_);
    bytes_ += allocation->memory.bytes;
    return allocation;
}

void GraphMemory::keep(std::unique_ptr<Allocation> allocation) noexcept {
    std::lock_guard lock(mutex_);
    idle_.push_back(std::move(allocation));
}

std::size_t GraphMemory::bytes() const {
    std::lock_guard lock(mutex_);
    return bytes_;
}

std::size_t GraphNode::bytes() const {
    std::size_t all = 0;
    for (const GraphUse& use : uses) all += use.bytes;
    return all;
}

void GraphNode::point() {
    for (std::size_t slot = 0; slot < values.size(); ++slot)
        if (!values[slot].empty()) views[slot] = {values[slot].data(), values[slot].size()};
    command.arguments = views;
}

GraphUse Recorder::use(Block& block, bool writes, std::size_t offset_bytes, std::size_t bytes) const {
    return {block.graph == memory ? nullptr : block.shared_from_this(),
            block.allocation.get(),
            writes,
            -1,
            offset_bytes,
            bytes};
}

void Recorder::launch(const std::shared_ptr<KernelState>& kernel, const plugin::LaunchShape& shape,
                      std::span<const plugin::ArgumentView> views, std::vector<GraphUse> uses) {
    GraphNode node;
    node.kernel = kernel;
    node.command.kernel = kernel->kernel.get();
    node.command.shape = shape;
    node.command.arena = kernel->arena;
    node.views.assign(views.begin(), views.end());
    for (const plugin::ArgumentView& view : views) {
        const auto* bytes = static_cast<const std::byte*>(view.data);
        node.values.emplace_back(bytes, bytes ? bytes + view.bytes : nullptr);
    }
    node.uses = std::move(uses);
    nodes.push_back(std::move(node));
}

void Recorder::copy(const plugin::RectSide& to, GraphUse to_use, const plugin::RectSide& from, GraphUse from_use,
                    std::array<std::size_t, 3> extent) {
    GraphNode node;
    node.command.kind = plugin::GraphCommand::Kind::copy;
    node.command.to = to;
    node.command.from = from;
    node.command.extent = extent;
    if (to_use.allocation) node.uses.push_back(std::move(to_use));
    if (from_use.allocation) node.uses.push_back(std::move(from_use));
    nodes.push_back(std::move(node));
}

void Recorder::upload(Block& to, std::size_t offset, std::shared_ptr<HostBlock> from, std::size_t from_offset,
                      std::size_t bytes) {
    auto* host = static_cast<std::byte*>(from->allocation->memory.host) + from_offset;
    copy({nullptr, &to.allocation->memory, offset, bytes, bytes}, use(to, true, offset, bytes),
         {host, nullptr, 0, bytes, bytes}, {}, {bytes, 1, 1});
    nodes.back().host = std::move(from);
}

void Recorder::download(std::shared_ptr<HostBlock> to, std::size_t to_offset, Block& from, std::size_t offset,
                        std::size_t bytes) {
    auto* host = static_cast<std::byte*>(to->allocation->memory.host) + to_offset;
    copy({host, nullptr, 0, bytes, bytes}, {}, {nullptr, &from.allocation->memory, offset, bytes, bytes},
         use(from, false, offset, bytes), {bytes, 1, 1});
    nodes.back().host = std::move(to);
    nodes.back().host_is_written = true;
}

void Recorder::upload_copy(Block& to, std::size_t offset, const void* from, std::size_t bytes) {
    auto block = share(new HostBlock);
    block->driver = driver;
    block->size_bytes = bytes;
    block->allocation = allocate_page_locked(*driver, bytes);
    std::memcpy(block->allocation->memory.host, from, bytes);
    upload(to, offset, std::move(block), 0, bytes);
}

void Recorder::fill(Block& to, std::size_t offset, const std::byte* pattern, std::size_t pattern_bytes,
                    std::size_t count) {
    GraphNode node;
    node.command.kind = plugin::GraphCommand::Kind::fill;
    node.command.place = {&to.allocation->memory, offset};
    std::copy(pattern, pattern + pattern_bytes, node.command.pattern.begin());
    node.command.pattern_bytes = pattern_bytes;
    node.command.count = count;
    node.uses.push_back(use(to, true, offset, pattern_bytes * count));
    nodes.push_back(std::move(node));
}

Recorder* recorder_on(const StreamCore& stream, const char* what, const std::string* kernel) {
    if (own) {
        if (own->core() == &stream) return own;
        throw Error(text(begun(what, kernel),
                         ": cannot be recorded, because it names another stream than the one that ",
                         "capture() records; name that one, or none"));
    }
    if (stream.recorded.load(std::memory_order_relaxed) && !(paused && paused->core() == &stream))
        throw Error(text(begun(what, kernel),
                         ": another thread records the stream with capture(); use another stream meanwhile"));
    return nullptr;
}

void refuse_while_recording(const char* what, const char* instead) {
    if (own) throw Error(text(what, ": cannot be recorded into a graph; ", instead));
}

std::shared_ptr<GraphMemory> memory_of_recording(const DriverContext& driver) {
    return own && own->driver.get() == &driver ? own->memory : nullptr;
}

Stream recorded_stream() { return own ? own->stream : Stream(); }

bool is_recording(const Context& context) { return own && own->stream.state()->owner == context.state(); }

void* recorded_object(const void* key, std::shared_ptr<void> (*make)()) {
    if (!own) return nullptr;
    auto& object = own->objects[key];
    if (!object) object = make();
    return object.get();
}

RecordingPause::RecordingPause() : paused_(own) {
    if (own) paused = own;
    own = nullptr;
}

RecordingPause::~RecordingPause() {
    if (!paused_) return;
    own = static_cast<Recorder*>(paused_);
    paused = nullptr;
}

namespace {

/// Marks thread and stream during a recording.
class Recording {
   public:
    explicit Recording(Recorder& recorder) : recorder_(recorder) {
        if (own || paused)
            throw Error(
                "capture: this thread records already; end that capture() first, or call the function directly");
        if (recorder.core()->recorded.exchange(true))
            throw Error("capture: another thread records this stream; record on a stream of this thread's own");
        own = &recorder;
        watchers.fetch_add(1);
    }
    ~Recording() {
        watchers.fetch_sub(1);
        own = nullptr;
        recorder_.core()->recorded = false;
    }
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;

   private:
    Recorder& recorder_;
};

}  // namespace

Graph capture(const Stream& stream, const std::function<void()>& function) {
    if (stream.empty()) throw ArgumentError("capture: the stream is empty; make one with Context::create_stream()");
    if (!function) throw ArgumentError("capture: the function is empty; give one that enqueues what to record");
    Recorder recorder;
    recorder.driver = stream.state()->driver;
    recorder.stream = stream;
    recorder.driver->call([](plugin::Context&) {});  // throws if the context is lost
    recorder.memory = share(new GraphMemory(recorder.driver));
    {
        const Recording recording(recorder);
        const StreamScope scope(stream);
        function();
        recorder.objects.clear();  // the memory that they hold returns to the graph's memory
    }
    return Graph(make_graph_state(std::move(recorder)));
}

}  // namespace gemel
