/// The cache of compiled kernels: other processes find what one compiled, whatever state the folder is in.
#include "child.hpp"
#include "support.hpp"

#include <gemel/core/text.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <thread>

using namespace gemel;
using gemel::testing::Child;
using gemel::testing::ChildResult;
using gemel::testing::run_child;
using gemel::testing::RunningChild;
using gemel::testing::ScratchFolder;

namespace fs = std::filesystem;

namespace {

/// Compiles one small text, launches it, and prints what the compiler and the cache did.
int compile_once() {
    const Context context = default_context();
    std::vector<int> a(4);
    context.compile("KERNEL void answer(GLOBAL_MEM int *a) { a[LID_0] = 40 + LID_0; }")
        .kernel("answer")({.grid = {1}, .block = {4}}, Out(a));
    const Statistics statistics = context.statistics();
    std::printf("compilations %d, disk hits %d, value %d\n", int(statistics.compilations), int(statistics.disk_hits),
                a[2]);
    return a[2] == 42 ? 0 : 1;
}
const Child compiles("compile-once", compile_once);

/// Launches a kernel that takes very long, for the first time, and says so when it is compiled.
const Child runs_long("runs-long", [] {
    const Context context = default_context();
    const Kernel kernel = context
                              .compile(R"(
KERNEL void spin(GLOBAL_MEM volatile uint32_t *a, uint32_t rounds)
{
    for (uint32_t i = 0; i < rounds; ++i) a[LID_0] = a[LID_0] * 1664525u + 1013904223u;
})")
                              .kernel("spin");
    const fs::path folder = std::getenv("GEMEL_CACHE_DIR");
    std::thread([&] {
        // Long enough for any compiler; too early is no harm but that the test proves less.
        std::this_thread::sleep_for(std::chrono::seconds(4));
        gemel::testing::write_file(folder / "running", "");
    }).detach();
    kernel({.grid = {1}, .block = {4}}, context.allocate(16), std::uint32_t{4000000000u});
    context.synchronize();
    gemel::testing::write_file(folder / "finished", "");
    return 0;
});

/// A program that compiles, one with a header in a folder with a blank in its name, and one that does not compile.
const Child compiles_and_fails("compile-and-fail", [] {
    const ScratchFolder scratch;
    gemel::testing::write_file(scratch / "a folder" / "value.h", "#define VALUE 5\n");
    const Context context = default_context();
    std::vector<int> a(4);
    for (const char* header : {"#define VALUE 5\n", "#include \"value.h\"\n"})
        context
            .compile(std::string(header) + "KERNEL void answer(GLOBAL_MEM int *a) { a[LID_0] = VALUE; }",
                     {.include_directories = {scratch / "a folder"}})
            .kernel("answer")({.grid = {1}, .block = {4}}, Out(a));
    try {
        context.compile("KERNEL void answer(GLOBAL_MEM int *a) { a[LID_0] = undeclared; }");
    } catch (const CompileError&) {
        return a[3] == 5 ? 0 : 1;
    }
    return 2;
});

bool compiled(const ChildResult& result) {
    return result.exit_code == 0 && result.output.find("compilations 1, disk hits 0, value 42") != std::string::npos;
}
bool loaded(const ChildResult& result) {
    return result.exit_code == 0 && result.output.find("compilations 0, disk hits 1, value 42") != std::string::npos;
}

/// A cache folder of its own, also for PoCL's own cache, so that nothing is warm.
struct Caches {
    ScratchFolder scratch;
    fs::path folder = scratch / "gemel";
    RunningChild::Environment environment{
        {"GEMEL_CACHE_DIR", folder.string()}, {"POCL_CACHE_DIR", (scratch / "pocl").string()}, {"GEMEL_CACHE", ""}};

    Caches() { fs::create_directory(scratch / "pocl"); }
    RunningChild::Environment with(const std::string& name, const std::string& value) const {
        auto changed = environment;
        for (auto& [key, old] : changed)
            if (key == name) old = value;
        return changed;
    }
    std::vector<fs::path> entries() const {
        std::vector<fs::path> files;
        for (const auto& entry : DiskCache(folder).entries()) files.push_back(entry.file);
        return files;
    }
};

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("a second process loads what the first compiled") {
    const Caches caches;
    const auto first = run_child("compile-once", caches.environment);
    INFO(first.output);
    CHECK(compiled(first));
    CHECK(caches.entries().size() == 1);
    const auto second = run_child("compile-once", caches.environment);
    INFO(second.output);
    CHECK(loaded(second));
    CHECK(caches.entries().size() == 1);
    CHECK((fs::status(caches.folder).permissions() & fs::perms::mask) == fs::perms::owner_all);

    SUBCASE("and one that may only read loads it but stores nothing") {
        CHECK(loaded(run_child("compile-once", caches.with("GEMEL_CACHE", "readonly"))));
        const Caches empty;
        CHECK(compiled(run_child("compile-once", empty.with("GEMEL_CACHE", "readonly"))));
        CHECK(empty.entries().empty());
    }
    SUBCASE("and one that is told not to cache compiles") {
        CHECK(compiled(run_child("compile-once", caches.with("GEMEL_CACHE", "off"))));
        CHECK(caches.entries().size() == 1);
    }
    SUBCASE("and a damaged entry is compiled again and repaired") {
        for (const int damage : {0, 1, 2}) {
            const fs::path file = caches.entries().at(0);
            std::string content = gemel::testing::read_file(file);
            if (damage == 0) content[content.size() / 2] ^= 0x20;
            if (damage == 1) content.resize(content.size() / 3);
            if (damage == 2) content = "something else entirely";
            gemel::testing::write_file(file, content);
            const auto result = run_child("compile-once", caches.environment);
            INFO(result.output);
            CHECK(compiled(result));
            CHECK(loaded(run_child("compile-once", caches.environment)));
        }
    }
}

TEST_CASE("a folder that cannot be written costs only the entry") {
    const Caches caches;
    const fs::path blocked = caches.scratch / "a file where the folder should be";
    gemel::testing::write_file(blocked, "in the way");
    const auto result = run_child("compile-once", caches.with("GEMEL_CACHE_DIR", (blocked / "cache").string()));
    INFO(result.output);
    CHECK(compiled(result));
    CHECK(gemel::testing::read_file(blocked) == "in the way");
    const auto full = run_child("compile-once", caches.with("GEMEL_CACHE_DIR", "/dev/full/cache"));
    INFO(full.output);
    CHECK(compiled(full));
}

#ifdef GEMEL_COMMAND
TEST_CASE("the command says which entries it could not remove") {
    const Caches caches;
    std::vector<std::byte> value(10);
    REQUIRE(DiskCache(caches.folder).put("key", value));
    // Root may remove anything, and so runs it as nobody.
    const std::string run =
        text(::geteuid() == 0 ? "setpriv --reuid=65534 --clear-groups " : "", "env GEMEL_CACHE=on GEMEL_CACHE_DIR='",
             caches.folder.string(), "' '" GEMEL_COMMAND "' ");
    const fs::path message = caches.scratch / "message";
    if (std::system((run + "--version >/dev/null 2>&1").c_str()) != 0) {
        MESSAGE("SKIPPED: the command cannot be run by another user");
        return;
    }
    const fs::path level = caches.entries().at(0).parent_path();
    for (const fs::path& folder : {caches.scratch.path(), caches.folder, level})
        fs::permissions(folder, fs::perms(0755));
    fs::permissions(caches.entries().at(0), fs::perms(0644));
    if (::geteuid() != 0) fs::permissions(level, fs::perms(0555));
    CHECK(std::system((run + "cache clear >'" + message.string() + "' 2>&1").c_str()) != 0);
    fs::permissions(level, fs::perms(0755));
    const std::string said = gemel::testing::read_file(message);
    INFO(said);
    CHECK(gemel::testing::mentions(said, {"removed 0 entries", "1 entry cannot be removed"}));
    CHECK(caches.entries().size() == 1);
}
#endif

TEST_CASE("processes at once on one empty folder all succeed") {
    const Caches caches;
    std::vector<RunningChild> children;
    for (int k = 0; k < 4; ++k) children.emplace_back("compile-once", caches.environment);
    for (auto& child : children) {
        const auto result = child.result();
        INFO(result.output);
        CHECK_MESSAGE(result.exit_code == 0, result.output);
    }
    CHECK(caches.entries().size() == 1);
    CHECK(loaded(run_child("compile-once", caches.environment)));
}

TEST_CASE("a process that may not write leaves nothing behind") {
    for (const std::string mode : {"off", "readonly"}) {
        CAPTURE(mode);
        const ScratchFolder scratch;
        for (const char* folder : {"home", "tmp", "caches"}) fs::create_directory(scratch / folder);
        const auto result = run_child("compile-and-fail", {{"GEMEL_CACHE", mode},
                                                           {"GEMEL_CACHE_DIR", ""},
                                                           {"HOME", (scratch / "home").string()},
                                                           {"XDG_CACHE_HOME", (scratch / "caches").string()},
                                                           {"TMPDIR", (scratch / "tmp").string()},
                                                           {"POCL_CACHE_DIR", ""}});
        INFO(result.output);
        CHECK_MESSAGE(result.exit_code == 0, result.output);
        std::string left;
        for (const auto& entry : fs::recursive_directory_iterator(scratch.path()))
            if (!entry.is_directory() || !fs::equivalent(entry.path().parent_path(), scratch.path()))
                left += entry.path().string() + "\n";
        CHECK(left == "");
    }
}

TEST_CASE("without a home folder nothing lies under a name that can be foreseen") {
    const ScratchFolder scratch;
    for (const char* folder : {"pocl", "tmp", "victim"}) fs::create_directory(scratch / folder);
    const fs::path foreseen = scratch / "tmp" / text("gemel-", ::getuid());
    fs::create_directory_symlink(scratch / "victim", foreseen);
    const auto result = run_child("compile-and-fail", {{"GEMEL_CACHE", ""},
                                                       {"GEMEL_CACHE_DIR", ""},
                                                       {"HOME", ""},
                                                       {"XDG_CACHE_HOME", ""},
                                                       {"TMPDIR", (scratch / "tmp").string()},
                                                       {"POCL_CACHE_DIR", (scratch / "pocl").string()}});
    INFO(result.output);
    CHECK_MESSAGE(result.exit_code == 0, result.output);
    CHECK(fs::is_empty(scratch / "victim"));
    std::vector<fs::path> left;
    for (const auto& entry : fs::directory_iterator(scratch / "tmp")) left.push_back(entry.path());
    CHECK(left == std::vector<fs::path>{foreseen});
}

TEST_CASE("a folder of PoCL that others may write to is not used") {
    if (default_device().info().platform != "Portable Computing Language") {
        MESSAGE("SKIPPED: this is not PoCL");
        return;
    }
    const Caches caches;
    const fs::path pocl = caches.scratch / "pocl";
    fs::permissions(pocl, fs::perms::all);
    const auto result = run_child("compile-once", caches.environment);
    INFO(result.output);
    CHECK(compiled(result));
    CHECK(gemel::testing::mentions(result.output, {pocl.string(), "is not used", "chmod go-w"}));
    CHECK(fs::is_empty(pocl));
    fs::permissions(pocl, fs::perms::owner_all);
    CHECK(loaded(run_child("compile-once", caches.environment)));
    CHECK_FALSE(fs::is_empty(pocl));
}

TEST_CASE("what a failed compilation keeps goes with the cache") {
    const Caches caches;
    const auto result = run_child("compile-and-fail", caches.environment);
    INFO(result.output);
    CHECK_MESSAGE(result.exit_code == 0, result.output);
    CHECK(fs::exists(caches.folder / "src"));
    CHECK(fs::exists(caches.folder / "include"));
    gemel::testing::write_file(caches.folder / "src" / "mine.cl", "a file of the user's");
    const gemel::testing::ScopedVariable folder("GEMEL_CACHE_DIR", caches.folder.string());
    CHECK(DiskCache(caches.folder).clear() == 2);
    CHECK(caches.entries().empty());
    std::vector<std::string> left;
    for (const auto& entry : fs::directory_iterator(caches.folder / "src")) left.push_back(entry.path().filename());
    CHECK(left == std::vector<std::string>{"mine.cl"});
    CHECK_FALSE(fs::exists(caches.folder / "include"));
}

TEST_CASE("a process whose kernel runs for long keeps no other from compiling") {
    const Caches caches;
    RunningChild busy("runs-long", caches.environment);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!fs::exists(caches.folder / "running") && std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    REQUIRE(fs::exists(caches.folder / "running"));
    const auto began = std::chrono::steady_clock::now();
    const auto result = run_child("compile-once", caches.environment);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    INFO(result.output);
    CHECK(compiled(result));
    CAPTURE(took.count());
    CHECK(took.count() < 30);
    CHECK_FALSE(fs::exists(caches.folder / "finished"));
    busy.kill();
}

TEST_CASE("processes that are killed at any moment leave a folder that works") {
    const Caches caches;
    for (int k = 0; k < 10; ++k) {
        RunningChild child("compile-once", caches.environment);
        std::this_thread::sleep_for(std::chrono::milliseconds(20 + 35 * k));
        child.kill();
        (void)child.result();
    }
    const auto result = run_child("compile-once", caches.environment);
    INFO(result.output);
    CHECK_MESSAGE(result.exit_code == 0, result.output);
    CHECK(loaded(run_child("compile-once", caches.environment)));
}

TEST_CASE("threads that want the same text at once compile it once") {
    const Context context(default_device());
    const std::string text = "/* " + std::to_string(::getpid()) + " " + std::to_string(::time(nullptr)) +
                             " */ KERNEL void answer(GLOBAL_MEM int *a) { a[0] = 9; }";
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 6; ++t) {
        threads.emplace_back([&] {
            std::vector<int> a(1);
            context.compile(text).kernel("answer")({.grid = {1}, .block = {1}}, Out(a));
            wrong += a[0] != 9;
        });
    }
    for (auto& thread : threads) thread.join();
    CHECK(wrong == 0);
    CHECK(context.statistics().compilations == 1);
    CHECK(context.statistics().memory_hits == 5);
}

TEST_CASE("text with the time of day is compiled anew each time") {
    const Context context(default_device());
    const char* text = "KERNEL void answer(GLOBAL_MEM int *a) { a[0] = __TIME__[0]; }";
    context.compile(text);
    context.compile(text);
    CHECK(context.statistics().compilations == 2);
    CHECK(context.statistics().disk_hits == 0);
}

TEST_SUITE_END();
