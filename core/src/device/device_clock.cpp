/// Relates a device's clock to the host's, by an event between two readings of the host's clock.
#include <gemel/core/device_clock.hpp>

#include "device/recorder.hpp"
#include "device/state.hpp"

#include <cmath>

namespace gemel {

DeviceClock::DeviceClock(const Context& context) {
    not_recorded("DeviceClock");
    constexpr int readings = 8;  // the first ones wake the device
    const Stream stream = context.create_stream();
    for (int k = 0; k < readings; ++k) {
        const TimePoint before = TimePoint::clock::now();
        Event event = stream.record();
        event.wait();
        const auto between = TimePoint::clock::now() - before;
        if (k > 0 && between / 2 >= uncertainty_) continue;
        reference_ = std::move(event);
        host_ = before + between / 2;
        uncertainty_ = between / 2;
    }
}

DeviceClock::TimePoint DeviceClock::host_time(const Event& event) const {
    require_timed("DeviceClock::host_time", reference_, event);
    const auto later = std::chrono::duration<double, std::milli>(elapsed_milliseconds(reference_, event));
    return host_ + std::chrono::round<std::chrono::nanoseconds>(later);
}

std::optional<ClockPair> read_clocks(const Device& device) {
    const CallScope scope;
    require_process_for_drivers();
    const auto pair = device.state().device->read_clocks();
    if (!pair) return std::nullopt;
    return ClockPair{pair->device, pair->host};
}

}  // namespace gemel
