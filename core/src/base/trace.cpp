/// GEMEL_TRACE: one line per driver call.
#include <gemel/core/trace.hpp>

#include <gemel/core/environment.hpp>

#include <cstdio>
#include <mutex>

namespace gemel::trace {
namespace {

bool wanted() {
    try {
        return env::flag("GEMEL_TRACE");
    } catch (const std::exception& error) {
        std::fprintf(stderr, "gemel: %s\n", error.what());
        return false;
    }
}

void (*sink)(const std::string&) = nullptr;
std::mutex& mutex() {
    static auto* const instance = new std::mutex;
    return *instance;
}

}  // namespace

std::atomic<bool> enabled{wanted()};

void write(std::string_view call, std::string_view arguments, std::string_view result) noexcept try {
    std::string line;
    line.reserve(call.size() + arguments.size() + result.size() + 8);
    line.append(call).append("(").append(arguments).append(") = ").append(result);
    std::lock_guard lock(mutex());
    if (sink) {
        sink(line);
    } else {
        std::fprintf(stderr, "gemel trace: %s\n", line.c_str());
    }
} catch (...) {  // a lost line is better than a lost program
}

void set_sink(void (*new_sink)(const std::string&)) {
    std::lock_guard lock(mutex());
    sink = new_sink;
}

}  // namespace gemel::trace
