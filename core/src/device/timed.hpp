/// Commands while a profile collects: each is enqueued between two events.
#pragma once

#include "device/recorder.hpp"
#include "device/state.hpp"
#include "profile/collector.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace gemel {

/// The collector, or null.
std::shared_ptr<profile::Collector> collecting();

/// Exists while a command is enqueued. A command that throws is not counted.
class Timed {
   public:
    using Kind = profile::Command::Kind;
    /// @param name  never freed
    Timed(const std::shared_ptr<DriverContext>& driver, const std::shared_ptr<StreamCore>& stream, Kind kind,
          const char* name, std::size_t bytes) {
        if (anyone_profiles()) [[unlikely]]
            begin(driver, stream, kind, name, bytes, nullptr);
    }
    Timed(const std::shared_ptr<DriverContext>& driver, const std::shared_ptr<StreamCore>& stream,
          const plugin::LaunchShape& shape, const char* name, std::size_t bytes) {
        if (anyone_profiles()) [[unlikely]]
            begin(driver, stream, Kind::launch, name, bytes, &shape);
    }
    ~Timed() {
        if (open_) [[unlikely]]
            end();
    }
    Timed(const Timed&) = delete;
    Timed& operator=(const Timed&) = delete;

    /// Nothing was enqueued; the command does not count.
    void drop() noexcept;

   private:
    struct Open;
    void begin(const std::shared_ptr<DriverContext>& driver, const std::shared_ptr<StreamCore>& stream, Kind kind,
               const char* name, std::size_t bytes, const plugin::LaunchShape* shape);
    void end() noexcept;
    Open* open_ = nullptr;
};

/// A program was compiled or found. `begin_us` is a time of collecting()->now_us().
void note_program(profile::Collector& collector, const DriverContext& driver, const std::string& name,
                  const char* outcome, double begin_us);
/// A pool has grown.
void note_pool(const DriverContext& driver);
/// A program was found in memory.
void note_memory_hit(const DriverContext& driver);

/// Informs all living contexts: see plugin::Context::let_profilers_collect().
void let_profilers_collect(bool on) noexcept;
/// Informs all plug-ins, once they are loaded. @returns whether there was one
bool push_range(const std::string& name) noexcept;
void pop_range() noexcept;

/// Starts GEMEL_PROFILE and GEMEL_CAPTURE when the first command is about to run. @throws Error if the file cannot be
/// written
void profile_whole_program();
/// Writes the file of GEMEL_PROFILE; failures are logged.
void finish_whole_program() noexcept;

}  // namespace gemel
