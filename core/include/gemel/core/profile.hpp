/// Profiling: device times of launches, copies and fills, as a table and as a trace for Chrome and Perfetto.
#pragma once

#include <gemel/core/export.hpp>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace gemel::profile {

class Collector;

/// Collects times from its construction to finish(). A process has at most one session at a time. `GEMEL_PROFILE=file`
/// makes one for the whole program. Events time the commands; the host waits for them only in finish() and table().
class GEMEL_API Session {
   public:
    /// @param file  the trace, as JSON: open it at ui.perfetto.dev or chrome://tracing
    /// @throws Error if the file cannot be written or another session is collecting
    explicit Session(const std::filesystem::path& file);
    /// Calls finish(); failures are logged.
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    /// Waits for the collected commands and writes the trace. A second call does nothing.
    /// @throws Error if the file cannot be written
    void finish();
    /// A table by kernel: calls, total and mean device time, share, maximum bytes of the array arguments, GB/s. Below
    /// it the ranges: host time and device time of the commands enqueued in them. Waits like finish().
    std::string table() const;

   private:
    std::shared_ptr<Collector> collector_;
};

/// A named range of host time from construction to destruction, both on the same thread. Vendors' profilers see it, too
/// (NVTX). Costs a few loads if nothing collects.
class GEMEL_API Range {
   public:
    explicit Range(std::string_view name);
    ~Range();
    Range(const Range&) = delete;
    Range& operator=(const Range&) = delete;

   private:
    std::shared_ptr<Collector> collector_;  ///< null if nothing collects
    std::size_t index_ = 0;
    bool marked_ = false;  ///< reported to the vendors' profilers
};

}  // namespace gemel::profile
