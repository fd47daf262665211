/// A stand-in for NVIDIA's driver, as libcuda.so.1: memory is the host's, copies and fills work, kernels are taken and
/// not run. It shows what the CUDA plug-in calls, lets each call fail, and lets NVRTC compile whatever a program
/// generates, where there is no GPU. It claims to be an sm_90 with 132 compute units.
#include "cuda_driver.hpp"

#include "stand_in.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#undef cuEventElapsedTime  // CUDA 13 gives the short name to a newer function

namespace {

struct Record {
    unsigned long calls = 0, fails_from = 0;
    CUresult result = CUDA_SUCCESS;
};

std::mutex& mutex = *new std::mutex;
std::map<std::string, Record>& records = *new std::map<std::string, Record>;
/// The thread's stack of contexts, of which the last is current. No vector: threads call the driver while they end.
thread_local std::array<CUcontext, 16> contexts{};
thread_local std::size_t top = 0;

template <class T>
T handle() {
    static std::uintptr_t last = 0x1000;
    const std::lock_guard lock(mutex);
    return reinterpret_cast<T>(last += 16);
}

const CUcontext primary = handle<CUcontext>();

template <class Word>
void fill(CUdeviceptr to, Word word, std::size_t count) {
    std::fill_n(reinterpret_cast<Word*>(to), count, word);
}

constexpr std::size_t page = 4096;

/// Device memory ends where a page begins that nobody may touch: what accesses elements behind it is stopped.
class Memory {
   public:
    void* allocate(std::size_t bytes) {
        const std::size_t own = (bytes + alignment - 1) / alignment * alignment, pages = (own + page - 1) / page * page;
        void* const all =
            ::mmap(nullptr, pages + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (all == MAP_FAILED) return nullptr;
        char* const end = static_cast<char*>(all) + pages;
        ::mprotect(end, page, PROT_NONE);
        const std::lock_guard lock(mutex);
        pages_[end - own] = {all, pages + page};
        return end - own;
    }
    /// The memory in which an address lies. @returns no begin if there is none
    Pages find(void* address) {
        const std::lock_guard lock(mutex);
        auto found = pages_.upper_bound(address);
        if (found == pages_.begin()) return {};
        --found;
        auto* const all = static_cast<char*>(found->second.first);
        char* const end = all + found->second.second - page;
        if (address >= end) return {};
        return {all, static_cast<std::size_t>(end - all), static_cast<char*>(found->first)};
    }
    void release(void* address) {
        const std::lock_guard lock(mutex);
        const auto found = pages_.find(address);
        if (found == pages_.end()) return;
        forget_file(static_cast<char*>(found->second.first));
        ::munmap(found->second.first, found->second.second);
        pages_.erase(found);
    }

   private:
    static constexpr std::size_t alignment = 256;
    std::map<void*, std::pair<void*, std::size_t>> pages_;
};
Memory& device_memory = *new Memory;

int attribute_of_device(CUdevice_attribute which) {
    switch (which) {
        case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: return 9;
        case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: return 0;
        case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: return 132;
        case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
        case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y: return 1024;
        case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z: return 64;
        case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X: return 0x7fffffff;
        case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
        case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z: return 65535;
        case CU_DEVICE_ATTRIBUTE_WARP_SIZE: return 32;
        case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: return 48 << 10;
        case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: return 227 << 10;
        case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE: return 2 << 20;  // little: small matrices have many slabs
        case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR: return 2048;
        case CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY: return 64 << 10;
        case CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT: return 512;
        case CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT: return 32;
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH: return 131072;
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT: return 65000;
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH: return 2097120;
        default: return 1;
    }
}

}  // namespace

/// Counts a call. @returns what it shall return if it fails, else success
CUresult called(const char* function) {
    const std::lock_guard lock(mutex);
    Record& record = records[function];
    ++record.calls;
    return record.fails_from && record.calls >= record.fails_from ? record.result : CUDA_SUCCESS;
}

Pages find_pages(void* address) { return device_memory.find(address); }

extern "C" {

unsigned long stand_in_calls(const char* function) {
    const std::lock_guard lock(mutex);
    if (function) return records[function].calls;
    unsigned long all = 0;
    for (const auto& [name, record] : records) all += record.calls;
    return all;
}
void stand_in_fail(const char* function, CUresult result, unsigned long after) {
    const std::lock_guard lock(mutex);
    records[function].result = result;
    records[function].fails_from = records[function].calls + after;
}
void stand_in_reset() {
    const std::lock_guard lock(mutex);
    records.clear();
}

/// NVRTC asks for it, and goes without.
CUresult cuGetExportTable(const void** table, const CUuuid*) { return *table = nullptr, CUDA_ERROR_NOT_FOUND; }

CUresult cuInit(unsigned) { return called("cuInit"); }
CUresult cuDriverGetVersion(int* version) { return *version = 13000, called("cuDriverGetVersion"); }
/// One, or as many as STAND_IN_DEVICES says.
CUresult cuDeviceGetCount(int* count) {
    const char* const wanted = std::getenv("STAND_IN_DEVICES");
    return *count = wanted ? std::atoi(wanted) : 1, called("cuDeviceGetCount");
}
CUresult cuDeviceGet(CUdevice* device, int index) { return *device = index, called("cuDeviceGet"); }
CUresult cuDeviceGetName(char* name, int bytes, CUdevice) {
    std::strncpy(name, "stand-in for a GPU", static_cast<std::size_t>(bytes));
    return called("cuDeviceGetName");
}
CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
    std::memset(uuid, 7 + device, sizeof *uuid);
    return called("cuDeviceGetUuid_v2");
}
CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice) {
    return *bytes = std::size_t{8} << 30, called("cuDeviceTotalMem_v2");
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice) {
    return *value = attribute_of_device(which), called("cuDeviceGetAttribute");
}
CUresult cuDeviceGetPCIBusId(char* id, int bytes, CUdevice) {
    std::strncpy(id, "0000:01:00.0", static_cast<std::size_t>(bytes));
    return called("cuDeviceGetPCIBusId");
}

/// Each device has its own, so that copies between two are those of peers.
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
    *context =
        reinterpret_cast<CUcontext>(reinterpret_cast<std::uintptr_t>(primary) + 16u * static_cast<unsigned>(device));
    return called("cuDevicePrimaryCtxRetain");
}
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) { return called("cuDevicePrimaryCtxRelease_v2"); }
CUresult cuDevicePrimaryCtxReset_v2(CUdevice) { return called("cuDevicePrimaryCtxReset_v2"); }
CUresult cuCtxGetCurrent(CUcontext* context) { return *context = contexts[top], called("cuCtxGetCurrent"); }
CUresult cuCtxSetCurrent(CUcontext context) { return contexts[top] = context, called("cuCtxSetCurrent"); }
CUresult cuCtxPushCurrent_v2(CUcontext context) {
    GEMEL_CALLED("cuCtxPushCurrent_v2");
    if (top + 1 == contexts.size()) return CUDA_ERROR_INVALID_CONTEXT;  // never popped
    return contexts[++top] = context, CUDA_SUCCESS;
}
CUresult cuCtxPopCurrent_v2(CUcontext* context) {
    GEMEL_CALLED("cuCtxPopCurrent_v2");
    *context = std::exchange(contexts[top], nullptr);
    if (top > 0) --top;
    return CUDA_SUCCESS;
}
CUresult cuCtxSynchronize(void) { return called("cuCtxSynchronize"); }

CUresult cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
    return *free = *total = std::size_t{8} << 30, called("cuMemGetInfo_v2");
}
CUresult cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes) {
    GEMEL_CALLED("cuMemAlloc_v2");
    *address = reinterpret_cast<CUdeviceptr>(device_memory.allocate(bytes));
    return *address ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
CUresult cuMemFree_v2(CUdeviceptr address) {
    device_memory.release(reinterpret_cast<void*>(address));
    return called("cuMemFree_v2");
}
CUresult cuMemAllocManaged(CUdeviceptr* address, std::size_t bytes, unsigned) {
    GEMEL_CALLED("cuMemAllocManaged");
    *address = reinterpret_cast<CUdeviceptr>(device_memory.allocate(bytes));
    return *address ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
CUresult cuMemHostAlloc(void** address, std::size_t bytes, unsigned) {
    GEMEL_CALLED("cuMemHostAlloc");
    *address = device_memory.allocate(bytes);
    return *address ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
CUresult cuMemHostRegister_v2(void*, std::size_t, unsigned) { return called("cuMemHostRegister_v2"); }
CUresult cuMemHostUnregister(void*) { return called("cuMemHostUnregister"); }
CUresult cuMemFreeHost(void* address) {
    device_memory.release(address);
    return called("cuMemFreeHost");
}
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* address, void* host, unsigned) {
    return *address = reinterpret_cast<CUdeviceptr>(host), called("cuMemHostGetDevicePointer_v2");
}
CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr address) {
    GEMEL_CALLED("cuMemGetAddressRange_v2");
    const Pages found = find_pages(reinterpret_cast<void*>(address));
    if (!found.begin) return CUDA_ERROR_NOT_FOUND;
    *base = reinterpret_cast<CUdeviceptr>(found.memory);
    *bytes = static_cast<std::size_t>(found.begin + found.bytes - found.memory);
    return CUDA_SUCCESS;
}
CUresult cuPointerGetAttributes(unsigned, CUpointer_attribute*, void**, CUdeviceptr) {
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t bytes, CUstream) {
    GEMEL_CALLED("cuMemcpyHtoDAsync_v2");
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes, CUstream) {
    GEMEL_CALLED("cuMemcpyDtoHAsync_v2");
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
    return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream) {
    GEMEL_CALLED("cuMemcpyDtoDAsync_v2");
    std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
    return CUDA_SUCCESS;
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext target, CUdeviceptr from, CUcontext source, std::size_t bytes,
                           CUstream stream) {
    if (target == source || source != contexts[top]) return CUDA_ERROR_INVALID_CONTEXT;  // stricter than the driver
    return cuMemcpyDtoDAsync_v2(to, from, bytes, stream);
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char word, std::size_t count, CUstream) {
    GEMEL_CALLED("cuMemsetD8Async");
    return fill(to, word, count), CUDA_SUCCESS;
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short word, std::size_t count, CUstream) {
    GEMEL_CALLED("cuMemsetD16Async");
    return fill(to, word, count), CUDA_SUCCESS;
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned word, std::size_t count, CUstream) {
    GEMEL_CALLED("cuMemsetD32Async");
    return fill(to, word, count), CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream* stream, unsigned) { return *stream = handle<CUstream>(), called("cuStreamCreate"); }
CUresult cuStreamDestroy_v2(CUstream) { return called("cuStreamDestroy_v2"); }
CUresult cuStreamGetCtx(CUstream, CUcontext* context) { return *context = primary, called("cuStreamGetCtx"); }
CUresult cuStreamSynchronize(CUstream) { return called("cuStreamSynchronize"); }
CUresult cuStreamQuery(CUstream) { return called("cuStreamQuery"); }
CUresult cuStreamWaitEvent(CUstream, CUevent, unsigned) { return called("cuStreamWaitEvent"); }
CUresult cuEventCreate(CUevent* event, unsigned) { return *event = handle<CUevent>(), called("cuEventCreate"); }
CUresult cuEventDestroy_v2(CUevent) { return called("cuEventDestroy_v2"); }
CUresult cuEventRecord(CUevent, CUstream) { return called("cuEventRecord"); }
CUresult cuEventSynchronize(CUevent) { return called("cuEventSynchronize"); }
CUresult cuEventQuery(CUevent) { return called("cuEventQuery"); }
CUresult cuEventElapsedTime(float* milliseconds, CUevent, CUevent) {
    return *milliseconds = 1, called("cuEventElapsedTime");
}
CUresult cuLaunchHostFunc(CUstream, CUhostFn function, void* data) {
    GEMEL_CALLED("cuLaunchHostFunc");
    return function(data), CUDA_SUCCESS;
}

}  // extern "C"
