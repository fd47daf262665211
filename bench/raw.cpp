/// Chooses the raw driver that belongs to a context.
#include "raw.hpp"

namespace bench {

std::unique_ptr<Raw> make_raw(const gemel::Context& context) {
#ifdef GEMEL_BENCH_CUDA
    if (context.device().backend() == "cuda") return make_raw_cuda(context);
#endif
#ifdef GEMEL_BENCH_OPENCL
    if (context.device().backend() == "opencl") return make_raw_opencl(context);
#endif
    throw gemel::Error("this build of the benchmarks cannot speak to the backend '" + context.device().backend() + "'");
}

}  // namespace bench
