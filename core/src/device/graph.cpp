/// Launches and updates of graphs.
#include <gemel/core/graph.hpp>

#include "device/first_launch.hpp"
#include "device/graph_state.hpp"
#include "device/timed.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <span>

namespace gemel {
namespace {

using Kind = plugin::GraphCommand::Kind;

/// The alignment that replacing memory must share with the replaced memory, since the kernel was chosen for it:
/// accesses of several elements, and elements before the first whole one.
constexpr std::size_t alignment = 128;

std::size_t misalignment(const DriverContext& driver, const Allocation& allocation, std::size_t offset) {
    return ((driver.linear_addresses ? allocation.memory.handle : 0) + offset) % alignment;
}

void require_alike(const char* function, const DriverContext& driver, const GraphUse& from, const GraphUse& to) {
    if (to.bytes < from.bytes)
        throw ArgumentError(text(function, ": the memory has ", to.bytes, " bytes, expected at least the ", from.bytes,
                                 " of what it replaces; record a graph for other sizes"));
    const std::size_t had = misalignment(driver, *from.allocation, from.offset_bytes),
                      has = misalignment(driver, *to.allocation, to.offset_bytes);
    if (had != has)
        throw ArgumentError(text(function, ": the memory begins ", has, " bytes past a multiple of ", alignment,
                                 ", expected ", had, " as where it replaces; the kernels rely on that: copy it into ",
                                 "memory of its own first"));
}

void enqueue_copy(DriverContext& driver, plugin::Stream& stream, const plugin::GraphCommand& command) {
    const auto& [bytes, rows, slices] = command.extent;
    const plugin::Place to{command.to.device, command.to.offset_bytes},
        from{command.from.device, command.from.offset_bytes};
    if (rows != 1 || slices != 1) return stream.copy_rectangle(command.to, command.from, command.extent, false);
    if (command.from.host) return stream.upload(to, command.from.host, bytes, false);
    if (command.to.host) return stream.download(command.to.host, from, bytes, false);
    stream.copy(to, from, bytes, *driver.plugin, false);
}

Timed::Kind kind_of(const plugin::GraphCommand& copy) {
    return copy.from.host ? Timed::Kind::upload : copy.to.host ? Timed::Kind::download : Timed::Kind::copy;
}
const char* name_of(const plugin::GraphCommand& copy) {
    return copy.from.host ? "upload" : copy.to.host ? "download" : "copy";
}

}  // namespace

std::shared_ptr<GraphState> make_graph_state(Recorder&& recorder) {
    auto state = share(new GraphState);
    state->driver = std::move(recorder.driver);
    state->stream = std::move(recorder.stream);
    state->nodes = std::move(recorder.nodes);
    state->memory = std::move(recorder.memory);
    state->driver->call([&](plugin::Context&) { state->make(); });
    state->collect();
    return state;
}

void GraphState::make() {
    std::vector<plugin::GraphCommand> commands;
    commands.reserve(nodes.size());
    for (GraphNode& node : nodes) {
        node.point();
        commands.push_back(node.command);
    }
    std::unique_ptr<plugin::Graph> made = nodes.empty() ? nullptr : driver->plugin->make_graph(commands);
    std::vector<std::unique_ptr<plugin::BoundKernel>> list;
    for (const plugin::GraphCommand& command : commands)
        if (!made)
            list.push_back(command.kind == Kind::launch ? command.kernel->bind(command.arguments, command.arena)
                                                        : nullptr);
    graph = std::move(made);
    bound = std::move(list);
}

void GraphState::collect() {
    std::map<Allocation*, bool> all;
    std::set<Block*> kept;
    launches = 0;
    exclusive = false;
    last.clear();
    for (const GraphNode& node : nodes) {
        launches += node.command.kind == Kind::launch;
        exclusive |= node.command.shape.exclusive;
        for (const GraphUse& use : node.uses) {
            all[use.allocation] |= use.writes;
            if (use.block) kept.insert(use.block.get());
        }
        if (node.host) all[node.host->allocation.get()] |= node.host_is_written;
    }
    label = intern(
        text("graph of ", launches, launches == 1 ? " launch" : " launches", " in ", counted(nodes.size(), "node")));
    touched.clear();
    for (const auto& [allocation, writes] : all) touched.push_back({allocation, writes});
    blocks.assign(kept.begin(), kept.end());
    for (std::size_t i = nodes.size(); i-- > 0 && last.size() < 4;)
        if (nodes[i].kernel) last.insert(last.begin(), i);
}

void GraphState::enqueue(const std::shared_ptr<StreamCore>& core) {
    std::uint64_t number = Counters::add(driver->counters->launches, launches) + launches - last.size();
    for (const std::size_t i : last)
        driver->launches.add(number++, nodes[i].kernel->interned_name, nodes[i].command.shape);
    if (graph) {
        const Timed timed(driver, core, Timed::Kind::graph, label, 0);
        return graph->launch(*core->stream);
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const plugin::GraphCommand& command = nodes[i].command;
        if (command.kind == Kind::launch) {
            launch_finished(*nodes[i].kernel, *core, command.shape, [&] {
                const Timed timed(driver, core, command.shape, nodes[i].kernel->interned_name, nodes[i].bytes());
                bound[i]->launch(*core->stream, command.shape);
            });
        } else if (command.kind == Kind::copy) {
            const auto [bytes, rows, slices] = command.extent;
            const Timed timed(driver, core, kind_of(command), name_of(command), bytes * rows * slices);
            enqueue_copy(*driver, *core->stream, command);
        } else {
            const Timed timed(driver, core, Timed::Kind::fill, "fill", command.pattern_bytes * command.count);
            if (!core->stream->fill(command.place, command.pattern.data(), command.pattern_bytes, command.count))
                throw Error(
                    text("Graph::launch: the driver refused the fill of node ", i, "; GEMEL_TRACE=1 shows its call"));
        }
    }
}

GraphState& Graph::checked(const char* function) const {
    if (!state_) throw ArgumentError(text(function, ": the graph is empty; capture() makes one"));
    return *state_;
}

std::size_t Graph::nodes() const {
    if (!state_) return 0;
    std::lock_guard lock(state_->mutex);
    return state_->nodes.size();
}
const Stream& Graph::stream() const { return checked("Graph::stream").stream; }
std::size_t Graph::own_bytes() const { return state_ ? state_->memory->bytes() : 0; }

void Graph::launch() const { launch(checked("Graph::launch").stream); }

void Graph::launch(const Stream& stream) const {
    GraphState& graph = checked("Graph::launch");
    const auto& driver = graph.driver;
    if (stream.empty()) throw ArgumentError("Graph::launch: the stream is empty; name one, or call launch()");
    driver->call([&](plugin::Context&) {
        if (stream.state()->driver != driver) {
            stream.state()->driver->check();  // reports that an earlier life of the context was lost
            throw ArgumentError(text("Graph::launch: the stream is on ", stream.state()->driver->description(),
                                     stream.state()->driver->device == driver->device ? " in another context" : "",
                                     ", but the graph was recorded on ", driver->description(),
                                     "; launch it on a stream of its context, or record it anew"));
        }
        const auto& core = stream.state()->core;
        if (find_recorder(*core, "Graph::launch"))
            refuse_while_recording("Graph::launch", "call the function that was recorded instead");
        std::lock_guard lock(graph.mutex);
        for (const Block* block : graph.blocks)
            if (block->released)
                throw ArgumentError(text("Graph::launch: a buffer of ", block->size_bytes,
                                         " bytes that the graph uses has been released; record it anew, or "
                                         "let the graph keep the buffer"));
        for (const GraphState::Touched& one : graph.touched) one.allocation->uses.touch(core, one.writes);
        const ExclusiveTurn turn(*driver, core, graph.exclusive);
        graph.enqueue(core);
        if (driver->synchronous) core->stream->synchronize();
    });
}

GraphNode& GraphState::launching(const char* function, std::size_t node) {
    if (node >= nodes.size())
        throw ArgumentError(text(function, ": there is no node ", node, "; the graph has ",
                                 counted(nodes.size(), "node"), ", counted from 0"));
    if (!nodes[node].kernel)
        throw ArgumentError(text(function, ": node ", node, " is a ",
                                 nodes[node].command.kind == Kind::fill ? "fill" : "copy",
                                 ", which has no arguments; Graph::replace() changes its memory"));
    return nodes[node];
}

/// What a graph cannot change in this slot; null if it can.
static const char* kept_by_graphs(const KernelState& kernel, std::size_t slot) {
    if (!kernel.signature) return nullptr;
    const Parameter::Space space = kernel.signature->parameters[slot].space;
    if (space == Parameter::Space::tensor_map) return "a tensor map";
    return space > Parameter::Space::arena ? "a texture or an image" : nullptr;
}

void GraphState::set(std::size_t at, std::size_t position, const Argument& argument) {
    GraphNode& node = launching("Graph::update", at);
    KernelState& kernel = *node.kernel;
    const std::size_t slot = slot_of(kernel, position);
    if (slot >= node.views.size())
        throw ArgumentError(text("Graph::update: kernel '", kernel.name, "' of node ", at, " has no argument ",
                                 position, "; it has ", node.views.size() - kernel.hidden_count(), ", counted from 0"));
    if (is_host_range(argument))
        throw ArgumentError("Graph::update: expected device memory or a value, got a host range; upload it first");
    if (const char* const kept = kept_by_graphs(kernel, slot))
        throw ArgumentError(text("Graph::update: argument ", position, " of kernel '", kernel.name, "' is ", kept,
                                 ", which a graph keeps; record it anew"));
    Marshalled marshalled;
    try {
        marshal_one(kernel, position, slot, argument, marshalled);
    } catch (const ArgumentError& error) {
        throw ArgumentError(text("Graph::update: ", error.what()));
    }
    const plugin::ArgumentView view = marshalled.views[slot];
    if (view.bytes != node.views[slot].bytes)
        throw ArgumentError(text("Graph::update: argument ", position, " of kernel '", kernel.name, "' has ",
                                 node.views[slot].bytes, " bytes, got ", view.bytes,
                                 "; pass a value of the same type"));
    const auto old = std::find_if(node.uses.begin(), node.uses.end(),
                                  [&](const GraphUse& use) { return use.slot == static_cast<int>(slot); });
    GraphUse use;
    if (argument.block && argument.block->allocation) {
        use = {argument.block->graph == memory ? nullptr : argument.block->shared_from_this(),
               argument.block->allocation.get(),
               !kernel.signature || !kernel.signature->parameters[slot].is_const,
               static_cast<int>(slot),
               argument.offset_bytes,
               argument.bytes};
        if (old != node.uses.end()) require_alike("Graph::update", *driver, *old, use);
    } else if (old != node.uses.end()) {
        throw ArgumentError(text("Graph::update: the memory has 0 bytes, expected at least ", old->bytes,
                                 "; pass a buffer of that size"));
    }
    graph ? graph->set(at, slot, view) : bound[at]->set(slot, view);
    if (const auto* bytes = static_cast<const std::byte*>(view.data))
        node.values[slot].assign(bytes, bytes + view.bytes);
    node.point();
    if (old != node.uses.end())
        *old = std::move(use);
    else if (use.allocation)
        node.uses.push_back(std::move(use));
}

namespace {

std::size_t position_of(const KernelState& kernel, std::string_view parameter) {
    if (!kernel.signature)
        throw ArgumentError(text("Graph::update: the parameters of kernel '", kernel.name,
                                 "' are not known by name; give the argument's position"));
    std::size_t position = 0;
    for (const Parameter& one : kernel.signature->parameters) {
        if (!one.is_supplied()) continue;
        if (one.name == parameter) return position;
        ++position;
    }
    throw ArgumentError(text("Graph::update: kernel '", kernel.name, "' has no parameter '", parameter, "'; it is ",
                             kernel.signature->text()));
}

/// Locks the graph and changes nodes. Afterwards, even if `change` throws, collects again what launches must wait for.
template <class Change>
auto change_nodes(GraphState& graph, const Argument& argument, Change&& change) {
    return graph.driver->call([&](plugin::Context&) {
        not_recorded("Graph::update");
        std::lock_guard lock(graph.mutex);
        struct Collect {
            GraphState* graph;
            ~Collect() {
                if (graph) graph->collect();
            }
        } const collect{argument.block ? &graph : nullptr};
        return change();
    });
}

}  // namespace

void Graph::update_named(std::size_t node, std::string_view parameter, const Argument& argument) const {
    GraphState& graph = checked("Graph::update");
    change_nodes(graph, argument, [&] {
        graph.set(node, position_of(*graph.launching("Graph::update", node).kernel, parameter), argument);
    });
}

void Graph::update_at(std::size_t node, std::size_t position, const Argument& argument) const {
    GraphState& graph = checked("Graph::update");
    change_nodes(graph, argument, [&] { graph.set(node, position, argument); });
}

std::size_t Graph::update_all(std::string_view kernel, std::string_view parameter, const Argument& argument) const {
    GraphState& graph = checked("Graph::update");
    return change_nodes(graph, argument, [&] {
        std::size_t count = 0;
        for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
            const auto& state = graph.nodes[i].kernel;
            if (!state || state->name != kernel) continue;
            graph.set(i, position_of(*state, parameter), argument);
            ++count;
        }
        if (count == 0)
            throw ArgumentError(
                text("Graph::update: no node launches a kernel named '", kernel, "'; Graph::to_string() lists them"));
        return count;
    });
}

namespace {

/// @returns whether the node uses the memory
bool replace_in(GraphNode& node, const GraphState& graph, const Buffer& from, const Buffer& to) {
    Block& target = *to.block();
    const Allocation* const old = from.block()->allocation.get();
    bool any = false;
    for (GraphUse& use : node.uses) {
        if (use.allocation != old || use.offset_bytes + use.bytes <= from.offset_bytes() ||
            use.offset_bytes >= from.offset_bytes() + from.size_bytes())
            continue;
        if (use.offset_bytes < from.offset_bytes() ||
            use.offset_bytes + use.bytes > from.offset_bytes() + from.size_bytes())
            throw ArgumentError(
                "Graph::replace: a node uses more of the memory than was named; replace the whole buffer");
        const GraphUse fresh{target.graph == graph.memory ? nullptr : to.block(),
                             target.allocation.get(),
                             use.writes,
                             use.slot,
                             use.offset_bytes - from.offset_bytes() + to.offset_bytes(),
                             use.bytes};
        require_alike("Graph::replace", *graph.driver, use, fresh);
        plugin::GraphCommand& command = node.command;
        if (const char* const kept =
                use.slot >= 0 ? kept_by_graphs(*node.kernel, static_cast<std::size_t>(use.slot)) : nullptr)
            throw ArgumentError(text("Graph::replace: kernel '", node.kernel->name, "' accesses the memory through ",
                                     kept, ", which a graph keeps; record it anew"));
        if (use.slot >= 0) {
            const std::uint64_t handle = handle_of(*graph.driver, target, fresh.offset_bytes, fresh.bytes);
            const auto* bytes = reinterpret_cast<const std::byte*>(&handle);
            node.values[static_cast<std::size_t>(use.slot)].assign(bytes, bytes + sizeof handle);
        } else if (command.kind == Kind::fill) {
            command.place = {&target.allocation->memory, fresh.offset_bytes};
        } else {
            plugin::RectSide& side = use.writes ? command.to : command.from;
            side.device = &target.allocation->memory;
            side.offset_bytes = side.offset_bytes - from.offset_bytes() + to.offset_bytes();
        }
        use = fresh;
        any = true;
    }
    return any;
}

}  // namespace

std::size_t Graph::replace(const Buffer& from, const Buffer& to) const {
    GraphState& graph = checked("Graph::replace");
    const CallScope scope;
    Block& source = gemel::checked(from, "Graph::replace: what is replaced");
    Block& target = gemel::checked(to, "Graph::replace: what replaces it");
    if (target.driver != graph.driver) {
        target.driver->check();
        throw ArgumentError(text("Graph::replace: the buffer is on ", target.driver->description(),
                                 ", but the graph was recorded on ", graph.driver->description(),
                                 target.driver->device == graph.driver->device ? " in another context" : "",
                                 "; replace it by memory of the graph's context"));
    }
    if (from.size_bytes() != to.size_bytes() || !source.allocation)
        throw ArgumentError(text("Graph::replace: expected ", from.size_bytes(),
                                 " bytes, as those that are replaced, got ", to.size_bytes(),
                                 "; record a graph for other sizes"));
    return graph.driver->call([&](plugin::Context&) {
        not_recorded("Graph::replace");
        std::lock_guard lock(graph.mutex);
        std::vector<GraphNode> changed = graph.nodes;
        std::size_t count = 0;
        for (GraphNode& node : changed) count += replace_in(node, graph, from, to);
        if (count == 0)
            throw ArgumentError(text("Graph::replace: no node uses the buffer of ", from.size_bytes(),
                                     " bytes; Graph::to_string() shows what they use"));
        graph.nodes.swap(changed);
        try {
            graph.make();
        } catch (...) {
            graph.nodes.swap(changed);
            throw;
        }
        graph.collect();
        return count;
    });
}

}  // namespace gemel
