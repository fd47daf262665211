/// Profile sessions: which one collects, and when results are written.
#include <gemel/core/profile.hpp>

#include <gemel/core/environment.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/log.hpp>
#include <gemel/core/plugin.hpp>
#include <gemel/core/text.hpp>

#include "device/lifetime.hpp"
#include "device/timed.hpp"

#include <unistd.h>

#include <cerrno>
#include <exception>
#include <fstream>
#include <mutex>
#include <system_error>

namespace gemel {
namespace {

/// Leaked on purpose: used at exit.
struct Active {
    std::mutex mutex;
    std::shared_ptr<profile::Collector> collector;
    std::shared_ptr<profile::Collector> whole_program;  ///< GEMEL_PROFILE
    std::once_flag asked;
    std::terminate_handler terminate_before = nullptr;
};
Active& active() {
    static auto* const instance = new Active;
    return *instance;
}

[[noreturn]] void cannot_write(const std::string& file) {
    throw Error(text("profile: cannot write '", file, "': ", std::generic_category().message(errno),
                     "; name a file in a folder that exists and that you may write"));
}

std::shared_ptr<profile::Collector> start(const std::string& file) {
    auto collector = std::make_shared<profile::Collector>(file);
    {
        std::lock_guard lock(active().mutex);
        if (const auto& other = active().collector)
            throw Error(text("profile::Session: another session is collecting, for '", other->file, "'; ",
                             other == active().whole_program ? "it is that of GEMEL_PROFILE, which profiles the whole "
                                                               "program: unset the variable"
                                                             : "finish() it first"));
        errno = 0;
        if (file.empty() || !std::ofstream(file, std::ios::binary)) cannot_write(file);
        active().collector = collector;
        watchers.fetch_or(profile_bit);
    }
    let_profilers_collect(true);
    return collector;
}

/// @returns false if it was done before
bool stop(const std::shared_ptr<profile::Collector>& collector) {
    {
        std::lock_guard lock(active().mutex);
        if (active().collector != collector) return false;
        active().collector.reset();
        watchers.fetch_and(~profile_bit);
    }
    let_profilers_collect(false);
    return true;
}

void write(profile::Collector& collector) {
    const std::string trace = collector.trace();
    errno = 0;
    std::ofstream out(collector.file, std::ios::binary);
    out << trace << std::flush;
    if (!out) cannot_write(collector.file);
}

void finish(const std::shared_ptr<profile::Collector>& collector, std::chrono::milliseconds limit) {
    if (!stop(collector)) return;
    if (collector->process != ::getpid()) return;  // in a child of fork() the file belongs to the parent
    collector->settle(limit, true);
    write(*collector);
}

constexpr auto forever = std::chrono::milliseconds::max();

/// An uncaught exception ends the program without its exit handlers.
[[noreturn]] void at_terminate() {
    finish_whole_program();
    if (active().terminate_before) active().terminate_before();
    std::abort();
}

}  // namespace

std::shared_ptr<profile::Collector> collecting() {
    if (!anyone_profiles()) return nullptr;
    std::lock_guard lock(active().mutex);
    return active().collector;
}

void profile_whole_program() {
    std::call_once(active().asked, [] {
        if (env::get("GEMEL_CAPTURE")) watchers.fetch_or(capture_bit);
        const auto file = env::get("GEMEL_PROFILE");
        if (!file) return;
        auto collector = start(*file);
        std::lock_guard lock(active().mutex);
        active().whole_program = std::move(collector);
        active().terminate_before = std::set_terminate(at_terminate);
        watch_process();
    });
}

void finish_whole_program() noexcept {
    std::shared_ptr<profile::Collector> collector;
    {
        std::lock_guard lock(active().mutex);
        collector = active().whole_program;
    }
    if (!collector) return;
    try {
        finish(collector, std::chrono::seconds(2));
    } catch (const std::exception& error) {
        logging::write(logging::Level::error, "profile", error.what());
    }
}

namespace profile {

Session::Session(const std::filesystem::path& file) {
    profile_whole_program();
    collector_ = start(file.string());
}

Session::~Session() {
    try {
        finish();
    } catch (const std::exception& error) {
        logging::write(logging::Level::error, "profile", error.what());
    }
}

void Session::finish() { gemel::finish(collector_, forever); }

std::string Session::table() const {
    collector_->settle(forever, false);
    return collector_->table();
}

Range::Range(std::string_view name) {
    profile_whole_program();
    if ((collector_ = collecting())) index_ = collector_->open_range(std::string(name));
    marked_ = push_range(std::string(name));
}

Range::~Range() {
    if (marked_) pop_range();
    if (collector_) collector_->close_range(index_);
}

}  // namespace profile
}  // namespace gemel
