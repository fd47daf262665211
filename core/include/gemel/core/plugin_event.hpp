/// Points in streams: a part of the plug-in boundary, whose rules stand in plugin.hpp.
#pragma once

#include <gemel/core/export.hpp>

#include <cstdint>

namespace gemel::plugin {

/// A point in a stream, or an event that the host completes.
class GEMEL_API Event {
   public:
    virtual ~Event();
    /// Blocks the calling thread until everything before the point has finished; asynchronous failures surface here.
    virtual void wait() = 0;
    /// Whether that is so already; does not block.
    virtual bool done() = 0;
    /// Device time from `start` to this event. Both have finished (core waits). @throws DeviceError without timing
    virtual double milliseconds_since(const Event& start) const = 0;
    virtual std::uint64_t native() const = 0;
    /// Of an event from ContextExtras::create_user_event(): what waits for it goes on. Called once, also in a callback
    /// of any driver's; calls nothing that a callback of this driver's must not call.
    virtual void complete() noexcept;
    /// Calls `function(data)` once, on whatever thread, when the event is done or has failed; as Stream::call_host().
    /// @returns false, having done nothing, where the driver cannot
    virtual bool call_when_done(void (*function)(void*), void* data);
};

}  // namespace gemel::plugin
