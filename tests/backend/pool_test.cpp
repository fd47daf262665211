/// The memory pool: what is reused, when it must wait, and what happens at its limit.
#include "child.hpp"
#include "support.hpp"

#include <gemel/core/trace.hpp>

#include <atomic>
#include <cstdio>
#include <thread>

using namespace gemel;
using gemel::testing::Child;
using gemel::testing::common_kernel;
using gemel::testing::run_child;

namespace {

std::atomic<int> driver_calls{0};

/// Counts driver calls while it lives.
class CallCounter {
   public:
    CallCounter() {
        trace::set_sink([](const std::string&) { ++driver_calls; });
        driver_calls = 0;
        trace::enabled = true;
    }
    ~CallCounter() {
        trace::enabled = false;
        trace::set_sink(nullptr);
    }
    int count() const { return driver_calls; }
};

const Child without_pool("pool-off", [] {
    const Context context = default_context();
    const auto before = context.statistics();
    for (int k = 0; k < 3; ++k) context.allocate(1000).fill(k);
    const auto after = context.statistics(), figures = context.statistics();
    const PoolStatistics pool = context.pool().statistics();
    const bool right = after.allocations - before.allocations == 3 && after.pool_hits == 0 && pool.held_blocks == 0 &&
                       pool.active_bytes == 0 && figures.allocated_bytes - before.allocated_bytes == 3000;
    std::printf("allocations %d, held %d\n", int(after.allocations - before.allocations), int(pool.held_blocks));
    return right ? 0 : 1;
});

const Child with_limit("pool-limit", [] {
    const Context context = default_context();
    if (context.pool().statistics().limit_bytes != std::size_t{1} << 20) return 1;
    const Buffer half = context.allocate(std::size_t{1} << 19);
    try {
        context.allocate(std::size_t{1} << 20);
        return 2;
    } catch (const OutOfMemory& error) {
        std::puts(error.what());
    }
    return 0;
});

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("memory that was freed is used again on its stream without asking the driver") {
    const Context context(default_device());
    const Stream stream = context.create_stream();
    const StreamScope scope(stream);
    context.allocate(100000).fill(std::uint8_t{1});
    const auto before = context.statistics();
    {
        const CallCounter calls;
        for (int k = 0; k < 100; ++k) CHECK(context.allocate(100000 - static_cast<std::size_t>(k)).size_bytes() > 0);
        CHECK(calls.count() == 0);
    }
    const auto after = context.statistics();
    CHECK(after.pool_hits - before.pool_hits == 100);
    CHECK(after.allocations == before.allocations);
    const int one_fill = [&] {
        const Buffer kept = context.allocate(100000);
        const CallCounter calls;
        kept.fill(std::uint8_t{2});
        return calls.count();
    }();
    const CallCounter calls;
    context.allocate(100000).fill(std::uint8_t{3});
    CHECK(calls.count() == one_fill);
}

TEST_CASE("the counters of the pool follow what is in use and what is held") {
    const Context context(default_device());
    const MemoryPool pool = context.pool();
    const auto start = pool.statistics();
    CHECK(start.active_blocks == 0);
    {
        const Buffer a = context.allocate(1000), b = context.allocate(1000), c = context.allocate(3 << 20);
        const auto used = pool.statistics();
        CHECK(used.active_blocks == 3);
        CHECK(used.active_bytes >= 2000 + (3 << 20));
        CHECK(used.active_bytes <= (2000 + (3 << 20)) * 17 / 16);
        CHECK(used.held_blocks == 0);
    }
    const auto held = pool.statistics();
    CHECK(held.active_blocks == 0);
    CHECK(held.active_bytes == 0);
    CHECK(held.held_blocks == 3);
    CHECK(held.peak_bytes == held.held_bytes);
    CHECK(pool.trim() == held.held_bytes);
    CHECK(pool.statistics().held_bytes == 0);
    CHECK(pool.trim() == 0);
    Buffer released = context.allocate(1000);
    const Buffer other = released;
    released.release();
    CHECK(pool.statistics().held_blocks == 1);
    CHECK(pool.statistics().active_blocks == 0);
}

TEST_CASE("memory that another stream still writes is waited for when it is used again") {
    const Context context(default_device());
    const Stream writer = context.create_stream(), reader = context.create_stream();
    const Kernel slow = common_kernel(context, "set_all_slowly"), set = common_kernel(context, "set_all");
    constexpr int n = 64;
    int wrong = 0;
    for (int round = 0; round < 200; ++round) {
        const void* first = nullptr;
        {
            const Buffer buffer = context.allocate(n * sizeof(int));
            first = reinterpret_cast<const void*>(buffer.native_handle());
            slow({.grid = {1}, .block = {n}, .stream = writer}, buffer, -1000, n, 20000);
        }
        const Buffer again = context.allocate(n * sizeof(int));
        wrong += reinterpret_cast<const void*>(again.native_handle()) != first;  // else nothing is tested
        set({.grid = {1}, .block = {n}, .stream = reader}, again, round, n);
        std::vector<int> values(n);
        const StreamScope scope(reader);
        again.download(values);
        for (int i = 0; i < n; ++i) wrong += values[static_cast<std::size_t>(i)] != round + i;
    }
    CHECK(wrong == 0);
}

TEST_CASE("buffers follow each other between streams without a word from the caller") {
    const Context context(default_device());
    const Stream streams[] = {context.create_stream(), context.create_stream(), context.create_stream()};
    const Kernel slow = common_kernel(context, "set_all_slowly"), add = common_kernel(context, "add");
    constexpr int n = 64;
    const Buffer a = context.allocate(n * sizeof(int)), b = context.allocate(n * sizeof(int)),
                 c = context.allocate(n * sizeof(int));
    int wrong = 0;
    for (int round = 0; round < 50; ++round) {
        slow({.grid = {1}, .block = {n}, .stream = streams[0]}, a, round, n, 20000);
        add({.grid = {1}, .block = {n}, .stream = streams[1]}, b, a, 1, n);  // two readers of a
        add({.grid = {1}, .block = {n}, .stream = streams[2]}, c, a, 2, n);
        slow({.grid = {1}, .block = {n}, .stream = streams[0]}, a, -7, n, 20000);  // after both
        add({.grid = {1}, .block = {n}, .stream = streams[2]}, c, b, 10, n);
        std::vector<int> values(n);
        c.download(values);
        for (int i = 0; i < n; ++i) wrong += values[static_cast<std::size_t>(i)] != round + i + 11;
        a.download(values);
        for (int i = 0; i < n; ++i) wrong += values[static_cast<std::size_t>(i)] != i - 7;
    }
    CHECK(wrong == 0);
}

TEST_CASE("at the limit held memory is given up first and then there is an error that explains") {
    const Context context(default_device());
    const MemoryPool pool = context.pool();
    constexpr std::size_t MiB = std::size_t{1} << 20;
    pool.set_limit(4 * MiB);
    CHECK(pool.statistics().limit_bytes == 4 * MiB);
    { const Buffer small = context.allocate(3 * MiB); }
    CHECK(pool.statistics().held_bytes == 3 * MiB);
    {
        const Buffer large = context.allocate(4 * MiB);  // only without what is held
        CHECK(pool.statistics().held_bytes == 0);
        CHECK_THROWS_MENTIONING(OutOfMemory, context.allocate(1), "limit", "4 MiB", "in use", context.device().name());
        CHECK_THROWS_AS(context.allocate(8 * MiB), OutOfMemory);
        large.fill(1);
    }
    CHECK(pool.statistics().peak_bytes <= 4 * MiB);
    CHECK_THROWS_AS(context.allocate(4 * MiB + 1), OutOfMemory);
    pool.set_limit(0);
    CHECK(context.allocate(8 * MiB).size_bytes() == 8 * MiB);
}

TEST_CASE("the pool can be switched off and limited by variables") {
    const auto off = run_child("pool-off", {{"GEMEL_POOL", "off"}});
    INFO(off.output);
    CHECK_MESSAGE(off.exit_code == 0, off.output);
    const auto limited = run_child("pool-limit", {{"GEMEL_POOL_LIMIT", "1M"}});
    INFO(limited.output);
    CHECK_MESSAGE(limited.exit_code == 0, limited.output);
    CHECK(limited.output.find("GEMEL_POOL_LIMIT") != std::string::npos);
}

TEST_CASE("threads share a pool") {
    const Context context(default_device());
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            const Stream stream = context.create_stream();
            const StreamScope scope(stream);
            for (int round = 0; round < 100; ++round) {
                const int value = t * 1000 + round;
                const Buffer buffer = context.allocate(256 * sizeof(int));
                buffer.fill(value);
                for (const int x : gemel::testing::downloaded<int>(buffer)) wrong += x != value;
            }
        });
    }
    for (auto& thread : threads) thread.join();
    CHECK(wrong == 0);
    CHECK(context.pool().statistics().active_blocks == 0);
}

TEST_SUITE_END();
