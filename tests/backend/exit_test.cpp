/// What ends while other work goes on: the process, a context, a buffer.
#include "child.hpp"
#include "support.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

using namespace gemel;
using gemel::testing::Child;
using gemel::testing::common_kernel;
using gemel::testing::run_child;

namespace {

using Clock = std::chrono::steady_clock;

constexpr int n = 64;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Launches until the process is gone, or gemel refuses.
void launch_for_ever(std::atomic<int>& started) {
    const Context context = default_context();
    const Kernel kernel = common_kernel(context, "set_all_slowly");
    const Buffer buffer = context.allocate(n * sizeof(int));
    kernel({.grid = {1}, .block = {n}}, buffer, 1, n, 10);
    ++started;
    for (;;) kernel({.grid = {1}, .block = {n}}, buffer, 1, n, 1000);
}

const Child launching("launching-at-exit", [] {
    static std::atomic<int> started{0};
    static std::atomic<Clock::time_point> returned{Clock::time_point::max()};
    const auto launch = [] {
        try {
            launch_for_ever(started);
        } catch (const Error&) {
            // Refused, but not in the first second: the exit takes longer, as a search for leaks does.
            if (returned.load() == Clock::time_point::max() || seconds_since(returned) < 1) throw;
            for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
        }
    };
    for (int i = 0; i < 2; ++i) std::thread(launch).detach();
    while (started < 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    returned = Clock::now();
    return 3;
});

/// A thread that a static object waits for at exit gets an error instead of a wait without end.
struct Joined {
    std::atomic<int> started{0};
    std::thread thread;
    ~Joined() {
        thread.join();
        std::puts("joined");
    }
};

const Child joined("joined-at-exit", [] {
    static Joined one;
    one.thread = std::thread([] {
        try {
            launch_for_ever(one.started);
        } catch (const Error& error) {
            std::printf("%s\n", error.what());
        }
    });
    while (one.started < 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return 0;
});

const Child endless("endless-at-exit", [] {
    const Context context = default_context();
    const Kernel kernel = context
                              .compile(R"(
KERNEL void spin(GLOBAL_MEM volatile int *go_on)
{
    while (*go_on) { }
})")
                              .kernel("spin");
    const Buffer flag = context.allocate(sizeof(int));
    flag.fill(0);
    kernel({.grid = {1}, .block = {1}}, flag);
    context.synchronize();
    flag.fill(1);
    kernel({.grid = {1}, .block = {1}}, flag);
    context.default_stream().flush();
    return 0;
});

/// main() returns at some moment of other threads' compilations.
const Child compiling("compiling-at-exit", [] {
    const Context context = default_context();
    static std::atomic<int> compiled{0};
    for (int thread = 0; thread < 3; ++thread)
        std::thread([context, thread] {
            const auto compile = [&](int round) {
                const std::string name = "k" + std::to_string(thread) + "_" + std::to_string(round);
                context.compile("KERNEL void " + name + "(GLOBAL_MEM float *x) { x[GLOBAL_ID_0] = sin(x[0]) + " +
                                std::to_string(round) + ".0f; }");
            };
            for (int round = 0;; ++round) {
#ifdef __SANITIZE_ADDRESS__
                // Looking for leaks takes longer than a thread that comes during exit is held up before it is refused.
                try {
                    compile(round);
                } catch (const Error& error) {
                    if (std::string_view(error.what()).find("exiting") != std::string_view::npos) return;
                    throw;
                }
#else
                compile(round);
#endif
                ++compiled;
            }
        }).detach();
    while (compiled < 3) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(std::getenv("GEMEL_TEST_DELAY"))));
    return 0;
});

/// Sanitizers take a minute for all.
int releases() { return gemel::testing::is_left_out(3, 1) ? 1000 : 3000; }

/// One handle is released while another thread launches with its own.
const Child released("released-in-use", [] {
    const Context context = default_context();
    const Kernel kernel = common_kernel(context, "set_all");
    int refused = 0;
    for (int round = 0; round < releases(); ++round) {
        Buffer buffer = context.allocate(n * sizeof(int));
        std::atomic<int> calls{-1};
        std::thread other([&, mine = buffer] {
            calls = 0;
            try {
                for (;; ++calls) {
                    kernel({.grid = {1}, .block = {n}}, mine, 1, n);
                    mine.fill(2);
                }
            } catch (const ArgumentError&) {
                ++refused;
            }
        });
        while (calls < round % 3) {}  // in the first call, or after some
        buffer.release();
        other.join();
    }
    context.synchronize();
    std::printf("%d refused\n", refused);
    return 0;
});

const Child forked("context-after-fork", [] {
    const Device device = default_device();
    const Context context(device);
    const int status = gemel::testing::status_of(gemel::testing::in_child([&] {
        const auto message = gemel::testing::message_of<Error>([&] { Context{device}; });
        return gemel::testing::mentions(message, {"fork()"}) ? 0 : 1;
    }));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 50;
});

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("a process ends although threads go on launching") {
    const auto start = Clock::now();
    const auto result = run_child("launching-at-exit");
    INFO(result.output);
    CHECK_MESSAGE(result.exit_code == 3, result.output);  // what main() returned
    CHECK(seconds_since(start) < 60);
}

TEST_CASE("a thread that a static object waits for at exit is refused with an error") {
    const auto result = run_child("joined-at-exit");
    INFO(result.output);
    CHECK_MESSAGE(result.exit_code == 0, result.output);
    CHECK(gemel::testing::mentions(result.output, {"the process is exiting", "joined\n"}));
}

TEST_CASE("a process ends although a kernel does not") {
    const auto start = Clock::now();
    const auto result = run_child("endless-at-exit");
    INFO(result.output);
    CHECK_MESSAGE(result.exit_code == 0, result.output);
    CHECK(seconds_since(start) < 60);
    CHECK(result.output.find("work is still running") != std::string::npos);
}

TEST_CASE("a process ends although threads go on compiling") {
    for (int round = 0; round < 6; ++round) {
        if (gemel::testing::is_left_out(3, static_cast<std::size_t>(round))) continue;
        const auto result =
            run_child("compiling-at-exit", {{"GEMEL_CACHE", "off"}, {"GEMEL_TEST_DELAY", std::to_string(17 * round)}});
        INFO(result.output);
        CHECK_MESSAGE(result.exit_code == 0, result.output);
    }
}

TEST_CASE("a buffer may be released while another thread launches with a handle of its own") {
    const auto result = run_child("released-in-use");
    INFO(result.output);
    CHECK_MESSAGE(result.exit_code == 0, result.output);
    CHECK(result.output == std::to_string(releases()) + " refused\n");
}

TEST_CASE("released memory that is not in use goes back at once") {
    const Context context(default_device());
    Buffer buffer = context.allocate(100000);
    const Buffer other = buffer;
    const auto before = context.pool().statistics();
    buffer.release();
    CHECK(context.pool().statistics().active_blocks == before.active_blocks - 1);
    CHECK_THROWS_MENTIONING(ArgumentError, other.fill(1), "released");
}

TEST_CASE("a context that dies waits for copies of page-locked memory") {
    // Both under a second on a CPU, even where its kernels are not optimised, and on a GPU.
    const int rounds = default_device().info().type == DeviceInfo::Type::cpu ? 1000000 : 20000000;
    const auto seconds_to_drop = [rounds](bool after_waiting) {
        Clock::time_point start;
        {
            const Context context(default_device());
            const Stream stream = context.create_stream();
            const Kernel kernel = common_kernel(context, "set_all_slowly");
            const Buffer buffer = context.allocate(n * sizeof(int));
            const HostBuffer<int> host(context, n);
            kernel({.grid = {1}, .block = {n}, .stream = stream}, buffer, 1, n, 10);
            stream.synchronize();
            start = Clock::now();
            kernel({.grid = {1}, .block = {n}, .stream = stream}, buffer, 1, n, rounds);
            stream.copy(host, buffer);
            stream.flush();
            if (after_waiting) stream.synchronize();
        }
        return seconds_since(start);
    };
    // A GPU that others use beside this test runs the kernel at very different speeds; without waiting it is a
    // millisecond.
    const double waiting = seconds_to_drop(true);
    CHECK(seconds_to_drop(false) > 0.1 * waiting);
}

TEST_CASE("a context is not made in a forked process") {
    const auto result = run_child("context-after-fork");
    INFO(result.output);
    CHECK_MESSAGE(result.exit_code == 0, result.output);
}

TEST_SUITE_END();
