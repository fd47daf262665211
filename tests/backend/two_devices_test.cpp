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

/// Contexts of different devices, each device's the same in all pairs: many drivers take long to make one.
std::vector<std::pair<Context, Context>> pairs() {
    const bool is_one_backend = std::getenv("GEMEL_BACKEND") || std::getenv("GEMEL_DEVICE");
    const auto all = is_one_backend ? devices(default_device().backend()) : all_devices();
    const std::vector<Context> contexts(all.begin(), all.end());
    std::vector<std::pair<Context, Context>> found;
    for (const Context& one : contexts)
        for (const Context& other : contexts)
            if (one != other && is_of_this_run(one.device(), other.device())) found.emplace_back(one, other);
    if (found.empty()) std::puts("skipped: there is one device here");
    return found;
}

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("bytes of any number and offset go from one device to another") {
    for (const auto& [here, there] : pairs()) {
        CAPTURE(here.device().id());
        CAPTURE(there.device().id());
        for (const std::size_t n :
             {std::size_t{1}, std::size_t{4096}, (std::size_t{16} << 20) - 1, (std::size_t{40} << 20) + 12345}) {
            CAPTURE(n);
            CHECK(arrives(here, there, n));
        }
    }
}

TEST_CASE("a copy between devices comes after what both streams were told before") {
    constexpr std::size_t n = std::size_t{24} << 20;
    for (const auto& [here, there] : pairs()) {
        CAPTURE(here.device().id());
        CAPTURE(there.device().id());
        CHECK(copies_keep_order(here, there, n));
    }
}

TEST_CASE("copies of both directions at once are right") {
    constexpr std::size_t n = (std::size_t{20} << 20) + 3;
    for (const auto& [here, there] : pairs()) {
        CAPTURE(here.device().id());
        CAPTURE(there.device().id());
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
    for (const auto& [here, there] : pairs()) {
        CAPTURE(here.device().id());
        CAPTURE(there.device().id());
        const Bytes all = pattern_of(from_pitch * 300);
        const Buffer from = uploaded(here, all), to = there.allocate(to_pitch * 400);
        to.fill(std::uint8_t{0});
        there.default_stream().copy_rectangle(to, {.x_bytes = 5, .row = 7, .row_pitch_bytes = to_pitch}, from,
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
    for (const auto& [here, there] : pairs()) {
        CAPTURE(here.device().id());
        CAPTURE(there.device().id());
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
    for (const auto& [here, there] : pairs()) {
        if (here.device().can_reach(there.device())) continue;
        CAPTURE(here.device().id());
        CAPTURE(there.device().id());
        CHECK_THROWS_MENTIONING(Error, here.reach(there), "reach", "copy_from");
        CHECK_THROWS_MENTIONING(ArgumentError, here.peer_view(there.allocate(100)), "peer_view", "reach()");
    }
}

TEST_SUITE_END();
