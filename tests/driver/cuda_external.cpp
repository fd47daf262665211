/// The stand-in's virtual memory: what is made is an unnamed file, which addresses lead to and other APIs open by its
/// descriptor.
#include "cuda_driver.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace {

int file_of(CUmemGenericAllocationHandle handle) { return static_cast<int>(handle) - 1; }

CUresult map(CUdeviceptr address, std::size_t bytes, int protection, int flags, int file) {
    void* const at = ::mmap(reinterpret_cast<void*>(address), bytes, protection, flags | MAP_FIXED, file, 0);
    return at == MAP_FAILED ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult cuMemGetAllocationGranularity(std::size_t* bytes, const CUmemAllocationProp*,
                                       CUmemAllocationGranularity_flags) {
    return *bytes = std::size_t{2} << 20, called("cuMemGetAllocationGranularity");
}
CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, std::size_t bytes, const CUmemAllocationProp* properties,
                     unsigned long long) {
    GEMEL_CALLED("cuMemCreate");
    if (properties->requestedHandleTypes != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || bytes % (2 << 20) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    called(properties->location.id == 0 ? "memory of device 0" : "memory of device 1");
    const int file = ::memfd_create("stand-in", MFD_CLOEXEC);
    if (file < 0 || ::ftruncate(file, static_cast<off_t>(bytes)) != 0) return CUDA_ERROR_OUT_OF_MEMORY;
    *handle = static_cast<CUmemGenericAllocationHandle>(file) + 1;
    return CUDA_SUCCESS;
}
CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
    ::close(file_of(handle));
    return called("cuMemRelease");
}
CUresult cuMemAddressReserve(CUdeviceptr* address, std::size_t bytes, std::size_t, CUdeviceptr, unsigned long long) {
    GEMEL_CALLED("cuMemAddressReserve");
    void* const pages = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *address = reinterpret_cast<CUdeviceptr>(pages);
    return pages == MAP_FAILED ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}
CUresult cuMemAddressFree(CUdeviceptr address, std::size_t bytes) {
    ::munmap(reinterpret_cast<void*>(address), bytes);
    return called("cuMemAddressFree");
}
/// Nobody may touch it before cuMemSetAccess().
CUresult cuMemMap(CUdeviceptr address, std::size_t bytes, std::size_t, CUmemGenericAllocationHandle handle,
                  unsigned long long) {
    GEMEL_CALLED("cuMemMap");
    return map(address, bytes, PROT_NONE, MAP_SHARED, file_of(handle));
}
CUresult cuMemUnmap(CUdeviceptr address, std::size_t bytes) {
    GEMEL_CALLED("cuMemUnmap");
    return map(address, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
}
CUresult cuMemSetAccess(CUdeviceptr address, std::size_t bytes, const CUmemAccessDesc* access, std::size_t count) {
    GEMEL_CALLED("cuMemSetAccess");
    if (count != 1 || access->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE) return CUDA_ERROR_INVALID_VALUE;
    return ::mprotect(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE) == 0 ? CUDA_SUCCESS
                                                                                            : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemExportToShareableHandle(void* file, CUmemGenericAllocationHandle handle, CUmemAllocationHandleType,
                                      unsigned long long) {
    GEMEL_CALLED("cuMemExportToShareableHandle");
    const int own = ::fcntl(file_of(handle), F_DUPFD_CLOEXEC, 0);
    *static_cast<int*>(file) = own;
    return own < 0 ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_SUCCESS;
}

}  // extern "C"
