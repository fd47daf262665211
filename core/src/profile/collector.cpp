/// Collects without waiting: times are read when commands have ended.
#include "profile/collector.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <utility>

namespace gemel::profile {

Collector::Collector(std::string file_)
    : file(std::move(file_)), process(::getpid()), begin_(std::chrono::steady_clock::now()) {}

double Collector::now_us() const {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin_).count();
}

std::size_t Collector::context(std::uint64_t id, const std::string& description) {
    std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < contexts_.size(); ++i)
        if (contexts_[i].id == id) return i;
    ContextClock& made = contexts_.emplace_back();
    made.id = id;
    made.description = description;
    return contexts_.size() - 1;
}

std::size_t Collector::row(const std::weak_ptr<void>& stream, std::size_t context, const char* name, Row*& found) {
    std::lock_guard lock(mutex_);
    const auto [known, is_new] = row_of_.try_emplace(stream, rows_.size());
    if (is_new) {
        Row& row = rows_.emplace_back();
        row.context = context;
        row.name = name ? std::string(name) : "stream " + std::to_string(++contexts_[context].streams);
    }
    found = &rows_[known->second];
    return known->second;
}

Collector::Thread& Collector::this_thread() {
    const auto [known, is_new] = threads_.try_emplace(std::this_thread::get_id());
    if (is_new) known->second.number = threads_.size() - 1;
    return known->second;
}

void Collector::add(Command command) {
    std::lock_guard lock(mutex_);
    if (closed_) return;
    if (const auto& open = this_thread().open; !open.empty()) command.range = open.back();
    commands_.push_back(std::move(command));
    resolve_some();
}

void Collector::resolve(Command& command) {
    const std::shared_ptr<plugin::Timing> timing = std::exchange(command.timing, nullptr);
    if (!timing) return;
    try {
        ContextClock& clock = contexts_[rows_[command.row].context];
        const double duration = 1000 * timing->milliseconds();
        const double since = clock.base ? 1000 * timing->milliseconds_since(*clock.base) : 0;
        command.start_us = clock.base_us + since;
        command.duration_us = std::max(duration, 0.0);
        command.timed = true;
        const double offset = command.enqueued_us - command.start_us;
        clock.offset_us = clock.has_offset ? std::max(clock.offset_us, offset) : offset;
        clock.has_offset = true;
        // Drivers report times as floats, so the base stays near.
        constexpr double near_us = 1e6;
        if (!clock.base || std::abs(since) > near_us) {
            clock.base = timing;
            clock.base_us = command.start_us;
        }
    } catch (const std::exception&) {  // the context is lost, or its queue does not support timing
        command.timed = false;
    }
}

void Collector::resolve_some() {
    constexpr int at_once = 8;
    for (int i = 0; i < at_once && resolved_ < commands_.size(); ++i) {
        Command& command = commands_[resolved_];
        try {
            if (command.timing && !command.timing->done()) return;
        } catch (const std::exception&) {
            command.timing.reset();
        }
        resolve(command);
        ++resolved_;
    }
}

void Collector::settle(std::chrono::milliseconds limit, bool last) {
    using Clock = std::chrono::steady_clock;
    const bool forever = limit == std::chrono::milliseconds::max();
    const auto until = forever ? Clock::time_point::max() : Clock::now() + limit;
    std::unique_lock lock(mutex_);
    closed_ = closed_ || last;
    const std::size_t end = commands_.size();  // others may add more
    while (resolved_ < end) {
        const std::size_t at = resolved_;
        const std::shared_ptr<plugin::Timing> timing = commands_[at].timing;
        bool ended = true;
        lock.unlock();
        try {
            if (timing && forever) timing->wait();
            while (timing && !timing->done() && (ended = Clock::now() < until))
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
        } catch (const std::exception&) {
            ended = false;
        }
        lock.lock();
        if (resolved_ != at) continue;  // another thread was here
        if (!ended) commands_[at].timing.reset();
        resolve(commands_[at]);
        ++resolved_;
    }
    if (!last) return;
    const double now = now_us();
    for (HostSpan& span : spans_)
        if (span.end_us < 0) span.end_us = now;
}

std::size_t Collector::open_range(std::string name) {
    std::lock_guard lock(mutex_);
    if (closed_) return none;
    Thread& thread = this_thread();
    HostSpan& span = spans_.emplace_back();
    span.name = std::move(name);
    span.thread = thread.number;
    span.parent = thread.open.empty() ? none : thread.open.back();
    span.begin_us = now_us();
    thread.open.push_back(spans_.size() - 1);
    return spans_.size() - 1;
}

void Collector::close_range(std::size_t index) noexcept {
    std::lock_guard lock(mutex_);
    if (index == none) return;
    HostSpan& span = spans_[index];
    if (span.end_us < 0) span.end_us = now_us();
    for (auto& [id, thread] : threads_) std::erase(thread.open, index);
}

void Collector::compilation(std::string name, const char* outcome, double begin_us) {
    std::lock_guard lock(mutex_);
    if (closed_) return;
    HostSpan& span = spans_.emplace_back();
    span.name = std::move(name);
    span.is_compilation = true;
    span.outcome = outcome;
    span.thread = this_thread().number;
    span.begin_us = begin_us;
    span.end_us = now_us();
}

void Collector::sample(Sample::Of of, std::size_t context, const std::array<std::uint64_t, 3>& values) {
    std::lock_guard lock(mutex_);
    if (!closed_) samples_.push_back({of, context, now_us(), values});
}

}  // namespace gemel::profile
