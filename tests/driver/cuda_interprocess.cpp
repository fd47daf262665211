/// The stand-in's handles between processes: pages become those of an unnamed file, which the other process opens
/// through /proc.
#include "cuda_driver.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

namespace {

struct MemoryHandle {
    pid_t process;
    int file;
    std::uint64_t bytes, offset;
};
static_assert(sizeof(MemoryHandle) <= sizeof(CUipcMemHandle));

std::mutex& mutex = *new std::mutex;
std::map<char*, int>& files = *new std::map<char*, int>;  // by the first page
std::map<CUdeviceptr, Pages>& opened = *new std::map<CUdeviceptr, Pages>;

/// @returns the file that holds the pages from now on, -1 if there is none
int file_of(const Pages& pages) {
    const auto known = files.find(pages.begin);
    if (known != files.end()) return known->second;
    const int file = ::memfd_create("stand-in", MFD_CLOEXEC);
    if (file < 0 || ::ftruncate(file, static_cast<off_t>(pages.bytes)) != 0 ||
        ::pwrite(file, pages.begin, pages.bytes, 0) != static_cast<ssize_t>(pages.bytes) ||
        ::mmap(pages.begin, pages.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED)
        return -1;
    return files[pages.begin] = file;
}

}  // namespace

void forget_file(char* pages) {
    const std::lock_guard lock(mutex);
    const auto found = files.find(pages);
    if (found == files.end()) return;
    ::close(found->second);
    files.erase(found);
}

extern "C" {

CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr address) {
    GEMEL_CALLED("cuIpcGetMemHandle");
    const Pages pages = find_pages(reinterpret_cast<void*>(address));
    if (!pages.begin) return CUDA_ERROR_INVALID_VALUE;
    const std::lock_guard lock(mutex);
    const MemoryHandle made{::getpid(), file_of(pages), pages.bytes,
                            static_cast<std::uint64_t>(pages.memory - pages.begin)};
    if (made.file < 0) return CUDA_ERROR_OUT_OF_MEMORY;
    std::memset(handle, 0, sizeof *handle);
    std::memcpy(handle, &made, sizeof made);
    return CUDA_SUCCESS;
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr* address, CUipcMemHandle handle, unsigned) {
    GEMEL_CALLED("cuIpcOpenMemHandle_v2");
    MemoryHandle from{};
    std::memcpy(&from, &handle, sizeof from);
    if (from.process == ::getpid()) return CUDA_ERROR_INVALID_CONTEXT;  // as the driver answers
    const std::string path = "/proc/" + std::to_string(from.process) + "/fd/" + std::to_string(from.file);
    const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (file < 0) return CUDA_ERROR_INVALID_VALUE;
    void* const pages = ::mmap(nullptr, from.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    if (pages == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
    *address = reinterpret_cast<CUdeviceptr>(pages) + from.offset;
    const std::lock_guard lock(mutex);
    opened[*address] = {static_cast<char*>(pages), from.bytes, nullptr};
    return CUDA_SUCCESS;
}

CUresult cuIpcCloseMemHandle(CUdeviceptr address) {
    GEMEL_CALLED("cuIpcCloseMemHandle");
    const std::lock_guard lock(mutex);
    const auto found = opened.find(address);
    if (found == opened.end()) return CUDA_ERROR_INVALID_VALUE;
    ::munmap(found->second.begin, found->second.bytes);
    opened.erase(found);
    return CUDA_SUCCESS;
}

// Commands run at once here: every event is done before its handle is sent.
CUresult cuIpcGetEventHandle(CUipcEventHandle* handle, CUevent) {
    std::memset(handle, 1, sizeof *handle);
    return called("cuIpcGetEventHandle");
}
CUresult cuIpcOpenEventHandle(CUevent* event, CUipcEventHandle) {
    *event = reinterpret_cast<CUevent>(std::uintptr_t{0xe0e0});
    return called("cuIpcOpenEventHandle");
}

}  // extern "C"
