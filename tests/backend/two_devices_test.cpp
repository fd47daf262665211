/// Copies and waits between different devices, of one backend and of two. Where there is one device there is nothing to
/// test, and it says so.
#include "support.hpp"

#include "device_copies.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>

using namespace gemel;
using namespace gemel::testing;

namespace {

std::vector<std::pair<Device, Device>> pairs() {
    std::vector<std::pair<Device, Device>> found;
    // Also beside the one that GEMEL_DEVICE names.
    const bool is_one_backend = std::getenv("GEMEL_BACKEND") || std::getenv("GEMEL_DEVICE");
    const auto all = is_one_backend ? devices(default_device().backend()) : all_devices();
    for (const Device& one : all)
        for (const Device& other : all)
            if (one != other) found.emplace_back(one, other);
    if (found.empty()) std::puts("skipped: there is one device here");
    return found;
}

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("bytes of any number and offset go from one device to another") {
    for (const auto& [one, other] : pairs()) {
        CAPTURE(one.id());
        CAPTURE(other.id());
        const Context source(one), target(other);
        for (const std::size_t n :
             {std::size_t{1}, std::size_t{4096}, (std::size_t{16} << 20) - 1, (std::size_t{40} << 20) + 12345}) {
            CAPTURE(n);
            CHECK(arrives(source, target, n));
        }
    }
}

TEST_CASE("a copy between devices comes after what both streams were told before") {
    constexpr std::size_t n = std::size_t{24} << 20;
    for (const auto& [one, other] : pairs()) {
        CAPTURE(one.id());
        CAPTURE(other.id());
        CHECK(copies_keep_order(Context(one), Context(other), n));
    }
}

TEST_CASE("copies of both directions at once are right") {
    constexpr std::size_t n = (std::size_t{20} << 20) + 3;
    for (const auto& [one, other] : pairs()) {
        CAPTURE(one.id());
        CAPTURE(other.id());
        const Context here(one), there(other);
        bool there_is_right = false, here_is_right = false;
        std::thread thread([&] { here_is_right = arrives(there, here, n); });
        there_is_right = arrives(here, there, n);
        thread.join();
        CHECK(there_is_right);
        CHECK(here_is_right);
    }
}

TEST_CASE("a window goes from one device to another") {
    constexpr std::size_t from_pitch = 1000, to_pitch = 1024;
    for (const auto& [one, other] : pairs()) {
        CAPTURE(one.id());
        CAPTURE(other.id());
        const Context source(one), target(other);
        const Bytes all = pattern_of(from_pitch * 300);
        const Buffer from = uploaded(source, all), to = target.allocate(to_pitch * 400);
        to.fill(std::uint8_t{0});
        target.default_stream().copy_rectangle(to, {.x_bytes = 5, .row = 7, .row_pitch_bytes = to_pitch}, from,
                                               {.x_bytes = 13, .row = 11, .row_pitch_bytes = from_pitch},
                                               {.width_bytes = 901, .rows = 250});
        Bytes expected(to_pitch * 400, 0);
        for (std::size_t row = 0; row < 250; ++row)
            std::copy_n(all.begin() + static_cast<std::ptrdiff_t>((row + 11) * from_pitch + 13), 901,
                        expected.begin() + static_cast<std::ptrdiff_t>((row + 7) * to_pitch + 5));
        CHECK(downloaded<std::uint8_t>(to) == expected);
    }
}

TEST_CASE("a stream waits for an event of another device without blocking the host") {
    for (const auto& [one, other] : pairs()) {
        CAPTURE(one.id());
        CAPTURE(other.id());
        const Context here(one), there(other);
        const Buffer a = here.allocate(4000), b = there.allocate(4000);
        b.fill(std::uint8_t{0});
        const Stream from = here.create_stream(), to = there.create_stream();
        const UserEvent gate(here);
        from.wait(gate);
        from.fill(a, std::uint8_t{7});
        const Event written = from.record();
        to.wait(written);  // the host would wait for ever
        to.fill(b, std::uint8_t{7});
        to.flush();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        CHECK_FALSE(to.idle());
        gate.complete();
        to.synchronize();
        CHECK(written.done());
        CHECK(downloaded<std::uint8_t>(b) == Bytes(4000, 7));
    }
}

TEST_CASE("a device whose memory another cannot use is refused with the call that copies") {
    for (const auto& [one, other] : pairs()) {
        if (one.can_reach(other)) continue;
        CAPTURE(one.id());
        CAPTURE(other.id());
        const Context here(one), there(other);
        CHECK_THROWS_MENTIONING(Error, here.reach(there), "reach", "copy_from");
        CHECK_THROWS_MENTIONING(ArgumentError, here.peer_view(there.allocate(100)), "peer_view", "reach()");
    }
}

TEST_SUITE_END();
