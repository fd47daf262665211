/// Parts of devices, and the clocks of device and host.
#include "support.hpp"

#include <chrono>
#include <thread>

using namespace gemel;
using namespace gemel::testing;

namespace {

/// Whether the driver divides the default device equally; otherwise the reason is looked at.
bool divides(const Device& device) {
    try {
        (void)device.partition(DevicePartition::equally(1));
        return true;
    } catch (const Error& error) {
        CHECK(mentions(error.what(), {"partition", device.name()}));
        CHECK(mentions(error.what(), {"streams"}));
        return false;
    }
}

/// The kernel's answer on a device.
int answer_on(const Device& device) {
    const Context context(device);
    const Buffer buffer = context.allocate(1000 * sizeof(int));
    common_kernel(context, "set_all")({.block = {64}, .threads = {1000}}, buffer, 5, 1000);
    const auto values = downloaded<int>(buffer);
    return values[999];
}

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("parts of a device are devices with fewer compute units") {
    const Device whole = default_device();
    CHECK_FALSE(whole.parent());
    const std::size_t listed = devices(whole.backend()).size();
    const std::uint32_t units = whole.info().compute_units;
    CHECK_THROWS_MENTIONING(ArgumentError, whole.partition(DevicePartition::equally(0)), "partition", "0");
    CHECK_THROWS_MENTIONING(ArgumentError, whole.partition(DevicePartition::by_counts({units, 1})),
                            std::to_string(units), std::to_string(units + 1));
    CHECK_THROWS_MENTIONING(ArgumentError, whole.partition(DevicePartition::by_counts({})), "none");
    if (!divides(whole)) return;
    const auto parts = whole.partition(DevicePartition::equally(1));
    CHECK(parts.size() == units);
    CHECK(parts == whole.partition(DevicePartition::equally(1)));
    for (std::size_t i = 0; i < parts.size(); ++i) {
        CHECK(parts[i].info().compute_units == 1);
        CHECK(parts[i].id() == whole.id() + "." + std::to_string(i));
        CHECK(parts[i].index() == static_cast<int>(i));
        CHECK(parts[i].parent() == whole);
        CHECK(parts[i].backend() == whole.backend());
        CHECK(parts[i].info().identity != whole.info().identity);
        CHECK_FALSE(parts[i] == whole);
    }
    CHECK(devices(whole.backend()).size() == listed);
    CHECK(answer_on(parts.front()) == 1004);
    CHECK(answer_on(parts.back()) == 1004);
}

TEST_CASE("parts by counts have these and take work of their own at once") {
    const Device whole = default_device();
    if (!divides(whole) || whole.info().compute_units < 2) return;
    const std::uint32_t units = whole.info().compute_units;
    const auto parts = whole.partition(DevicePartition::by_counts({1, units - 1}));
    REQUIRE(parts.size() == 2);
    CHECK(parts[0].info().compute_units == 1);
    CHECK(parts[1].info().compute_units == units - 1);
    const Context first(parts[0]), second(parts[1]);
    const Buffer a = first.allocate(4000), b = second.allocate(4000);
    common_kernel(first, "set_all")({.block = {64}, .threads = {1000}}, a, 1, 1000);
    common_kernel(second, "set_all")({.block = {64}, .threads = {1000}}, b, 2, 1000);
    b.copy_from(a);
    CHECK(downloaded<int>(b)[999] == 1000);
    // A program of the whole device's fits its part, or is compiled anew.
    CHECK(answer_on(whole) == 1004);
}

TEST_CASE("parts by affinity are made or the reason is said") {
    const Device whole = default_device();
    try {
        const auto parts = whole.partition(DevicePartition::by_affinity(DevicePartition::Affinity::numa));
        CHECK_FALSE(parts.empty());
        CHECK(answer_on(parts.front()) == 1004);
    } catch (const Error& error) {
        CHECK(mentions(error.what(), {"partition", whole.name()}));
    }
}

TEST_CASE("a timed event has a time on the host's clock between the readings around it") {
    using Clock = std::chrono::steady_clock;
    const Context context = default_context();
    const DeviceClock clock(context);
    CHECK(clock.uncertainty() > std::chrono::nanoseconds(0));
    CHECK(clock.uncertainty() < std::chrono::seconds(1));
    const Stream stream = context.create_stream();
    (void)stream.record();  // the stream begins to time
    stream.synchronize();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const auto before = Clock::now();
    const Event event = stream.record();
    event.wait();
    const auto after = Clock::now();
    // Beside what the clock allows for itself, for drivers that stamp a marker a little beside the moment.
    const auto slack = clock.uncertainty() + std::chrono::microseconds(200);
    CHECK(clock.host_time(event) >= before - slack);
    CHECK(clock.host_time(event) <= after + slack);
    CHECK_THROWS_MENTIONING(ArgumentError, clock.host_time(stream.record(EventKind::untimed)), "host_time", "timed");
    if (const auto first = read_clocks(context.device())) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        const auto second = read_clocks(context.device());
        REQUIRE(second);
        // Both clocks have gone on, by about the same.
        const auto device = second->device_nanoseconds - first->device_nanoseconds,
                   host = second->host_nanoseconds - first->host_nanoseconds;
        CHECK(device >= 4'000'000);
        CHECK(host >= 4'000'000);
        CHECK(device < 2 * host);
        CHECK(host < 2 * device);
    }
}

TEST_CASE("elapsed times can be asked for without waiting") {
    const Context context = default_context();
    const Stream stream = context.create_stream();
    const Event start = stream.record();
    std::optional<UserEvent> gate;
    try {
        gate.emplace(context);
    } catch (const Error&) {
        MESSAGE("the driver has no events of the host's: nothing can be kept from finishing");
    }
    if (gate) stream.wait(*gate);
    const Event stop = stream.record();
    if (gate) {
        CHECK_FALSE(elapsed_milliseconds_if_done(start, stop));
        CHECK_FALSE(elapsed_milliseconds_if_done(stop, start));
        gate->complete();
    }
    stream.synchronize();
    const auto elapsed = elapsed_milliseconds_if_done(start, stop);
    REQUIRE(elapsed);
    CHECK(*elapsed == elapsed_milliseconds(start, stop));
    CHECK_THROWS_MENTIONING(ArgumentError, elapsed_milliseconds_if_done(start, Event()), "if_done", "empty");
}

TEST_SUITE_END();
