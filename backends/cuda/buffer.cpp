/// Memory: device, page-locked, mapped and shared.
#include "objects.hpp"

#include <gemel/core/text.hpp>

namespace gemel::plugin::cuda {

Memory CudaContext::allocate(std::size_t bytes, MemoryKind kind) {
    Current current(*shared_);
    CUdeviceptr address = 0;
    void* host = nullptr;
    switch (kind) {
        case MemoryKind::device: cu.MemAlloc(&address, bytes); break;
        case MemoryKind::mapped:
            cu.MemHostAlloc(&host, bytes, CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE);
            cu.MemHostGetDevicePointer(&address, host, 0);
            break;
        case MemoryKind::image: break;  // made by create_image()
        case MemoryKind::managed:
            cu.MemAllocManaged(&address, bytes, CU_MEM_ATTACH_GLOBAL);
            host = reinterpret_cast<void*>(address);
            break;
    }
    return {.handle = address, .host = host, .bytes = bytes, .kind = kind};
}

void CudaContext::release(const Memory& memory) noexcept try {
    if (shared_->dead) return;
    if (memory.foreign && memory.kind == MemoryKind::device && memory.owner) {  // another process's
        Current current(*shared_);
        cu.CtxSynchronize.quietly();
        cu.IpcCloseMemHandle.quietly(reinterpret_cast<CUdeviceptr>(memory.owner));
        return;
    }
    if (memory.foreign) return;
    Current current(*shared_);
    if (memory.kind == MemoryKind::mapped) {
        if (!memory.foreign)
            cu.MemFreeHost.quietly(memory.host);
        else if (memory.owner)
            cu.MemHostUnregister.quietly(memory.host);
    } else {
        cu.MemFree.quietly(memory.handle);
    }
} catch (...) {  // the context has just been lost: its memory went with it
}

Memory CudaContext::wrap_memory(std::uint64_t handle, std::size_t bytes) {
    Current current(*shared_);
    CUdeviceptr base = 0;
    std::size_t size = 0;
    if (cu.MemGetAddressRange.status(&base, &size, handle) != success)
        throw ArgumentError(
            "wrap_buffer: expected an address in this device's primary CUcontext, in which gemel works");
    if (handle + bytes > base + size)
        throw ArgumentError(
            text("wrap_buffer: expected at least ", bytes, " bytes after the address, got ", base + size - handle));
    return {.handle = handle, .bytes = bytes, .foreign = true};
}

Memory CudaContext::allocate_host(std::size_t bytes) {
    Current current(*shared_);
    void* host = nullptr;
    cu.MemHostAlloc(&host, bytes, CU_MEMHOSTALLOC_PORTABLE);
    return {.host = host, .bytes = bytes};
}

void CudaContext::release_host(const Memory& memory) noexcept try {
    if (shared_->dead) return;
    Current current(*shared_);
    if (!memory.foreign)
        cu.MemFreeHost.quietly(memory.host);
    else if (memory.owner)
        cu.MemHostUnregister.quietly(memory.host);
} catch (...) {  // the context has just been lost: its memory went with it
}

Memory CudaContext::register_host(void* host, std::size_t bytes) {
    Current current(*shared_);
    Memory memory{.host = host, .bytes = bytes, .foreign = true};
    // Memory that is page-locked already, or cannot be, is copied as it is.
    if (cu.MemHostRegister.status(host, bytes, CU_MEMHOSTREGISTER_PORTABLE) == success) memory.owner = host;
    return memory;
}

std::uint64_t CudaContext::argument(const Place& place, std::size_t) {
    return place.memory->handle + place.offset_bytes;
}

void CudaContext::release_argument(const Place&, std::uint64_t) noexcept {}  // an address is only a number

bool CudaContext::addresses_are_linear() const { return true; }

}  // namespace gemel::plugin::cuda
