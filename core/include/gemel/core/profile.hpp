/// Where the time goes: device times of launches, copies and fills, as a table and as a trace for Chrome and Perfetto.
#pragma once

#include <gemel/core/export.hpp>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace gemel::profile {

class Collector;

/// Collects from its construction to finish(). One at a time in a process. `GEMEL_PROFILE=file` makes one for the whole
/// program. Commands are timed by events; the host does not wait for them before finish() or table().
class GEMEL_API Session {
   public:
    /// @param file  the trace, as JSON: open it at ui.perfetto.dev or chrome://tracing
    /// @throws Error if the file cannot be written, or if another session is collecting
    explicit Session(const std::filesystem::path& file);
    /// finish(); what fails is logged.
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    /// Waits for the commands that were collected and writes the trace. A second call does nothing.
    /// @throws Error if the file cannot be written
    void finish();
    /// By kernel: calls, device time in total and on average, its share, bytes of the array arguments at most, GB/s;
    /// below, the ranges with their host time and the device time of what was enqueued in them. Waits as finish() does.
    std::string table() const;

   private:
    std::shared_ptr<Collector> collector_;
};

/// A named stretch of the host's time, from construction to destruction, which begins and ends on one thread. Profilers
/// of vendors see it too (NVTX). Costs a few loads where nobody collects.
class GEMEL_API Range {
   public:
    explicit Range(std::string_view name);
    ~Range();
    Range(const Range&) = delete;
    Range& operator=(const Range&) = delete;

   private:
    std::shared_ptr<Collector> collector_;  ///< null where nobody collects
    std::size_t index_ = 0;
    bool marked_ = false;  ///< given to the vendors' profilers
};

}  // namespace gemel::profile
