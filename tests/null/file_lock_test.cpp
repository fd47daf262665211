/// The lock between processes.
#include <gemel/core/file_lock.hpp>
#include <gemel/core/log.hpp>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <atomic>
#include <csignal>
#include <thread>
#include <vector>

#include "scratch.hpp"

using namespace gemel;
using namespace gemel::testing;

TEST_SUITE_BEGIN("core");

TEST_CASE("a file lock is held by one thread at a time") {
    const ScratchFolder scratch;
    std::atomic<int> inside{0};
    std::atomic<int> crowded{0};
    std::atomic<int> without{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 50; ++i) {
                const FileLock lock(scratch / "deep" / "lock");
                without += lock.held() ? 0 : 1;
                crowded += ++inside > 1 ? 1 : 0;
                std::this_thread::sleep_for(std::chrono::microseconds(50));
                --inside;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    CHECK(without == 0);
    CHECK(crowded == 0);
    CHECK((std::filesystem::status(scratch / "deep").permissions() & std::filesystem::perms::all) ==
          std::filesystem::perms::owner_all);
}

TEST_CASE("a file lock is held by one process at a time") {
    const ScratchFolder scratch;
    // Reading, waiting and writing back loses counts unless the others wait.
    write_file(scratch / "count", "0");
    std::vector<pid_t> children;
    for (int c = 0; c < 4; ++c) {
        children.push_back(in_child([&] {
            for (int i = 0; i < 25; ++i) {
                const FileLock lock(scratch / "lock");
                const int count = std::stoi(read_file(scratch / "count"));
                ::usleep(200);
                write_file(scratch / "count", std::to_string(count + 1));
            }
            return 0;
        }));
    }
    for (const pid_t child : children) {
        CHECK(status_of(child) == 0);
    }
    CHECK(read_file(scratch / "count") == "100");
}

TEST_CASE("a killed process gives its file lock back") {
    const ScratchFolder scratch;
    const pid_t child = in_child([&] {
        const FileLock lock(scratch / "lock");
        write_file(scratch / "held", "");
        for (;;) {
            ::pause();
        }
        return 0;
    });
    while (!std::filesystem::exists(scratch / "held")) {
        ::usleep(1000);
    }
    ::kill(child, SIGKILL);
    status_of(child);
    CHECK(FileLock(scratch / "lock").held());
}

TEST_CASE("a file lock is given back although a forked child lives on") {
    const ScratchFolder scratch;
    pid_t child = -1;
    {
        const FileLock lock(scratch / "lock");
        child = in_child([] {
            ::pause();
            return 0;
        });
    }
    // Waits for ever unless the lock was given back by name.
    ::alarm(20);
    CHECK(FileLock(scratch / "lock").held());
    ::alarm(0);
    ::kill(child, SIGKILL);
    status_of(child);
}

TEST_CASE("a file lock whose file vanished while it waited is taken on the new file") {
    const ScratchFolder scratch;
    auto first = std::make_unique<FileLock>(scratch / "lock");
    std::atomic<bool> done{false};
    std::thread waiting([&] {
        const FileLock second(scratch / "lock");
        struct stat status {};
        CHECK(second.held());
        CHECK(::stat((scratch / "lock").c_str(), &status) == 0);
        done = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK_FALSE(done);
    std::filesystem::remove(scratch / "lock");
    first.reset();
    waiting.join();
    CHECK(done);
}

TEST_CASE("who waits for a file lock for a second says whom it waits for") {
    const ScratchFolder scratch;
    const pid_t child = in_child([&] {
        const FileLock lock(scratch / "lock");
        write_file(scratch / "held", "");
        ::sleep(2);
        return lock.held() ? 0 : 1;
    });
    while (!std::filesystem::exists(scratch / "held")) {
        ::usleep(1000);
    }
    std::vector<std::string> lines;
    logging::set_levels("info");
    logging::set_sink([&](logging::Level level, std::string_view, std::string_view message) {
        if (level == logging::Level::info) lines.emplace_back(message);
    });
    CHECK(FileLock(scratch / "lock").held());
    CHECK(FileLock(scratch / "lock").held());
    logging::set_sink({});
    logging::set_levels("warn");
    CHECK(status_of(child) == 0);
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].find((scratch / "lock").string()) != std::string::npos);
    CHECK(lines[0].find("process " + std::to_string(child)) != std::string::npos);
}

TEST_CASE("a file lock is not taken through a link") {
    const ScratchFolder scratch;
    write_file(scratch / "victim", "precious");
    std::filesystem::create_symlink(scratch / "victim", scratch / "lock");
    CHECK_FALSE(FileLock(scratch / "lock").held());
    CHECK(read_file(scratch / "victim") == "precious");
}

TEST_CASE("where no file can be made a file lock holds nothing") {
    const ScratchFolder scratch;
    write_file(scratch / "file", "");
    CHECK_FALSE(FileLock(scratch / "file" / "lock").held());
    CHECK_FALSE(FileLock("").held());
}

TEST_SUITE_END();
