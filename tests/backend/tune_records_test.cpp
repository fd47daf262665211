/// Which stored trials a search uses: by check, kernel text, space, size and device.
#include "child.hpp"
#include "generator_support.hpp"

#include <gemel/arrays/tune.hpp>
#include <gemel/core/text.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace gemel;
using namespace gemel::testing;
using tune::Point;

namespace {

std::string variable(const char* name) { return std::getenv(name) ? std::getenv(name) : ""; }

void print(const tune::Result& result) {
    std::size_t failed = 0;
    for (const tune::Trial& trial : result.history) failed += trial.milliseconds ? 0 : 1;
    std::printf("trials %zu, history %zu of %zu, failed %zu, %s, best %s\n", result.trials, result.history.size(),
                result.points, failed, result.stopped.c_str(), to_string(result.point).c_str());
}

/// A kernel that is wrong at one of two points, where it is faster.
int with_a_wrong_point() {
    const auto x = zeros<float>(Shape{1 << 16});
    const tune::Tuner tuner(
        {.name = "ones",
         .parameters = {{"is_wrong", {false, true}}},
         .source = "KERNEL void ones(GLOBAL_MEM float *x)\n"
                   "{ {%- if is_wrong %} x[0] = 1; {%- else %} x[GID_0] = 1; {%- endif %} }",
         .launch = [](const Point& p) { return LaunchConfig{.grid = {p["is_wrong"] ? 1 : 1 << 16}, .block = {1}}; }});
    tune::Options options;
    if (variable("TUNE_TEST_CHECK") == "1")
        options.check = [&] { return x.get() == std::vector<float>(1 << 16, 1.0f); };
    print(tuner.run(options, x));
    return 0;
}

tune::TunerSpec marking(std::vector<tune::Parameter> parameters) {
    return {.name = "mark",
            .parameters = std::move(parameters),
            .source = "KERNEL void mark(GLOBAL_MEM float *x) { if (LID_0 == 0) x[GID_0] = 1; }",
            .launch = [](const Point&) { return LaunchConfig{.grid = {1}, .block = {1}}; }};
}

/// Three trials of 40 points: prints them in their order.
int first_points() {
    std::vector<codegen::Value> values;
    for (int k = 0; k < 40; ++k) values.push_back(k);
    const tune::Result result = tune::Tuner(marking({{"k", values}})).run({.trials = 3}, zeros<float>(Shape{64}));
    for (const tune::Trial& trial : result.history) std::printf("%s ", to_string(trial.point).c_str());
    std::printf("\n");
    return 0;
}

int of_two_spaces() {
    const auto x = zeros<float>(Shape{64});
    const std::vector<tune::Parameter> larger{{"k", {1, 2, 3, 4}}}, smaller{{"k", {2, 3}}};
    for (const auto& parameters : {larger, smaller, smaller}) print(tune::Tuner(marking(parameters)).run({}, x));
    // Values whose texts are equal are those of other kernels.
    const std::vector<tune::Parameter> bools{{"k", {true, false}}}, words{{"k", {"true", "false"}}};
    for (const auto& parameters : {bools, words, bools}) print(tune::Tuner(marking(parameters)).run({}, x));
    return 0;
}

/// The report of a search, which is from the store the second time.
int report() {
    const auto x = zeros<float>(Shape{64});
    const tune::Tuner tuner(marking({{"wide", {true, false}}, {"share", {0.5, 1.0}}, {"word", {"007", "8"}}}));
    std::printf("%s", tuner.run({.strategy = tune::Strategy::exhaustive}, x).json().c_str());
    return 0;
}

/// One of the runs ends the process.
int with_a_deadly_run() {
    int runs = 0;
    const tune::Options options{.strategy = tune::Strategy::exhaustive, .prepare = [&] {
                                    if (std::to_string(++runs) == variable("TUNE_TEST_DEADLY")) ::raise(SIGKILL);
                                }};
    print(tune::Tuner(marking({{"k", {1, 2, 3}}})).run(options, zeros<float>(Shape{64})));
    return 0;
}
int list() {
    for (const tune::Stored& record : tune::stored()) {
        std::printf("best %s, %zu trials, %zu failed\n", to_string(record.point).c_str(), record.trials, record.failed);
        for (const tune::Trial& trial : record.history)
            std::printf("%s %s\n", to_string(trial.point).c_str(), trial.failure.c_str());
    }
    return 0;
}

/// A kernel whose text is a function of the point.
int of_a_function() {
    const bool has_more = variable("TUNE_TEST_MORE") == "1";
    const std::string changed = variable("TUNE_TEST_CHANGED");
    tune::TunerSpec spec = marking({{"k", {16, 32, 64}}});
    if (has_more) spec.parameters[0].values.insert(spec.parameters[0].values.begin(), 8);
    spec.source = [=](const Point& p) {
        const std::string k = std::to_string(p["k"]);
        return "KERNEL void mark(GLOBAL_MEM float *x) { x[GID_0] = " + k + (k == changed ? " + 1" : "") + "; }";
    };
    print(tune::Tuner(std::move(spec)).run({}, zeros<float>(Shape{64})));
    return 0;
}

const Child a("records-wrong-point", with_a_wrong_point), b("records-first-points", first_points),
    c("records-two-spaces", of_two_spaces), d("records-report", report), e("records-deadly", with_a_deadly_run),
    f("records-list", list), g("records-function", of_a_function);

struct Store {
    ScratchFolder folder;
    ChildResult run(const char* child, RunningChild::Environment more = {}) const {
        more.emplace_back("GEMEL_CACHE_DIR", (folder / "gemel").string());
        more.emplace_back("GEMEL_CACHE", "");
        return run_child(child, more);
    }
    /// The only file of the store.
    std::filesystem::path file() const {
        for (const auto& entry : std::filesystem::directory_iterator(folder / "gemel" / "tuning"))
            if (entry.path().extension() == ".tune") return entry.path();
        return {};
    }
    std::vector<std::string> lines() const {
        std::ifstream in(file());
        std::vector<std::string> lines;
        for (std::string line; std::getline(in, line);) lines.push_back(line);
        return lines;
    }
};

/// A line of the store.
std::string line_of(const std::string& body) { return digest(body).substr(0, 8) + "\t" + body + "\n"; }

}  // namespace

TEST_SUITE_BEGIN("tune");

TEST_CASE("a search with a check uses only trials that had one") {
    const Store store;
    const RunningChild::Environment check{{"TUNE_TEST_CHECK", "1"}};
    const auto unchecked = store.run("records-wrong-point").output;
    CHECK_MESSAGE(mentions(unchecked, {"trials 2, history 2 of 2, failed 0", "best is_wrong=true"}), unchecked);
    const auto checked = store.run("records-wrong-point", check).output;
    CHECK_MESSAGE(mentions(checked, {"trials 2, history 2 of 2, failed 1", "best is_wrong=false"}), checked);
    CHECK(mentions(store.run("records-wrong-point", check).output, {"trials 0", "failed 1", "stored"}));
    // Without a check both count: the later one.
    const auto either = store.run("records-wrong-point").output;
    CHECK_MESSAGE(mentions(either, {"trials 0", "failed 1", "stored", "best is_wrong=false"}), either);
}

TEST_CASE("trials of earlier versions count as unchecked") {
    const Store store;
    const RunningChild::Environment check{{"TUNE_TEST_CHECK", "1"}};
    CHECK(mentions(store.run("records-wrong-point", check).output, {"trials 2"}));
    const std::vector<std::string> lines = store.lines();
    std::ofstream out(store.file(), std::ios::trunc);
    out << lines.at(0) << "\n";
    for (std::size_t k = 1; k < lines.size(); ++k) {
        std::string body = lines[k].substr(9);
        if (body.ends_with("\tchecked")) body.erase(body.rfind('\t'));
        out << line_of(body);
    }
    out.close();
    CHECK(mentions(store.run("records-wrong-point").output, {"trials 0", "stored", "best is_wrong=false"}));
    // What failed is not tried again.
    CHECK(mentions(store.run("records-wrong-point", check).output, {"trials 1, history 2 of 2, failed 1"}));
}

TEST_CASE("a stored best point that has failed since is not used") {
    const Store store;
    CHECK(mentions(store.run("records-wrong-point").output, {"best is_wrong=true"}));
    std::string key;
    for (const std::string& line : store.lines())
        if (line.substr(9).starts_with("done\t")) key = line.substr(14, line.find('\t', 14) - 14);
    std::ofstream(store.file(), std::ios::app)
        << line_of("trial\t" + key + "\tis_wrong=true\t-\twrong result\tchecked");
    CHECK(mentions(store.run("records-list").output, {"best is_wrong=false, 2 trials, 1 failed"}));
    const auto later = store.run("records-wrong-point").output;
    CHECK_MESSAGE(mentions(later, {"trials 0, history 2 of 2, failed 1", "best is_wrong=false"}), later);
}

TEST_CASE("a search begins with the best points of the nearest sizes on this device") {
    const Store store;
    CHECK(store.run("records-first-points").exit_code == 0);
    const std::vector<std::string> lines = store.lines();
    const std::size_t from = lines.at(1).find("mark "), size = lines.at(1).find("(float*2^9)");
    REQUIRE(size != std::string::npos);
    const std::string kernel = lines[1].substr(from, size - from);
    const std::filesystem::path own = store.file();
    const auto trial = [&](const char* own_size, int k) {
        return line_of("trial\t" + kernel + own_size + "\tk=" + std::to_string(k) + "\t1\t\tunchecked");
    };
    std::ofstream(own, std::ios::trunc) << lines[0] << "\n"
                                        << trial("(float*2^20)", 20) << trial("(float*2^21)", 21)
                                        << trial("(float*2^22)", 22) << trial("(float*2^23)", 23)
                                        << trial("(float*2^7)", 7) << trial("(double*2^9)", 30);
    std::ofstream(store.folder / "gemel" / "tuning" / "other.tune") << "gemel tuning 1\tanother device\n"
                                                                    << trial("(float*2^9)", 9);
    const auto near = store.run("records-first-points").output;
    CHECK_MESSAGE(near == "k=7 k=20 k=21 \n", near);
    // Sizes on other devices come after all of this one.
    std::ofstream(own, std::ios::trunc) << lines[0] << "\n" << trial("(float*2^20)", 20);
    std::ofstream(store.folder / "gemel" / "tuning" / "other.tune", std::ios::app) << trial("(float*2^8)", 8);
    const auto far = store.run("records-first-points").output;
    CHECK_MESSAGE(far == "k=20 k=9 k=8 \n", far);
}

TEST_CASE("GEMEL_TUNE=off: searches measure anew and store their results") {
    const Store store;
    const RunningChild::Environment off{{"GEMEL_TUNE", "off"}};
    for (int round = 0; round < 2; ++round)
        CHECK(mentions(store.run("records-wrong-point", off).output, {"trials 2, history 2 of 2", "all points"}));
    CHECK(mentions(store.run("records-wrong-point").output, {"trials 0, history 2 of 2", "stored"}));
}

TEST_CASE("the history has only points of the space and values of its types") {
    const Store store;
    const auto spaces = store.run("records-two-spaces").output;
    CHECK_MESSAGE(mentions(spaces, {"trials 4, history 4 of 4", "trials 0, history 2 of 2, failed 0, all points",
                                    "trials 0, history 2 of 2, failed 0, stored"}),
                  spaces);
    CHECK_MESSAGE(mentions(spaces, {"stored, best k=", "\ntrials 2, history 2 of 2, failed 0, all points, best k="}),
                  spaces);
    std::size_t anew = 0;
    for (std::size_t at = 0; (at = spaces.find("trials 2, ", at)) != std::string::npos; ++at) ++anew;
    CHECK(anew == 2);  // the bools and the words
    const auto first = store.run("records-report").output, second = store.run("records-report").output;
    CHECK_MESSAGE(mentions(first, {"{\"wide\": true, \"share\": 0.5, \"word\": \"007\"}"}), first);
    CHECK_MESSAGE(mentions(second, {"\"share\": 1, \"word\": \"8\"}"}), second);
    CHECK(first == second);
}

TEST_CASE("a point that ended the process twice has failed, and is listed") {
    const Store store;
    CHECK(store.run("records-deadly", {{"TUNE_TEST_DEADLY", "2"}}).exit_code == -SIGKILL);
    CHECK(mentions(store.run("records-list").output, {"best k=1, 1 trials, 0 failed\nk=1 \n"}));
    CHECK(store.run("records-deadly", {{"TUNE_TEST_DEADLY", "1"}}).exit_code == -SIGKILL);
    const auto listed = store.run("records-list").output;
    CHECK_MESSAGE(mentions(listed, {"2 trials, 1 failed", "k=2 the process ended while it ran, twice"}), listed);
    const auto third = store.run("records-deadly").output;
    CHECK_MESSAGE(mentions(third, {"trials 1, history 3 of 3, failed 1"}), third);
}

TEST_CASE("trials of a kernel whose text is a function are used where the text is the same") {
    const Store store;
    CHECK(mentions(store.run("records-function").output, {"trials 3, history 3 of 3"}));
    CHECK(mentions(store.run("records-function").output, {"trials 0, history 3 of 3", "stored"}));
    const RunningChild::Environment more{{"TUNE_TEST_MORE", "1"}}, changed{{"TUNE_TEST_CHANGED", "32"}};
    const auto with_change = store.run("records-function", changed).output;
    CHECK_MESSAGE(mentions(with_change, {"trials 1, history 3 of 3"}), with_change);
    CHECK(mentions(store.run("records-function", changed).output, {"trials 0, history 3 of 3", "stored"}));
    // The trial of the other text is still there.
    CHECK(mentions(store.run("records-function").output, {"trials 0, history 3 of 3"}));
    const auto with_more = store.run("records-function", more).output;
    CHECK_MESSAGE(mentions(with_more, {"trials 1, history 4 of 4"}), with_more);
}
