/// The store of tunings: many processes at once, processes that are killed, damaged files, and who uses what it holds.
#include "child.hpp"
#include "generator_support.hpp"

#include <gemel/algorithms/sort.hpp>
#include <gemel/arrays/stored_tuning.hpp>
#include <gemel/arrays/tune.hpp>

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <thread>

using namespace gemel;
using namespace gemel::testing;
using tune::Point;

namespace {

const char* const text = "KERNEL void mark(GLOBAL_MEM float *x) { if (LID_0 == 0) x[GID_0] = 1; }";

/// 40 points of one text, so that a trial is short; prints each when it is stored.
int many_trials() {
    const auto x = zeros<float>(Shape{64});
    const char* const part = std::getenv("TUNE_TEST_NAME");
    std::vector<codegen::Value> values;
    for (int k = 0; k < 40; ++k) values.push_back(k);
    const tune::Tuner tuner(
        {.name = part ? part : "mark",
         .parameters = {{"k", values}},
         .source = text,
         .kernel = "mark",
         .launch = [](const Point& p) { return LaunchConfig{.grid = {1 + p["k"] % 4}, .block = {1}}; }});
    const tune::Options options{.trials = 40,
                                .strategy = tune::Strategy::random,
                                .seed = static_cast<std::uint64_t>(::getpid()),
                                .trial_done = [&](const tune::Trial& trial) {
                                    std::printf("done k=%d\n", static_cast<int>(trial.point["k"]));
                                    std::fflush(stdout);
                                    if (!part) std::this_thread::sleep_for(std::chrono::milliseconds(10));
                                }};
    const tune::Result result = tuner.run(options, x);
    std::printf("trials %zu history %zu\n", result.trials, result.history.size());
    return 0;
}

/// Which points of a search are in the store.
int list() {
    for (const tune::Stored& record : tune::stored())
        for (const tune::Trial& trial : record.history)
            std::printf("stored %s %s\n", record.work.substr(0, record.work.find(' ')).c_str(),
                        to_string(trial.point).c_str());
    return 0;
}

int clear() {
    const std::string part = std::getenv("TUNE_TEST_NAME");
    std::printf("removed %d\n", tune::clear_stored(part) > 0);
    return list();
}

/// Threads that an element-wise call runs on 4096 elements.
int threads_of_a_call() {
    static const ElementwiseKernel count("float *x, int *threads", "x[i] += 1", "count_threads",
                                         {.after_loop = "atomic_add(&threads[0], 1);"});
    const auto x = zeros<float>(Shape{4096});
    const auto threads = zeros<std::int32_t>(Shape{1});
    count(x, threads);
    return x.get() == std::vector<float>(4096, 1.0f) ? threads.item() : -1;
}
int use() {
    std::printf("threads %d\n", threads_of_a_call());
    return 0;
}
int store_slim() {
    store_tuning(default_context(), {.count = 4096, .item_bytes = 4, .arrays = 1},
                 codegen::ElementwiseTuning{.block = 32, .unroll = 8});
    return use();
}

/// Library calls: what was found is right, stored, and used.
int tune_calls() {
    const ElementwiseKernel axpy("float a, const float *x, float *y", "y[i] += a * x[i]", "tuned_axpy");
    const auto x = full<float>(Shape{50000}, 2.0f), y = full<float>(Shape{50000}, 1.0f);
    const tune::Result elements = tune::tune(axpy, {.trials = 4}, 3.0f, x, y);
    std::printf("elements: %zu trials, not slower %d, kept %d\n", elements.trials,
                elements.milliseconds <= elements.start_milliseconds, y.get() == std::vector<float>(50000, 1.0f));
    axpy(3.0f, x, y);
    std::printf("right %d\n", y.get() == std::vector<float>(50000, 7.0f));

    const ReductionKernel<float> total({.arguments = "const float *x", .neutral = "0", .reduce_expr = "a+b"});
    const tune::Result sum = tune::tune(total, {.trials = 3}, x);
    std::printf("reduction: %zu trials, %g\n", sum.trials, static_cast<double>(total(x).item()));
    const InclusiveScanKernel<int> sums("a+b");
    const auto ones = full<int>(Shape{20000}, 1);
    const tune::Result scan = tune::tune(sums, {.trials = 3}, ones);
    std::printf("scan: %zu trials, last %d\n", scan.trials, sums(ones).get().back());
    const tune::Result again = tune::tune(axpy, {.trials = 4}, 3.0f, x, y);
    std::printf("again: %zu trials, same %d\n", again.trials, again.point == elements.point);
    try {
        tune::tune([] {}, {});
    } catch (const ArgumentError& error) {
        std::printf("%s\n", error.what());
    }
    return 0;
}
int tune_sort() {
    const auto keys = astype<std::uint32_t>(arange<float>(20000));
    const tune::Result result =
        tune::tune([](const auto& k) { return sort(k, {.descending = true}); }, {.trials = 3}, keys);
    const std::vector<std::uint32_t> sorted = sort(keys, {.descending = true}).get();
    std::printf("sort: %zu trials, %s, first %u last %u\n", result.trials, result.work.substr(0, 4).c_str(),
                sorted.front(), sorted.back());
    return 0;
}

/// GEMEL_TUNE=auto: in-place updates show every call that would have run twice or not at all.
int online() {
    const ElementwiseKernel add("float *x", "x[i] += 1", "online_add");
    // What is recorded is no trial: a trial's events cannot be.
    const auto recorded = zeros<float>(Shape{4096});
    const Stream stream = default_context().create_stream();
    const Graph graph = capture(stream, [&] { add(recorded); });
    graph.launch();
    graph.launch();
    default_context().synchronize();
    std::printf("recorded %g\n", static_cast<double>(recorded(7).item()));
    const auto x = zeros<float>(Shape{4096});
    bool right = true;
    for (int k = 1; k <= 120; ++k) {
        add(x);
        if (k % 10 == 0) right &= x.get() == std::vector<float>(4096, static_cast<float>(k));
    }
    const auto found =
        stored_tuning<codegen::ElementwiseTuning>(default_context(), {.count = 4096, .item_bytes = 4, .arrays = 1});
    std::printf("right %d, stored %d\n", right, found != codegen::ElementwiseTuning{});
    const auto total = sum(x);
    std::printf("sum %g\n", static_cast<double>(total.item()));
    return 0;
}

const Child a("tune-many", many_trials), b("tune-list", list), c("tune-use", use), d("tune-store-slim", store_slim),
    e("tune-calls", tune_calls), f("tune-sort", tune_sort), g("tune-online", online), h("tune-clear", clear);

struct Store {
    ScratchFolder folder;
    RunningChild::Environment environment{{"GEMEL_CACHE_DIR", (folder / "gemel").string()}, {"GEMEL_CACHE", ""}};
    RunningChild::Environment with(const char* name, const char* value) const {
        RunningChild::Environment more = environment;
        more.emplace_back(name, value);
        return more;
    }
    std::filesystem::path file() const {
        for (const auto& entry : std::filesystem::directory_iterator(folder / "gemel" / "tuning"))
            if (entry.path().extension() == ".tune") return entry.path();
        return {};
    }
};

std::set<std::string> lines_with(const std::string& output, const std::string& start) {
    std::set<std::string> found;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(start)) found.insert(line.substr(start.size()));
    return found;
}

}  // namespace

TEST_SUITE_BEGIN("tune");

TEST_CASE("no finished trial is lost when processes are killed, and the search goes on") {
    const Store store;
    std::mt19937 random(12345);
    std::set<std::string> finished;
    // The first one fills the kernel cache. The second shows how long a process takes to come to its trials.
    CHECK(child_exits(0, "tune-many", store.with("TUNE_TEST_NAME", "first")));
    const auto start = std::chrono::steady_clock::now();
    CHECK(child_exits(0, "tune-list", store.environment));
    CHECK(child_exits(0, "tune-many", store.with("TUNE_TEST_NAME", "first")));
    auto usual = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
    int killed = 0;
    // Where many processes run beside this one, they come to their trials later.
    std::chrono::milliseconds patience = usual / 2;
    for (unsigned k = 0; k < 40; ++k) {
        if (finished.empty()) patience += usual / 8;
        RunningChild child("tune-many", store.environment);
        std::this_thread::sleep_for(patience + std::chrono::milliseconds(random() % (80 + 15 * k)));
        child.kill();
        const auto result = child.result();
        killed += result.exit_code == -SIGKILL ? 1 : 0;
        for (const std::string& one : lines_with(result.output, "done ")) finished.insert(one);
        const auto stored = lines_with(run_child("tune-list", store.environment).output, "stored mark ");
        for (const std::string& one : finished) CHECK_MESSAGE(stored.contains(one), one);
        if (result.exit_code != 0) continue;
        if (killed > 0) break;
        // It ended before the kill: the machine was busier when the usual time was measured. From the beginning,
        // sooner.
        usual /= 2, patience /= 2;
        std::filesystem::remove(store.file());
        finished.clear();
    }
    CHECK(killed > 0);
    CHECK_FALSE(finished.empty());
    MESSAGE(killed << " processes were killed, after " << finished.size() << " trials");
    const auto last = run_child("tune-many", store.environment);
    CHECK_MESSAGE(last.exit_code == 0, last.output);
    CHECK_MESSAGE(mentions(last.output, {"history 40"}), last.output);
}

TEST_CASE("ten processes that tune at once lose nothing") {
    const Store store;
    std::vector<RunningChild> children;
    const std::vector<std::string> names{"a0", "a1", "a2", "a3", "a4", "a0", "a1", "a2", "a3", "a4"};
    for (const std::string& name : names)
        children.emplace_back("tune-many", store.with("TUNE_TEST_NAME", name.c_str()));
    for (RunningChild& child : children) {
        const auto result = child.result();
        CHECK_MESSAGE(result.exit_code == 0, result.output);
        CHECK(mentions(result.output, {"history 40"}));
    }
    const auto listed = run_child("tune-list", store.environment);
    CHECK(listed.output.find("damaged") == std::string::npos);
    for (const char* const name : {"a0", "a1", "a2", "a3", "a4"})
        CHECK(lines_with(listed.output, std::string("stored ") + name + " ").size() == 40);
    // One of them is removed, and the others stay.
    const auto cleared = run_child("tune-clear", store.with("TUNE_TEST_NAME", "a3 "));
    CHECK(mentions(cleared.output, {"removed 1"}));
    CHECK(lines_with(cleared.output, "stored a3 ").empty());
    CHECK(lines_with(cleared.output, "stored a4 ").size() == 40);
}

TEST_CASE("damaged lines are skipped with one warning, and the others are used") {
    const Store store;
    CHECK(child_exits(0, "tune-many", store.environment));
    {
        std::fstream file(store.file(), std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(static_cast<std::streamoff>(std::filesystem::file_size(store.file()) / 2));
        file << "###";  // into a record
        file.seekp(0, std::ios::end);
        file << "torn";  // and half a line at the end
    }
    const auto listed = run_child("tune-list", store.environment);
    CHECK_MESSAGE(mentions(listed.output, {"2 lines damaged, skipped"}), listed.output);
    CHECK(lines_with(listed.output, "stored mark ").size() >= 39);
    // The search had come to its end, and stays so.
    const auto later = run_child("tune-many", store.environment);
    CHECK_MESSAGE(later.exit_code == 0, later.output);
    CHECK_MESSAGE(mentions(later.output, {"trials 0 history"}), later.output);
    // Something else entirely.
    std::ofstream(store.file(), std::ios::trunc) << "no store of gemel's\n";
    const auto foreign = run_child("tune-many", store.environment);
    CHECK_MESSAGE(foreign.exit_code == 0, foreign.output);
    CHECK_MESSAGE(mentions(foreign.output, {"first line is not one of gemel's", "trials 40"}), foreign.output);
}

TEST_CASE("GEMEL_TUNE=off uses nothing that is stored") {
    const Store store;
    const auto before = lines_with(run_child("tune-use", store.environment).output, "threads ");
    const auto slim = lines_with(run_child("tune-store-slim", store.environment).output, "threads ");
    CHECK(slim != before);
    CHECK(lines_with(run_child("tune-use", store.with("GEMEL_TUNE", "use")).output, "threads ") == slim);
    CHECK(lines_with(run_child("tune-use", store.with("GEMEL_TUNE", "off")).output, "threads ") == before);
    const auto wrong = run_child("tune-use", store.with("GEMEL_TUNE", "on"));
    CHECK(wrong.exit_code != 0);
    CHECK(mentions(wrong.output, {"GEMEL_TUNE", "off | use | auto"}));
}

TEST_CASE("library calls are tuned, give right results and are used by later processes") {
    const Store store;
    const auto first = run_child("tune-calls", store.environment);
    CHECK_MESSAGE(first.exit_code == 0, first.output);
    CHECK_MESSAGE(
        mentions(first.output, {"elements: 4 trials, not slower 1, kept 1", "right 1", "reduction: 3 trials, 100000",
                                "scan: 3 trials, last 20000", "again: 0 trials, same 1", "the call chose no tuning"}),
        first.output);
    const auto second = run_child("tune-calls", store.environment);
    CHECK_MESSAGE(mentions(second.output, {"elements: 0 trials", "right 1", "reduction: 0 trials", "scan: 0 trials"}),
                  second.output);
    const auto sorted = run_child("tune-sort", store.environment);
    CHECK_MESSAGE(mentions(sorted.output, {"trials, sort, first 19999 last 0"}), sorted.output);
}

TEST_CASE("GEMEL_TUNE=auto tries others in the first calls, each of which runs once and is right") {
    const Store store;
    const auto first = run_child("tune-online", store.with("GEMEL_TUNE", "auto"));
    CHECK_MESSAGE(first.exit_code == 0, first.output);
    CHECK_MESSAGE(mentions(first.output, {"recorded 2", "right 1, stored 1", "sum 491520"}), first.output);
    const auto off = run_child("tune-online", store.with("GEMEL_TUNE", "off"));
    CHECK_MESSAGE(mentions(off.output, {"right 1, stored 1"}), off.output);
}
