/// Memory: device, page-locked, mapped and shared.
#include "objects.hpp"

#include <gemel/core/text.hpp>

#include <chrono>
#include <cstdlib>
#include <thread>

namespace gemel::plugin::opencl {
namespace {

cl_mem handle(const Memory& memory) { return reinterpret_cast<cl_mem>(memory.handle); }

/// On a CPU device, kernels run several times slower on arrays whose addresses agree modulo 4 KiB, and PoCL gives all
/// its buffers the same offset: so the buffers are host blocks with different offsets.
cl_mem create_staggered(cl_context context, std::size_t bytes) {
    constexpr std::size_t page = 4096, step = 128 * 5, steps = 6;
    static std::atomic<std::size_t> next{0};
    const std::size_t offset = next.fetch_add(1, std::memory_order_relaxed) % steps * step;
    void* block = std::aligned_alloc(page, (bytes + offset + 2 * page - 1) / page * page);
    if (!block) throw OutOfMemory(text("the host has no ", bytes, " bytes left"));
    cl_mem buffer = nullptr;
    try {
        buffer = cl.CreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes,
                                 static_cast<char*>(block) + offset);
        // The driver may use the block until its last command is complete: its callback frees the block.
        cl.SetMemObjectDestructorCallback(buffer, [](cl_mem, void* data) { std::free(data); }, block);
    } catch (...) {
        if (buffer) cl.ReleaseMemObject.quietly(buffer);
        std::free(block);
        throw;
    }
    return buffer;
}

/// Shared virtual memory as the storage of an ordinary buffer, so that kernels take it like any other buffer.
cl_mem create_shared(cl_context context, std::size_t bytes) {
    // While many processes allocate such memory, NVIDIA's driver (580) refuses some of them, and 25 ms later does not.
    void* block = cl.SVMAlloc(context, CL_MEM_READ_WRITE, bytes, 0);
    for (int again = 0; !block && again < 8; ++again) {
        std::this_thread::sleep_for(std::chrono::milliseconds(25));
        block = cl.SVMAlloc(context, CL_MEM_READ_WRITE, bytes, 0);
    }
    if (!block)
        throw OutOfMemory(
            text("allocate: clSVMAlloc has no ", bytes, " bytes left; release buffers, or work in smaller pieces"));
    struct Owner {
        cl_context context;
        void* block;
    };
    auto* owner = new Owner{context, block};
    cl_mem buffer = nullptr;
    try {
        buffer = cl.CreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, block);
        cl.SetMemObjectDestructorCallback(
            buffer,
            [](cl_mem, void* data) {
                const std::unique_ptr<Owner> dying(static_cast<Owner*>(data));
                cl.SVMFree(dying->context, dying->block);
            },
            owner);
    } catch (...) {
        if (buffer) cl.ReleaseMemObject.quietly(buffer);
        cl.SVMFree(context, block);
        delete owner;
        throw;
    }
    return buffer;
}

}  // namespace

Memory OpenClContext::allocate(std::size_t bytes, MemoryKind kind) {
    cl_mem buffer = nullptr;
    switch (kind) {
        case MemoryKind::device:
            buffer = shared_->quirks.has(Quirk::buffers_share_offset)
                         ? create_staggered(shared_->context, bytes)
                         : cl.CreateBuffer(shared_->context, CL_MEM_READ_WRITE, bytes, nullptr);
            break;
        case MemoryKind::mapped:
            buffer = cl.CreateBuffer(shared_->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, nullptr);
            break;
        case MemoryKind::image: break;  // made by create_image()
        case MemoryKind::managed: buffer = create_shared(shared_->context, bytes); break;
    }
    return {.handle = reinterpret_cast<std::uint64_t>(buffer), .bytes = bytes, .kind = kind};
}

void OpenClContext::release(const Memory& memory) noexcept {
    if (shared_->dead) return;
    shared_->releases.fetch_add(1, std::memory_order_relaxed);
    cl.ReleaseMemObject.quietly(handle(memory));
}

Memory OpenClContext::wrap_memory(std::uint64_t native, std::size_t bytes) {
    const auto buffer = reinterpret_cast<cl_mem>(native);
    if (query<cl_context>(cl.GetMemObjectInfo, CL_MEM_CONTEXT, buffer) != shared_->context)
        throw ArgumentError("wrap_buffer: the cl_mem belongs to another cl_context; wrap that context first");
    const auto size = query<size_t>(cl.GetMemObjectInfo, CL_MEM_SIZE, buffer);
    if (bytes > size)
        throw ArgumentError(text("wrap_buffer: expected a cl_mem of at least ", bytes, " bytes, got ", size));
    cl.RetainMemObject(buffer);
    return {.handle = native, .bytes = bytes};
}

Memory OpenClContext::allocate_host(std::size_t bytes) {
    const cl_mem buffer = cl.CreateBuffer(shared_->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, nullptr);
    try {
        void* host =
            cl.EnqueueMapBuffer(service_, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, nullptr, nullptr);
        return {.handle = reinterpret_cast<std::uint64_t>(buffer), .host = host, .bytes = bytes};
    } catch (...) {
        cl.ReleaseMemObject.quietly(buffer);
        throw;
    }
}

void OpenClContext::release_host(const Memory& memory) noexcept {
    if (shared_->dead || memory.foreign) return;
    cl.EnqueueUnmapMemObject.quietly(service_, handle(memory), memory.host, 0, nullptr, nullptr);
    cl.Finish.quietly(service_);
    cl.ReleaseMemObject.quietly(handle(memory));
}

std::uint64_t OpenClContext::argument(const Place& place, std::size_t bytes) {
    if (place.offset_bytes == 0) return place.memory->handle;
    if (place.offset_bytes % shared_->info->base_alignment_bytes != 0)
        throw ArgumentError(text("kernel argument: a view at byte ", place.offset_bytes,
                                 " cannot be an argument of a hand-written kernel on ", shared_->info->name,
                                 ": OpenCL sub-buffers begin at multiples of ", shared_->info->base_alignment_bytes,
                                 " bytes there; pass the whole buffer, and the offset as another argument"));
    const cl_buffer_region region{place.offset_bytes, bytes};
    return reinterpret_cast<std::uint64_t>(
        cl.CreateSubBuffer(handle(*place.memory), 0, CL_BUFFER_CREATE_TYPE_REGION, &region));
}

void OpenClContext::release_argument(const Place& place, std::uint64_t argument) noexcept {
    if (place.offset_bytes == 0 || shared_->dead) return;
    shared_->releases.fetch_add(1, std::memory_order_relaxed);
    cl.ReleaseMemObject.quietly(reinterpret_cast<cl_mem>(argument));
}

bool OpenClContext::addresses_are_linear() const { return false; }

}  // namespace gemel::plugin::opencl
