/// Graphs: OpenCL 1.2 has none, and neither NVIDIA's driver nor PoCL up to 4 has cl_khr_command_buffer.
#include "objects.hpp"

namespace gemel::plugin::opencl {

std::unique_ptr<Graph> OpenClContext::make_graph(std::span<const GraphCommand>) {
    return nullptr;  // core enqueues the commands one by one, each kernel with arguments that were set once
}

}  // namespace gemel::plugin::opencl
