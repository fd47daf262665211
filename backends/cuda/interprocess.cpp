/// Memory handles for other processes, and the owner of a raw address.
#include "objects.hpp"

#include <gemel/core/text.hpp>

#include <cstring>

namespace gemel::plugin::cuda {
namespace {

template <class Handle>
std::vector<std::byte> bytes_of(const Handle& handle) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(&handle);
    return {bytes, bytes + sizeof handle};
}

template <class Handle>
Handle handle_of(const char* what, std::span<const std::byte> bytes) {
    Handle handle{};
    if (bytes.size() != sizeof handle)
        throw ArgumentError(text(what, ": expected a CUDA handle of ", sizeof handle, " bytes, got ", bytes.size(),
                                 "; it was made by another backend"));
    std::memcpy(&handle, bytes.data(), sizeof handle);
    return handle;
}

}  // namespace

ExportedMemory CudaContext::export_memory(const Memory& memory) {
    if (!cu.IpcGetMemHandle) throw Error("export_memory: this driver has no cuIpcGetMemHandle; use a newer one");
    Current current(*shared_);
    // A handle refers to a whole allocation: wrapped memory may begin within it.
    CUdeviceptr base = 0;
    std::size_t size = 0;
    cu.MemGetAddressRange(&base, &size, memory.handle);
    CUipcMemHandle handle{};
    cu.IpcGetMemHandle(&handle, base);
    return {bytes_of(handle), memory.handle - base};
}

Memory CudaContext::import_memory(const ExportedMemory& from, std::size_t bytes) {
    if (!cu.IpcOpenMemHandle || !cu.IpcCloseMemHandle)
        throw Error("import_memory: this driver has no cuIpcOpenMemHandle; use a newer one");
    const auto handle = handle_of<CUipcMemHandle>("import_memory", from.handle);
    Current current(*shared_);
    CUdeviceptr base = 0;
    cu.IpcOpenMemHandle(&base, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
    return {.handle = base + from.offset_bytes,
            .bytes = bytes,
            .owner = reinterpret_cast<void*>(base),  // for release(), which closes it
            .foreign = true};
}

std::unique_ptr<Event> CudaStream::record_interprocess() { return record_untimed(CU_EVENT_INTERPROCESS); }

std::vector<std::byte> CudaContext::export_event(const Event& event) {
    if (!cu.IpcGetEventHandle) throw Error("export_event: this driver has no cuIpcGetEventHandle; use a newer one");
    Current current(*shared_);
    CUipcEventHandle handle{};
    cu.IpcGetEventHandle(&handle, dynamic_cast<const CudaEvent&>(event).event());
    return bytes_of(handle);
}

std::unique_ptr<Event> CudaContext::import_event(std::span<const std::byte> bytes) {
    if (!cu.IpcOpenEventHandle) throw Error("import_event: this driver has no cuIpcOpenEventHandle; use a newer one");
    const auto handle = handle_of<CUipcEventHandle>("import_event", bytes);
    Current current(*shared_);
    CUevent event = nullptr;
    cu.IpcOpenEventHandle(&event, handle);
    return std::make_unique<CudaEvent>(shared_, event, CudaEvent::Kind::untimed);
}

std::unique_ptr<Event> CudaContext::wrap_event(std::uint64_t handle) {
    Current current(*shared_);
    const auto event = reinterpret_cast<CUevent>(handle);
    const Status status = cu.EventQuery.status(event);
    if (status == CUDA_ERROR_INVALID_HANDLE || status == CUDA_ERROR_INVALID_CONTEXT)
        throw ArgumentError("wrap_event: expected a CUevent of the device's primary CUcontext, in which gemel works");
    if (status != success && status != CUDA_ERROR_NOT_READY) fail(cu.EventQuery.name(), status);
    return std::make_unique<CudaEvent>(shared_, event, CudaEvent::Kind::foreign);
}

std::optional<AddressRange> CudaContext::address_range(std::uint64_t address) {
    Current current(*shared_);
    CUdeviceptr base = 0;
    std::size_t size = 0;
    if (cu.MemGetAddressRange.status(&base, &size, address) != success) return std::nullopt;
    return AddressRange{base, size};
}

std::vector<std::shared_ptr<Device>> CudaDevice::partition(const DevicePartition&) {
    throw Error(text("partition: CUDA does not divide ", info_.name,
                     " within a process; make several streams on it, or let the machine's administrator set up MIG "
                     "instances, which are devices of their own"));
}

}  // namespace gemel::plugin::cuda
