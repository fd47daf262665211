#include "launch_order.hpp"

#include <map>
#include <utility>

namespace gemel::plugin::opencl {

std::shared_ptr<LaunchOrder> LaunchOrder::of(const std::string& kernel_name) {
    static std::mutex mutex;
    static std::map<std::string, std::weak_ptr<LaunchOrder>> orders;
    std::lock_guard lock(mutex);
    std::weak_ptr<LaunchOrder>& known = orders[kernel_name];
    auto order = known.lock();
    if (!order) {
        known = order = std::make_shared<LaunchOrder>();
        std::erase_if(orders, [](const auto& entry) { return entry.second.expired(); });
    }
    return order;
}

LaunchOrder::~LaunchOrder() {
    if (last_) cl.ReleaseEvent.quietly(last_);
}

void LaunchOrder::enqueue(cl_context context, cl_command_queue queue, cl_kernel kernel, cl_uint axes,
                          const size_t* offset, const size_t* global, const size_t* local, cl_event* timed) {
    std::lock_guard lock(mutex_);
    const bool wait = last_ && queue_ != queue;  // a queue keeps its own commands in order
    const bool on_device = wait && context_ == context;
    if (wait && !on_device) (void)cl.WaitForEvents.status(1, &last_);  // a failure is that launch's own
    cl_event event = nullptr;
    cl.EnqueueNDRangeKernel(queue, kernel, axes, offset, global, local, on_device ? 1 : 0, on_device ? &last_ : nullptr,
                            &event);
    if (timed) {
        cl.RetainEvent(event);
        *timed = event;
    }
    if (last_) cl.ReleaseEvent.quietly(last_);
    last_ = event;
    queue_ = queue;
    context_ = context;
}

bool LaunchOrder::has_begun() {
    std::lock_guard lock(mutex_);
    return !last_ || query<cl_int>(cl.GetEventInfo, CL_EVENT_COMMAND_EXECUTION_STATUS, last_) <= CL_RUNNING;
}

}  // namespace gemel::plugin::opencl
