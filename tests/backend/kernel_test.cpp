/// Kernels: launch shapes, arguments of every kind, what is refused, prepared launches, threads.
#include "support.hpp"

#include <array>
#include <atomic>
#include <thread>

using namespace gemel;
using gemel::testing::common_kernel;
using gemel::testing::counting;
using gemel::testing::downloaded;
using gemel::testing::uploaded;

namespace {

struct Step {
    float scale;
    std::int32_t shift;
    double weight;
};

constexpr const char* source = R"(
typedef struct { float scale; int shift; double weight; } Step;

KERNEL void visit(GLOBAL_MEM int *count, GLOBAL_MEM int *largest, int w, int h)
{
    int x = (int)GLOBAL_ID_0, y = (int)GLOBAL_ID_1, z = (int)GLOBAL_ID_2;
    count[(z * h + y) * w + x] += 1;
    if (LID_0 == 0 && LID_1 == 0 && LID_2 == 0 && GID_0 == 0 && GID_1 == 0 && GID_2 == 0)
        largest[0] = (int)GLOBAL_DIM_0, largest[1] = (int)GLOBAL_DIM_1, largest[2] = (int)GLOBAL_DIM_2;
}
KERNEL void all_scalars(GLOBAL_MEM double *out, int8_t a, uint8_t b, int16_t c, uint16_t d, int32_t e, uint32_t f,
                        int64_t g, uint64_t h, float i, double j, char k, unsigned int l)
{
    out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; out[5] = f; out[6] = (double)g; out[7] = (double)h;
    out[8] = i; out[9] = j; out[10] = k; out[11] = l;
}
KERNEL void by_value(GLOBAL_MEM double *out, Step step, int n)
{
    if (LID_0 < n) out[LID_0] = step.scale * LID_0 + step.shift + step.weight;
}
KERNEL void fill_ones(GLOBAL_MEM float *a, int count) { if (LID_0 < count) a[LID_0] = 1; }
KERNEL void twice(GLOBAL_MEM float *out, GLOBAL_MEM const float *in, GLOBAL_MEM float *both)
{
    out[LID_0] = 2 * in[LID_0];
    both[LID_0] += in[LID_0];
}
KERNEL REQD_WG_SIZE(32, 2, 1) void required(GLOBAL_MEM int *a) { a[LID_0 + 32 * LID_1] = 1; }
KERNEL void sum_in_arena(GLOBAL_MEM int *out, SHARED_ARENA, int words)
{
    LOCAL_MEM_ARG int *shared = (LOCAL_MEM_ARG int *)shared_arena;
    for (int i = LID_0; i < words; i += LDIM_0) shared[i] = i;
    local_barrier();
    if (LID_0 == 0) {
        int sum = 0;
        for (int i = 0; i < words; ++i) sum += shared[i] & 15;
        out[GID_0] = sum;
    }
})";

Kernel kernel(const std::string& name) { return default_context().compile(source).kernel(name); }

const LaunchConfig one{.grid = {1}, .block = {1}};

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("launches have one to three axes and threads are rounded up to blocks") {
    const Kernel visit = kernel("visit");
    struct Shape {
        LaunchConfig config;
        std::array<int, 3> threads;
    };
    const Shape shapes[] = {
        {{.grid = {3}, .block = {8}}, {24, 1, 1}},
        {{.grid = {3, 2}, .block = {8, 4}}, {24, 8, 1}},
        {{.grid = {1, 2, 3}, .block = {4, 2, 2}}, {4, 4, 6}},
        {{.grid = {1, 1, 5}, .block = {1, 1, 2}}, {1, 1, 10}},
        {{.block = {8}, .threads = {17}}, {24, 1, 1}},
        {{.block = {8, 4}, .threads = {8, 5}}, {8, 8, 1}},
        {{.block = {4, 2, 2}, .threads = {5L, std::uint8_t{2}, 1u}}, {8, 2, 2}},
    };
    for (const auto& [config, threads] : shapes) {
        const int all = threads[0] * threads[1] * threads[2];
        std::vector<int> count(static_cast<std::size_t>(all)), largest(3);
        visit(config, InOut(count), Out(largest), threads[0], threads[1]);
        CHECK(count == std::vector<int>(static_cast<std::size_t>(all), 1));
        CHECK(largest == std::vector<int>(threads.begin(), threads.end()));
    }
}

TEST_CASE("sizes of zero launch nothing and are no error") {
    const Context context = default_context();
    const Kernel set = common_kernel(context, "set_all");
    const Buffer a = uploaded(context, std::vector<int>(4, 7));
    const auto before = context.statistics();
    set({.block = {4}, .threads = {0}}, a, 1, 4);
    set({.grid = {0}, .block = {4}}, a, 1, 4);
    set({.grid = {3, 0}, .block = {4}}, a, 1, 4);
    set.prepare({.block = {4}, .threads = {5, 5, 0}}, a, 1, 4)();
    CHECK(context.statistics().launches == before.launches);
    CHECK(downloaded<int>(a) == std::vector<int>(4, 7));
    set({.grid = {1}, .block = {4}}, context.allocate(0), 1, 0);  // an array of nothing is an argument like any other
    std::vector<int> nothing;
    set({.grid = {1}, .block = {4}}, InOut(nothing), 1, 0);
    CHECK(context.statistics().launches == before.launches + 2);
}

TEST_CASE("every scalar type arrives as it was given") {
    std::vector<double> out(12);
    kernel("all_scalars")(one, Out(out), std::int8_t{-100}, std::uint8_t{200}, std::int16_t{-30000},
                          std::uint16_t{60000}, std::int32_t{-2000000000}, 4000000000u, -(std::int64_t{1} << 52),
                          std::uint64_t{1} << 63, 0.1f, 0.1, char{'g'}, 7u);
    CHECK(out == std::vector<double>{-100, 200, -30000, 60000, -2e9, 4e9, -0x1p52, 0x1p63, double(0.1f), 0.1, 'g', 7});
}

TEST_CASE("structs arrive by value with their padding") {
    std::vector<double> out(8);
    kernel("by_value")({.grid = {1}, .block = {8}}, Out(out), Step{0.5f, -3, 0.25}, 8);
    for (int i = 0; i < 8; ++i) CHECK(out[static_cast<std::size_t>(i)] == 0.5 * i - 3 + 0.25);
}

TEST_CASE("host ranges are copied in and out and both ways") {
    const std::vector<float> in = counting<float>(32);
    std::vector<float> out(32), both(32, 100);
    const auto before = default_context().statistics();
    kernel("twice")({.grid = {1}, .block = {32}}, Out(out), In(in), InOut(both));
    const auto after = default_context().statistics();
    CHECK(after.uploaded_bytes - before.uploaded_bytes == 256);
    CHECK(after.downloaded_bytes - before.downloaded_bytes == 256);
    for (std::size_t i = 0; i < 32; ++i) {
        CHECK(out[i] == 2 * in[i]);
        CHECK(both[i] == 100 + in[i]);
    }
}

TEST_CASE("arguments that do not fit are refused by kernel and place and type") {
    const Context context = default_context();
    const Kernel ones = kernel("fill_ones"), by_value = kernel("by_value");
    Buffer a = context.allocate(64);
    const auto before = context.statistics();
    CHECK_THROWS_MENTIONING(ArgumentError, ones({.block = {64}}, a, 1), "fill_ones", "no size", ".threads", ".grid");
    CHECK_THROWS_MENTIONING(ArgumentError, ones({.grid = {1}}, a, 1), "fill_ones", "no block size", ".threads");
    CHECK_THROWS_MENTIONING(ArgumentError, ones(one, a), "fill_ones", "expected 2", "got 1", "float *a", "int count");
    CHECK_THROWS_MENTIONING(ArgumentError, ones(one, a, 1, 1), "fill_ones", "expected 2", "got 3");
    CHECK_THROWS_MENTIONING(ArgumentError, ones(one), "expected 2", "got 0");
    CHECK_THROWS_MENTIONING(ArgumentError, ones(one, a, 3.5), "fill_ones", "argument 2", "count", "int", "double");
    CHECK_THROWS_MENTIONING(ArgumentError, ones(one, a, 1.0f), "count", "int", "float");
    CHECK_THROWS_MENTIONING(ArgumentError, ones(one, a, 1u), "count", "uint32");
    CHECK_THROWS_MENTIONING(ArgumentError, ones(one, a, std::int64_t{1}), "count", "int64");
    CHECK_THROWS_MENTIONING(ArgumentError, ones(one, a, a), "count", "a value", "buffer");
    CHECK_THROWS_MENTIONING(ArgumentError, ones(one, 1.0f, 1), "argument 1", "(a)", "pointer", "float", "In()");
    CHECK_THROWS_MENTIONING(ArgumentError, ones(one, Step{}, 1), "argument 1", "struct of 16 bytes");
    CHECK_THROWS_MENTIONING(ArgumentError, ones(one, Buffer(), 1), "argument 1", "empty");
    std::vector<double> doubles(4);
    CHECK_THROWS_MENTIONING(ArgumentError, ones(one, Out(doubles), 1), "argument 1", "float *a", "double");
    CHECK_THROWS_MENTIONING(ArgumentError, ones(one, SharedMemory{16}, 1), "argument 1", "shared");
    CHECK_THROWS_MENTIONING(ArgumentError, by_value(one, a, Step{}, 1.0), "by_value", "argument 3", "int");
    const Context other(default_device());
    CHECK_THROWS_MENTIONING(ArgumentError, ones(one, other.allocate(64), 1), "argument 1", "another context",
                            "copy_from");
    Buffer gone = a;
    gone.release();
    CHECK_THROWS_MENTIONING(ArgumentError, ones(one, a, 1), "argument 1", "released");
    CHECK(context.statistics().launches == before.launches);
    std::vector<float> values(4);
    ones({.grid = {1}, .block = {4}}, Out(values), 4);
    CHECK(values == std::vector<float>(4, 1));
}

TEST_CASE("an argument of the wrong size is refused each time even where no signature is known") {
    // The kernel is made by a macro, so that its parameters cannot be read from the text.
    const Context context = default_context();
    const Kernel kernel = context
                              .compile(R"(
#define MAKE(name, type) KERNEL void name(GLOBAL_MEM type *out, type value) { out[0] = value; }
MAKE(put_float, float))")
                              .kernel("put_float");
    CHECK_FALSE(kernel.signature());
    std::vector<float> out(1);
    kernel(one, Out(out), 1.5f);
    CHECK(out[0] == 1.5f);
    for (int again = 0; again < 3; ++again) CHECK_THROWS_AS(kernel(one, Out(out), 2.5), Error);
    kernel(one, Out(out), 3.5f);
    CHECK(out[0] == 3.5f);
}

TEST_CASE("shapes that the device cannot run are refused and the context goes on") {
    const Context context = default_context();
    const DeviceInfo info = context.device().info();
    const Kernel set = common_kernel(context, "set_all");
    const Buffer a = context.allocate(256);
    const auto refused = [&](const LaunchConfig& config, std::initializer_list<std::string_view> words) {
        const auto message = gemel::testing::message_of<ArgumentError>([&] { set(config, a, 1, 64); });
        INFO(message);
        CHECK(gemel::testing::mentions(message, words));
        CHECK(message.find("set_all") != std::string::npos);
    };
    refused({.grid = {1}, .block = {1u << 20}}, {"block", "1048576"});
    refused({.grid = {1}, .block = {1, 1, 1 << 20}}, {"block", "axis 2"});
    refused({.grid = {1}, .block = {info.max_threads_per_block, 2}}, {"block"});
    refused({.grid = {1}}, {"block"});
    refused({.grid = {1}, .block = {0}}, {"block", "no threads"});
    refused({.grid = {std::uint64_t{1} << 40}, .block = {1}}, {"grid", "axis 0"});
    refused({.grid = {1, std::uint64_t{1} << 40}, .block = {1}}, {"grid", "axis 1"});
    refused({.block = {1}, .threads = {std::uint64_t{1} << 40}}, {"grid"});
    refused({.grid = {1}, .block = {1}, .threads = {1}}, {".grid", ".threads"});
    refused({.grid = {1}, .block = {1}, .shared_bytes = std::size_t{1} << 40}, {"shared memory"});
    CHECK_THROWS_MENTIONING(ArgumentError, LaunchConfig{.grid = {-1}}, "negative", "-1");
    const Kernel arena = kernel("sum_in_arena");
    const std::size_t most = info.shared_memory_opt_in_bytes.value_or(info.shared_memory_per_block_bytes);
    for (const std::size_t bytes : {most + 1, std::size_t{1} << 32, ~std::size_t{0}})
        CHECK_THROWS_MENTIONING(ArgumentError, arena({.grid = {1}, .block = {1}, .shared_bytes = bytes}, a, 1),
                                "sum_in_arena", "shared memory", std::to_string(most));
    set({.grid = {1}, .block = {64}}, a, 5, 64);
    CHECK(downloaded<int>(a)[1] == 6);
}

TEST_CASE("a required block is enforced and is the default") {
    const Kernel required = kernel("required");
    std::vector<int> a(64);
    required({.grid = {1}}, InOut(a));
    CHECK(a == std::vector<int>(64, 1));
    required({.grid = {1}, .block = {32, 2}}, InOut(a));
    CHECK_THROWS_MENTIONING(ArgumentError, required({.grid = {1}, .block = {64}}, InOut(a)), "required", "32 x 2",
                            "64");
}

TEST_CASE("dynamic shared memory has the size of the launch up to the device's most") {
    const Context context = default_context();
    const DeviceInfo info = context.device().info();
    const Kernel arena = kernel("sum_in_arena");
    const std::size_t most = info.shared_memory_opt_in_bytes.value_or(info.shared_memory_per_block_bytes);
    // 1 KiB below the most: some drivers keep a little for themselves.
    for (const std::size_t bytes : {std::size_t{64}, std::size_t{4096}, most / 2, most - 1024, std::size_t{64}}) {
        const int words = static_cast<int>(bytes / sizeof(int));
        int expected = 0;
        for (int i = 0; i < words; ++i) expected += i & 15;
        std::vector<int> out(2);
        arena({.grid = {2}, .block = {16}, .shared_bytes = bytes}, Out(out), words);
        CHECK(out == std::vector<int>(2, expected));
    }
    const Kernel set = common_kernel(context, "set_all");
    if (context.device().backend() == "opencl")
        CHECK_THROWS_MENTIONING(ArgumentError,
                                set({.grid = {1}, .block = {1}, .shared_bytes = 64}, context.allocate(4), 1, 1),
                                "SHARED_ARENA");
}

TEST_CASE("views are arguments where their offset is aligned and are refused by the alignment where not") {
    const Context context = default_context();
    const std::size_t alignment = context.device().info().base_alignment_bytes;
    const Kernel set = common_kernel(context, "set_all"), add = common_kernel(context, "add");
    const Buffer whole = context.allocate(2 * alignment + 64);
    whole.fill(std::uint8_t{0});
    const Buffer view = whole.view(alignment, 64);
    for (int again = 0; again < 3; ++again) set({.grid = {1}, .block = {16}}, view, 10 + again, 16);
    auto expected = std::vector<int>(whole.size_bytes() / sizeof(int));
    for (std::size_t i = 0; i < 16; ++i) expected[alignment / sizeof(int) + i] = 12 + static_cast<int>(i);
    CHECK(downloaded<int>(whole) == expected);
    add({.grid = {1}, .block = {16}}, whole.view(2 * alignment, 64), view, 1, 16);  // both parts of one buffer
    CHECK(downloaded<int>(whole.view(2 * alignment, 64))[3] == 16);
    if (context.device().backend() == "opencl")
        CHECK_THROWS_MENTIONING(ArgumentError, set({.grid = {1}, .block = {1}}, whole.view(4, 4), 1, 1),
                                std::to_string(alignment));
}

TEST_CASE("views of no bytes are arguments wherever they begin") {
    const Context context = default_context();
    const Kernel set = common_kernel(context, "set_all");
    const Buffer whole = context.allocate(4096);
    whole.fill(std::uint8_t{7});
    for (const std::size_t offset : {0, 4, 2048, 4096}) {
        CAPTURE(offset);
        CHECK_NOTHROW(set({.grid = {1}, .block = {16}}, whole.view(offset, 0), 1, 0));
        CHECK_NOTHROW(set.prepare({.grid = {1}, .block = {16}}, whole.view(offset, 0), 1, 0)());
    }
    CHECK(downloaded<std::uint8_t>(whole) == std::vector<std::uint8_t>(4096, 7));
}

TEST_CASE("attributes and occupancy are plausible") {
    const Kernel ones = kernel("fill_ones");
    const DeviceInfo info = default_device().info();
    const KernelAttributes attributes = ones.attributes();
    CHECK(ones.name() == "fill_ones");
    CHECK(attributes.max_threads_per_block >= 1);
    CHECK(attributes.max_threads_per_block <= info.max_threads_per_block);
    CHECK(attributes.registers.value_or(1) > 0);
    CHECK(attributes.registers.value_or(1) <= 256);
    CHECK(attributes.shared_bytes.value_or(0) <= 64);
    CHECK(attributes.local_bytes.value_or(0) <= 4096);  // PoCL says 1024 for every kernel
    CHECK(attributes.preferred_multiple.value_or(1) >= 1);
    if (attributes.binary_architecture) CHECK(attributes.binary_architecture->starts_with("sm_"));
    const auto occupancy = ones.occupancy(attributes.max_threads_per_block >= 128 ? 128 : 1);
    if (occupancy) {
        CHECK(occupancy->blocks_per_compute_unit >= 1);
        CHECK(occupancy->fraction > 0);
        CHECK(occupancy->fraction <= 1);
    }
    CHECK_THROWS_AS(ones.occupancy(0), ArgumentError);
    CHECK_THROWS_AS(ones.occupancy(std::size_t{1} << 30), ArgumentError);
    CHECK(ones.native_handle() != 0);
}

TEST_CASE("prepared launches repeat and take new arguments") {
    const Context context = default_context();
    const Kernel add = common_kernel(context, "add");
    const Buffer in = uploaded(context, counting<int>(64)), out = context.allocate(256), other = context.allocate(256);
    const PreparedLaunch launch = add.prepare({.grid = {1}, .block = {64}}, out, in, 5, 64);
    launch();
    CHECK(downloaded<int>(out)[10] == 15);
    launch.set(2, 100);
    launch.set(0, other);
    launch();
    CHECK(downloaded<int>(other)[10] == 110);
    CHECK(downloaded<int>(out)[10] == 15);
    add({.grid = {1}, .block = {64}}, out, in, 7, 64);  // the kernel itself keeps arguments of its own
    launch(context.create_stream());
    CHECK(downloaded<int>(other)[10] == 110);
    CHECK(downloaded<int>(out)[10] == 17);

    CHECK_THROWS_MENTIONING(ArgumentError, launch.set(2, 1.0f), "add", "argument 3", "int", "float");
    CHECK_THROWS_MENTIONING(ArgumentError, launch.set(0, 1), "pointer");
    CHECK_THROWS_MENTIONING(ArgumentError, launch.set(4, 1), "argument 5");
    std::vector<int> host(64);
    CHECK_THROWS_MENTIONING(ArgumentError, launch.set(0, Out(host)), "prepared");
    CHECK_THROWS_MENTIONING(ArgumentError, (void)add.prepare(one, Out(host), in, 1, 64), "prepared");
    CHECK_THROWS_AS((void)add.prepare(one, out, in, 1), ArgumentError);
    CHECK_THROWS_AS(PreparedLaunch()(), ArgumentError);
    launch();  // as before
    Buffer gone = other;
    gone.release();
    CHECK_THROWS_MENTIONING(ArgumentError, launch(), "released");
}

TEST_CASE("prepared launches hand over the arena and structs") {
    const Kernel arena = kernel("sum_in_arena"), by_value = kernel("by_value");
    const Buffer out = default_context().allocate(64);
    const PreparedLaunch sums = arena.prepare({.grid = {1}, .block = {16}, .shared_bytes = 256}, out, 16);
    sums();
    CHECK(downloaded<int>(out)[0] == 120);
    sums.set(1, 3);
    sums();
    CHECK(downloaded<int>(out)[0] == 3);
    const PreparedLaunch steps = by_value.prepare({.grid = {1}, .block = {8}}, out, Step{1, 0, 0}, 8);
    steps();
    CHECK(downloaded<double>(out)[7] == 7);
    steps.set(1, Step{2, 1, 0.5});
    steps();
    CHECK(downloaded<double>(out)[7] == 15.5);
}

TEST_CASE("threads that share a kernel each get their own results") {
    const Context context = default_context();
    const Kernel add = common_kernel(context, "add");
    constexpr int threads = 8, launches = 500, n = 64;
    const Buffer in = uploaded(context, counting<int>(n));
    add({.grid = {1}, .block = {n}}, context.allocate(n * sizeof(int)), in, 0, n);
    std::atomic<int> wrong{0};
    std::vector<std::thread> workers;
    for (int t = 0; t < threads; ++t) {
        workers.emplace_back([&, t] {
            const Stream stream = context.create_stream();
            const StreamScope scope(stream);
            const Buffer out = context.allocate(n * sizeof(int));
            std::vector<int> values(n);
            for (int k = 0; k < launches; ++k) {
                const int value = t * 10000 + k;
                add({.grid = {1}, .block = {n}}, out, in, value, n);
                if (k % 10 != 9) continue;
                out.download(values);
                for (int i = 0; i < n; ++i) wrong += values[static_cast<std::size_t>(i)] != i + value;
            }
        });
    }
    for (auto& worker : workers) worker.join();
    CHECK(wrong == 0);
}

TEST_SUITE_END();

TEST_CASE("a std::array is handed over by value for a struct of as many elements and for a vector") {
    const Context context = default_context();
    const Module module = context.compile(R"(
typedef struct { float v[3]; } triple;
KERNEL void dot3(GLOBAL_MEM float *to, triple a, float4 b) { to[0] = a.v[0] * b.x + a.v[1] * b.y + a.v[2] * b.z + b.w; })");
    const Kernel dot = module.kernel("dot3");
    std::vector<float> to(1);
    const LaunchConfig one{.grid = {1}, .block = {1}};
    dot(one, Out(to), std::array<float, 3>{1, 2, 3}, std::array<float, 4>{10, 100, 1000, 7});
    CHECK(to[0] == 3217);
    // The stand-in for a driver does not know the sizes of parameters.
    if (context.device().name() != "stand-in for a GPU")
        CHECK_THROWS_MENTIONING(ArgumentError,
                                dot(one, Out(to), std::array<float, 2>{1, 2}, std::array<float, 4>{10, 100, 1000, 7}),
                                "dot3", "12 bytes");
    CHECK_THROWS_MENTIONING(ArgumentError, dot(one, std::array<float, 3>{}, std::array<float, 3>{}, float4{}), "dot3",
                            "In()");
}

TEST_CASE("occupancy says what keeps one more block from being resident") {
    const Context context = default_context();
    const Kernel kernel = gemel::testing::common_kernel(context, "set_all");
    const auto few = kernel.occupancy(32), many = kernel.occupancy(kernel.attributes().max_threads_per_block);
    REQUIRE(few);
    REQUIRE(many);
    CHECK(few->is_estimated == (context.device().backend() != "cuda"));
    if (context.device().info().type == DeviceInfo::Type::cpu) return;  // one block at a time, of any size
    CHECK(few->warps_per_compute_unit == few->blocks_per_compute_unit);
    CHECK(few->limited_by ==
          Occupancy::Limit::blocks);  // of 32 threads no multiprocessor holds as many as it has threads
    CHECK(std::string(to_string(few->limited_by)) == "blocks");
    if (many->fraction == 1) CHECK(many->limited_by == Occupancy::Limit::threads);
}
