/// Streams and events: order, waiting, time, host functions, current streams, and copies that outlive their handles.
#include "skipped.hpp"
#include "support.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <tuple>

using namespace gemel;
using gemel::testing::common_kernel;
using gemel::testing::downloaded;

namespace {

constexpr int n = 64;
LaunchConfig on(const Stream& stream) { return {.grid = {1}, .block = {n}, .stream = stream}; }

/// Work of a few milliseconds on a CPU device and a few hundred microseconds on a graphics processor.
void launch_slow(const Kernel& slow, const Stream& stream, const Buffer& buffer, int value) {
    slow(on(stream), buffer, value, n, 50000);
}

/// Waits for a condition that something else makes true.
template <class Condition>
bool soon(const Condition& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    return condition();
}

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("events and streams say when their work is done") {
    const Context context(default_device());
    const Stream stream = context.create_stream();
    const Kernel slow = common_kernel(context, "set_all_slowly");
    const Buffer buffer = context.allocate(n * sizeof(int));
    launch_slow(slow, stream, buffer, 0);
    stream.synchronize();
    CHECK(stream.idle());
    int seen_busy = 0;
    for (int round = 0; round < 20; ++round) {
        for (int k = 0; k < 4; ++k) launch_slow(slow, stream, buffer, round);
        const Event event = stream.record();
        seen_busy += !event.done() && !stream.idle();
        event.wait();
        CHECK(event.done());
        CHECK(soon([&] { return stream.idle(); }));
    }
    CHECK(seen_busy > 0);
    CHECK(downloaded<int>(buffer)[3] == 22);

    for (int k = 0; k < 4; ++k) launch_slow(slow, stream, buffer, 5);
    const Event polled = stream.record();
    CHECK(soon([&] { return polled.done(); }));  // nobody else hands the commands to the device
    const Event none;
    CHECK(none.done());
    none.wait();
    stream.wait(none);
    stream.flush();
}

TEST_CASE("elapsed times are positive and change their sign with the order") {
    const Context context(default_device());
    const Stream stream = context.create_stream();
    const Kernel slow = common_kernel(context, "set_all_slowly");
    const Buffer buffer = context.allocate(n * sizeof(int));
    launch_slow(slow, stream, buffer, 0);
    const Event start = stream.record();
    for (int k = 0; k < 4; ++k) launch_slow(slow, stream, buffer, k);
    const Event stop = stream.record();
    const double there = elapsed_milliseconds(start, stop), back = elapsed_milliseconds(stop, start);
    CHECK(there > 0);
    CHECK(there < 10000);
    CHECK(back == doctest::Approx(-there));
    CHECK(elapsed_milliseconds(start, start) == 0);
    CHECK_THROWS_AS(elapsed_milliseconds(start, Event()), ArgumentError);
    const Context other(default_device());
    CHECK_THROWS_AS(elapsed_milliseconds(start, other.default_stream().record()), ArgumentError);
    const double timed = slow.time(on(stream), buffer, 1, n, 50000);
    CHECK(timed > 0);
    CHECK(timed < 5 * there + 50);
}

TEST_CASE("a stream waits for an event of another without blocking the host") {
    const Context context(default_device());
    const Stream first = context.create_stream(), second = context.create_stream();
    const Kernel slow = common_kernel(context, "set_all_slowly"), add = common_kernel(context, "add");
    const Buffer a = context.allocate(n * sizeof(int)), b = context.allocate(n * sizeof(int));
    launch_slow(slow, first, a, 0);
    add(on(second), b, a, 0, n);
    context.synchronize();
    int still_running = 0, wrong = 0;
    for (int round = 0; round < 20; ++round) {
        for (int k = 0; k < 4; ++k) launch_slow(slow, first, a, round);
        const Event written = first.record();
        second.wait(written);
        const Event waited = second.record();
        still_running += !written.done();
        waited.wait();
        wrong += !written.done();
    }
    CHECK(still_running > 0);
    CHECK(wrong == 0);
}

TEST_CASE("events order streams of different contexts and backends") {
    std::vector<Context> contexts{default_context(), Context(default_device())};
    for (const Device& device : all_devices()) contexts.emplace_back(device);
    for (const Context& from : contexts) {
        const Kernel slow = common_kernel(from, "set_all_slowly");
        const Buffer buffer = from.allocate(n * sizeof(int));
        for (const Context& to : contexts) {
            const Stream earlier = from.create_stream(), later = to.create_stream();
            launch_slow(slow, earlier, buffer, 0);
            const Event event = earlier.record();
            later.wait(event);
            later.record().wait();
            CHECK(event.done());
        }
    }
}

TEST_CASE("host functions run exactly once in order and not on the calling thread") {
    const Context context(default_device());
    const Stream stream = context.create_stream();
    const Kernel slow = common_kernel(context, "set_all_slowly");
    const Buffer buffer = context.allocate(n * sizeof(int));
    const auto caller = std::this_thread::get_id();
    constexpr int rounds = 50;
    std::vector<std::atomic<int>> calls(rounds);
    std::atomic<int> on_caller{0}, finished{0};
    for (int round = 0; round < rounds; ++round) {
        if (round % 2) launch_slow(slow, stream, buffer, round);  // also on a stream with nothing to do
        stream.call([&, round] {
            ++calls[static_cast<std::size_t>(round)];
            on_caller += std::this_thread::get_id() == caller;
            ++finished;
        });
        if (round % 5 == 0) stream.synchronize();
    }
    REQUIRE(soon([&] { return finished == rounds; }));
    context.synchronize();
    for (auto& count : calls) CHECK(count == 1);
    CHECK(on_caller == 0);
}

TEST_CASE("a host function does not hold up whoever holds a lock that it wants") {
    const Context context(default_device());
    const Stream stream = context.create_stream();
    std::mutex mutex;
    std::atomic<bool> called{false};
    for (int round = 0; round < 20; ++round) {
        called = false;
        {
            const std::lock_guard lock(mutex);
            stream.call([&] {
                const std::lock_guard waits(mutex);
                called = true;
            });
        }
        REQUIRE(soon([&] { return called.load(); }));
    }
}

TEST_CASE("an exception in a host function is logged and goes no further") {
    std::mutex mutex;
    std::string logged;
    logging::set_sink([&](logging::Level, std::string_view subsystem, std::string_view message) {
        const std::lock_guard lock(mutex);
        logged += std::string(subsystem) + ": " + std::string(message) + "\n";
    });
    const Context context(default_device());
    const Stream stream = context.create_stream();
    std::atomic<bool> after{false};
    stream.call([] { throw std::runtime_error("a host function's own trouble"); });
    stream.call([] { throw 42; });
    stream.call([&] { after = true; });
    CHECK(soon([&] { return after.load(); }));
    CHECK(soon([&] {
        const std::lock_guard lock(mutex);
        return logged.find("own trouble") != std::string::npos &&
               logged.find("not derived from std::exception") != std::string::npos;
    }));
    logging::set_sink({});
    CHECK_THROWS_AS(stream.call({}), ArgumentError);
}

TEST_CASE("the last handles may die inside a host function") {
    for (int round = 0; round < 10; ++round) {
        auto context = std::make_unique<Context>(default_device());
        std::atomic<bool> called{false};
        {
            const Stream stream = context->create_stream();
            Buffer buffer = context->allocate(1000);
            Module module = context->compile(gemel::testing::common_source);
            Kernel kernel = module.kernel("set_all");
            kernel(on(stream), buffer, 1, n);
            auto owned = std::make_shared<std::tuple<Context, Stream, Buffer, Module, Kernel, Event, HostBuffer<int>>>(
                *context, stream, std::move(buffer), std::move(module), std::move(kernel), stream.record(),
                HostBuffer<int>(*context, 10));
            stream.call([owned = std::move(owned), &called]() mutable {
                owned.reset();
                called = true;
            });
        }
        context.reset();
        CHECK(soon([&] { return called.load(); }));
    }
    CHECK(default_context().allocate(10).size_bytes() == 10);  // what was put aside is released here
}

TEST_CASE("current streams and contexts nest and each thread has its own") {
    const Context context(default_device()), other(default_device());
    CHECK(current_stream().empty());
    CHECK(current_context() == default_context());
    const Stream outer = context.create_stream(), inner = context.create_stream();
    {
        const StreamScope scope(outer);
        const ContextScope context_scope(context);
        CHECK(current_stream() == outer);
        CHECK(current_context() == context);
        {
            const StreamScope nested(inner);
            const ContextScope nested_context(other);
            CHECK(current_stream() == inner);
            CHECK(current_context() == other);
            bool alone = false;
            std::thread([&] { alone = current_stream().empty() && current_context() == default_context(); }).join();
            CHECK(alone);
            const Buffer elsewhere = other.allocate(16);
            elsewhere.fill(1);  // a current stream of another context is not used
            CHECK(downloaded<int>(elsewhere)[0] == 1);
        }
        CHECK(current_stream() == outer);
        CHECK(current_context() == context);
        const Buffer buffer = context.allocate(n * sizeof(int));
        launch_slow(common_kernel(context, "set_all_slowly"), {}, buffer, 0);  // on the current stream
        outer.synchronize();
        CHECK(downloaded<int>(buffer)[1] == 1);
    }
    CHECK(current_stream().empty());
    CHECK(context.default_stream() == context.default_stream());
    CHECK_FALSE(context.default_stream() == outer);
}

TEST_CASE("a stream of another context is refused") {
    const Context context(default_device()), other(default_device());
    const Buffer buffer = context.allocate(n * sizeof(int));
    const Stream stream = other.create_stream();
    CHECK_THROWS_MENTIONING(ArgumentError, common_kernel(context, "set_all")(on(stream), buffer, 1, n),
                            "kernel 'set_all'", "stream", "another context");
    CHECK_THROWS_MENTIONING(ArgumentError, stream.fill(buffer, 1), "another context");
    CHECK_THROWS_MENTIONING(ArgumentError, stream.copy(buffer, buffer), "another context");
    CHECK_THROWS_MENTIONING(ArgumentError, Stream().synchronize(), "empty");
}

TEST_CASE("one kernel with grids of changing size runs on several streams of several threads at once") {
    constexpr int threads = 3, rounds = 40, most = 80;
    const Context context = default_context();
    const Kernel slow = common_kernel(context, "set_all_slowly");
    std::array<std::vector<int>, threads> found;
    const auto work = [&](int t) {
        const std::array streams{context.create_stream(), context.create_stream()};
        const std::array buffers{context.allocate(most * n * sizeof(int)), context.allocate(most * n * sizeof(int))};
        for (int k = 0; k < rounds; ++k) {
            const auto i = static_cast<std::size_t>(k % 2);
            const int blocks = 1 + k * most / rounds;
            slow({.grid = {static_cast<std::size_t>(blocks)}, .block = {n}, .stream = streams[i]}, buffers[i],
                 t * rounds + k, blocks * n, 1000);
        }
        for (const Stream& stream : streams) stream.synchronize();
        for (const Buffer& buffer : buffers) found[static_cast<std::size_t>(t)].push_back(downloaded<int>(buffer)[0]);
    };
    std::vector<std::thread> others;
    for (int t = 1; t < threads; ++t) others.emplace_back(work, t);
    work(0);
    for (std::thread& other : others) other.join();
    for (int t = 0; t < threads; ++t)
        CHECK(found[static_cast<std::size_t>(t)] == std::vector{t * rounds + rounds - 2, t * rounds + rounds - 1});
}

TEST_CASE("page-locked memory that is dropped before its copy is done stays until then") {
    const Context context(default_device());
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t) {
        threads.emplace_back([&, t] {
            const Stream stream = context.create_stream();
            const Buffer buffer = context.allocate(5000 * sizeof(int));
            for (int round = 0; round < 200; ++round) {
                const int value = t * 1000 + round;
                {
                    const HostBuffer<int> host(context, 5000);
                    for (int& x : host) x = value;
                    stream.copy(buffer, host);
                }
                const HostBuffer<int> back(context, 5000);
                stream.copy(back, buffer);
                if (round % 3 == 0) {
                    back.wait();
                    for (const int x : back) wrong += x != value;
                }  // else it is dropped while it is being written
            }
        });
    }
    for (auto& thread : threads) thread.join();
    CHECK(wrong == 0);
}

TEST_CASE("parts of page-locked memory are copied where they belong") {
    const Context context = default_context();
    const Stream stream = context.create_stream();
    const HostBuffer<int> host(context, 100), back(context, 100);
    for (int i = 0; i < 100; ++i) host[static_cast<std::size_t>(i)] = i;
    const Buffer buffer = context.allocate(20 * sizeof(int));
    stream.copy(buffer, host.part(30, 20));
    stream.copy(back.part(7, 20), buffer);
    stream.synchronize();
    for (int i = 0; i < 20; ++i) CHECK(back[static_cast<std::size_t>(7 + i)] == 30 + i);
    CHECK(host.part(90, 20).size() == 10);
    CHECK(host.part(200, 20).size() == 0);
    CHECK_THROWS_MENTIONING(ArgumentError, stream.copy(buffer, host), "80", "400");
    CHECK_THROWS_AS(stream.copy(buffer, HostBuffer<int>()), ArgumentError);
}

TEST_CASE("handles die in any order while work is going on") {
    // Six handles in all orders that a rotation and a swap give; the destructors run while a kernel does.
    for (int order = 0; order < 12; ++order) {
        std::vector<std::shared_ptr<void>> handles;
        const auto keep = [&]<class T>(T value) {
            handles.push_back(std::make_shared<T>(value));
            return value;
        };
        {
            const Context context = keep(Context(default_device()));
            const Stream stream = keep(context.create_stream());
            const Buffer buffer = keep(context.allocate(n * sizeof(int)));
            const Module module = keep(context.compile(gemel::testing::common_source));
            const Kernel kernel = keep(module.kernel("set_all_slowly"));
            launch_slow(kernel, stream, buffer, 1);
            keep(stream.record());
        }
        std::rotate(handles.begin(), handles.begin() + order % 6, handles.end());
        if (order >= 6) std::swap(handles[0], handles[3]);
        for (auto& handle : handles) handle.reset();
    }
    CHECK(downloaded<int>(default_context().allocate(16)).size() == 4);
}

TEST_CASE("the first launch of a kernel does not wait for what the host completes later") {
    const Context context(default_device());
    const Stream stream = context.create_stream();
    const Buffer buffer = context.allocate(16);
    buffer.fill(std::int32_t{0});
    buffer.wait();
    const Kernel kernel =
        context.compile("KERNEL void first_launch_after_event(GLOBAL_MEM int *a) { a[GLOBAL_ID_0] += 7; }")
            .kernel("first_launch_after_event");
    std::optional<UserEvent> gate;
    try {
        gate.emplace(context);
    } catch (const Error&) {
        return gemel::testing::skip_case("this driver has no events that the host completes");
    }
    stream.wait(*gate);
    kernel({.grid = {1}, .block = {4}, .stream = stream}, buffer);
    gate->complete();
    stream.synchronize();
    CHECK(downloaded<std::int32_t>(buffer) == std::vector<std::int32_t>(4, 7));
}

TEST_SUITE_END();
