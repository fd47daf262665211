/// Events: a part of the plug-in interface; plugin.hpp has its rules.
#pragma once

#include <gemel/core/export.hpp>

#include <cstdint>

namespace gemel::plugin {

/// A point in a stream, or an event that the host completes.
class GEMEL_API Event {
   public:
    virtual ~Event();
    /// Blocks the calling thread until all commands before the event have finished; throws asynchronous failures.
    virtual void wait() = 0;
    /// Whether all commands before the event have finished; does not block.
    virtual bool done() = 0;
    /// Device time from `start` to this event. Both have finished (core waits). @throws DeviceError if not timed
    virtual double milliseconds_since(const Event& start) const = 0;
    virtual std::uint64_t native() const = 0;
    /// Completes an event from ContextExtras::create_user_event(). Called once, possibly in a callback of any driver;
    /// calls nothing that this driver forbids in its callbacks.
    virtual void complete() noexcept;
    /// Calls `function(data)` once on any thread when the event is done or has failed; see Stream::call_host().
    /// @returns false without an effect if the driver cannot
    virtual bool call_when_done(void (*function)(void*), void* data);
};

}  // namespace gemel::plugin
