/// What a command does while a profile collects: it is enqueued between two events.
#pragma once

#include "device/recorder.hpp"
#include "device/state.hpp"
#include "profile/collector.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace gemel {

/// What collects, or null.
std::shared_ptr<profile::Collector> collecting();

/// For as long as a command takes to enqueue. A command that throws is not counted.
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

    /// Nothing was enqueued.
    void drop() noexcept;

   private:
    struct Open;
    void begin(const std::shared_ptr<DriverContext>& driver, const std::shared_ptr<StreamCore>& stream, Kind kind,
               const char* name, std::size_t bytes, const plugin::LaunchShape* shape);
    void end() noexcept;
    Open* open_ = nullptr;
};

/// A program that was compiled or found, for the profile. `begin_us` is of collecting()->now_us().
void note_program(profile::Collector& collector, const DriverContext& driver, const std::string& name,
                  const char* outcome, double begin_us);
/// A pool that has grown.
void note_pool(const DriverContext& driver);
/// A program that was found in memory.
void note_memory_hit(const DriverContext& driver);

/// To all contexts that are alive: see plugin::Context::let_profilers_collect().
void let_profilers_collect(bool on) noexcept;
/// To all plug-ins, once they are loaded. @returns whether any has been told
bool push_range(const std::string& name) noexcept;
void pop_range() noexcept;

/// GEMEL_PROFILE and GEMEL_CAPTURE, once it is known that something will run. @throws Error if the file cannot be
/// written
void profile_whole_program();
/// Writes what GEMEL_PROFILE asked for; failures are logged.
void finish_whole_program() noexcept;

}  // namespace gemel
