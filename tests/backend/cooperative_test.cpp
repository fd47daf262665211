/// Launches whose blocks wait for each other, and launches that begin at an offset.
#include "support.hpp"

#include <gemel/core/graph.hpp>

#include <algorithm>

using namespace gemel;
using gemel::testing::downloaded;

namespace {

/// Each block reads what its neighbour wrote a turn before.
const char* const relay_text = R"(
KERNEL void relay(GLOBAL_MEM int32_t *a, int turns, GRID_BARRIER(sync))
{
    for (int k = 0; k < turns; ++k) {
        const int32_t left = a[(GID_0 + GDIM_0 - 1) % GDIM_0];
        grid_barrier(sync);
        if (LID_0 == 0) a[GID_0] = left + 1;
        grid_barrier(sync);
    }
})";

const char* const shared_text = R"(
KERNEL void shared_relay(GRID_BARRIER(sync), GLOBAL_MEM int32_t *a, SHARED_ARENA)
{
    LOCAL_MEM_ARG int32_t *x = (LOCAL_MEM_ARG int32_t *)shared_arena;
    x[LID_0] = a[(GID_0 + GDIM_0 - 1) % GDIM_0];
    grid_barrier(sync);
    if (LID_0 == 0) a[GID_0] = x[LDIM_0 - 1] + 1;
})";

const char* const offset_text = R"(
KERNEL void mark(GLOBAL_MEM int *a, LAUNCH_OFFSET, int value)
{
    a[GLOBAL_ID_0 + OFFSET_0 + 8 * (GLOBAL_ID_1 + OFFSET_1)] = value;
})";

/// As many as run at once, but not so many that a test of every turn takes long.
std::int64_t blocks_of(const Kernel& kernel) { return std::min<std::int64_t>(kernel.max_cooperative_blocks(32), 24); }

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("blocks of a cooperative launch wait for each other at a grid barrier") {
    const Context context = default_context();
    const Kernel relay = context.compile(relay_text).kernel("relay");
    const std::int64_t blocks = blocks_of(relay);
    REQUIRE(blocks >= 1);
    const Buffer a = context.allocate(static_cast<std::size_t>(blocks) * 4);
    a.fill(0);
    // The barrier is as a launch finds it: any number of them follow, on any stream and of any grid.
    relay({.grid = {blocks}, .block = {32}, .cooperative = true}, a, 3);
    relay({.grid = {1}, .block = {32}}, a, 0);
    relay({.grid = {blocks}, .block = {32}, .cooperative = true, .stream = context.create_stream()}, a, 4);
    CHECK(downloaded<int>(a) == std::vector<int>(static_cast<std::size_t>(blocks), 7));
    CHECK(relay.signature()->text() == "relay(int32_t *a, int turns, GRID_BARRIER(sync))");
}

TEST_CASE("a cooperative launch has an arena and the barrier may stand anywhere") {
    const Context context = default_context();
    const Kernel relay = context.compile(shared_text).kernel("shared_relay");
    const std::int64_t blocks = blocks_of(relay);
    const Buffer a = context.allocate(static_cast<std::size_t>(blocks) * 4);
    a.fill(4);
    CHECK(relay.signature()->argument_count() == 1);
    relay({.grid = {blocks}, .block = {32}, .shared_bytes = 128, .cooperative = true}, a);
    CHECK(downloaded<int>(a) == std::vector<int>(static_cast<std::size_t>(blocks), 5));
}

TEST_CASE("cooperative launches are prepared and recorded like others") {
    const Context context = default_context();
    const Kernel relay = context.compile(relay_text).kernel("relay");
    const std::int64_t blocks = blocks_of(relay);
    const Buffer a = context.allocate(static_cast<std::size_t>(blocks) * 4);
    a.fill(0);
    const LaunchConfig config{.grid = {blocks}, .block = {32}, .cooperative = true};
    const PreparedLaunch prepared = relay.prepare(config, a, 1);
    prepared();
    prepared.set(1, 2);
    prepared();
    CHECK(downloaded<int>(a) == std::vector<int>(static_cast<std::size_t>(blocks), 3));
    const Stream stream = context.create_stream();
    const Graph graph = capture(stream, [&] {
        relay(config, a, 2);
        prepared();
    });
    graph.launch();
    graph.launch();
    context.synchronize();
    CHECK(downloaded<int>(a) == std::vector<int>(static_cast<std::size_t>(blocks), 11));
}

TEST_CASE("blocks that would wait for others that cannot run are refused before the launch") {
    const Context context = default_context();
    const Kernel relay = context.compile(relay_text).kernel("relay");
    const Buffer a = context.allocate(1 << 16);
    CHECK_THROWS_MENTIONING(ArgumentError, relay({.grid = {2}, .block = {32}}, a, 1), "relay", "GRID_BARRIER",
                            ".cooperative = true");
    const std::int64_t most = relay.max_cooperative_blocks(32);
    CHECK_THROWS_MENTIONING(ArgumentError, relay({.grid = {most + 1}, .block = {32}, .cooperative = true}, a, 1),
                            "cooperative", std::to_string(most + 1), std::to_string(most), "max_cooperative_blocks()");
    CHECK_THROWS_AS(relay.max_cooperative_blocks(1 << 20), ArgumentError);
    CHECK_THROWS_MENTIONING(ArgumentError, relay({.grid = {1}, .block = {32}}, a, 1, a), "expected 2 arguments, got 3");
    CHECK_THROWS_MENTIONING(ArgumentError, parse_declarations("float *x, GRID_BARRIER(s)"), "GRID_BARRIER(s)");
}

TEST_CASE("a launch begins at its offset") {
    const Context context = default_context();
    const Module module = context.compile(offset_text);
    const Kernel mark = module.kernel("mark");
    const Buffer a = context.allocate(64 * 4);
    a.fill(0);
    mark({.grid = {1}, .block = {4}, .offset = {16}}, a, 1);
    mark({.grid = {1, 2}, .block = {2, 1}, .offset = {1, 4}}, a, 2);
    mark({.grid = {1}, .block = {1}}, a, 3);
    const PreparedLaunch prepared = mark.prepare({.grid = {1}, .block = {1}, .offset = {63}}, a, 4);
    prepared();
    std::vector<int> expected(64);
    expected[0] = 3, expected[63] = 4;
    for (const int i : {16, 17, 18, 19}) expected[static_cast<std::size_t>(i)] = 1;
    for (const int i : {33, 34, 41, 42}) expected[static_cast<std::size_t>(i)] = 2;
    CHECK(downloaded<int>(a) == expected);
}

TEST_CASE("kernels without LAUNCH_OFFSET take the offset of OpenCL C and are refused in CUDA C++") {
    const Context context = default_context();
    const NativeSource text{.cuda = "extern \"C\" __global__ void mark(int *a) { a[threadIdx.x] = 1; }",
                            .opencl = "__kernel void mark(__global int *a) { a[get_global_id(0)] = 1; }"};
    const Kernel mark = context.compile(text).kernel("mark");
    const Buffer a = context.allocate(8 * 4);
    a.fill(0);
    const LaunchConfig config{.grid = {1}, .block = {2}, .offset = {5}};
    if (!context.dialect().has_native_offset) {
        CHECK_THROWS_MENTIONING(ArgumentError, mark(config, a), "mark", "offset 5", "LAUNCH_OFFSET");
    } else {
        mark(config, a);
        CHECK(downloaded<int>(a) == std::vector<int>{0, 0, 0, 0, 0, 1, 1, 0});
    }
}

TEST_CASE("the share of shared memory is a hint that devices without the choice ignore") {
    const Context context = default_context();
    const Kernel kernel = testing::common_kernel(context, "set_all");
    CHECK(kernel.prefer_shared_memory(50) == (context.device().backend() == "cuda"));
    CHECK(kernel.prefer_shared_memory(-1) == (context.device().backend() == "cuda"));
    CHECK_THROWS_MENTIONING(ArgumentError, kernel.prefer_shared_memory(101), "set_all", "101");
}
