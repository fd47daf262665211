/// Bundles: programs that one process has compiled run in others where nothing can be compiled.
#include "child.hpp"
#include "support.hpp"

#include <gemel/core/bundle.hpp>
#include <gemel/core/link.hpp>

#include <cstdio>
#include <filesystem>

using namespace gemel;
using gemel::testing::Child;
using gemel::testing::downloaded;
using gemel::testing::run_child;
using gemel::testing::ScopedVariable;
using gemel::testing::ScratchFolder;
using gemel::testing::write_file;

namespace {

const char* const answer_text = "KERNEL void answer(GLOBAL_MEM int *a) { a[0] = VALUE; }";
const CompileOptions answer_options{.defines = {{"VALUE", "42"}}, .name = "answer"};

int answer(const Module& module) {
    std::vector<int> a(1);
    module.kernel("answer")({.grid = {1}, .block = {1}}, Out(a));
    return a[0];
}

/// A kernel of a text, one of two units, and the library's own for a fill of 12 bytes.
int run_all(const Context& context) {
    const Module linked = link(
        context, {"WITHIN_KERNEL_EXTERN int seven(void); KERNEL void answer(GLOBAL_MEM int *a) { a[0] = seven(); }",
                  "WITHIN_KERNEL_EXTERN int seven(void) { return 7; }"});
    const Buffer filled = context.allocate(36);
    filled.fill(std::array<int, 3>{1, 2, 3});
    return answer(context.compile(answer_text, answer_options)) + answer(linked) + downloaded<int>(filled)[8];
}

const Child runs("bundle-runs", [] {
    const int value = run_all(default_context());
    const Statistics statistics = default_context().statistics();
    std::printf("answer %d, compiled %d\n", value, static_cast<int>(statistics.compilations));
    return 0;
});

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("what a process has recorded runs in another that can compile nothing") {
    const ScratchFolder scratch;
    const std::string file = (scratch / "programs.bundle").string();
    const auto recorded = run_child("bundle-runs", {{"GEMEL_BUNDLE_RECORD", file}, {"GEMEL_CACHE", "off"}});
    INFO(recorded.output);
    CHECK(recorded.output.find("answer 52, compiled 3") != std::string::npos);
    const std::vector<KernelBundle::Entry> entries = KernelBundle::load(file).entries();
    REQUIRE(entries.size() == 3);
    CHECK(entries[0].name == "answer");
    CHECK(entries[0].dialect == default_context().dialect().name);
    CHECK(entries[0].bytes > 0);
    // No compiler on CUDA, and none that is asked anywhere.
    const auto ran = run_child("bundle-runs", {{"GEMEL_BUNDLE", file},
                                               {"GEMEL_CACHE", "off"},
                                               {"GEMEL_COMPILE", "off"},
                                               {"GEMEL_NVRTC", "/nonexistent/libnvrtc.so"}});
    INFO(ran.output);
    CHECK(ran.output.find("answer 52, compiled 0") != std::string::npos);
    const auto refused = run_child("bundle-runs", {{"GEMEL_CACHE", "off"}, {"GEMEL_COMPILE", "off"}});
    INFO(refused.output);
    CHECK_MESSAGE(refused.exit_code == 99, refused.output);
    CHECK(gemel::testing::mentions(refused.output, {"GEMEL_COMPILE=off", "unit 1, unit 2", "GEMEL_BUNDLE_RECORD"}));
}

TEST_CASE("programs that come from the cache are recorded too and other options are another program") {
    const ScratchFolder scratch;
    const BundleRecorder recorder;
    CHECK(answer(Context(default_device()).compile(answer_text, answer_options)) == 42);
    CHECK(answer(Context(default_device()).compile(answer_text, answer_options)) == 42);
    REQUIRE(recorder.bundle().entries().size() == 1);
    recorder.bundle().save(scratch / "one.bundle");
    const ScopedVariable no_cache("GEMEL_CACHE", "off"), no_compiler("GEMEL_COMPILE", "off");
    const Context context(default_device());
    CHECK_THROWS_AS(context.compile(answer_text, answer_options), BackendUnavailable);
    KernelBundle::load(scratch / "one.bundle").use();
    CHECK(answer(context.compile(answer_text, answer_options)) == 42);
    CHECK_THROWS_AS(context.compile(answer_text, {.defines = {{"VALUE", "43"}}, .name = "answer"}), BackendUnavailable);
    CHECK_THROWS_AS(
        context.compile(answer_text, {.defines = {{"VALUE", "42"}}, .fp_contract = false, .name = "answer"}),
        BackendUnavailable);
    CHECK(context.statistics().compilations == 0);
}

TEST_CASE("a damaged bundle is refused with its name and bundles can be merged") {
    const ScratchFolder scratch;
    const BundleRecorder recorder;
    (void)Context(default_device()).compile("KERNEL void one(GLOBAL_MEM int *a) { a[0] = 1; }", {.name = "one"});
    const std::string first = (scratch / "first.bundle").string();
    recorder.bundle().save(first);
    (void)Context(default_device()).compile("KERNEL void two(GLOBAL_MEM int *a) { a[0] = 2; }", {.name = "two"});
    KernelBundle both = KernelBundle::load(first);
    both.merge(recorder.bundle());
    REQUIRE(both.entries().size() == 2);
    CHECK(both.entries()[1].name == "two");
    std::string bytes = gemel::testing::read_file(first);
    for (const std::size_t cut : {bytes.size() - 1, bytes.size() / 2, std::size_t{20}}) {
        write_file(first, bytes.substr(0, cut));
        CHECK_THROWS_MENTIONING(Error, KernelBundle::load(first), "first.bundle", "damaged");
    }
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    write_file(first, bytes);
    CHECK_THROWS_MENTIONING(Error, KernelBundle::load(first), "first.bundle", "damaged");
    write_file(first, "something else");
    CHECK_THROWS_MENTIONING(Error, KernelBundle::load(first), "is not a bundle");
    CHECK_THROWS_MENTIONING(Error, KernelBundle::load(scratch / "missing.bundle"), "cannot read", "missing.bundle");
}

TEST_CASE("a call that asks for no cache compiles anew and leaves nothing behind") {
    const Context context(default_device());
    const char* const text = "KERNEL void answer(GLOBAL_MEM int *a) { a[0] = 5; }";
    for (std::uint64_t times = 1; times <= 2; ++times) {
        CHECK(answer(context.compile(text, {.use_cache = false, .name = "fresh"})) == 5);
        CHECK(context.statistics().compilations == times);
    }
    CHECK(context.statistics().memory_hits == 0);
}

TEST_CASE("warnings are there again when a program comes from the cache") {
    const char* const text = R"(KERNEL void answer(GLOBAL_MEM int *a) {
#warning remember this
    a[0] = 6; })";
    const Context first(default_device()), second(default_device());
    const std::string log = first.compile(text).build_log();
    INFO(log);
    CHECK(second.compile(text).build_log() == log);
    CHECK(second.statistics().compilations == 0);
    if (log.empty()) MESSAGE("this compiler's log is empty after a build that succeeds");
}

TEST_CASE("what is recorded does not spoil a file and repairs what a writer left behind") {
    const ScratchFolder scratch;
    const auto record = [&](const std::string& file) {
        return run_child("bundle-runs", {{"GEMEL_BUNDLE_RECORD", file}, {"GEMEL_CACHE", "off"}});
    };
    const std::string thesis = (scratch / "thesis.txt").string();
    write_file(thesis, "my thesis");
    const auto refused = record(thesis);
    INFO(refused.output);
    CHECK(refused.exit_code != 0);
    CHECK(gemel::testing::mentions(refused.output, {"thesis.txt", "not a bundle", "another file"}));
    CHECK(gemel::testing::read_file(thesis) == "my thesis");
    CHECK_THROWS_MENTIONING(Error, KernelBundle().save(thesis), "thesis.txt", "not a bundle");
    CHECK(gemel::testing::read_file(thesis) == "my thesis");
    const auto folder = record(scratch.path().string());
    CHECK(gemel::testing::mentions(folder.output, {"is a folder"}));
    CHECK_THROWS_MENTIONING(Error, KernelBundle::load(scratch.path()), "is a folder");

    const std::string file = (scratch / "programs.bundle").string();
    CHECK(record(file).exit_code == 0);
    const std::string bytes = gemel::testing::read_file(file);
    write_file(file, bytes.substr(0, bytes.size() - 10));
    CHECK_THROWS_MENTIONING(Error, KernelBundle::load(file), "damaged");
    const auto again = record(file);
    INFO(again.output);
    CHECK(gemel::testing::mentions(again.output, {"damaged or cut short", "removed"}));
    CHECK(KernelBundle::load(file).entries().size() == 3);
}
