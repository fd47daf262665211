/// Device times from the events of the commands.
#include "objects.hpp"

#include <gemel/core/error.hpp>

#include <utility>

namespace gemel::plugin::opencl {

/// The events of the commands that one thread enqueues while it times, in the order of one queue.
class CommandTiming final : public Timing {
   public:
    explicit CommandTiming(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) { events_.reserve(1); }
    ~CommandTiming() override {
        if (shared_->dead) return;
        for (const cl_event event : events_)
            if (event) cl.ReleaseEvent.quietly(event);
    }
    cl_event* next() { return &events_.emplace_back(nullptr); }

    void wait() override {
        if (const cl_event event = last()) cl.WaitForEvents(1, &event);
    }
    bool done() override {
        const cl_event event = last();
        if (!event) return true;
        const auto status = query<cl_int>(cl.GetEventInfo, CL_EVENT_COMMAND_EXECUTION_STATUS, event);
        if (status < 0) fail("a command that was timed", status);
        return status == CL_COMPLETE;
    }
    double milliseconds() const override { return between(start(), time(last(), CL_PROFILING_COMMAND_END)); }
    double milliseconds_since(const Timing& other) const override {
        return between(dynamic_cast<const CommandTiming&>(other).start(), start());
    }

   private:
    static double between(cl_ulong from, cl_ulong to) {
        return 1e-6 * static_cast<double>(static_cast<cl_long>(to - from));
    }
    static cl_ulong time(cl_event event, cl_profiling_info which) {
        if (!event) throw Error("no command was timed");
        return query<cl_ulong>(cl.GetEventProfilingInfo, which, event);
    }
    cl_ulong start() const { return time(events_.empty() ? nullptr : events_.front(), CL_PROFILING_COMMAND_START); }
    cl_event last() const { return events_.empty() ? nullptr : events_.back(); }

    std::shared_ptr<Shared> shared_;
    std::vector<cl_event> events_;
};

cl_event* OpenClStream::next_event(CommandTiming& timing) { return timing.next(); }

std::shared_ptr<Timing> OpenClStream::start_timing() {
    auto made = std::make_shared<CommandTiming>(shared_);
    {
        std::lock_guard lock(mutex_);
        begin_timing();
    }
    timer_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    timing_.store(made.get(), std::memory_order_relaxed);
    return made;
}

void OpenClStream::stop_timing(Timing&) { timing_.store(nullptr, std::memory_order_relaxed); }

}  // namespace gemel::plugin::opencl
