/// The stand-in's part for what contexts need on demand: priorities, events of the host's, limits, peers, advice.
/// Streams run at once here, so that a wait for a word of the host's memory is only counted.
#include "cuda_driver.hpp"

#include "stand_in.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace {

std::atomic<std::uintptr_t> next_stream{0x900000};
std::atomic<std::size_t> limits[CU_LIMIT_MAX];

}  // namespace

extern "C" {

/// Writes what the emulated gemel_copy_box reads. Refuses what a driver refuses. Named otherwise here because headers
/// since CUDA 12 declare it, with types that older ones do not have.
CUresult encode_tensor_map(void* map, int type, std::uint32_t rank, void* address, const std::uint64_t* extent,
                           const std::uint64_t* step, const std::uint32_t* box, const std::uint32_t*, int, int swizzle,
                           int, int) __asm__("cuTensorMapEncodeTiled");
CUresult encode_tensor_map(void* map, int type, std::uint32_t rank, void* address, const std::uint64_t* extent,
                           const std::uint64_t* step, const std::uint32_t* box, const std::uint32_t*, int, int swizzle,
                           int, int) {
    GEMEL_CALLED("cuTensorMapEncodeTiled");
    const std::uint64_t item = type == 1   ? 2
                               : type == 2 ? 4
                               : type == 4 ? 8
                                           : 0,
                        begin = reinterpret_cast<std::uint64_t>(address);
    bool fits = item != 0 && rank == 3 && swizzle == 3 && begin % 16 == 0 && box[0] * item == 128 && box[1] >= 1 &&
                box[1] <= 256 && box[2] == 1 && reinterpret_cast<std::uint64_t>(map) % 64 == 0;
    for (int axis = 0; axis < 3; ++axis) fits = fits && extent[axis] >= 1 && extent[axis] <= std::uint64_t{1} << 32;
    for (int axis = 0; axis < 2; ++axis) fits = fits && step[axis] % 16 == 0 && step[axis] < std::uint64_t{1} << 40;
    if (!fits) return CUDA_ERROR_INVALID_VALUE;
    const std::uint64_t words[16] = {begin, extent[0], extent[1], extent[2], step[0], step[1], item, box[1]};
    std::memcpy(map, words, sizeof words);
    return CUDA_SUCCESS;
}

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
