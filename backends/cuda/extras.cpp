/// Optional features of backends that CUDA has: user events, priorities, limits, peer access, memory advice.
#include "objects.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>
#include <new>

namespace gemel::plugin::cuda {
namespace {

/// A stream for one call: the driver keeps it until its commands are complete.
class ShortStream {
   public:
    ShortStream() { cu.StreamCreate(&stream_, CU_STREAM_NON_BLOCKING); }
    ~ShortStream() { cu.StreamDestroy.quietly(stream_); }
    ShortStream(const ShortStream&) = delete;
    ShortStream& operator=(const ShortStream&) = delete;
    operator CUstream() const { return stream_; }

   private:
    CUstream stream_ = nullptr;
};

CUlimit driver_limit(ContextLimit which) {
    switch (which) {
        case ContextLimit::stack: return CU_LIMIT_STACK_SIZE;
        case ContextLimit::printf: return CU_LIMIT_PRINTF_FIFO_SIZE;
        case ContextLimit::heap: return CU_LIMIT_MALLOC_HEAP_SIZE;
        case ContextLimit::l2_set_aside: break;
    }
    return CU_LIMIT_PERSISTING_L2_CACHE_SIZE;
}

constexpr CUdevice host_device = -1;  // CU_DEVICE_CPU, which is a cast

}  // namespace

Shared::Word Shared::take_word() {
    const std::lock_guard lock(words_mutex_);
    if (idle_words_.empty()) {
        constexpr std::size_t count = 64, apart = 64;  // a cache line each
        void* page = nullptr;
        cu.MemHostAlloc(&page, count * apart, CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE);
        word_pages_.push_back(page);
        CUdeviceptr device = 0;
        cu.MemHostGetDevicePointer(&device, page, 0);
        for (std::size_t k = 0; k < count; ++k) {
            auto* const host = new (static_cast<std::byte*>(page) + k * apart) std::atomic<std::uint32_t>(0);
            idle_words_.push_back({host, device + k * apart, 1});
        }
    }
    const Word word = idle_words_.back();
    idle_words_.pop_back();
    return word;
}

void Shared::give_back_word(const Word& word) noexcept {
    const std::lock_guard lock(words_mutex_);
    idle_words_.push_back({word.host, word.device, word.value + 1});  // the list still has room for it
}

void Shared::reach_for_copies(const Shared& peer) {
    if (!cu.CtxEnablePeerAccess) return;
    const std::lock_guard lock(peers_mutex_);
    if (std::find(peers_.begin(), peers_.end(), peer.number) != peers_.end()) return;
    peers_.push_back(peer.number);
    cu.CtxEnablePeerAccess.status(peer.context, 0);
}

CudaUserEvent::CudaUserEvent(std::shared_ptr<Shared> shared)
    : shared_(std::move(shared)), word_(shared_->take_word()) {}

CudaUserEvent::~CudaUserEvent() {
    complete();
    shared_->give_back_word(word_);
}

void CudaUserEvent::complete() noexcept {
    word_.host->store(word_.value, std::memory_order_release);
    word_.host->notify_all();
}

void CudaUserEvent::wait() {
    while (!done()) word_.host->wait(word_.value - 1, std::memory_order_acquire);
}
bool CudaUserEvent::done() { return word_.host->load(std::memory_order_acquire) == word_.value; }

double CudaUserEvent::milliseconds_since(const Event&) const {
    throw ArgumentError("elapsed_milliseconds: a UserEvent has no device time; record an event in a stream");
}
std::uint64_t CudaUserEvent::native() const { return word_.device; }

void CudaUserEvent::let_wait(CUstream stream) const {
    cu.StreamWaitValue32(stream, word_.device, word_.value, CU_STREAM_WAIT_VALUE_GEQ);
}

bool CudaUserEvent::call_when_done(void (*function)(void*), void* data) {
    Current current(*shared_);
    const ShortStream stream;
    let_wait(stream);
    cu.LaunchHostFunc(stream, function, data);
    return true;
}

bool CudaEvent::call_when_done(void (*function)(void*), void* data) {
    Current current(*shared_);
    const ShortStream stream;
    cu.StreamWaitEvent(stream, event_, 0);
    cu.LaunchHostFunc(stream, function, data);
    return true;
}

std::unique_ptr<Event> CudaStream::record_blocking() { return record_untimed(CU_EVENT_BLOCKING_SYNC); }

std::unique_ptr<Event> CudaStream::record_untimed(unsigned flags) {
    Current current(*shared_);
    CUevent event = nullptr;
    cu.EventCreate(&event, CU_EVENT_DISABLE_TIMING | flags);
    auto result = std::make_unique<CudaEvent>(shared_, event, CudaEvent::Kind::untimed);
    cu.EventRecord(event, stream_);
    return result;
}

void CudaStream::prefetch(const Place& place, std::size_t bytes, bool to_host) {
    if (place.memory->kind != MemoryKind::managed || !cu.MemPrefetchAsync) return;
    Current current(*shared_);
    cu.MemPrefetchAsync(place.memory->handle + place.offset_bytes, bytes, to_host ? host_device : shared_->device,
                        stream_);
}

std::unique_ptr<Stream> CudaContext::create_stream_of(StreamPriority priority) {
    if (!cu.StreamCreateWithPriority || !cu.CtxGetStreamPriorityRange) return create_stream();
    Current current(*shared_);
    int lowest = 0, highest = 0;  // the smaller number is the higher priority
    cu.CtxGetStreamPriorityRange(&lowest, &highest);
    CUstream stream = nullptr;
    cu.StreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, priority == StreamPriority::high ? highest : lowest);
    return std::make_unique<CudaStream>(shared_, stream, false);
}

std::unique_ptr<Event> CudaContext::create_user_event() {
    if (!cu.StreamWaitValue32) return nullptr;
    Current current(*shared_);
    return std::make_unique<CudaUserEvent>(shared_);
}

bool CudaContext::waits_for_all_events() const { return true; }

void CudaContext::reach(Context& other) {
    if (!cu.CtxEnablePeerAccess)
        throw Error("reach: this driver has no cuCtxEnablePeerAccess; Buffer::copy_from copies memory of peers");
    const Shared& peer = dynamic_cast<CudaContext&>(other).shared();
    if (peer.context == shared_->context) return;  // the primary context of one device: the same memory
    Current current(*shared_);
    const Status status = cu.CtxEnablePeerAccess.status(peer.context, 0);
    if (status != success && status != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
        fail(cu.CtxEnablePeerAccess.name(), status);
}

Memory CudaContext::reached_memory(const Memory& memory) {  // one address space
    return {.handle = memory.handle, .host = memory.host, .bytes = memory.bytes, .kind = memory.kind, .foreign = true};
}

std::optional<std::size_t> CudaContext::limit(ContextLimit which) {
    if (!cu.CtxGetLimit) return std::nullopt;
    Current current(*shared_);
    std::size_t bytes = 0;
    if (cu.CtxGetLimit.status(&bytes, driver_limit(which)) != success) return std::nullopt;
    return bytes;
}

bool CudaContext::set_limit(ContextLimit which, std::size_t bytes) {
    if (!cu.CtxSetLimit) return false;
    Current current(*shared_);
    cu.CtxSetLimit(driver_limit(which), bytes);
    return true;
}

Memory CudaContext::allocate_write_combined(std::size_t bytes) {
    Current current(*shared_);
    void* host = nullptr;
    cu.MemHostAlloc(&host, bytes, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_WRITECOMBINED);
    return {.host = host, .bytes = bytes};
}

void CudaContext::advise(const Place& place, std::size_t bytes, MemoryAdvice advice) {
    if (!cu.MemAdvise) return;
    Current current(*shared_);
    const auto give = [&](CUmem_advise word, CUdevice device) {
        cu.MemAdvise(place.memory->handle + place.offset_bytes, bytes, word, device);
    };
    switch (advice) {
        case MemoryAdvice::mostly_read: return give(CU_MEM_ADVISE_SET_READ_MOSTLY, shared_->device);
        case MemoryAdvice::not_mostly_read: return give(CU_MEM_ADVISE_UNSET_READ_MOSTLY, shared_->device);
        case MemoryAdvice::prefer_device: return give(CU_MEM_ADVISE_SET_PREFERRED_LOCATION, shared_->device);
        case MemoryAdvice::prefer_host: return give(CU_MEM_ADVISE_SET_PREFERRED_LOCATION, host_device);
        case MemoryAdvice::no_preference: return give(CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, shared_->device);
    }
}

TensorMap CudaContext::tensor_map(const Place& place, const TensorMapShape& shape) {
    // Values of enumerations that headers before CUDA 12 do not have.
    constexpr int words_of_16_bits = 1, words_of_32_bits = 2, words_of_64_bits = 4, not_interleaved = 0,
                  swizzled_128_bytes = 3, fetched_128_bytes = 2, zeros_beyond = 0;
    const std::uint32_t box[] = {shape.box_elements(), shape.box_lines, 1}, steps[] = {1, 1, 1};
    Current current(*shared_);
    TensorMap map;
    const int type = shape.element_bytes == 2   ? words_of_16_bits
                     : shape.element_bytes == 4 ? words_of_32_bits
                                                : words_of_64_bits;
    cu.TensorMapEncodeTiled(map.bytes.data(), type, 3,
                            reinterpret_cast<void*>(place.memory->handle + place.offset_bytes), shape.extent.data(),
                            shape.step_bytes.data(), box, steps, not_interleaved, swizzled_128_bytes, fetched_128_bytes,
                            zeros_beyond);
    return map;
}

bool CudaDevice::can_reach(std::uint64_t other) const {
    int can = 0;
    return cu.DeviceCanAccessPeer &&
           cu.DeviceCanAccessPeer.status(&can, device_, static_cast<CUdevice>(other)) == success && can != 0;
}

}  // namespace gemel::plugin::cuda
