/// Graphs of the stand-in for NVIDIA's driver. A graph's nodes run as late as their dependencies allow, those that were
/// added last first: an order that was not asked for is not kept.
#include "cuda_driver.hpp"

#include <cstdint>
#include <cstring>
#include <vector>

#if CUDA_VERSION < 12030
struct CUgraphEdgeData {
    unsigned char from_port, to_port, type, reserved[5];
};
#endif

namespace {

struct Node {
    enum class Kind { launch, copy, fill } kind = Kind::launch;
    std::vector<std::size_t> after;
    bool is_cooperative = false;
    CUDA_KERNEL_NODE_PARAMS_v2 kernel{};
    std::vector<std::vector<char>> values;
    CUDA_MEMCPY3D copy{};
    CUDA_MEMSET_NODE_PARAMS fill{};

    void take(const CUDA_KERNEL_NODE_PARAMS_v2& from) {
        kernel = from;
        kernel.kernelParams = nullptr;
        values.clear();
        const auto bytes_of = reinterpret_cast<Function*>(from.func)->argument_bytes;
        for (std::size_t i = 0; bytes_of && bytes_of(i) != 0; ++i) {
            const char* const value = static_cast<const char*>(from.kernelParams[i]);
            values.emplace_back(value, value + bytes_of(i));
        }
    }
};

struct Graph {
    std::vector<Node> nodes;
};

/// The one under construction: a node's handle does not tell its graph.
thread_local Graph* last_graph = nullptr;

/// A node's handle is its place, counted from 1.
std::size_t place_of(CUgraphNode node) { return reinterpret_cast<std::uintptr_t>(node) - 1; }

CUresult add(CUgraphNode* made, CUgraph to, const CUgraphNode* after, std::size_t count, Node node) {
    last_graph = reinterpret_cast<Graph*>(to);
    auto& nodes = last_graph->nodes;
    for (std::size_t i = 0; i < count; ++i) {
        if (place_of(after[i]) >= nodes.size()) return CUDA_ERROR_INVALID_VALUE;
        node.after.push_back(place_of(after[i]));
    }
    nodes.push_back(std::move(node));
    *made = reinterpret_cast<CUgraphNode>(nodes.size());
    return CUDA_SUCCESS;
}

char* side(CUmemorytype type, const void* host, CUdeviceptr device) {
    return type == CU_MEMORYTYPE_HOST ? static_cast<char*>(const_cast<void*>(host)) : reinterpret_cast<char*>(device);
}

CUresult run(Node& node) {
    if (node.kind == Node::Kind::launch) {
        const CUDA_KERNEL_NODE_PARAMS_v2& k = node.kernel;
        std::vector<void*> pointers;
        for (auto& value : node.values) pointers.push_back(value.data());
        return run_kernel(k.func, pointers.data(), {k.gridDimX, k.gridDimY, k.gridDimZ},
                          {k.blockDimX, k.blockDimY, k.blockDimZ}, node.is_cooperative);
    }
    if (node.kind == Node::Kind::fill) {
        char* const to = reinterpret_cast<char*>(node.fill.dst);
        for (std::size_t i = 0; i < node.fill.width; ++i)
            std::memcpy(to + i * node.fill.elementSize, &node.fill.value, node.fill.elementSize);
        return CUDA_SUCCESS;
    }
    const CUDA_MEMCPY3D& c = node.copy;
    char* const to = side(c.dstMemoryType, c.dstHost, c.dstDevice);
    const char* const from = side(c.srcMemoryType, c.srcHost, c.srcDevice);
    for (std::size_t slice = 0; slice < c.Depth; ++slice)
        for (std::size_t row = 0; row < c.Height; ++row)
            std::memmove(to + (slice * c.dstHeight + row) * c.dstPitch, from + (slice * c.srcHeight + row) * c.srcPitch,
                         c.WidthInBytes);
    return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult cuGraphCreate(CUgraph* graph, unsigned) {
    GEMEL_CALLED("cuGraphCreate");
    *graph = reinterpret_cast<CUgraph>(new Graph);
    return CUDA_SUCCESS;
}
CUresult cuGraphDestroy(CUgraph graph) {
    if (last_graph == reinterpret_cast<Graph*>(graph)) last_graph = nullptr;
    delete reinterpret_cast<Graph*>(graph);
    return called("cuGraphDestroy");
}
CUresult cuGraphAddKernelNode_v2(CUgraphNode* made, CUgraph to, const CUgraphNode* after, std::size_t count,
                                 const CUDA_KERNEL_NODE_PARAMS_v2* parameters) {
    GEMEL_CALLED("cuGraphAddKernelNode_v2");
    Node node;
    node.take(*parameters);
    return add(made, to, after, count, std::move(node));
}
CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUlaunchAttributeID id, const CUlaunchAttributeValue* value) {
    GEMEL_CALLED("cuGraphKernelNodeSetAttribute");
    if (id != CU_LAUNCH_ATTRIBUTE_COOPERATIVE || !last_graph || place_of(node) >= last_graph->nodes.size())
        return CUDA_ERROR_INVALID_VALUE;
    last_graph->nodes[place_of(node)].is_cooperative = value->cooperative != 0;
    return CUDA_SUCCESS;
}
CUresult cuGraphAddMemcpyNode(CUgraphNode* made, CUgraph to, const CUgraphNode* after, std::size_t count,
                              const CUDA_MEMCPY3D* copy, CUcontext) {
    GEMEL_CALLED("cuGraphAddMemcpyNode");
    Node node;
    node.kind = Node::Kind::copy;
    node.copy = *copy;
    return add(made, to, after, count, std::move(node));
}
CUresult cuGraphAddMemsetNode(CUgraphNode* made, CUgraph to, const CUgraphNode* after, std::size_t count,
                              const CUDA_MEMSET_NODE_PARAMS* fill, CUcontext) {
    GEMEL_CALLED("cuGraphAddMemsetNode");
    Node node;
    node.kind = Node::Kind::fill;
    node.fill = *fill;
    return add(made, to, after, count, std::move(node));
}
/// Only programmatic edges between kernels.
CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                   const CUgraphEdgeData* edges, std::size_t count) {
    GEMEL_CALLED("cuGraphAddDependencies_v2");
    auto& nodes = reinterpret_cast<Graph*>(graph)->nodes;
    for (std::size_t i = 0; i < count; ++i) {
        const bool is_programmatic = edges[i].from_port == 1 && edges[i].to_port == 0 && edges[i].type == 1;
        if (!is_programmatic || place_of(from[i]) >= nodes.size() || place_of(to[i]) >= nodes.size() ||
            nodes[place_of(from[i])].kind != Node::Kind::launch || nodes[place_of(to[i])].kind != Node::Kind::launch)
            return CUDA_ERROR_INVALID_VALUE;
        nodes[place_of(to[i])].after.push_back(place_of(from[i]));
    }
    return CUDA_SUCCESS;
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph graph, unsigned long long) {
    GEMEL_CALLED("cuGraphInstantiateWithFlags");
    *executable = reinterpret_cast<CUgraphExec>(new Graph(*reinterpret_cast<Graph*>(graph)));
    return CUDA_SUCCESS;
}
CUresult cuGraphExecDestroy(CUgraphExec executable) {
    delete reinterpret_cast<Graph*>(executable);
    return called("cuGraphExecDestroy");
}
CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec executable, CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS_v2* parameters) {
    GEMEL_CALLED("cuGraphExecKernelNodeSetParams_v2");
    auto& nodes = reinterpret_cast<Graph*>(executable)->nodes;
    if (place_of(node) >= nodes.size() || nodes[place_of(node)].kind != Node::Kind::launch)
        return CUDA_ERROR_INVALID_VALUE;
    nodes[place_of(node)].take(*parameters);
    return CUDA_SUCCESS;
}
CUresult cuGraphLaunch(CUgraphExec executable, CUstream) {
    GEMEL_CALLED("cuGraphLaunch");
    auto& nodes = reinterpret_cast<Graph*>(executable)->nodes;
    std::vector<bool> done(nodes.size());
    const auto ready = [&](const Node& node) {
        for (const std::size_t before : node.after)
            if (!done[before]) return false;
        return true;
    };
    for (std::size_t count = 0; count < nodes.size(); ++count) {
        std::size_t next = nodes.size() - 1;
        while (done[next] || !ready(nodes[next])) --next;
        if (const CUresult result = run(nodes[next]); result != CUDA_SUCCESS) return result;
        done[next] = true;
    }
    return CUDA_SUCCESS;
}

}  // extern "C"
