/// `gemel tune`: kernel files, what they say wrongly, and the stored trials.
#include "child.hpp"
#include "generator_support.hpp"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#ifdef GEMEL_COMMAND
using namespace gemel;
using namespace gemel::testing;

namespace {

struct Output {
    int status = 0;
    std::string text;
};

struct Store {
    ScratchFolder folder;

    /// @returns the name of a kernel file with this text
    std::string write(const std::string& text) const {
        write_file(folder / "file.kernel", text);
        return (folder / "file.kernel").string();
    }
    Output run(const std::string& arguments, const std::string& variables = "") const {
        const std::string line = "GEMEL_CACHE= GEMEL_CACHE_DIR='" + (folder / "gemel").string() + "' " + variables +
                                 " " GEMEL_COMMAND " " + arguments + " 2>&1";
        std::FILE* const pipe = ::popen(line.c_str(), "r");
        REQUIRE(pipe != nullptr);
        Output output;
        char piece[4096];
        while (const std::size_t n = std::fread(piece, 1, sizeof piece, pipe)) output.text.append(piece, n);
        output.status = ::pclose(pipe);
        return output;
    }
};

/// A kernel file with one parameter, whose comments can be replaced.
struct MarkFile {
    std::string parameter = "k = 1, 2", grid = "1", block = "1", arguments = "float[16]", body = "x[GID_0] = {{ k }};";
    std::string text() const {
        return "// tune kernel mark\n// tune parameter " + parameter + "\n// tune grid " + grid + "\n// tune block " +
               block + "\n// tune arguments " + arguments + "\nKERNEL void mark(GLOBAL_MEM float *x) { " + body +
               " }\n";
    }
};

bool has_stored_trials(const std::filesystem::path& folder) {
    std::error_code failure;
    for (const auto& entry : std::filesystem::directory_iterator(folder, failure))
        if (read_file(entry.path()).find("\ttrial\t") != std::string::npos) return true;
    return false;
}

/// `gemel tune FILE`, interrupted after its first trial.
int interrupted_command() {
    const std::string file = std::getenv("TUNE_TEST_FILE"), folder = std::getenv("GEMEL_CACHE_DIR");
    if (::fork() == 0) {
        for (int k = 0; k < 6000 && !has_stored_trials(folder + "/tuning"); ++k)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        ::kill(::getppid(), SIGINT);
        ::_exit(0);
    }
    std::signal(SIGINT, SIG_DFL);
    ::execl(GEMEL_COMMAND, "gemel", "tune", file.c_str(), "--trials", "400", nullptr);
    return 1;
}

const Child a("tune-file-interrupted", interrupted_command);

}  // namespace

TEST_SUITE_BEGIN("tune");

TEST_CASE("gemel tune: a kernel file, and what is stored") {
    const Store store;
    const std::string file = store.write(
        "// tune kernel twice\n"
        "// tune parameter block = 16, 64\n"
        "// tune parameter items = 1, 2\n"
        "// tune constraint block * items <= 64\n"
        "// tune block block\n"
        "// tune grid 1024 // (block * items)\n"
        "// tune arguments float[1024], float[32 * 32], int32_t 1024\n"
        "KERNEL void twice(GLOBAL_MEM float *to, GLOBAL_MEM const float *from, int32_t n)\n"
        "{\n"
        "    for (int32_t k = 0; k < {{ items }}; ++k) {\n"
        "        const int32_t i = (GID_0 * {{ items }} + k) * {{ block }} + LID_0;\n"
        "        if (i < n) to[i] = 2 * from[i];\n"
        "    }\n"
        "}\n");
    const std::string json = (store.folder / "r.json").string(), page = (store.folder / "r.html").string();
    const Output tuned = store.run("tune '" + file + "' --json '" + json + "' --page '" + page + "'");
    CHECK(tuned.status == 0);
    CHECK_MESSAGE(mentions(tuned.text, {"twice on ", "3 of 3 points tried, 3 of them now"}), tuned.text);
    CHECK(std::filesystem::file_size(json) > 100);
    CHECK(std::filesystem::file_size(page) > 1000);
    CHECK(mentions(store.run("tune '" + file + "' --trials 2").text, {"0 of them now"}));
    CHECK(mentions(store.run("tune ls").text, {"twice ", "3 trials"}));
    CHECK(mentions(store.run("tune show twice").text, {"block=16 items=2", "fastest: "}));
    CHECK(mentions(store.run("tune export twice").text, {"\"schema_version\": \"1.0.0\""}));
    CHECK(store.run("tune export nothing").status != 0);
    CHECK(mentions(store.run("tune clear twice").text, {"removed "}));
    CHECK_FALSE(mentions(store.run("tune ls").text, {"twice "}));
    std::ofstream(file, std::ios::app) << "// tune speed fast\n";
    const Output wrong = store.run("tune '" + file + "'");
    CHECK(wrong.status != 0);
    CHECK_MESSAGE(mentions(wrong.text, {"\"// tune speed fast\"", "expected kernel, parameter, constraint"}),
                  wrong.text);
    CHECK(store.run("tune").status != 0);
}

TEST_CASE("gemel tune: GEMEL_TUNE=off measures anew") {
    const Store store;
    const std::string file = "tune '" + store.write(MarkFile{}.text()) + "'";
    for (int round = 0; round < 2; ++round)
        CHECK(mentions(store.run(file, "GEMEL_TUNE=off").text, {"2 of 2 points tried, 2 of them now (all points)"}));
    CHECK(mentions(store.run(file).text, {"2 of 2 points tried, 0 of them now (stored)"}));
}

TEST_CASE("gemel tune: values are integers, floating-point numbers, bools or words") {
    const Store store;
    const std::string file = store.write(
        "// tune kernel mark\n"
        "// tune parameter shift = -1, 2\n"
        "// tune parameter share = 0.5, 1e-3, 1.5\n"
        "// tune parameter wide = true, false\n"
        "  // tune parameter kind = inf, 16x\r\n"
        "// tune constraint shift < 0 and share > 0.1\n"
        "// tune grid 7.9 // 2\n"
        "// tune block shift + 2, 1\n"
        "// tune arguments float[2 * 8], int32_t 7 / 2, float 1e-3, uint64_t 18446744073709551615\n"
        "KERNEL void mark(GLOBAL_MEM float *x, int32_t a, float b, uint64_t c) {\n"
        "    x[GID_0] = a + b + c; {% if wide %} undeclared; {% endif %}\n"
        "}\n");
    const std::string json = (store.folder / "r.json").string();
    const Output tuned = store.run("tune '" + file + "' --json '" + json + "'");
    CHECK_MESSAGE(mentions(tuned.text, {"8 of 8 points tried"}), tuned.text);
    const std::string report = read_file(json);
    CHECK_MESSAGE(mentions(report, {"{\"shift\": -1, \"share\": 0.5, \"wide\": false, \"kind\": \"inf\"}",
                                    "{\"shift\": -1, \"share\": 1.5, \"wide\": true, \"kind\": \"16x\"}"}),
                  report);
    CHECK(mentions(store.run("tune ls").text, {"8 trials, 4 failed"}));
}

TEST_CASE("gemel tune: errors of a kernel file name its line") {
    const Store store;
    const auto complaint = [&](const MarkFile& given) {
        const Output output = store.run("tune '" + store.write(given.text()) + "' --again");
        CHECK(output.status != 0);
        return output.text;
    };
    const auto check = [&](const MarkFile& given, std::initializer_list<const char*> words) {
        const std::string found = complaint(given);
        for (const char* const word : words) CHECK_MESSAGE(found.find(word) != std::string::npos, found);
    };
    check({.parameter = "= 3"}, {"file.kernel:2: \"// tune parameter = 3\": expected", "got no name"});
    check({.parameter = "k"}, {"file.kernel:2: ", "NAME = VALUE", "got no '='"});
    check({.parameter = "k = ,"}, {"file.kernel:2: ", "got no value"});
    check({.parameter = "k = 99999999999999999999"},
          {"file.kernel:2: ", "-2^63 to 2^63 - 1, got 99999999999999999999"});
    check({.grid = "'x'"}, {"file.kernel:3: ", "cannot make an integer of 'x'"});
    check({.grid = "2 ** 63"}, {"file.kernel:3: ", "expected an integer from 1 to 2^63 - 1 as the value of 2 ** 63"});
    check({.grid = "k - 2"}, {"file.kernel:3: ", "as the value of k - 2, got -1"});
    check({.grid = "1, 1, 1, 1"}, {"file.kernel:3: ", "at most 3 axes, got 4"});
    check({.block = "missing"}, {"file.kernel:4: ", "missing"});
    check({.arguments = "float 'x'"}, {"file.kernel:5: ", "expected a value of float, got 'x'"});
    check({.arguments = "float 1e50"}, {"file.kernel:5: ", "expected a value of float"});
    check({.arguments = "int32_t 3000000000"}, {"file.kernel:5: ", "expected a value of int32_t, got '3000000000'"});
    check({.arguments = "uint32_t 'x'"}, {"file.kernel:5: ", "cannot make an integer of 'x'"});
    check({.arguments = "float['x']"}, {"file.kernel:5: ", "cannot make an integer of 'x'"});
    check({.arguments = "float[-1]"}, {"file.kernel:5: ", "expected an integer from 0", "got -1"});
    check({.arguments = "float[16"}, {"file.kernel:5: ", "expected TYPE[COUNT], got no ']'"});
    check({.arguments = "floaty[16]"}, {"file.kernel:5: ", "expected an element type", "got 'floaty'"});
    check({.arguments = "half 3"}, {"file.kernel:5: ", "expected a value of float, double"});
    check({.arguments = "16"}, {"file.kernel:5: ", "expected TYPE[COUNT] or TYPE VALUE"});
}

TEST_CASE("gemel tune: Ctrl-C keeps the trials and says so") {
    const Store store;
    std::string values = "0";
    for (int k = 1; k < 400; ++k) values += ", " + std::to_string(k);
    const std::string file = store.write(MarkFile{.parameter = "k = " + values}.text());
    const auto result = run_child(
        "tune-file-interrupted",
        {{"GEMEL_CACHE_DIR", (store.folder / "gemel").string()}, {"GEMEL_CACHE", ""}, {"TUNE_TEST_FILE", file}});
    CHECK_MESSAGE(result.exit_code == 130, result.exit_code);
    CHECK_MESSAGE(mentions(result.output, {"of them now (interrupted)", "gemel: interrupted; the trials are stored"}),
                  result.output);
    CHECK(mentions(store.run("tune ls").text, {"mark ", " trial"}));
}
#endif
