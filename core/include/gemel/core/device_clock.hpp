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

/// Converts the time of a timed event to the host's steady clock, so that logs and traces can show device and host work
/// on one time axis. It is calibrated by a timed event between two readings of the host's clock. The clocks drift apart
/// by microseconds per minute: create a new object from time to time. A cheap handle.
class GEMEL_API DeviceClock {
   public:
    using TimePoint = std::chrono::steady_clock::time_point;

    /// @time  waits for a few events of its own stream: 0.1 ms on an idle device
    explicit DeviceClock(const Context& context);
    /// Waits for the event. @throws ArgumentError if it is not timed or belongs to another context
    TimePoint host_time(const Event& event) const;
    /// The error bound of host_time() at construction: half the time between the two readings.
    std::chrono::nanoseconds uncertainty() const { return uncertainty_; }

   private:
    Event reference_;
    TimePoint host_;
    std::chrono::nanoseconds uncertainty_{};
};

/// The clocks of device and host, read at one moment: nanoseconds, each from an origin that the driver chooses. The
/// device's clock is the one of OpenCL's event profiling.
struct ClockPair {
    std::uint64_t device_nanoseconds = 0, host_nanoseconds = 0;
};
/// Both clocks as read by the driver (clGetDeviceAndHostTimer of OpenCL 2.1); empty if the driver cannot; use
/// DeviceClock instead.
GEMEL_API std::optional<ClockPair> read_clocks(const Device& device);

}  // namespace gemel
