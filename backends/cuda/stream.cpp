/// Streams and events.
#include "objects.hpp"

#include <gemel/core/text.hpp>

#include <cstring>

namespace gemel::plugin::cuda {
namespace {

CUdeviceptr address(const Place& place) { return place.memory->handle + place.offset_bytes; }

/// Whether the driver knows host memory as page-locked: such copies continue after the call. Others have been staged.
bool is_page_locked(const void* host) {
    CUmemorytype type{};
    CUpointer_attribute attribute = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
    void* results[] = {&type};
    return cu.PointerGetAttributes.status(1, &attribute, results, reinterpret_cast<CUdeviceptr>(host)) != success ||
           type != CUmemorytype{};
}

}  // namespace

CUevent Shared::take_timed_event() {
    {
        std::lock_guard lock(events_mutex_);
        if (!idle_events_.empty()) {
            const CUevent event = idle_events_.back();
            idle_events_.pop_back();
            return event;
        }
    }
    CUevent event = nullptr;
    cu.EventCreate(&event, CU_EVENT_DEFAULT);
    return event;
}

void Shared::give_back_timed_event(CUevent event) noexcept {
    constexpr std::size_t kept = 1024;
    if (dead) return;
    {
        std::lock_guard lock(events_mutex_);
        if (idle_events_.size() < kept) {
            idle_events_.push_back(event);
            return;
        }
    }
    cu.EventDestroy.quietly(event);
}

CudaEvent::CudaEvent(std::shared_ptr<Shared> shared, CUevent event, Kind kind)
    : shared_(std::move(shared)), event_(event), kind_(kind) {}

CudaEvent::~CudaEvent() {
    if (kind_ == Kind::timed)
        shared_->give_back_timed_event(event_);
    else if (kind_ == Kind::untimed && !shared_->dead)
        cu.EventDestroy.quietly(event_);
}

void CudaEvent::wait() {
    Current current(*shared_);
    cu.EventSynchronize(event_);
}

bool CudaEvent::done() {
    Current current(*shared_);
    const Status status = cu.EventQuery.status(event_);
    if (status != success && status != CUDA_ERROR_NOT_READY) fail(cu.EventQuery.name(), status);
    return status == success;
}

double CudaEvent::milliseconds_since(const Event& start) const {
    Current current(*shared_);
    float milliseconds = 0;
    cu.EventElapsedTime(&milliseconds, dynamic_cast<const CudaEvent&>(start).event_, event_);
    return milliseconds;
}

std::uint64_t CudaEvent::native() const { return reinterpret_cast<std::uint64_t>(event_); }

CudaStream::CudaStream(std::shared_ptr<Shared> shared, CUstream stream, bool foreign)
    : shared_(std::move(shared)), stream_(stream), foreign_(foreign) {}

CudaStream::~CudaStream() {
    if (!shared_->dead && !foreign_) cu.StreamDestroy.quietly(stream_);
}

void CudaStream::upload(const Place& to, const void* host, std::size_t bytes, bool blocking) {
    Current current(*shared_);
    cu.MemcpyHtoDAsync(address(to), host, bytes, stream_);
    if (blocking && is_page_locked(host)) cu.StreamSynchronize(stream_);
}

void CudaStream::download(void* host, const Place& from, std::size_t bytes, bool blocking) {
    Current current(*shared_);
    cu.MemcpyDtoHAsync(host, address(from), bytes, stream_);
    if (blocking) cu.StreamSynchronize(stream_);
}

void CudaStream::copy(const Place& to, const Place& from, std::size_t bytes, Context& target_context, bool blocking) {
    Current current(*shared_);
    const Shared& target = dynamic_cast<CudaContext&>(target_context).shared();
    if (target.context == shared_->context) {
        cu.MemcpyDtoDAsync(address(to), address(from), bytes, stream_);
    } else {
        shared_->reach_for_copies(target);
        cu.MemcpyPeerAsync(address(to), target.context, address(from), shared_->context, bytes, stream_);
    }
    if (blocking) cu.StreamSynchronize(stream_);
}

CUDA_MEMCPY3D copy_parameters(const RectSide& to, const RectSide& from, std::array<std::size_t, 3> extent) {
    CUDA_MEMCPY3D copy{};
    copy.WidthInBytes = extent[0];
    copy.Height = extent[1];
    copy.Depth = extent[2];
    copy.srcMemoryType = from.device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
    copy.srcHost = from.host;
    copy.srcDevice = from.device ? from.device->handle + from.offset_bytes : 0;
    copy.srcPitch = from.row_pitch_bytes;
    copy.srcHeight = from.slice_pitch_bytes / from.row_pitch_bytes;
    copy.dstMemoryType = to.device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
    copy.dstHost = to.host;
    copy.dstDevice = to.device ? to.device->handle + to.offset_bytes : 0;
    copy.dstPitch = to.row_pitch_bytes;
    copy.dstHeight = to.slice_pitch_bytes / to.row_pitch_bytes;
    return copy;
}

void CudaStream::copy_rectangle(const RectSide& to, const RectSide& from, std::array<std::size_t, 3> extent,
                                bool blocking) {
    Current current(*shared_);
    const CUDA_MEMCPY3D copy = copy_parameters(to, from, extent);
    cu.Memcpy3DAsync(&copy, stream_);
    if (blocking) cu.StreamSynchronize(stream_);
}

bool CudaStream::fill(const Place& to, const void* pattern, std::size_t pattern_bytes, std::size_t count) {
    Current current(*shared_);
    std::uint32_t value = 0;
    std::memcpy(&value, pattern, pattern_bytes <= sizeof value ? pattern_bytes : 0);
    switch (pattern_bytes) {
        case 1: cu.MemsetD8Async(address(to), static_cast<unsigned char>(value), count, stream_); return true;
        case 2: cu.MemsetD16Async(address(to), static_cast<unsigned short>(value), count, stream_); return true;
        case 4: cu.MemsetD32Async(address(to), value, count, stream_); return true;
        default: return false;
    }
}

void* CudaStream::map(const Place& from, std::size_t) {
    Current current(*shared_);
    cu.StreamSynchronize(stream_);
    return static_cast<std::byte*>(from.memory->host) + from.offset_bytes;
}

void CudaStream::unmap(const Memory&, void*) {}  // host and device share the memory

std::unique_ptr<Event> CudaStream::record(bool timed) {
    Current current(*shared_);
    CUevent event = nullptr;
    if (timed)
        event = shared_->take_timed_event();
    else
        cu.EventCreate(&event, CU_EVENT_DISABLE_TIMING);
    auto result =
        std::make_unique<CudaEvent>(shared_, event, timed ? CudaEvent::Kind::timed : CudaEvent::Kind::untimed);
    cu.EventRecord(event, stream_);
    return result;
}

void CudaStream::wait(Event& event) {
    Current current(*shared_);
    if (auto* const user = dynamic_cast<CudaUserEvent*>(&event)) return user->let_wait(stream_);
    cu.StreamWaitEvent(stream_, dynamic_cast<CudaEvent&>(event).event(), 0);
}

void CudaStream::synchronize() {
    Current current(*shared_);
    cu.StreamSynchronize(stream_);
}

bool CudaStream::idle() {
    Current current(*shared_);
    const Status status = cu.StreamQuery.status(stream_);
    if (status != success && status != CUDA_ERROR_NOT_READY) fail(cu.StreamQuery.name(), status);
    return status == success;
}

void CudaStream::flush() {}  // the driver starts commands by itself

void CudaStream::call_host(void (*function)(void*), void* data) {
    Current current(*shared_);
    cu.LaunchHostFunc(stream_, function, data);
}

std::uint64_t CudaStream::native() { return reinterpret_cast<std::uint64_t>(stream_); }

}  // namespace gemel::plugin::cuda
