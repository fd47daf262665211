/// Device memory that other APIs import by a file descriptor: the driver exports one for memory made by its virtual
/// memory functions.
#include "objects.hpp"

#include <gemel/core/uuid_text.hpp>

namespace gemel::plugin::cuda {
namespace {

bool is_offered() {
    return cu.MemGetAllocationGranularity && cu.MemCreate && cu.MemRelease && cu.MemAddressReserve &&
           cu.MemAddressFree && cu.MemUnmap && cu.MemMap && cu.MemSetAccess && cu.MemExportToShareableHandle;
}

bool has(CUdevice device, CUdevice_attribute what) {
    int value = 0;
    return cu.DeviceGetAttribute.status(&value, what, device) == success && value != 0;
}

/// The device with this identity, if it is this device or one whose memory this device can copy directly.
std::optional<CUdevice> find_device(const Shared& shared, const std::string& identity) {
    if (identity == shared.info->identity) return shared.device;
    int count = 0;
    cu.DeviceGetCount(&count);
    for (int index = 0; index < count; ++index) {
        CUdevice device = 0;
        CUuuid uuid{};
        cu.DeviceGet(&device, index);
        if (cu.DeviceGetUuid.status(&uuid, device) != success ||
            uuid_text(std::as_bytes(std::span(uuid.bytes))) != identity)
            continue;
        int reaches = 0;
        const bool can = cu.DeviceCanAccessPeer &&
                         cu.DeviceCanAccessPeer.status(&reaches, shared.device, device) == success && reaches != 0;
        return can ? std::optional(device) : std::nullopt;
    }
    return std::nullopt;
}

class CudaExternalMemory final : public ExternalMemory {
   public:
    explicit CudaExternalMemory(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}
    ~CudaExternalMemory() override;

    /// Makes the memory on `where`, for commands of this context's device. The context is current.
    void make(CUdevice where, std::size_t bytes);
    const Memory& memory() const override { return memory_; }
    int export_file() override {
        Current current(*shared_);
        int file = -1;
        cu.MemExportToShareableHandle(&file, *made_, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
        return file;
    }

   private:
    std::shared_ptr<Shared> shared_;
    std::optional<CUmemGenericAllocationHandle> made_;
    CUdeviceptr address_ = 0;
    Memory memory_;  ///< its handle is 0 until the address is mapped
};

void CudaExternalMemory::make(CUdevice where, std::size_t bytes) {
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties.location.id = where;
    std::size_t unit = 1;
    cu.MemGetAllocationGranularity(&unit, &properties, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
    memory_.bytes = (bytes + unit - 1) / unit * unit;
    CUmemGenericAllocationHandle made{};
    cu.MemCreate(&made, memory_.bytes, &properties, 0);
    made_ = made;
    cu.MemAddressReserve(&address_, memory_.bytes, 0, 0, 0);
    cu.MemMap(address_, memory_.bytes, 0, made, 0);
    memory_.handle = address_;
    CUmemAccessDesc access{};
    access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.location.id = shared_->device;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    cu.MemSetAccess(address_, memory_.bytes, &access, 1);
}

CudaExternalMemory::~CudaExternalMemory() try {
    if (shared_->dead) return;
    Current current(*shared_);
    if (memory_.handle) cu.MemUnmap.quietly(address_, memory_.bytes);
    if (address_) cu.MemAddressFree.quietly(address_, memory_.bytes);
    if (made_) cu.MemRelease.quietly(*made_);
} catch (...) {  // the context has just been lost: its memory went with it
}

}  // namespace

std::unique_ptr<ExternalMemory> CudaContext::make_external(const std::string& identity, std::size_t bytes) {
    if (!is_offered()) return nullptr;
    Current current(*shared_);
    const auto device = find_device(*shared_, identity);
    if (!device || !has(*device, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) ||
        !has(*device, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED))
        return nullptr;
    auto memory = std::make_unique<CudaExternalMemory>(shared_);
    memory->make(*device, bytes);
    return memory;
}

// CUDA imports nothing here: it exports the memory that it makes.

}  // namespace gemel::plugin::cuda
