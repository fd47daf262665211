/// Events that the host completes, and through them waits across devices and backends.
#include <gemel/core/context.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/stream.hpp>
#include <gemel/core/text.hpp>

#include "device/recorder.hpp"
#include "device/state.hpp"

namespace gemel {
namespace {

/// Connects a callback of one driver with an event of another.
struct Bridge {
    std::shared_ptr<EventState> from;  ///< kept until its callback has been called
    std::shared_ptr<DriverContext> to;
    std::unique_ptr<plugin::Event> gate;  ///< destroyed before its context
};

void open_gate(void* data) {
    const CallbackScope in_callback;
    const std::unique_ptr<std::shared_ptr<Bridge>> bridge(static_cast<std::shared_ptr<Bridge>*>(data));
    (*bridge)->gate->complete();  // the bridge is released later, by a thread that may call drivers
}

}  // namespace

void wait_across(StreamState& stream, const std::shared_ptr<EventState>& event) {
    auto gate = stream.driver->call([](plugin::Context& plugin) { return plugin.create_user_event(); });
    if (!gate) return static_cast<void>(Event(event).wait());  // the driver has none: the host waits
    auto* const bridge = new Bridge{event, stream.driver, std::move(gate)};
    auto held = std::make_unique<std::shared_ptr<Bridge>>(share(bridge));
    const std::shared_ptr<Bridge> kept = *held;
    const bool is_called =
        event->driver->call([&](plugin::Context&) { return event->event->call_when_done(open_gate, held.get()); });
    if (!is_called) return static_cast<void>(Event(event).wait());
    held.release();
    stream.driver->call([&](plugin::Context&) { stream.core->stream->wait(*bridge->gate); });
}

void require_timed(const char* what, const Event& start, const Event& stop) {
    if (start.empty() || stop.empty()) throw ArgumentError(text(what, ": an event is empty; record it first"));
    if (start.state()->driver != stop.state()->driver)
        throw ArgumentError(text(what, ": the events are of different contexts, whose clocks differ"));
    if (!start.state()->is_timed || !stop.state()->is_timed)
        throw ArgumentError(text(what, ": an event is not timed; record it with EventKind::timed"));
}

double elapsed_milliseconds(const Event& start, const Event& stop) {
    require_timed("elapsed_milliseconds", start, stop);
    start.wait();
    stop.wait();
    return stop.state()->driver->call(
        [&](plugin::Context&) { return stop.state()->event->milliseconds_since(*start.state()->event); });
}

std::optional<double> elapsed_milliseconds_if_done(const Event& start, const Event& stop) {
    require_timed("elapsed_milliseconds_if_done", start, stop);
    if (!stop.done() || !start.done()) return std::nullopt;
    return stop.state()->driver->call(
        [&](plugin::Context&) { return stop.state()->event->milliseconds_since(*start.state()->event); });
}

void wait_all(std::span<const Event> events) {
    for (const Event& event : events) event.wait();
}

UserEvent::UserEvent(const Context& context)
    : Event([&] {
          not_recorded("UserEvent");
          auto driver = context.state()->driver();
          auto event = driver->call([](plugin::Context& plugin) { return plugin.create_user_event(); });
          if (!event)
              throw Error(text("UserEvent: ", driver->description(),
                               " has no events that the host completes; use Stream::call() or a newer driver"));
          auto pending = std::make_unique<PendingUserEvent>(driver);
          return share(
              new EventState{std::move(driver), nullptr, std::move(event), false, false, {}, std::move(pending)});
      }()) {}

void UserEvent::complete() const {
    if (empty()) throw ArgumentError("UserEvent::complete: the event is empty; give it a context when it is made");
    state()->event->complete();
    state()->pending->end();
}

}  // namespace gemel
