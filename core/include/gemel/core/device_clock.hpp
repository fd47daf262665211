/// Relates a device's clock to the host's clock.
#pragma once

#include <gemel/core/context.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/stream.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

namespace gemel {

/// Converts the time of a timed event to a time of the host's steady clock, so that logs and traces can show the work
/// of the device and of the host on one time axis. Calibrated by a timed event between two readings of the host's
/// clock. The two clocks drift apart by microseconds per minute: make a new object from time to time. A cheap handle.
class GEMEL_API DeviceClock {
   public:
    using TimePoint = std::chrono::steady_clock::time_point;

    /// @time  waits for some events of a stream of its own, 0.1 ms on an idle device
    explicit DeviceClock(const Context& context);
    /// Waits for the event. @throws ArgumentError if it is not timed, or of another context
    TimePoint host_time(const Event& event) const;
    /// By how much host_time() may be off when the clock was made: half the time between the two readings.
    std::chrono::nanoseconds uncertainty() const { return uncertainty_; }

   private:
    Event reference_;
    TimePoint host_;
    std::chrono::nanoseconds uncertainty_{};
};

/// What the clocks of device and host showed at one moment, in nanoseconds since moments of the driver's choice. The
/// device's is that of the profiling information of OpenCL's events.
struct ClockPair {
    std::uint64_t device_nanoseconds = 0, host_nanoseconds = 0;
};
/// The driver's own reading of both (clGetDeviceAndHostTimer of OpenCL 2.1); empty where it has none: there is a
/// DeviceClock everywhere.
GEMEL_API std::optional<ClockPair> read_clocks(const Device& device);

}  // namespace gemel
