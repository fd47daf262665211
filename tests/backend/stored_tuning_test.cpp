/// Measured tunings: stored, found again by another process, used by calls, removed.
#include "child.hpp"
#include "generator_support.hpp"

#include <gemel/core/text.hpp>

#include <sys/stat.h>

#include <cstdio>
#include <filesystem>

using namespace gemel;
using namespace gemel::testing;

namespace {

/// A call on 1000 floats, and how many threads it ran.
int threads_of_a_call() {
    const ElementwiseKernel mark("float *x, int *threads", "x[i] = 7", "mark",
                                 {.after_loop = "atomic_add(&threads[0], 1);"});
    const auto x = zeros<float>(Shape{1000});
    const auto threads = zeros<std::int32_t>(Shape{1});
    mark(x, threads);
    return x.get() == std::vector<float>(1000, 7.0f) ? threads.item() : -1;
}

const codegen::Workload work{.count = 1000, .item_bytes = 4, .arrays = 1};
const codegen::ElementwiseTuning slim{.block = 32, .unroll = 4};

int store() {
    store_tuning(default_context(), work, slim);
    return 0;
}
int use() {
    const auto found = stored_tuning<codegen::ElementwiseTuning>(default_context(), work);
    // Sizes count by powers of two, arrays exactly.
    const bool near = stored_tuning<codegen::ElementwiseTuning>(default_context(),
                                                                {.count = 600, .item_bytes = 4, .arrays = 1}) == slim;
    const bool far =
        stored_tuning<codegen::ElementwiseTuning>(default_context(), {.count = 1000, .item_bytes = 4, .arrays = 2}) ==
        codegen::ElementwiseTuning{};
    std::printf("found \"%s\", near %d, far %d, threads %d\n", codegen::to_string(found).c_str(), near, far,
                threads_of_a_call());
    return 0;
}
int remove_it() {
    store_tuning(default_context(), work, codegen::ElementwiseTuning{});
    return use();
}
/// A tuning of another device, say: no device has blocks as large.
int store_too_large() {
    store_tuning(default_context(), work, codegen::ElementwiseTuning{.block = 1000000});
    try {
        threads_of_a_call();
    } catch (const ArgumentError& error) {
        std::printf("%s\n", error.what());
    }
    // What the caller gives comes first.
    const auto x = zeros<float>(Shape{1000});
    ElementwiseKernel("float *x", "x[i] = 1")(CallOptions{.tuning = {.block = 1}}, x);
    std::printf("sum %g\n", static_cast<double>(sum(x).item()));
    return 0;
}

const Child too_large("stored-tuning-too-large", store_too_large);
const Child stores("stored-tuning-store", store), uses("stored-tuning-use", use),
    removes("stored-tuning-remove", remove_it), both("stored-tuning-both", [] { return store() + use(); });

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("a stored tuning is found by another process and used until it is removed") {
    ScratchFolder scratch;
    const RunningChild::Environment environment{{"GEMEL_CACHE_DIR", (scratch / "gemel").string()}, {"GEMEL_CACHE", ""}};
    // Without a tuning: at least one thread per element on CPU devices, one per pack of 4 on others.
    const auto before = run_child("stored-tuning-use", environment);
    CHECK_MESSAGE(mentions(before.output, {"found \"\", near 0, far 1, threads "}), before.output);
    CHECK(child_exits(0, "stored-tuning-store", environment));
    // 8 blocks of 32 threads with 4 elements each; in packs of 4 elements one block more than 512 elements need.
    const auto after = run_child("stored-tuning-use", environment);
    CHECK_MESSAGE(mentions(after.output, {"found \"block=32 unroll=4\", near 1, far 1, threads "}), after.output);
    const bool fewer = after.output.find("threads 256\n") != std::string::npos ||
                       after.output.find("threads 64\n") != std::string::npos;
    CHECK_MESSAGE(fewer, after.output);
    const auto threads = [](const std::string& output) { return output.substr(output.rfind("threads ")); };
    CHECK(threads(after.output) != threads(before.output));
    const auto removed = run_child("stored-tuning-remove", environment);
    CHECK_MESSAGE(mentions(removed.output, {"found \"\", near 0"}), removed.output);
    const auto last = run_child("stored-tuning-use", environment);
    CHECK_MESSAGE(last.output == before.output, last.output);
}

TEST_CASE("a stored tuning that the device cannot run is named as the stored one") {
    ScratchFolder scratch;
    const auto result =
        run_child("stored-tuning-too-large", {{"GEMEL_CACHE_DIR", (scratch / "gemel").string()}, {"GEMEL_CACHE", ""}});
    CHECK_MESSAGE(
        mentions(result.output, {"elementwise: the stored tuning \"block=1000000\"", "blocks of 1000000 threads",
                                 "store_tuning(context, {.count = 1000, .item_bytes = 4, .arrays = 1",
                                 (scratch / "gemel" / "tuning").string(), "sum 1000"}),
        result.output);
}

/// A tuning of a generator that is not gemel's.
struct StencilTuning {
    static constexpr std::string_view family = "stencil";
    std::uint32_t block = 0, halo = 0;
    friend bool operator==(const StencilTuning&, const StencilTuning&) = default;
};
GEMEL_STRUCT(StencilTuning, block, halo)

struct NoWordTuning {
    static constexpr std::string_view family = "no word";
    std::uint32_t block = 0;
};
GEMEL_STRUCT(NoWordTuning, block)

TEST_CASE("a generator of one's own has a tuning of its own") {
    const codegen::Workload far{.count = 12345, .item_bytes = 8};
    CHECK(stored_tuning<StencilTuning>(default_context(), far) == StencilTuning{});
    store_tuning(default_context(), far, StencilTuning{.block = 96, .halo = 2});
    CHECK(stored_tuning<StencilTuning>(default_context(), far) == StencilTuning{.block = 96, .halo = 2});
    CHECK(stored_tuning<codegen::ElementwiseTuning>(default_context(), far) == codegen::ElementwiseTuning{});
    store_tuning(default_context(), far, StencilTuning{});
    CHECK(stored_tuning<StencilTuning>(default_context(), far) == StencilTuning{});
    CHECK(codegen::parse_tuning<StencilTuning>("halo=3").halo == 3);
    CHECK_THROWS_MENTIONING(ArgumentError, codegen::parse_tuning<StencilTuning>("unroll=3"), "'unroll=3'");
}

TEST_CASE("tunings that no kernel can be cut by are refused by name") {
    const auto x = ones<float>({100003}), z = zeros<float>({100003});
    const ElementwiseKernel twice("const float *x, float *z", "z[i] = 2*x[i]", "twice");
    const ReductionKernel<float> sum({.arguments = "const float *x", .neutral = "0", .reduce_expr = "a+b"});
    const InclusiveScanKernel<float> running("a+b");
    for (const std::uint32_t bytes : {3u, 12u, 128u})
        CHECK_THROWS_MENTIONING(ArgumentError,
                                twice({.tuning = {.block = 64, .access_bytes = bytes, .unroll = 2}}, x, z),
                                "elementwise", text("access_bytes=", bytes));
    CHECK_THROWS_MENTIONING(ArgumentError, sum({.tuning = {.block = 1u << 20}}, x), "reduction", "block=1048576",
                            "takes at most");
    CHECK_THROWS_MENTIONING(ArgumentError, running(x, {.tuning = {.items_per_thread = 4000000000u}}), "scan",
                            "items_per_thread=4000000000", "at most 4096");
    CHECK_THROWS_MENTIONING(ArgumentError, twice({.tuning = {.unroll = 65536}}, x, z), "unroll=65536", "at most 256");
    CHECK_THROWS_MENTIONING(
        ArgumentError, store_tuning(default_context(), {.count = 5}, codegen::ElementwiseTuning{.access_bytes = 12}),
        "store_tuning", "access_bytes=12");
    twice(x, z);
    CHECK(z.get() == std::vector<float>(100003, 2));
}

TEST_CASE("generators that were moved from say so") {
    const auto x = ones<float>({3});
    ElementwiseKernel twice("float *x", "x[i] *= 2", "twice");
    ReductionKernel<float> sum({.arguments = "const float *x", .neutral = "0", .reduce_expr = "a+b"});
    InclusiveScanKernel<float> running("a+b");
    const ElementwiseKernel twice_now = std::move(twice);
    const ReductionKernel<float> sum_now = std::move(sum);
    const InclusiveScanKernel<float> running_now = std::move(running);
    CHECK_THROWS_MENTIONING(ArgumentError, twice(x), "ElementwiseKernel", "moved from");
    CHECK_THROWS_MENTIONING(ArgumentError, twice.name(), "moved from");
    CHECK_THROWS_MENTIONING(ArgumentError, sum(x), "ReductionKernel", "moved from");
    CHECK_THROWS_MENTIONING(ArgumentError, running(x), "ScanKernel", "moved from");
    CHECK_THROWS_MENTIONING(ArgumentError, sum.source(Dialect::cuda()), "ReductionKernel", "moved from");
    twice_now(x);
    CHECK(sum_now(x).item() == 6);
    CHECK(running_now(x).get() == std::vector<float>{2, 4, 6});
}

TEST_CASE("a stored tuning is used at once in the process that stored it") {
    // With the disk cache off it lives in memory only, and this test leaves nothing behind.
    const auto result = run_child("stored-tuning-both", {{"GEMEL_CACHE", "off"}});
    CHECK_MESSAGE(mentions(result.output, {"found \"block=32 unroll=4\""}), result.output);
    CHECK_THROWS_MENTIONING(ArgumentError, store_tuning(current_context(), work, NoWordTuning{.block = 32}), "no word",
                            "family");
}

TEST_CASE("folders of stored tunings are for this user only") {
    const ScratchFolder scratch;
    const mode_t before = ::umask(0);
    const auto result =
        run_child("stored-tuning-store", {{"GEMEL_CACHE", ""}, {"GEMEL_CACHE_DIR", scratch / "a" / "b"}});
    ::umask(before);
    INFO(result.output);
    CHECK_MESSAGE(result.exit_code == 0, result.output);
    for (const auto& folder : {scratch / "a", scratch / "a" / "b", scratch / "a" / "b" / "tuning"})
        CHECK((std::filesystem::status(folder).permissions() & std::filesystem::perms::all) ==
              std::filesystem::perms::owner_all);
}

TEST_CASE("a folder that cannot be made costs only that tunings are kept") {
    const ScratchFolder scratch;
    write_file(scratch / "file", "in the way");
    const auto result =
        run_child("stored-tuning-store", {{"GEMEL_CACHE", ""}, {"GEMEL_CACHE_DIR", scratch / "file" / "cache"}});
    INFO(result.output);
    CHECK_MESSAGE(result.exit_code == 0, result.output);
    CHECK(read_file(scratch / "file") == "in the way");
}

TEST_SUITE_END();
