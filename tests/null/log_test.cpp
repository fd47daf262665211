/// Messages for people: which are shown, where, and that logging never fails.
#include <gemel/core/error.hpp>
#include <gemel/core/log.hpp>

#include <doctest/doctest.h>
#include <pty.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <regex>
#include <thread>
#include <vector>

#include "scratch.hpp"

using namespace gemel;
using namespace gemel::testing;
using logging::Level;

namespace {

/// Collects messages, and restores levels and sink at the end.
class Collector {
   public:
    explicit Collector(std::string_view levels) {
        logging::set_levels(levels);
        logging::set_sink([this](Level, std::string_view subsystem, std::string_view message) {
            all_ += std::string(subsystem) + ":" + std::string(message) + ";";
        });
    }
    ~Collector() {
        logging::set_sink({});
        logging::set_levels("warn");
    }
    Collector(const Collector&) = delete;
    Collector& operator=(const Collector&) = delete;

    const std::string& all() const { return all_; }

   private:
    std::string all_;
};

/// Starts this program again with only one case, which is skipped otherwise, and returns what it writes to standard
/// error.
std::string run_again(const std::string& test_case) {
    const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
    const std::string command = "'" + program + "' --no-skip --test-case='" + test_case + "' 2>&1 >/dev/null";
    std::string out;
    FILE* const pipe = ::popen(command.c_str(), "r");
    REQUIRE(pipe != nullptr);
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
        out += static_cast<char>(c);
    }
    ::pclose(pipe);
    return out;
}

bool logs_at_exit = false;

/// Made before anything has logged, so it dies after whatever the first message makes.
struct LogsAtExit {
    ~LogsAtExit() {
        if (logs_at_exit) {
            logging::write(Level::error, "exit", "still here");
        }
    }
} const logs_when_destroyed;

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("levels choose what is shown") {
    const Collector collector("info");
    CHECK(logging::enabled(Level::info, "cache"));
    CHECK(logging::enabled(Level::error, "cache"));
    CHECK_FALSE(logging::enabled(Level::debug, "cache"));
    CHECK_FALSE(logging::enabled(Level::off, "cache"));
    logging::write(Level::debug, "cache", "no");
    logging::write(Level::info, "cache", "yes");
    logging::write(Level::off, "cache", "never");
    CHECK(collector.all() == "cache:yes;");
}

TEST_CASE("a subsystem may have a level of its own") {
    const Collector collector(" error , cache=debug,pool = off, cache=trace");
    CHECK(logging::enabled(Level::trace, "cache"));
    CHECK_FALSE(logging::enabled(Level::error, "pool"));
    CHECK_FALSE(logging::enabled(Level::warn, "other"));
    CHECK(logging::enabled(Level::error, "other"));
    CHECK_FALSE(logging::enabled(Level::warn, "cach"));
    logging::set_levels("cache=debug");
    CHECK(logging::enabled(Level::warn, "other"));
    CHECK_FALSE(logging::enabled(Level::info, "other"));
    logging::set_levels("off");
    CHECK_FALSE(logging::enabled(Level::error, "other"));
    logging::set_levels("");
    CHECK(logging::enabled(Level::warn, "other"));
}

TEST_CASE("unknown levels are refused and change nothing") {
    const Collector collector("trace");
    for (const std::string wrong : {"loud", "info,cache=loud", "=debug", "cache=", "info debug", "cache=debug=info"}) {
        CAPTURE(wrong);
        CHECK_THROWS_AS(logging::set_levels(wrong), ArgumentError);
    }
    CHECK_THROWS_WITH(logging::set_levels("loud"), doctest::Contains("trace, debug, info, warn, error and off"));
    CHECK(logging::enabled(Level::trace, "anything"));
}

TEST_CASE("what a sink throws is swallowed") {
    const Collector restores("info");
    int calls = 0;
    logging::set_sink([&](Level, std::string_view, std::string_view) {
        ++calls;
        throw std::runtime_error("no");
    });
    logging::write(Level::info, "test", "one");
    logging::write(Level::info, "test", "two");
    CHECK(calls == 2);
}

TEST_CASE("a sink that logs is not called again by itself") {
    const Collector restores("info");
    int calls = 0;
    bool refused = false;
    logging::set_sink([&](Level, std::string_view, std::string_view) {
        ++calls;
        logging::write(Level::trace, "test", "from inside");
        logging::set_levels("trace,test=off");  // What is logged inside would go to standard error.
        logging::write(Level::error, "test", "from inside");
        try {
            logging::set_sink({});
        } catch (const Error&) {
            refused = true;
        }
    });
    logging::write(Level::info, "test", "once");
    CHECK(calls == 1);
    CHECK(refused);
}

TEST_CASE("what a replaced sink owns may log while it dies") {
    const Collector collector("info");
    struct Owned {
        ~Owned() { logging::write(Level::info, "test", "dying"); }
    };
    logging::set_sink([owned = std::make_shared<Owned>()](Level, std::string_view, std::string_view) {});
    std::atomic<int> calls{0};
    logging::set_sink([&](Level, std::string_view, std::string_view) { ++calls; });
    CHECK(calls == 1);
}

TEST_CASE("many threads may log while sinks and levels change") {
    const Collector restores("info");
    std::atomic<bool> stop{false};
    std::atomic<int> after_end{0};
    std::atomic<int> calls{0};
    std::atomic<int> inside{0};
    std::atomic<int> crowded{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            while (!stop) {
                logging::write(Level::info, "test", "message");
            }
        });
    }
    for (int i = 0; i < 200; ++i) {
        auto alive = std::make_unique<std::atomic<bool>>(true);
        logging::set_sink([&, flag = alive.get()](Level, std::string_view, std::string_view) {
            ++calls;
            crowded += ++inside > 1 ? 1 : 0;
            std::this_thread::yield();
            after_end += *flag ? 0 : 1;
            --inside;
        });
        logging::set_levels(i % 2 == 0 ? "info" : "info,test=trace");
        for (const int before = calls; calls < before + 10;) {
            std::this_thread::yield();
        }
        // From here on nobody may be inside the function that knows the flag.
        logging::set_sink([](Level, std::string_view, std::string_view) {});
        *alive = false;
    }
    stop = true;
    for (std::thread& thread : threads) {
        thread.join();
    }
    CHECK(after_end == 0);
    CHECK(crowded == 0);
}

TEST_CASE("log child that writes" * doctest::skip()) {
    logs_at_exit = true;
    logging::write(Level::info, "cache", "an info");
    logging::write(Level::warn, "cache", "a warning with {} braces");
    logging::write(Level::error, "", "an error");
}

TEST_CASE("messages go to standard error with time and level and subsystem even at exit") {
    const ScopedVariable levels("GEMEL_LOG", std::nullopt);
    const std::string out = run_again("log child that writes");
    CAPTURE(out);
    const std::string time = "[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3} gemel ";
    CHECK(std::regex_match(out, std::regex(time + "warning cache: a warning with \\{\\} braces\n" + time +
                                           "error log: an error\n" + time + "error exit: still here\n")));
}

TEST_CASE("the environment chooses what is shown") {
    const ScopedVariable levels("GEMEL_LOG", "error,cache=info");
    const std::string out = run_again("log child that writes");
    CAPTURE(out);
    CHECK(out.find("info cache: an info\n") != std::string::npos);
}

TEST_CASE("an environment that is not understood is one warning and the default") {
    const ScopedVariable levels("GEMEL_LOG", "loud");
    const std::string out = run_again("log child that writes");
    CAPTURE(out);
    const std::size_t first = out.find("GEMEL_LOG is ignored");
    REQUIRE(first != std::string::npos);
    CHECK(out.find("'loud' is not a level") != std::string::npos);
    CHECK(out.find("GEMEL_LOG", first + 1) == std::string::npos);
    CHECK(out.find("an info") == std::string::npos);
    CHECK(out.find("a warning") != std::string::npos);
}

TEST_CASE("colour is for terminals") {
    const ScopedVariable levels("GEMEL_LOG", std::nullopt);
    const ScopedVariable term("TERM", "xterm-256color");
    CHECK(run_again("log child that writes").find('\033') == std::string::npos);

    const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
    int terminal = -1;
    const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
    if (child == 0) {
        ::execl(program.c_str(), program.c_str(), "--no-skip", "--test-case=log child that writes", "--no-colors",
                nullptr);
        ::_exit(1);
    }
    if (child < 0) {
        MESSAGE("not checked on a terminal: none can be had here");
        return;
    }
    std::string out;
    std::array<char, 4096> part{};
    // At the child's end reading a terminal fails.
    for (ssize_t count = ::read(terminal, part.data(), part.size()); count > 0;
         count = ::read(terminal, part.data(), part.size())) {
        out.append(part.data(), static_cast<std::size_t>(count));
    }
    ::close(terminal);
    status_of(child);
    CAPTURE(out);
    CHECK(out.find("a warning") != std::string::npos);
    CHECK(out.find('\033') != std::string::npos);
}

TEST_SUITE_END();
