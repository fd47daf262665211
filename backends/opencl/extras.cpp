/// Optional features of backends that OpenCL has: user events, and prefetching of memory. Priorities, limits, peer
/// access and memory advice are not in the standard: the defaults of the interface apply.
#include "objects.hpp"

namespace gemel::plugin::opencl {

std::unique_ptr<Event> OpenClContext::create_user_event() {
    return std::make_unique<OpenClEvent>(shared_, nullptr, cl.CreateUserEvent(shared_->context));
}

std::unique_ptr<Event> OpenClContext::wrap_event(std::uint64_t handle) {
    const auto event = reinterpret_cast<cl_event>(handle);
    if (query<cl_context>(cl.GetEventInfo, CL_EVENT_CONTEXT, event) != shared_->context)
        throw ArgumentError("wrap_event: the cl_event belongs to another cl_context; wrap that context first");
    const auto queue = query<cl_command_queue>(cl.GetEventInfo, CL_EVENT_COMMAND_QUEUE, event);
    cl.RetainEvent(event);
    return std::make_unique<OpenClEvent>(shared_, queue, event, true);
}

void OpenClEvent::complete() noexcept {
    if (!completed_.exchange(true)) cl.SetUserEventStatus.quietly(event_, CL_COMPLETE);
}

bool OpenClEvent::call_when_done(void (*function)(void*), void* data) {
    struct Call {
        void (*function)(void*);
        void* data;
    };
    auto call = std::make_unique<Call>(Call{function, data});
    cl.SetEventCallback(
        event_, CL_COMPLETE,
        [](cl_event, cl_int, void* stored) {
            const std::unique_ptr<Call> owned(static_cast<Call*>(stored));
            owned->function(owned->data);
        },
        call.get());
    call.release();
    if (queue_) cl.Flush(queue_);
    return true;
}

void OpenClStream::prefetch(const Place& place, std::size_t, bool to_host) {
    const auto memory = reinterpret_cast<cl_mem>(place.memory->handle);
    cl.EnqueueMigrateMemObjects(Turn(*this), 1, &memory, to_host ? CL_MIGRATE_MEM_OBJECT_HOST : 0, 0, nullptr,
                                event_of_command());
}

}  // namespace gemel::plugin::opencl
