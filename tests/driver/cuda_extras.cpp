/// The stand-in's part for what contexts need on demand: priorities, events of the host's, limits, peers, advice.
/// Streams run at once here, so that a wait for a word of the host's memory is only counted.
#include "cuda_driver.hpp"

#include "stand_in.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace {

std::atomic<std::uintptr_t> next_stream{0x900000};
std::atomic<std::size_t> limits[CU_LIMIT_MAX];

}  // namespace

extern "C" {

CUresult cuCtxGetStreamPriorityRange(int* lowest, int* highest) {
    *lowest = 0;
    *highest = -5;
    return called("cuCtxGetStreamPriorityRange");
}
CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned, int priority) {
    *stream = reinterpret_cast<CUstream>(next_stream += 16);
    return called(priority < 0 ? "high priority" : "low priority");
}
CUresult cuStreamWaitValue32_v2(CUstream, CUdeviceptr, cuuint32_t, unsigned) {
    return called("cuStreamWaitValue32_v2");
}
CUresult cuCtxGetLimit(std::size_t* bytes, CUlimit which) {
    if (which >= CU_LIMIT_MAX) return CUDA_ERROR_UNSUPPORTED_LIMIT;
    return *bytes = limits[which], called("cuCtxGetLimit");
}
CUresult cuCtxSetLimit(CUlimit which, std::size_t bytes) {
    if (which >= CU_LIMIT_MAX) return CUDA_ERROR_UNSUPPORTED_LIMIT;
    return limits[which] = bytes, called("cuCtxSetLimit");
}
CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice other) {
    return *can = device != other, called("cuDeviceCanAccessPeer");
}
CUresult cuCtxEnablePeerAccess(CUcontext, unsigned) { return called("cuCtxEnablePeerAccess"); }
#undef cuMemPrefetchAsync  // CUDA 13 gives the short names to newer functions
#undef cuMemAdvise
CUresult cuMemPrefetchAsync(CUdeviceptr, std::size_t, CUdevice device, CUstream) {
    return called(device < 0 ? "prefetch to host" : "prefetch to device");
}
CUresult cuMemAdvise(CUdeviceptr, std::size_t, CUmem_advise, CUdevice) { return called("cuMemAdvise"); }

}  // extern "C"
