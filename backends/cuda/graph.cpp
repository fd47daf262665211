/// Graphs: a chain of nodes, instantiated once.
#include "objects.hpp"

#include <cstring>

namespace gemel::plugin::cuda {
namespace {

/// CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC and CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC.
constexpr unsigned char programmatic = 1;

/// A graph under construction.
class Chain {
   public:
    explicit Chain(const Shared& shared) : shared_(shared) { cu.GraphCreate(&graph_, 0); }
    ~Chain() {
        if (!shared_.dead) cu.GraphDestroy.quietly(graph_);
    }
    Chain(const Chain&) = delete;
    Chain& operator=(const Chain&) = delete;

    CUgraphNode add(const GraphCommand& command, const CUDA_KERNEL_NODE_PARAMS_v2& kernel) {
        const CUgraphNode before = last_;
        const bool is_launch = command.kind == GraphCommand::Kind::launch, follows_launch = last_is_launch_;
        last_is_launch_ = is_launch;
        // Such a kernel waits by itself: it begins when all blocks of the kernel before have begun.
        const bool begins_early = is_launch && follows_launch && command.shape.overlap && !command.shape.cooperative &&
                                  cu.GraphAddDependencies && overlaps(*command.kernel);
        const std::size_t count = before && !begins_early ? 1 : 0;
        if (is_launch) {
            cu.GraphAddKernelNode(&last_, graph_, &before, count, &kernel);
            if (begins_early) {
                const Driver::GraphEdge edge{
                    .from_port = programmatic, .to_port = 0, .type = programmatic, .reserved = {}};
                cu.GraphAddDependencies(graph_, &before, &last_, &edge, 1);
            }
            if (command.shape.cooperative) {
                CUlaunchAttributeValue cooperative{};
                cooperative.cooperative = 1;
                cu.GraphKernelNodeSetAttribute(last_, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &cooperative);
            }
        } else if (command.kind == GraphCommand::Kind::copy) {
            CUDA_MEMCPY3D copy = copy_parameters(command.to, command.from, command.extent);
            if (command.extent[1] == 1 && command.extent[2] == 1)  // pitches have limits, which rows have not
                copy.srcPitch = copy.srcHeight = copy.dstPitch = copy.dstHeight = 0;
            cu.GraphAddMemcpyNode(&last_, graph_, &before, count, &copy, shared_.context);
        } else {
            CUDA_MEMSET_NODE_PARAMS fill{};
            fill.dst = command.place.memory->handle + command.place.offset_bytes;
            std::memcpy(&fill.value, command.pattern.data(), command.pattern_bytes);
            fill.elementSize = static_cast<unsigned>(command.pattern_bytes);
            fill.width = command.count;
            fill.height = 1;
            cu.GraphAddMemsetNode(&last_, graph_, &before, count, &fill, shared_.context);
        }
        return last_;
    }
    CUgraph graph() const { return graph_; }

   private:
    const Shared& shared_;
    CUgraph graph_ = nullptr;
    CUgraphNode last_ = nullptr;
    bool last_is_launch_ = false;
};

class CudaGraph final : public Graph {
   public:
    CudaGraph(std::shared_ptr<Shared> shared, std::span<const GraphCommand> commands)
        : shared_(std::move(shared)), commands_(commands.begin(), commands.end()), chain_(*shared_) {
        for (std::size_t i = 0; i < commands_.size(); ++i) {
            void* pointers[max_arguments];
            nodes_.push_back(chain_.add(commands_[i], parameters(i, pointers)));
        }
        cu.GraphInstantiate(&executable_, chain_.graph(), 0);
    }
    ~CudaGraph() override {
        // A launch that is under way goes on; the driver keeps what it needs.
        if (!shared_->dead) cu.GraphExecDestroy.quietly(executable_);
    }
    void launch(Stream& stream) override {
        Current current(*shared_);
        cu.GraphLaunch(executable_, static_cast<CudaStream&>(stream).stream());
    }
    void set(std::size_t command, std::size_t argument, const ArgumentView& value) override {
        Current current(*shared_);
        void* pointers[max_arguments];
        const CUDA_KERNEL_NODE_PARAMS_v2 all = parameters(command, pointers);
        pointers[argument] = const_cast<void*>(value.data);
        cu.GraphExecKernelNodeSetParams(executable_, nodes_[command], &all);
    }

   private:
    CUDA_KERNEL_NODE_PARAMS_v2 parameters(std::size_t at, void** pointers) const {
        const GraphCommand& command = commands_[at];
        CUDA_KERNEL_NODE_PARAMS_v2 all{};
        if (command.kind != GraphCommand::Kind::launch) return all;
        for (std::size_t i = 0; i < command.arguments.size(); ++i)
            pointers[i] =
                const_cast<void*>(static_cast<int>(i) == command.arena ? &no_arena : command.arguments[i].data);
        all.func = function_allowed(*command.kernel, command.shape.shared_bytes);
        all.gridDimX = command.shape.grid[0];
        all.gridDimY = command.shape.grid[1];
        all.gridDimZ = command.shape.grid[2];
        all.blockDimX = command.shape.block[0];
        all.blockDimY = command.shape.block[1];
        all.blockDimZ = command.shape.block[2];
        all.sharedMemBytes = command.shape.shared_bytes;
        all.kernelParams = pointers;
        return all;
    }

    std::shared_ptr<Shared> shared_;
    std::vector<GraphCommand> commands_;
    Chain chain_;  ///< its nodes name those of the executable graph
    std::vector<CUgraphNode> nodes_;
    CUgraphExec executable_ = nullptr;
};

}  // namespace

std::unique_ptr<Graph> CudaContext::make_graph(std::span<const GraphCommand> commands) {
    Current current(*shared_);
    return std::make_unique<CudaGraph>(shared_, commands);
}

}  // namespace gemel::plugin::cuda
