/// The tuner of users' kernels: what it finds, what failed and why, what it stores, how it ends.
#include "child.hpp"
#include "generator_support.hpp"

#include <gemel/arrays/tune.hpp>

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>
#include <string>

using namespace gemel;
using namespace gemel::testing;
using tune::Point;

namespace {

constexpr std::int32_t n = 1 << 16;

// A parameter `fault` is a mistake of each kind: text that does not compile, results that are wrong, nothing written.
const char* const text = R"(
KERNEL void add_one(GLOBAL_MEM float *to, GLOBAL_MEM const float *from, int32_t n)
{
    const int32_t first = GID_0 * {{ block * items }} + LID_0;
    {%- for k in range(items) %}
    {%- if fault == 'text' %}
    undeclared = 1;
    {%- elif fault == 'result' %}
    if (first + {{ k * block }} < n) to[first + {{ k * block }}] = from[first + {{ k * block }}];
    {%- elif fault != 'nothing' %}
    if (first + {{ k * block }} < n) to[first + {{ k * block }}] = from[first + {{ k * block }}] + 1;
    {%- endif %}
    {%- endfor %}
})";

struct Work {
    GPUArray<float> from = zeros<float>(Shape{n}), to = full<float>(Shape{n}, 7.0f);
    bool is_right() const { return to.get() == std::vector<float>(n, 1.0f); }
};

tune::TunerSpec specification(std::vector<tune::Parameter> parameters) {
    return {.name = "add_one",
            .parameters = std::move(parameters),
            .constraints = {"block * items <= 256"},
            .source = text,
            .launch = [](const Point& p) {
                const auto block = p.value("fault").as_string() == "launch" ? std::int64_t{1} << 20 : p["block"];
                const auto per_block = p["block"] * p["items"];
                return LaunchConfig{.grid = {(n + per_block - 1) / per_block}, .block = {block}};
            }};
}
tune::Tuner plain_tuner() {
    return tune::Tuner(specification({{"block", {16, 64}}, {"items", {1, 4}}, {"fault", {"none"}}}));
}

struct Store {
    ScratchFolder folder;
    RunningChild::Environment environment{{"GEMEL_CACHE_DIR", (folder / "gemel").string()}, {"GEMEL_CACHE", ""}};
};

void print(const tune::Result& result) {
    std::size_t failed = 0;
    for (const tune::Trial& trial : result.history) failed += trial.milliseconds ? 0 : 1;
    std::printf("trials %zu, history %zu, failed %zu, stopped %s, best %s\n", result.trials, result.history.size(),
                failed, result.stopped.c_str(), to_string(result.point).c_str());
}

int failures() {
    const Work work;
    const tune::Tuner tuner(specification(
        {{"block", {64}}, {"items", {1, 2}}, {"fault", {"none", "text", "result", "nothing", "launch"}}}));
    const tune::Options options{.strategy = tune::Strategy::exhaustive, .check = [&] { return work.is_right(); }};
    const tune::Result result = tuner.run(options, work.to, work.from, n);
    print(result);
    for (const tune::Trial& trial : result.history)
        if (!trial.milliseconds)
            std::printf("%s -> %s\n", trial.point.value("fault").as_string().c_str(),
                        trial.failure.substr(0, 24).c_str());
    // What the kernel writes holds what it held.
    std::printf("put back %d, json %d %d %d\n", work.to.get() == std::vector<float>(n, 7.0f),
                result.json().find("\"invalidity\": \"compile\"") != std::string::npos,
                result.json().find("\"invalidity\": \"correctness\"") != std::string::npos,
                result.json().find("\"invalidity\": \"runtime\"") != std::string::npos);
    result.kernel(result.config, work.to, work.from, n);
    std::printf("right %d\n", work.is_right());
    return 0;
}

int all_fail() {
    const Work work;
    const tune::Tuner tuner(specification({{"block", {16}}, {"items", {1, 2}}, {"fault", {"text"}}}));
    const tune::Options interrupted{.trial_done = [](const tune::Trial&) { ::raise(SIGINT); }, .again = true};
    for (const tune::Options& options : {tune::Options{}, interrupted}) try {
            tuner.run(options, work.to, work.from, n);
        } catch (const Error& error) {
            std::printf("%s\n", error.what());
        }
    return 0;
}

int search() {
    const Work work;
    print(plain_tuner().run({.check = [&] { return work.is_right(); }}, work.to, work.from, n));
    return 0;
}
int search_two() {
    const Work work;
    print(plain_tuner().run({.trials = 2, .check = [&] { return work.is_right(); }}, work.to, work.from, n));
    return 0;
}
int search_again() {
    const Work work;
    print(plain_tuner().run({.again = true}, work.to, work.from, n));
    return 0;
}
/// Arrays of another size are other work, which begins with what was best for this.
int search_longer() {
    const auto from = zeros<float>(Shape{4 * n}), to = zeros<float>(Shape{4 * n});
    print(plain_tuner().run({.trials = 1}, to, from, n));
    return 0;
}

const char* const two_kernels = R"(
KERNEL void one(GLOBAL_MEM float *to, GLOBAL_MEM const float *from, int32_t n)
{
    const int32_t i = GID_0 * {{ block }} + LID_0;
    if (i < n) to[i] = from[i] + 1;
}
KERNEL void two(GLOBAL_MEM float *to, GLOBAL_MEM const float *from, int32_t n)
{
    const int32_t i = GID_0 * {{ block }} + LID_0;
    if (i < n) to[i] = from[i] + 2;
})";

LaunchConfig by_blocks(const Point& p) { return {.grid = {(n + p["block"] - 1) / p["block"]}, .block = {p["block"]}}; }

/// What belongs to a search's identity, and what ends a trial without a result.
int identities() {
    const Work work;
    const auto of = [&](const char* kernel, CompileOptions compile = {}) {
        return tune::Tuner({.name = "both",
                            .parameters = {{"block", {32, 64}}},
                            .source = two_kernels,
                            .kernel = kernel,
                            .launch = by_blocks,
                            .compile = compile});
    };
    for (const char* kernel : {"one", "two", "one"})
        std::printf("%s %zu\n", kernel, of(kernel).run({}, work.to, work.from, n).trials);
    std::printf("fast %zu\n", of("one", {.fast_math = true}).run({}, work.to, work.from, n).trials);
    std::printf("no time %zu\n", of("two", {.fast_math = true}).run({.seconds = 1e-9}, work.to, work.from, n).trials);
    const tune::Tuner plain = plain_tuner();
    int thrown = 0;
    for (int round = 0; round < 3; ++round) try {
            plain.run({.check = []() -> bool { throw std::runtime_error("the caller's"); }}, work.to, work.from, n);
        } catch (const std::runtime_error& error) {
            thrown += error.what() == std::string("the caller's");
        }
    std::printf("thrown %d\n", thrown);
    print(plain.run({}, work.to, work.from, n));
    const auto words =
        tune::Tuner({.name = "words",
                     .parameters = {{"block", {64}}, {"kind", {"1e5", "007", "+5", "nan", "inf", "true"}}},
                     .source = two_kernels,
                     .kernel = "one",
                     .launch = by_blocks});
    for (int round = 0; round < 2; ++round)
        print(words.run({.strategy = tune::Strategy::exhaustive}, work.to, work.from, n));
    return 0;
}

/// A texture has hidden parameters before the one that is written.
int textures() {
    const Work work;
    if (!default_device().info().has_images) return std::printf("put back 1, history 2\n"), 0;
    const Texture texture(ones<float>({16, 16}), Sampler{});
    const tune::Tuner tuner({.name = "sampled",
                             .parameters = {{"block", {32, 64}}},
                             .source = "KERNEL void sampled(TEXTURE_2D(t), GLOBAL_MEM const float *a, GLOBAL_MEM const "
                                       "float *b, GLOBAL_MEM const float *c, GLOBAL_MEM float *to, int32_t n)\n"
                                       "{ const int32_t i = GID_0 * {{ block }} + LID_0;\n"
                                       "  if (i < n) to[i] += a[i] + b[i] + c[i] + texture_read_2d(t, 1, 1).x; }",
                             .kernel = "sampled",
                             .launch = by_blocks});
    const tune::Result result = tuner.run({.check = [&] { return work.to.get()[5] == 8.0f; }}, texture, work.from,
                                          work.from, work.from, work.to, n);
    std::printf("put back %d, history %zu\n", work.to.get() == std::vector<float>(n, 7.0f), result.history.size());
    return 0;
}

void ignore(int) {}
int interrupted() {
    const Work work;
    std::signal(SIGINT, ignore);
    const tune::Options options{.check = [&] { return work.is_right(); },
                                .trial_done = [](const tune::Trial&) { ::raise(SIGINT); }};
    const tune::Result result = plain_tuner().run(options, work.to, work.from, n);
    print(result);
    // The handler that was there is there again.
    std::printf("restored %d\n", std::signal(SIGINT, SIG_DFL) == ignore);
    result.kernel(result.config, work.to, work.from, n);
    std::printf("right %d\n", work.is_right());
    return 0;
}

int report() {
    const Work work;
    const tune::Result result = plain_tuner().run({}, work.to, work.from, n);
    const ScratchFolder folder;
    result.save_json(folder / "r.json");
    result.save_page(folder / "r.html");
    const auto contents = [](const std::filesystem::path& file) {
        std::stringstream all;
        all << std::ifstream(file).rdbuf();
        return all.str();
    };
    std::printf("%d %d\n", contents(folder / "r.json") == result.json(), contents(folder / "r.html") == result.page());
    std::printf("%s%s", result.json().c_str(), result.page().c_str());
    try {
        result.save_json(folder / "no/folder/r.json");
    } catch (const Error& error) {
        std::printf("\nrefused: %s\n", error.what());
    }
    return 0;
}

const Child failing("tuner-failures", failures), hopeless("tuner-all-fail", all_fail),
    searching("tuner-search", search), searching_two("tuner-search-two", search_two),
    searching_again("tuner-search-again", search_again), searching_longer("tuner-search-longer", search_longer),
    interrupting("tuner-interrupted", interrupted), reporting("tuner-report", report),
    identifying("tuner-identities", identities), sampling("tuner-textures", textures);

}  // namespace

TEST_SUITE_BEGIN("tune");

TEST_CASE("points that do not compile, are refused or give wrong results fail with their reasons") {
    const Store store;
    const auto first = run_child("tuner-failures", store.environment);
    CHECK_MESSAGE(first.exit_code == 0, first.output);
    CHECK_MESSAGE(
        mentions(first.output, {"trials 10, history 10, failed 8, stopped all points", "text -> does not compile",
                                "result -> wrong result", "nothing -> wrong result", "launch -> is refused",
                                "put back 1, json 1 1 1", "right 1"}),
        first.output);
    // From the store: the same, and nothing is run.
    const auto second = run_child("tuner-failures", store.environment);
    CHECK_MESSAGE(mentions(second.output, {"trials 0, history 10, failed 8, stopped stored", "right 1"}),
                  second.output);
    const auto none = run_child("tuner-all-fail", store.environment);
    CHECK_MESSAGE(mentions(none.output,
                           {"tune 'add_one': none of 2 points ran: does not compile",
                            "tune 'add_one': none of 1 point ran: does not compile", "; the search was interrupted"}),
                  none.output);
}

TEST_CASE("a search goes on where another ended; other sizes are other work; again measures anew") {
    const Store store;
    CHECK(
        mentions(run_child("tuner-search-two", store.environment).output, {"trials 2, history 2", "stopped 2 trials"}));
    CHECK(mentions(run_child("tuner-search-two", store.environment).output, {"trials 0, history 2", "stopped stored"}));
    CHECK(mentions(run_child("tuner-search", store.environment).output, {"trials 2, history 4", "stopped all points"}));
    const auto stored = run_child("tuner-search", store.environment).output;
    CHECK(mentions(stored, {"trials 0, history 4", "stopped stored"}));
    // The point that a search on arrays four times as long begins with is the best one of these.
    const auto longer = run_child("tuner-search-longer", store.environment).output;
    CHECK(mentions(longer, {"trials 1, history 1"}));
    CHECK(mentions(run_child("tuner-search-again", store.environment).output, {"trials 4, history 4"}));
}

TEST_CASE("kernels and options have results of their own, and what a caller throws is no failure") {
    const Store store;
    const auto made = run_child("tuner-identities", store.environment);
    CHECK_MESSAGE(made.exit_code == 0, made.output);
    CHECK_MESSAGE(
        mentions(made.output, {"one 2\ntwo 2\none 0\nfast 2\nno time 1\nthrown 3\ntrials 4, history 4, failed 0",
                               "trials 6, history 6, failed 0", "trials 0, history 6, failed 0"}),
        made.output);
    const auto sampled = run_child("tuner-textures", store.environment);
    CHECK_MESSAGE(mentions(sampled.output, {"put back 1, history 2"}), sampled.output);
}

TEST_CASE("Ctrl-C ends a search after the trial under way, and what was found is kept") {
    const Store store;
    const auto first = run_child("tuner-interrupted", store.environment);
    CHECK_MESSAGE(first.exit_code == 0, first.output);
    CHECK_MESSAGE(
        mentions(first.output, {"trials 1, history 1, failed 0, stopped interrupted", "restored 1", "right 1"}),
        first.output);
    CHECK(mentions(run_child("tuner-search", store.environment).output, {"trials 3, history 4"}));
}

TEST_CASE("reports: JSON in the T4 format, a page of its own") {
    const Store store;
    const auto made = run_child("tuner-report", store.environment);
    CHECK_MESSAGE(made.exit_code == 0, made.output);
    CHECK_MESSAGE(
        mentions(made.output, {"1 1\n", "{\"schema_version\": \"1.0.0\", \"results\": [",
                               "\"configuration\": {\"block\": 16, \"items\": 1, \"fault\": \"none\"}",
                               "\"invalidity\": \"correct\", \"correctness\": 1", "\"unit\": \"ms\"", "<!DOCTYPE html>",
                               "<th>block</th>", "</html>", "refused: tune: cannot write"}),
        made.output);
}

TEST_CASE("a specification that cannot be right is refused") {
    const auto refusal = [](tune::TunerSpec spec) {
        try {
            tune::Tuner(std::move(spec)).space(default_context().device());
        } catch (const ArgumentError& error) {
            return std::string(error.what());
        }
        return std::string("not refused");
    };
    tune::TunerSpec spec = specification({{"block", {16}}, {"items", {1}}, {"fault", {"none"}}});
    CHECK(refusal(spec) == "not refused");
    spec.launch = {};
    CHECK(mentions(refusal(spec), {"Tuner 'add_one'", "no launch"}));
    spec = specification({});
    CHECK(mentions(refusal(spec), {"no parameters"}));
    spec = specification({{"block", {16}}, {"items", {1}}});
    spec.source = "{% for %}";
    CHECK(mentions(refusal(spec), {"add_one"}));
    spec = specification({{"block", {16}}, {"items", {1}}});
    spec.constraints.push_back("blck <= device.max_threads_per_block");
    CHECK(mentions(refusal(spec), {"blck"}));
    spec.constraints.back() = "block > device.max_threads_per_block";
    CHECK(mentions(refusal(spec), {"no point satisfies"}));
}

// Points are compiled before their turn, but none beyond the last trial.
TEST_CASE("no more points are compiled than are tried") {
    std::mutex mutex;
    std::set<std::int64_t> made;
    tune::TunerSpec spec = specification({{"block", {16, 32, 64}}, {"items", {1, 2, 4}}, {"fault", {"none"}}});
    spec.kernel = spec.name;
    spec.source = [&](const Point& point) {
        const std::lock_guard lock(mutex);
        const std::string items = std::to_string(point["items"]), block = std::to_string(point["block"]);
        made.insert(point["block"] * 8 + point["items"]);
        return "KERNEL void add_one(GLOBAL_MEM float *to, GLOBAL_MEM const float *from, int32_t n)\n"
               "{\n"
               "    for (int32_t k = 0; k < " +
               items +
               "; ++k) {\n"
               "        const int32_t i = (GID_0 * " +
               items + " + k) * " + block +
               " + LID_0;\n"
               "        if (i < n) to[i] = from[i] + 1;\n"
               "    }\n"
               "}\n";
    };
    const Work work;
    const tune::Result result =
        tune::Tuner(std::move(spec))
            .run({.trials = 3, .strategy = tune::Strategy::random, .again = true}, work.to, work.from, n);
    CHECK(result.trials == 3);
    CHECK(made.size() == 3);
}
