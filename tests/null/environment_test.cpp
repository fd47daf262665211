/// The table of environment variables: how values are read, and that the documentation says the same.
#include <gemel/core/environment.hpp>
#include <gemel/core/error.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <regex>
#include <set>
#include <sstream>

#include "scratch.hpp"

using namespace gemel;
using namespace gemel::testing;

namespace {

/// The message of the ArgumentError that a function throws.
template <class Function>
std::string refusal(const Function& function) {
    try {
        function();
    } catch (const ArgumentError& error) {
        return error.what();
    }
    return "nothing was thrown";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string documentation() { return read_file(GEMEL_SOURCE_DIR "/docs/environment.md"); }

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("a variable that is unset or empty has no value") {
    const ScopedVariable unset("GEMEL_DEVICE", std::nullopt);
    CHECK_FALSE(env::get("GEMEL_DEVICE"));
    const ScopedVariable empty("GEMEL_DEVICE", "");
    CHECK_FALSE(env::get("GEMEL_DEVICE"));
    const ScopedVariable set("GEMEL_DEVICE", "H200");
    CHECK(env::get("GEMEL_DEVICE") == "H200");
}

TEST_CASE("a variable that is missing from the table is a mistake of the program") {
    const ScopedVariable set("GEMEL_TYPO", "1");
    CHECK_THROWS_WITH_AS(env::get("GEMEL_TYPO"), doctest::Contains("GEMEL_TYPO"), Error);
    CHECK_THROWS_AS(env::flag("GEMEL_TYPO"), Error);
    CHECK_THROWS_AS(env::get("HOME"), Error);
}

TEST_CASE("a choice takes its words in any case and nothing else") {
    const ScopedVariable cache("GEMEL_CACHE", "ReadOnly");
    CHECK(env::get("GEMEL_CACHE") == "readonly");
    for (const std::string wrong : {"maybe", "1", "o", "on | readonly", "|", " "}) {
        CAPTURE(wrong);
        const ScopedVariable set("GEMEL_CACHE", wrong);
        const std::string message = refusal([] { env::get("GEMEL_CACHE"); });
        CHECK(has(message, "GEMEL_CACHE"));
        CHECK(has(message, "'" + wrong + "'"));
        CHECK(has(message, "on | readonly | off"));
    }
}

TEST_CASE("a flag that is not set is what its reader says") {
    for (const auto& value : {std::optional<std::string>(), std::optional<std::string>("")}) {
        const ScopedVariable unset("GEMEL_OVERLAP", value);
        CHECK(env::flag("GEMEL_OVERLAP", true));
        CHECK_FALSE(env::flag("GEMEL_OVERLAP", false));
    }
    const ScopedVariable off("GEMEL_OVERLAP", "off");
    CHECK_FALSE(env::flag("GEMEL_OVERLAP", true));
}

TEST_CASE("a flag takes the usual words") {
    const ScopedVariable unset("GEMEL_TRACE", std::nullopt);
    CHECK_FALSE(env::flag("GEMEL_TRACE"));
    for (const std::string on : {"1", "on", "true", "yes", "TRUE"}) {
        const ScopedVariable set("GEMEL_TRACE", on);
        CHECK(env::flag("GEMEL_TRACE"));
    }
    for (const std::string off : {"0", "off", "false", "no", "Off", ""}) {
        const ScopedVariable set("GEMEL_TRACE", off);
        CHECK_FALSE(env::flag("GEMEL_TRACE"));
    }
    const ScopedVariable set("GEMEL_TRACE", "2");
    CHECK(has(refusal([] { env::flag("GEMEL_TRACE"); }), "GEMEL_TRACE is '2'"));
    CHECK(has(refusal([] { env::get("GEMEL_TRACE"); }), "1, on, true, yes, 0, off, false or no"));
}

TEST_CASE("sizes take units and shares") {
    constexpr std::size_t total = 1000;
    const auto bytes = [&](const std::string& value) {
        const ScopedVariable set("GEMEL_POOL_LIMIT", value);
        return env::bytes("GEMEL_POOL_LIMIT", total);
    };
    const ScopedVariable unset("GEMEL_POOL_LIMIT", std::nullopt);
    CHECK_FALSE(env::bytes("GEMEL_POOL_LIMIT", total));
    CHECK(bytes("0") == 0);
    CHECK(bytes("1048576") == 1048576);
    CHECK(bytes("512K") == 512 * 1024);
    CHECK(bytes("3m") == 3 * 1024 * 1024);
    CHECK(bytes("2G") == std::size_t{2} << 30);
    CHECK(bytes("2GiB") == std::size_t{2} << 30);
    CHECK(bytes("2gb") == std::size_t{2} << 30);
    CHECK(bytes("1T") == std::size_t{1} << 40);
    CHECK(bytes("7b") == 7);
    CHECK(bytes("80%") == 800);
    CHECK(bytes("100%") == 1000);
    CHECK(bytes("18446744073709551615") == std::numeric_limits<std::size_t>::max());
    {
        const ScopedVariable set("GEMEL_POOL_LIMIT", "99%");
        CHECK(env::bytes("GEMEL_POOL_LIMIT", std::numeric_limits<std::size_t>::max()) > std::size_t{1} << 63);
        CHECK(env::bytes("GEMEL_POOL_LIMIT", 99) == 98);
    }
    {
        const ScopedVariable set("GEMEL_POOL_LIMIT", "1%");
        CHECK(env::bytes("GEMEL_POOL_LIMIT", 50) == 1);  // 0 would be no limit
    }
    for (const std::string wrong : {"x", "G", "-1", "1.5G", "1 G", "101%", "0%", "%", "1X", "1Gi", "1GBB", "1Kx", "1%%",
                                    "18446744073709551616", "18446744073709551615K", "16777216T"}) {
        CAPTURE(wrong);
        const std::string message = refusal([&] { bytes(wrong); });
        CHECK(has(message, "GEMEL_POOL_LIMIT"));
        CHECK(has(message, wrong));
        CHECK(has(message, "80%"));
    }
}

TEST_CASE("the table shows the values in force and never throws") {
    const ScopedVariable cache("GEMEL_CACHE", "nonsense");
    const ScopedVariable device("GEMEL_DEVICE", std::nullopt);
    const std::vector<EnvironmentVariable> table = environment();
    std::set<std::string> names;
    for (const EnvironmentVariable& variable : table) {
        CHECK(variable.name.starts_with("GEMEL_"));
        CHECK_FALSE(variable.values.empty());
        CHECK(variable.meaning.ends_with("."));
        CHECK(names.insert(variable.name).second);
        if (variable.name == "GEMEL_CACHE") {
            CHECK(variable.current == "nonsense");
        }
        if (variable.name == "GEMEL_DEVICE") {
            CHECK_FALSE(variable.current);
        }
    }
    CHECK(names.contains("GEMEL_CACHE"));
    CHECK(names.contains("GEMEL_DEVICE"));
}

TEST_CASE("the documentation has the table of the code") {
    // A | inside a cell of a Markdown table is written \|.
    std::string expected;
    for (const EnvironmentVariable& variable : environment()) {
        const std::string values = std::regex_replace(variable.values, std::regex("\\|"), "\\|");
        expected += "| `" + variable.name + "` | " + values + " | " + variable.meaning + " |\n";
    }
    INFO("the rows should be:\n" << expected);
    CHECK(has(documentation(), expected));
}

TEST_CASE("the documentation names no variable that the code does not read") {
    std::set<std::string> known;
    for (const EnvironmentVariable& variable : environment()) {
        known.insert(variable.name);
    }
    const std::string document = documentation();
    REQUIRE_FALSE(document.empty());
    const std::regex name("GEMEL_[A-Z_]+");
    for (std::sregex_iterator it(document.begin(), document.end(), name), end; it != end; ++it) {
        CAPTURE(it->str());
        CHECK(known.contains(it->str()));
    }
}

TEST_CASE("the documentation has every variable of others that the code reads or sets") {
    const std::string document = documentation();
    const std::regex name("\"((CUDA|POCL|OCL|OPENCL|MESA|NEO|XDG)_(?!ERROR)[A-Z_]+|HOME|TMPDIR)\"");
    std::set<std::string> found;
    for (const char* folder : {"core/src", "backends/cuda", "backends/opencl"}) {
        for (const auto& entry :
             std::filesystem::recursive_directory_iterator(std::string(GEMEL_SOURCE_DIR "/") + folder)) {
            if (!entry.is_regular_file()) continue;
            const std::string text = read_file(entry.path());
            for (std::sregex_iterator it(text.begin(), text.end(), name), end; it != end; ++it) found.insert((*it)[1]);
        }
    }
    CHECK(found.size() >= 12);
    for (const std::string& variable : found) {
        CAPTURE(variable);
        CHECK(has(document, "`" + variable + "`"));
    }
}

TEST_CASE("all values are checked at once") {
    env::check_values();
    for (const auto& [name, value] : {std::pair("GEMEL_OVERLAP", "3"), std::pair("GEMEL_EXTERNAL_MEMORY", "x"),
                                      std::pair("GEMEL_COPY_PIECE", "abc"), std::pair("GEMEL_COMPILE", "maybe"),
                                      std::pair("GEMEL_OPENCL_COMPILER", "gcc"), std::pair("GEMEL_POOL_LIMIT", "0%")}) {
        const ScopedVariable set(name, value);
        CHECK(has(refusal([] { env::check_values(); }), name));
    }
}

TEST_SUITE_END();
