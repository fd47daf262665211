/// Lifetimes: handles beyond their context's variable, resets, forks, and the end of the process.
#include "child.hpp"
#include "support.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>

using namespace gemel;
using gemel::testing::Child;
using gemel::testing::common_kernel;
using gemel::testing::downloaded;
using gemel::testing::run_child;

namespace {

constexpr int n = 64;

const Child statics("static-objects", [] {
    // Some die before the library's own exit work, some after, all with work that is still running.
    static Context context = default_context();
    static Stream stream = context.create_stream();
    static Buffer buffer = context.allocate(n * sizeof(int));
    static Module module = context.compile(R"(
KERNEL void last_words(GLOBAL_MEM int *a, int rounds)
{
    uint32_t x = (uint32_t)LID_0 | 1;
    for (int k = 0; k < rounds; ++k) x = x * 1664525u + 1013904223u;
    a[LID_0] = (int)x;
    if (LID_0 == 0) printf("the kernel's last words\n");
})");
    static Kernel kernel = module.kernel("last_words");
    static HostBuffer<int> host(context, n);
    static MappedBuffer<int> mapped(context, n);
    static Event event;
    static Context own(default_device());
    static Buffer own_buffer = own.allocate(1000);
    thread_local Buffer of_thread = context.allocate(100);
    (void)of_thread;
    kernel({.grid = {1}, .block = {n}, .stream = stream}, buffer, 200000);
    stream.copy(host, buffer);
    event = stream.record();
    return 0;
});

/// Destroys five handles in every order, each with work on its way.
const Child orders("orders", [] {
    std::vector<int> order(5);
    std::iota(order.begin(), order.end(), 0);
    do {
        std::vector<std::shared_ptr<void>> handles(5);
        {
            const auto context = std::make_shared<Context>(default_device());
            const auto stream = std::make_shared<Stream>(context->create_stream());
            const auto buffer = std::make_shared<Buffer>(context->allocate(n * sizeof(int)));
            const auto kernel = std::make_shared<Kernel>(common_kernel(*context, "set_all_slowly"));
            (*kernel)({.grid = {1}, .block = {n}, .stream = *stream}, *buffer, 1, n, 500);
            handles = {context, stream, buffer, kernel, std::make_shared<Event>(stream->record())};
        }
        for (const int which : order) handles[static_cast<std::size_t>(which)].reset();
    } while (std::next_permutation(order.begin(), order.end()));
    std::puts("all orders");
    return 0;
});

const Child forks("fork", [] {
    const Context context = default_context();
    Buffer buffer = context.allocate(100);
    const auto status = gemel::testing::status_of(gemel::testing::in_child([&] {
        const auto message = gemel::testing::message_of<Error>([&] { context.allocate(100); });
        const auto launch = gemel::testing::message_of<Error>([&] { buffer.fill(std::uint8_t{1}); });
        buffer = Buffer();  // releases nothing and says nothing
        return gemel::testing::mentions(message, {"fork()"}) && gemel::testing::mentions(launch, {"fork()"}) ? 0 : 1;
    }));
    buffer.fill(std::uint8_t{1});  // the parent goes on
    context.synchronize();
    return WIFEXITED(status) ? WEXITSTATUS(status) : 50;
});

const Child silent("never-used", [] {
    static Stream stream;
    static Buffer buffer;
    static Event event;
    return 0;  // handles that were never filled, in a process that never loads a driver
});

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("handles outlive the variable that their context was made with") {
    Buffer buffer;
    Kernel kernel = common_kernel(default_context(), "set_all");
    Stream stream;
    {
        const Context context(default_device());
        buffer = context.allocate(n * sizeof(int));
        kernel = common_kernel(context, "set_all");
        stream = context.create_stream();
    }
    kernel({.grid = {1}, .block = {n}, .stream = stream}, buffer, 3, n);
    CHECK(downloaded<int>(buffer)[5] == 8);
    const Context again = buffer.context();
    CHECK(again == stream.context());
    CHECK(again.allocate(10).size_bytes() == 10);
}

TEST_CASE("a kernel keeps its module and a prepared launch keeps its buffers") {
    const Context context(default_device());
    PreparedLaunch launch;
    Buffer seen;
    {
        const Buffer buffer = context.allocate(n * sizeof(int));
        launch = context.compile(gemel::testing::common_source)
                     .kernel("set_all")
                     .prepare({.grid = {1}, .block = {n}}, buffer, 11, n);
        seen = buffer.view(0, 2 * sizeof(int));
    }
    launch();
    CHECK(downloaded<int>(seen) == std::vector<int>{11, 12});
}

TEST_CASE("two contexts on one device have streams and pools and statistics of their own") {
    const Context a(default_device()), b(default_device());
    CHECK_FALSE(a == b);
    const auto before = b.statistics();
    const Buffer buffer = a.allocate(5000);
    buffer.fill(std::uint8_t{1});
    a.synchronize();
    CHECK(b.statistics().allocations == before.allocations);
    CHECK(b.pool().statistics().active_blocks == 0);
    CHECK(a.pool().statistics().active_blocks == 1);
    CHECK_FALSE(a.default_stream() == b.default_stream());
}

TEST_CASE("contexts of all devices work at once") {
    std::vector<Context> contexts;
    std::vector<Buffer> buffers;
    for (const Device& device : all_devices()) {
        contexts.emplace_back(device);
        buffers.push_back(contexts.back().allocate(n * sizeof(int)));
    }
    for (std::size_t i = 0; i < contexts.size(); ++i)
        common_kernel(contexts[i], "set_all_slowly")({.grid = {1}, .block = {n}}, buffers[i], static_cast<int>(i), n,
                                                     5000);
    for (std::size_t i = 0; i < contexts.size(); ++i) CHECK(downloaded<int>(buffers[i])[9] == static_cast<int>(i) + 9);
}

TEST_CASE("a reset context works again and what was made before says so") {
    const Context context(default_device()), other(default_device());
    const Buffer before = context.allocate(256), untouched = other.allocate(256);
    const Stream stream = context.create_stream();
    const Kernel kernel = common_kernel(context, "set_all");
    const Event event = stream.record();
    const PreparedLaunch launch = kernel.prepare({.grid = {1}, .block = {n}}, before, 1, n);
    const std::uint64_t launches = context.statistics().launches;
    for (int round = 0; round < 2; ++round) {
        context.reset();
        CHECK_THROWS_MENTIONING(DeviceLost, before.fill(1), "reset");
        CHECK_THROWS_AS(stream.synchronize(), DeviceLost);
        CHECK_THROWS_AS(event.wait(), DeviceLost);
        CHECK_THROWS_AS(kernel({.grid = {1}, .block = {n}}, before, 1, n), DeviceLost);
        CHECK_THROWS_AS(launch(), DeviceLost);
        const Buffer fresh = context.allocate(256);
        CHECK_THROWS_AS(kernel({.grid = {1}, .block = {n}}, fresh, 1, n), DeviceLost);
        common_kernel(context, "set_all")({.grid = {1}, .block = {n}}, fresh, 7, n);
        CHECK(downloaded<int>(fresh)[1] == 8);
        CHECK_THROWS_AS(common_kernel(context, "set_all")({.grid = {1}, .block = {n}}, before, 7, n), DeviceLost);
        untouched.fill(round);  // another context of the device does not notice
        CHECK(downloaded<int>(untouched)[0] == round);
    }
    CHECK(context.statistics().launches == launches + 2);  // counters go on
}

TEST_CASE("static objects die at exit with work pending and what kernels print appears") {
    const auto result = run_child("static-objects");
    INFO(result.output);
    CHECK_MESSAGE(result.exit_code == 0, result.output);
    CHECK(result.output == "the kernel's last words\n");
}

TEST_CASE("handles are destroyed in every order") {
    const auto result = run_child("orders");
    INFO(result.output);
    CHECK_MESSAGE(result.exit_code == 0, result.output);
    CHECK(result.output == "all orders\n");
}

TEST_CASE("after a fork the child gets an error and the parent goes on") {
    const auto result = run_child("fork");
    INFO(result.output);
    CHECK_MESSAGE(result.exit_code == 0, result.output);
    CHECK(result.output.empty());
}

TEST_CASE("empty handles need no driver") {
    const auto result = run_child("never-used", {{"GEMEL_BACKEND", "no such backend"}});
    CHECK_MESSAGE(result.exit_code == 0, result.output);
    CHECK(result.output.empty());
}

TEST_SUITE_END();
