/// Streams are in-order command queues, or foreign out-of-order queues with a barrier before each command; events are
/// markers in them.
#include "objects.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel::plugin::opencl {
namespace {

cl_mem handle(const Memory& memory) { return reinterpret_cast<cl_mem>(memory.handle); }

/// Byte, row and slice of an offset in an array with these pitches.
std::array<size_t, 3> origin_of(const RectSide& side) {
    return {side.offset_bytes % side.slice_pitch_bytes % side.row_pitch_bytes,
            side.offset_bytes % side.slice_pitch_bytes / side.row_pitch_bytes,
            side.offset_bytes / side.slice_pitch_bytes};
}

}  // namespace

OpenClEvent::OpenClEvent(std::shared_ptr<Shared> shared, cl_command_queue queue, cl_event event, bool is_foreign)
    : shared_(std::move(shared)), queue_(queue), event_(event), completed_(is_foreign) {
    if (queue_) cl.RetainCommandQueue(queue_);
}

OpenClEvent::~OpenClEvent() {
    if (shared_->dead) return;
    if (!queue_) complete();  // commands that wait for it must not wait forever
    cl.ReleaseEvent.quietly(event_);
    if (queue_) cl.ReleaseCommandQueue.quietly(queue_);
}

void OpenClEvent::wait() { cl.WaitForEvents(1, &event_); }

bool OpenClEvent::done() {
    const auto status = query<cl_int>(cl.GetEventInfo, CL_EVENT_COMMAND_EXECUTION_STATUS, event_);
    if (status < 0) fail("the commands before an event", status);
    if (status != CL_COMPLETE && queue_ && !flushed_) {  // an event in a queue that was never flushed never completes
        cl.Flush(queue_);
        flushed_ = true;
    }
    return status == CL_COMPLETE;
}

double OpenClEvent::milliseconds_since(const Event& start) const {
    const auto end_of = [](const OpenClEvent& event) {
        return query<cl_ulong>(cl.GetEventProfilingInfo, CL_PROFILING_COMMAND_END, event.event_);
    };
    const auto stop_time = end_of(*this), start_time = end_of(dynamic_cast<const OpenClEvent&>(start));
    return 1e-6 * (static_cast<double>(stop_time) - static_cast<double>(start_time));
}

std::uint64_t OpenClEvent::native() const { return reinterpret_cast<std::uint64_t>(event_); }

OpenClStream::OpenClStream(std::shared_ptr<Shared> shared, cl_command_queue queue, Queue kind)
    : shared_(std::move(shared)),
      queue_(queue),
      timed_(kind != Queue::own),
      is_unordered_(kind == Queue::foreign_unordered),
      others_enqueue_(kind != Queue::own) {}

OpenClStream::~OpenClStream() {
    if (shared_->dead) return;
    cl.ReleaseCommandQueue.quietly(queue_);
    if (retired_) cl.ReleaseCommandQueue.quietly(retired_);
}

void OpenClStream::upload(const Place& to, const void* host, std::size_t bytes, bool blocking) {
    const auto write = [&](cl_command_queue queue) {
        cl.EnqueueWriteBuffer(queue, handle(*to.memory), blocking, to.offset_bytes, bytes, host, 0, nullptr,
                              event_of_command());
    };
    blocking ? write(waiting_turn()) : write(Turn(*this));
}

void OpenClStream::download(void* host, const Place& from, std::size_t bytes, bool blocking) {
    const auto read = [&](cl_command_queue queue) {
        cl.EnqueueReadBuffer(queue, handle(*from.memory), blocking, from.offset_bytes, bytes, host, 0, nullptr,
                             event_of_command());
    };
    blocking ? read(waiting_turn()) : read(Turn(*this));
}

void OpenClStream::copy(const Place& to, const Place& from, std::size_t bytes, Context&, bool blocking) {
    cl.EnqueueCopyBuffer(Turn(*this), handle(*from.memory), handle(*to.memory), from.offset_bytes, to.offset_bytes,
                         bytes, 0, nullptr, event_of_command());
    if (blocking) synchronize();
}

void OpenClStream::copy_rectangle(const RectSide& to, const RectSide& from, std::array<std::size_t, 3> extent,
                                  bool blocking) {
    constexpr size_t zero[3] = {};
    const cl_command_queue queue = waiting_turn();
    if (to.device && from.device) {
        cl.EnqueueCopyBufferRect(queue, handle(*from.device), handle(*to.device), origin_of(from).data(),
                                 origin_of(to).data(), extent.data(), from.row_pitch_bytes, from.slice_pitch_bytes,
                                 to.row_pitch_bytes, to.slice_pitch_bytes, 0, nullptr, event_of_command());
        if (blocking) cl.Finish(queue);
    } else if (to.device) {
        cl.EnqueueWriteBufferRect(queue, handle(*to.device), blocking, origin_of(to).data(), zero, extent.data(),
                                  to.row_pitch_bytes, to.slice_pitch_bytes, from.row_pitch_bytes,
                                  from.slice_pitch_bytes, from.host, 0, nullptr, event_of_command());
    } else {
        cl.EnqueueReadBufferRect(queue, handle(*from.device), blocking, origin_of(from).data(), zero, extent.data(),
                                 from.row_pitch_bytes, from.slice_pitch_bytes, to.row_pitch_bytes, to.slice_pitch_bytes,
                                 to.host, 0, nullptr, event_of_command());
    }
}

bool OpenClStream::fill(const Place& to, const void* pattern, std::size_t pattern_bytes, std::size_t count) {
    if ((pattern_bytes & (pattern_bytes - 1)) != 0) return false;  // powers of two only
    const std::size_t bytes = count * pattern_bytes;
    constexpr std::size_t limit = std::size_t{1} << 31;
    if (to.offset_bytes + bytes >= limit && shared_->quirks.has(Quirk::large_fills_fail)) return false;
    cl.EnqueueFillBuffer(Turn(*this), handle(*to.memory), pattern, pattern_bytes, to.offset_bytes, bytes, 0, nullptr,
                         event_of_command());
    return true;
}

void* OpenClStream::map(const Place& from, std::size_t bytes) {
    return cl.EnqueueMapBuffer(waiting_turn(), handle(*from.memory), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
                               from.offset_bytes, bytes, 0, nullptr, nullptr);
}

void OpenClStream::unmap(const Memory& memory, void* host) {
    cl.EnqueueUnmapMemObject(Turn(*this), handle(memory), host, 0, nullptr, nullptr);
}

void OpenClStream::begin_timing() {
    if (timed_) return;
    // Another queue replaces it; the first command there waits for the last one here.
    const cl_command_queue timing = shared_->create_queue(true);
    cl_event last = nullptr;
    cl.EnqueueMarkerWithWaitList(queue_, 0, nullptr, &last);
    cl.Flush(queue_);
    cl.EnqueueBarrierWithWaitList(timing, 1, &last, nullptr);
    cl.ReleaseEvent(last);
    retired_ = std::exchange(queue_, timing);
    timed_ = true;
}

std::unique_ptr<OpenClEvent> OpenClStream::make_marker() {
    cl_event event = nullptr;
    cl.EnqueueMarkerWithWaitList(queue_, 0, nullptr, &event);
    return std::make_unique<OpenClEvent>(shared_, queue_, event);
}

std::unique_ptr<Event> OpenClStream::record(bool timed) {
    std::lock_guard lock(mutex_);
    if (timed) begin_timing();
    ++enqueued_;
    return make_marker();
}

void OpenClStream::wait(Event& event) {
    auto& marker = dynamic_cast<OpenClEvent&>(event);
    if (marker.queue()) cl.Flush(marker.queue());  // waiting for a queue that was never flushed takes forever
    if (marker.context() != shared_->context) {
        marker.wait();  // no driver orders queues of different contexts: the host waits
        return;
    }
    const cl_event handle = marker.event();
    const Turn queue(*this);
    if (marker.queue() == queue) return;  // in order already, or by the barriers
    cl.EnqueueBarrierWithWaitList(queue, 1, &handle, nullptr);
}

void OpenClStream::synchronize() {
    std::uint64_t before = 0;
    cl_command_queue queue = nullptr;
    {
        std::lock_guard lock(mutex_);
        before = enqueued_;
        queue = queue_;
    }
    cl.Finish(queue);  // other threads may enqueue meanwhile
    std::lock_guard lock(mutex_);
    finished_ = std::max(finished_, before);
}

bool OpenClStream::idle() {
    // Even in an empty queue, a marker completes only after some time. In gemel's own streams all commands are counted;
    // commands of others in a wrapped queue, or in one handed out, are not: there only a new marker gives the answer.
    std::lock_guard lock(mutex_);
    if (!others_enqueue_ && finished_ == enqueued_) return true;
    if (others_enqueue_ || !probe_ || probed_ != enqueued_) {
        probe_ = make_marker();
        probed_ = enqueued_;
    }
    if (!probe_->done() && !probe_->done()) return false;
    probe_.reset();
    finished_ = enqueued_;
    return true;
}

void OpenClStream::flush() {
    std::lock_guard lock(mutex_);
    cl.Flush(queue_);
}

void OpenClStream::call_host(void (*function)(void*), void* data) {
    struct Call {
        void (*function)(void*);
        void* data;
    };
    // If an event is complete already, the driver may call the callback in this thread (PoCL does): the marker waits
    // for a user event until the callback is set, so that a thread of the driver always calls it.
    const cl_event gate = cl.CreateUserEvent(shared_->context);
    struct Open {
        cl_event gate;
        ~Open() {
            cl.SetUserEventStatus.quietly(gate, CL_COMPLETE);
            cl.ReleaseEvent.quietly(gate);
        }
    } open{gate};
    cl_event event = nullptr;
    cl.EnqueueMarkerWithWaitList(Turn(*this), 1, &gate, &event);
    auto call = std::make_unique<Call>(Call{function, data});
    const Status status = cl.SetEventCallback.status(
        event, CL_COMPLETE,
        [](cl_event done, cl_int, void* stored) {
            const std::unique_ptr<Call> owned(static_cast<Call*>(stored));
            owned->function(owned->data);
            cl.ReleaseEvent.quietly(done);
        },
        call.get());
    if (status != success) {
        cl.ReleaseEvent.quietly(event);
        fail(cl.SetEventCallback.name(), status);
    }
    call.release();
    flush();
}

std::uint64_t OpenClStream::native() {
    std::lock_guard lock(mutex_);
    begin_timing();  // the owner of the handle relies on the queue: it must not be replaced later
    others_enqueue_ = true;
    return reinterpret_cast<std::uint64_t>(queue_);
}

}  // namespace gemel::plugin::opencl
