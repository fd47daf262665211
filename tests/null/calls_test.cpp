/// Who waits for other threads' calls waits for those that had begun, and for no others.
#include "device/calls_under_way.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

using gemel::CallScope;
using namespace std::chrono_literals;

TEST_SUITE_BEGIN("core");

TEST_CASE("nobody waits for calls of the own thread or for threads that make none") {
    const CallScope outer;
    {
        const CallScope inner;
        CHECK(CallScope::others_have_ended(0ms));
    }
    std::atomic<bool> go_on{false};
    std::thread idle([&] {
        { const CallScope over; }
        while (!go_on) std::this_thread::sleep_for(1ms);
    });
    CHECK(CallScope::others_have_ended(1000ms));
    go_on = true;
    idle.join();
}

TEST_CASE("a call of another thread is waited for until its outermost scope ends") {
    std::atomic<int> step{0};
    std::thread other([&] {
        {
            const CallScope outer;
            { const CallScope inner; }
            step = 1;
            while (step < 2) std::this_thread::sleep_for(1ms);
        }
        while (step < 3) std::this_thread::sleep_for(1ms);
    });
    while (step < 1) std::this_thread::sleep_for(1ms);
    CHECK_FALSE(CallScope::others_have_ended(20ms));
    step = 2;
    CHECK(CallScope::others_have_ended(5000ms));
    step = 3;
    other.join();
}

TEST_CASE("a call that pauses counts as ended until it goes on") {
    std::atomic<int> step{0};
    std::thread other([&] {
        const CallScope scope;
        {
            const CallScope::Pause pause;
            step = 1;
            while (step < 2) std::this_thread::sleep_for(1ms);
        }
        step = 3;
        while (step < 4) std::this_thread::sleep_for(1ms);
    });
    while (step < 1) std::this_thread::sleep_for(1ms);
    CHECK(CallScope::others_have_ended(1000ms));
    step = 2;
    while (step < 3) std::this_thread::sleep_for(1ms);
    CHECK_FALSE(CallScope::others_have_ended(5ms));
    step = 4;
    other.join();
}

TEST_CASE("what is taken away after the wait is used by no call") {
    // Each round gives the threads a number that is destroyed as soon as the wait is over: the sanitizers watch.
    constexpr int rounds = 300, threads = 3;
    std::atomic<int*> shared{nullptr};
    std::atomic<bool> over{false};
    std::atomic<long> seen{0};
    std::vector<std::thread> users;
    for (int i = 0; i < threads; ++i)
        users.emplace_back([&] {
            while (!over) {
                const CallScope scope;
                if (const int* number = shared.load()) seen += *number;
            }
        });
    for (int round = 0; round < rounds; ++round) {
        auto number = std::make_unique<int>(1);
        shared = number.get();
        if (round == 0)
            while (seen == 0) std::this_thread::yield();
        shared = nullptr;
        REQUIRE(CallScope::others_have_ended(10000ms));
        *number = -1000000;
        number.reset();
    }
    over = true;
    for (auto& user : users) user.join();
    CHECK(seen > 0);
}

TEST_CASE("places of threads that have ended are taken by new ones") {
    for (int i = 0; i < 100; ++i) std::thread([] { const CallScope scope; }).join();
    CHECK(CallScope::others_have_ended(0ms));
}

TEST_SUITE_END();
