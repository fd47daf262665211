/// Parts of tests that need a process of their own: registered by name, run by starting this program anew.
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace gemel::testing {

using ChildFunction = int (*)();

inline std::map<std::string, ChildFunction>& child_functions() {
    static std::map<std::string, ChildFunction> functions;
    return functions;
}

/// At namespace scope: what `start_child(name)` runs instead of the suites.
struct Child {
    Child(const char* name, ChildFunction function) { child_functions()[name] = function; }
};

struct ChildResult {
    int exit_code = -1;  ///< negative: the number of the signal that ended it
    std::string output;  ///< both standard output and standard error
};

/// A process on its way.
class RunningChild {
   public:
    using Environment = std::vector<std::pair<std::string, std::string>>;

    RunningChild(const std::string& name, const Environment& environment) {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
        std::vector<std::string> variables;
        for (char** one = environ; *one; ++one) {
            const std::string variable = *one;
            bool replaced = false;
            for (const auto& [key, value] : environment) replaced |= variable.starts_with(key + "=");
            if (!replaced) variables.push_back(variable);
        }
        for (const auto& [key, value] : environment) variables.push_back(key + "=" + value);
        std::vector<char*> pointers;
        for (auto& variable : variables) pointers.push_back(variable.data());
        pointers.push_back(nullptr);
        std::string program = "/proc/self/exe", flag = "--child", which = name;
        char* arguments[] = {program.data(), flag.data(), which.data(), nullptr};
        posix_spawn_file_actions_t actions;
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
        const int failure = ::posix_spawn(&id_, program.c_str(), &actions, nullptr, arguments, pointers.data());
        ::posix_spawn_file_actions_destroy(&actions);
        ::close(ends[1]);
        read_end_ = ends[0];
        if (failure) throw std::runtime_error(std::string("cannot start a child: ") + std::strerror(failure));
    }
    ~RunningChild() {
        if (read_end_ < 0) return;
        kill();
        (void)result();
    }
    RunningChild(const RunningChild&) = delete;
    RunningChild& operator=(const RunningChild&) = delete;
    RunningChild(RunningChild&& other) noexcept : id_(other.id_), read_end_(std::exchange(other.read_end_, -1)) {}

    void kill() const { ::kill(id_, SIGKILL); }
    /// Waits for its end.
    ChildResult result() {
        ChildResult result;
        char piece[4096];
        for (ssize_t n; (n = ::read(read_end_, piece, sizeof piece)) > 0;)
            result.output.append(piece, static_cast<std::size_t>(n));
        ::close(std::exchange(read_end_, -1));
        int status = 0;
        ::waitpid(id_, &status, 0);
        result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
        return result;
    }

   private:
    pid_t id_ = 0;
    int read_end_ = -1;
};

inline ChildResult run_child(const std::string& name, const RunningChild::Environment& environment = {}) {
    return RunningChild(name, environment).result();
}

/// Bytes as text, for a child's environment.
inline std::string hex_of(std::span<const std::byte> bytes) {
    constexpr char digits[] = "0123456789abcdef";
    std::string text;
    for (const std::byte byte : bytes) {
        text += digits[std::to_integer<int>(byte) >> 4];
        text += digits[std::to_integer<int>(byte) & 15];
    }
    return text;
}

/// What hex_of() wrote into that variable; empty if it is not set.
inline std::vector<std::byte> bytes_of(const char* variable) {
    const std::string text = std::getenv(variable) ? std::getenv(variable) : "";
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i + 1 < text.size(); i += 2)
        bytes.push_back(static_cast<std::byte>(std::stoi(text.substr(i, 2), nullptr, 16)));
    return bytes;
}

/// Whether that child ends with this exit code; if not, what it printed is shown.
inline bool child_exits(int code, const std::string& name, const RunningChild::Environment& environment = {}) {
    const ChildResult result = run_child(name, environment);
    if (result.exit_code != code)
        std::fprintf(stderr, "child '%s' ended with %d:\n%s\n", name.c_str(), result.exit_code, result.output.c_str());
    return result.exit_code == code;
}

}  // namespace gemel::testing
