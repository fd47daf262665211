/// Graphs: OpenCL 1.2 has none. NVIDIA's driver lacks cl_khr_command_buffer, and PoCL 3.1 executes one no faster than
/// its commands one by one.
#include "objects.hpp"

namespace gemel::plugin::opencl {

std::unique_ptr<Graph> OpenClContext::make_graph(std::span<const GraphCommand>) {
    return nullptr;  // core enqueues the commands one by one; each kernel keeps its arguments
}

}  // namespace gemel::plugin::opencl
