/// NVTX ranges for NVIDIA's profilers, if a library of NVTX is installed.
#include "objects.hpp"

#include <dlfcn.h>

namespace gemel::plugin::cuda {
namespace {

struct Nvtx {
    int (*push)(const char*) = nullptr;
    int (*pop)() = nullptr;
};

Nvtx open_nvtx() {
    for (const char* name : {"libnvtx3interop.so.1", "libnvtx3interop.so", "libnvToolsExt.so.1", "libnvToolsExt.so"}) {
        void* const library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (!library) continue;
        Nvtx nvtx;
        nvtx.push = reinterpret_cast<int (*)(const char*)>(::dlsym(library, "nvtxRangePushA"));
        nvtx.pop = reinterpret_cast<int (*)()>(::dlsym(library, "nvtxRangePop"));
        if (nvtx.push && nvtx.pop) return nvtx;
    }
    return {};
}

const Nvtx& nvtx() {
    static const Nvtx instance = open_nvtx();
    return instance;
}

}  // namespace

void CudaPlugin::push_range(const char* name) noexcept {
    if (nvtx().push) nvtx().push(name);
}

void CudaPlugin::pop_range() noexcept {
    if (nvtx().pop) nvtx().pop();
}

void CudaContext::let_profilers_collect(bool on) noexcept try {
    const auto& change = on ? cu.ProfilerStart : cu.ProfilerStop;
    if (!change) return;
    Current current(*shared_);
    (void)change.status();  // without a profiler there is nothing to start
} catch (...) {}

}  // namespace gemel::plugin::cuda
