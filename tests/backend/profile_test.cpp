/// Profiles: every command once, in order, in a trace that is read back, and a table that adds up.
#include "child.hpp"
#include "json.hpp"
#include "support.hpp"

#include <gemel/gemel.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <thread>

using namespace gemel;
using gemel::testing::Child;
using gemel::testing::common_kernel;
using gemel::testing::Json;
using gemel::testing::JsonReader;
using gemel::testing::mentions;
using gemel::testing::run_child;
using gemel::testing::ScratchFolder;

namespace {

constexpr int n = 4096;

Json read_back(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return JsonReader::read(text.str());
}

std::vector<Json> events(const Json& trace, const std::string& phase, const std::string& name = {}) {
    std::vector<Json> found;
    for (const Json& event : trace["traceEvents"].items)
        if (event["ph"].string == phase && (name.empty() || event["name"].string == name)) found.push_back(event);
    return found;
}

std::int64_t nanoseconds(const Json& microseconds) {
    return static_cast<std::int64_t>(microseconds.number * 1000 + 0.5);
}

bool is_host(const Json& event) { return event["pid"].number == 1; }

/// Commands of one row begin after the one before has ended.
void check_rows(const Json& trace) {
    std::map<double, std::int64_t> end;
    for (const Json& event : events(trace, "X")) {
        if (is_host(event)) continue;
        auto& previous = end[event["tid"].number];
        CHECK(nanoseconds(event["ts"]) >= previous);
        CHECK(event["dur"].number >= 0);
        previous = nanoseconds(event["ts"]) + nanoseconds(event["dur"]);
        // No command starts before it is enqueued; half a microsecond is what CUDA's events resolve.
        CHECK(event["ts"].number >= event["args"]["enqueued at us"].number - 0.6);
    }
}

struct Work {
    Context context = default_context();
    Kernel set = common_kernel(context, "set_all");
    Buffer buffer = context.allocate(n * sizeof(int));
    void launch(const Stream& stream) const { set({.grid = {n / 64}, .block = {64}, .stream = stream}, buffer, 1, n); }
};

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("a profile has every command once, with its device time, on the row of its stream") {
    const ScratchFolder folder;
    const Work work;
    const Stream first = work.context.create_stream(), second = work.context.create_stream();
    work.launch(first);  // before the session: not in it
    profile::Session session(folder / "trace.json");
    for (int i = 0; i < 5; ++i) work.launch(first);
    for (int i = 0; i < 3; ++i) work.launch(second);
    const Buffer copy = work.context.allocate(n * sizeof(int));
    first.copy(copy, work.buffer);
    first.fill(copy, 7.0f);
    const std::vector<int> host(n, 3);
    copy.upload(host);
    CHECK(gemel::testing::downloaded<int>(copy) == host);
    session.finish();
    work.launch(first);  // after it

    const Json trace = read_back(folder / "trace.json");
    const auto launches = events(trace, "X", "set_all");
    REQUIRE(launches.size() == 8);
    std::map<double, int> by_row;
    for (const Json& launch : launches) ++by_row[launch["tid"].number];
    CHECK(by_row.size() == 2);
    for (const auto& [row, count] : by_row) CHECK((count == 5 || count == 3));
    CHECK(launches[0]["args"]["grid"].string == "64");
    CHECK(launches[0]["args"]["block"].string == "64");
    CHECK(launches[0]["args"]["bytes"].number == n * sizeof(int));
    for (const char* command : {"copy", "fill", "upload", "download"}) {
        INFO(command);
        REQUIRE(events(trace, "X", command).size() == 1);
        CHECK(events(trace, "X", command)[0]["args"]["bytes"].number == n * sizeof(int));
    }
    check_rows(trace);
    std::vector<std::string> rows;
    for (const Json& row : events(trace, "M", "thread_name")) rows.push_back(row["args"]["name"].string);
    for (const char* row : {"stream 1", "stream 2", "default stream"})
        CHECK(std::count(rows.begin(), rows.end(), row) == 1);

    const std::string table = session.table();
    INFO(table);
    CHECK(mentions(table, {"set_all", "upload", "share", "GB/s", "128.0 KiB", "16.0 KiB"}));
    session.finish();  // does nothing
}

TEST_CASE("ranges nest, each thread has a row of its own, and names are escaped") {
    const ScratchFolder folder;
    const Work work;
    const std::string odd = "a \"quoted\" \\ name\n\twith \x01 and \xff and \xc3\xa9";
    profile::Session session(folder / "trace.json");
    {
        const profile::Range outer("outer");
        {
            const profile::Range inner(odd);
            work.launch({});
        }
        work.launch({});
        std::thread([&] {
            const profile::Range other("other");
            work.launch({});
        }).join();
    }
    {
        const profile::Range open("still open");
        session.finish();
    }
    const Json trace = read_back(folder / "trace.json");
    const auto outer = events(trace, "X", "outer").at(0), other = events(trace, "X", "other").at(0);
    const auto inner = events(trace, "X", "a \"quoted\" \\ name\n\twith \x01 and \xEF\xBF\xBD and \xc3\xa9");
    REQUIRE(inner.size() == 1);
    CHECK(events(trace, "X", "still open").size() == 1);
    CHECK(inner[0]["ts"].number >= outer["ts"].number);
    CHECK(nanoseconds(inner[0]["ts"]) + nanoseconds(inner[0]["dur"]) <=
          nanoseconds(outer["ts"]) + nanoseconds(outer["dur"]));
    CHECK(inner[0]["tid"].number == outer["tid"].number);
    CHECK(other["tid"].number != outer["tid"].number);
    // The table counts what was enqueued within, at any depth, on the range's own thread.
    const std::string table = session.table();
    INFO(table);
    const auto line = [&](const std::string& name) {
        const auto at = table.find("\n" + name);
        REQUIRE(at != std::string::npos);
        std::istringstream words(table.substr(at + 1 + name.size()));
        std::vector<std::string> all(4);
        for (auto& word : all) words >> word;
        return all;
    };
    CHECK(line("outer")[0] == "1");
    CHECK(line("outer")[3] == "2");
    CHECK(line("other")[3] == "1");
    CHECK(line("still open")[3] == "0");
}

TEST_CASE("launches of several threads on one stream are all in the profile, none overlaps another") {
    const ScratchFolder folder;
    const Work work;
    const Stream stream = work.context.create_stream();
    constexpr int threads = 4, each = 50;
    {
        profile::Session session(folder / "trace.json");  // destroyed without finish()
        std::vector<std::thread> all;
        for (int t = 0; t < threads; ++t)
            all.emplace_back([&] {
                for (int i = 0; i < each; ++i) work.launch(stream);
            });
        for (auto& thread : all) thread.join();
    }
    const Json trace = read_back(folder / "trace.json");
    CHECK(events(trace, "X", "set_all").size() == threads * each);
    check_rows(trace);
}

TEST_CASE("programs that are compiled and found, and pools that grow, are in the trace") {
    const ScratchFolder folder;
    const Context context = default_context();
    profile::Session session(folder / "trace.json");
    const std::string source =
        "KERNEL void profiled(GLOBAL_MEM int *a) { a[GLOBAL_ID_0] = " + std::to_string(::getpid()) + " + 0 * " +
        std::to_string(std::rand()) + "; }";
    (void)context.compile(source, {.name = "profiled_program"});
    (void)context.compile(source, {.name = "profiled_program"});
    const Buffer large = context.allocate((std::size_t{12} << 20) + 12345);
    session.finish();
    const Json trace = read_back(folder / "trace.json");
    const auto compiled = events(trace, "X", "compile profiled_program");
    REQUIRE(compiled.size() == 1);
    CHECK(compiled[0]["cat"].string == "compile");
    CHECK(compiled[0]["args"]["program"].string == "compiled");
    CHECK(compiled[0]["dur"].number > 0);
    const auto programs = events(trace, "C", "programs");
    REQUIRE(programs.size() >= 2);
    CHECK(programs.back()["args"]["found in memory"].number >= 1);
    const auto memory = events(trace, "C", "device memory");
    REQUIRE(!memory.empty());
    CHECK(memory.back()["args"]["in use"].number >= (12 << 20));
    CHECK(mentions(session.table(), {"programs: 1 compiled, 0 from the disk cache"}));
}

TEST_CASE("graphs and prepared launches are profiled") {
    const ScratchFolder folder;
    const Work work;
    const Stream stream = work.context.create_stream();
    const Graph graph = capture(stream, [&] {
        for (int i = 0; i < 4; ++i) work.launch(stream);
    });
    const PreparedLaunch prepared =
        work.set.prepare({.grid = {n / 64}, .block = {64}, .stream = stream}, work.buffer, 2, n);
    profile::Session session(folder / "trace.json");
    for (int i = 0; i < 3; ++i) graph.launch();
    // What is recorded while a profile collects is not launched.
    (void)capture(stream, [&] { work.launch(stream); });
    session.finish();
    const Json trace = read_back(folder / "trace.json");
    // One span for a driver's own graph, else one for each launch.
    const auto graphs = events(trace, "X", "graph of 4 launches in 4 nodes");
    CHECK(events(trace, "X", "set_all").size() + 4 * graphs.size() == 12);
    check_rows(trace);

    profile::Session second(folder / "second.json");
    for (int i = 0; i < 5; ++i) prepared();
    second.finish();
    CHECK(events(read_back(folder / "second.json"), "X", "set_all").size() == 5);
}

TEST_CASE("a session inside a session, and files that cannot be written, are errors") {
    const ScratchFolder folder;
    profile::Session session(folder / "trace.json");
    CHECK_THROWS_MENTIONING(Error, profile::Session(folder / "other.json"), "another session", "trace.json",
                            "finish()");
    session.finish();
    CHECK_THROWS_MENTIONING(Error, profile::Session(folder / "not there" / "trace.json"), "cannot write", "not there",
                            "No such file");
    CHECK_THROWS_MENTIONING(Error, profile::Session(folder.path()), "cannot write", folder.path().string());
    profile::Session next(folder / "next.json");  // still usable
    next.finish();
    CHECK(read_back(folder / "next.json").has("traceEvents"));
}

namespace {

const Child profiled("profiled-program", [] {
    const Work work;
    for (int i = 0; i < 3; ++i) work.launch({});
    try {
        const profile::Session session("unused.json");
    } catch (const Error& error) {
        std::printf("%s\n", error.what());
    }
    return 0;
});

const Child thrown("profiled-exception", [] {
    const Work work;
    for (int i = 0; i < 3; ++i) work.launch({});
    std::thread([] { throw std::runtime_error("nobody catches this"); }).join();
    return 0;
});

}  // namespace

TEST_CASE("GEMEL_PROFILE profiles a whole program, also one that an exception ends") {
    const ScratchFolder folder;
    const std::string file = folder / "whole.json";
    const auto ended = run_child("profiled-program", {{"GEMEL_PROFILE", file}});
    INFO(ended.output);
    CHECK_MESSAGE(ended.exit_code == 0, ended.output);
    CHECK(mentions(ended.output, {"GEMEL_PROFILE", "unset the variable"}));
    CHECK(events(read_back(file), "X", "set_all").size() == 3);

    const auto thrown_out = run_child("profiled-exception", {{"GEMEL_PROFILE", file}});
    INFO(thrown_out.output);
    CHECK_MESSAGE(thrown_out.exit_code == -SIGABRT, thrown_out.output);
    CHECK(mentions(thrown_out.output, {"nobody catches this"}));
    CHECK(events(read_back(file), "X", "set_all").size() == 3);

    const auto refused = run_child("profiled-program", {{"GEMEL_PROFILE", folder / "not there" / "whole.json"}});
    CHECK_MESSAGE(refused.exit_code == 99, refused.output);
    CHECK(mentions(refused.output, {"cannot write", "not there"}));
}

TEST_SUITE_END();
