/// Log messages. Only this file includes spdlog.
#include <gemel/core/environment.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/log.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

// fmt is compiled into this file, whatever spdlog's package would link, so that libgemel.so needs no libfmt.
#ifndef FMT_HEADER_ONLY
#define FMT_HEADER_ONLY
#endif
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/ansicolor_sink.h>

namespace gemel::logging {

namespace {

constexpr std::array level_names{"trace", "debug", "info", "warn", "error", "off"};
constexpr Level default_level = Level::warn;

/// Which messages are shown: a level for all subsystems, and levels of their own for some.
struct Levels {
    Level general = default_level;
    std::vector<std::pair<std::string, Level>> subsystems;

    Level of(std::string_view subsystem) const {
        for (const auto& [name, level] : subsystems) {
            if (name == subsystem) {
                return level;
            }
        }
        return general;
    }
};

std::string_view trimmed(std::string_view word) {
    const auto is_space = [](unsigned char c) { return std::isspace(c) != 0; };
    while (!word.empty() && is_space(word.front())) {
        word.remove_prefix(1);
    }
    while (!word.empty() && is_space(word.back())) {
        word.remove_suffix(1);
    }
    return word;
}

Level parse_level(std::string_view word, std::string_view whole) {
    for (std::size_t i = 0; i < level_names.size(); ++i) {
        if (word == level_names[i]) {
            return static_cast<Level>(i);
        }
    }
    throw ArgumentError(text("log levels '", whole, "': '", word,
                             "' is not a level; expected one of trace, debug, info, warn, error and off, "
                             "as in info or warn,cache=debug"));
}

Levels parse_levels(std::string_view whole) {
    Levels levels;
    std::string_view rest = whole;
    while (!rest.empty()) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        const std::string_view item = trimmed(rest.substr(0, comma));
        rest.remove_prefix(std::min(comma + 1, rest.size()));
        if (item.empty()) {
            continue;
        }
        const std::size_t equals = item.find('=');
        if (equals == std::string_view::npos) {
            levels.general = parse_level(item, whole);
            continue;
        }
        const std::string_view name = trimmed(item.substr(0, equals));
        if (name.empty()) {
            throw ArgumentError(text("log levels '", whole, "': expected a subsystem before '='"));
        }
        const Level level = parse_level(trimmed(item.substr(equals + 1)), whole);
        std::erase_if(levels.subsystems, [&](const auto& earlier) { return earlier.first == name; });
        levels.subsystems.emplace_back(name, level);
    }
    return levels;
}

/// Set while this thread runs the user's sink. Messages logged by the sink go to standard error.
thread_local bool inside_sink = false;

/// Leaked, so that destructors of static objects can log.
class State {
   public:
    State() : stderr_(std::make_shared<spdlog::sinks::ansicolor_stderr_sink_mt>(spdlog::color_mode::automatic)) {
        stderr_->set_pattern("%H:%M:%S.%e gemel %^%l%$ %n: %v");
        std::optional<std::string> problem;
        Levels levels;
        try {
            levels = parse_levels(env::get("GEMEL_LOG").value_or(""));
        } catch (const Error& error) {
            problem = text("GEMEL_LOG is ignored: ", error.what());
        }
        set(std::move(levels));
        if (problem) {
            to_stderr(Level::warn, "log", *problem);
        }
    }

    bool enabled(Level level, std::string_view subsystem) const {
        return level != Level::off && level >= levels_.load(std::memory_order_acquire)->of(subsystem);
    }

    void set(Levels levels) {
        const std::lock_guard lock(history_mutex_);
        history_.push_back(std::make_unique<const Levels>(std::move(levels)));
        levels_.store(history_.back().get(), std::memory_order_release);
    }

    void set(Sink sink) {
        if (inside_sink) {
            throw Error("set_sink: a log sink cannot replace itself; call set_sink() from elsewhere");
        }
        const std::lock_guard lock(sink_mutex_);
        // The old function is destroyed with the parameter, after the lock is released: its destructor may log.
        std::swap(sink_, sink);
    }

    void write(Level level, std::string_view subsystem, std::string_view message) {
        if (!inside_sink) {
            // Held during the call: the function need not be thread-safe, and after set_sink() the old one has ended.
            const std::lock_guard lock(sink_mutex_);
            if (sink_) {
                inside_sink = true;
                try {
                    sink_(level, subsystem, message);
                } catch (...) {  // Logging never fails.
                }
                inside_sink = false;
                return;
            }
        }
        to_stderr(level, subsystem, message);
    }

   private:
    void to_stderr(Level level, std::string_view subsystem, std::string_view message) {
        static_assert(static_cast<int>(spdlog::level::err) == static_cast<int>(Level::error));
        spdlog::logger logger(std::string(subsystem.empty() ? "log" : subsystem), stderr_);
        logger.set_level(spdlog::level::trace);
        logger.log(static_cast<spdlog::level::level_enum>(level),
                   spdlog::string_view_t(message.data(), message.size()));
    }

    std::shared_ptr<spdlog::sinks::ansicolor_stderr_sink_mt> stderr_;
    /// Readers hold no lock and no reference, so every table that was ever in force stays.
    std::vector<std::unique_ptr<const Levels>> history_;
    std::mutex history_mutex_;
    std::atomic<const Levels*> levels_{nullptr};
    std::mutex sink_mutex_;
    Sink sink_;
};

State& state() {
    static State& leaked = *new State;
    return leaked;
}

}  // namespace

bool enabled(Level level, std::string_view subsystem) { return state().enabled(level, subsystem); }

void write(Level level, std::string_view subsystem, std::string_view message) noexcept {
    try {
        if (state().enabled(level, subsystem)) {
            state().write(level, subsystem, message);
        }
    } catch (...) {  // Out of memory, most likely: the message is lost, and nothing else.
    }
}

void set_sink(Sink sink) { state().set(std::move(sink)); }

void set_levels(std::string_view levels) { state().set(parse_levels(levels)); }

}  // namespace gemel::logging
