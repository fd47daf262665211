/// A recorded graph.
#pragma once

#include "device/recorder.hpp"

#include <gemel/core/graph.hpp>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace gemel {

struct GraphState {
    std::shared_ptr<DriverContext> driver;
    Stream stream;
    std::vector<GraphNode> nodes;
    std::shared_ptr<GraphMemory> memory;

    /// Each memory once; a launch waits for other uses of it.
    struct Touched {
        Allocation* allocation;
        bool writes;
    };
    std::vector<Touched> touched;
    std::vector<Block*> blocks;     ///< that the nodes keep; others may release them
    std::uint64_t launches = 0;     ///< nodes that launch kernels
    bool exclusive = false;         ///< one of them is LaunchConfig::exclusive
    const char* label = "";         ///< in profiles
    std::vector<std::size_t> last;  ///< the last of them, for messages about failures

    std::unique_ptr<plugin::Graph> graph;                     ///< the driver's, if it has graphs
    std::vector<std::unique_ptr<plugin::BoundKernel>> bound;  ///< otherwise, by node; null for copies and fills
    mutable std::mutex mutex;                                 ///< of launches and changes

    /// After a change of nodes: creates the driver's graph, or binds the kernels.
    void make();
    void collect();
    void enqueue(const std::shared_ptr<StreamCore>& core);
    /// @throws ArgumentError if there is no such node, or if it launches no kernel
    GraphNode& launching(const char* function, std::size_t node);
    void set(std::size_t node, std::size_t position, const Argument& argument);
    std::string line(const GraphNode& node) const;
};

std::shared_ptr<GraphState> make_graph_state(Recorder&& recorder);

}  // namespace gemel
