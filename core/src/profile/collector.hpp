/// The contents of a profile: commands with device times, host ranges, compilations, growth of pools.
#pragma once

#include <gemel/core/plugin_timing.hpp>

#include <sys/types.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace gemel::profile {

inline constexpr std::size_t none = ~std::size_t{0};

/// A stream, as a row of the trace.
struct Row {
    std::size_t context = 0;
    std::string name;
    std::mutex turn;  ///< held by a thread that enqueues a command between two events
};

struct Command {
    enum class Kind : std::uint8_t { launch, graph, upload, download, copy, fill };
    Kind kind = Kind::launch;
    const char* name = "";  ///< never freed
    std::size_t bytes = 0;  ///< of a launch: of its array arguments, an upper limit
    std::array<std::uint32_t, 3> grid{}, block{};
    std::size_t row = 0;
    std::size_t range = none;  ///< the range in which it was enqueued
    double enqueued_us = 0;    ///< host time since the beginning of the session
    double enqueue_duration_us = 0;
    std::shared_ptr<plugin::Timing> timing;  ///< until the times are known

    bool timed = false;   ///< the device has reported its times
    double start_us = 0;  ///< on its context's clock
    double duration_us = 0;
};

/// A range of host time: a range of the user's, or the compilation of a program.
struct HostSpan {
    std::string name;
    bool is_compilation = false;
    const char* outcome = "";  ///< of a compilation: the source of the program
    std::size_t thread = 0;
    std::size_t parent = none;
    double begin_us = 0, end_us = -1;
};

/// Values of counters from a time on.
struct Sample {
    enum class Of : std::uint8_t { programs, memory };
    Of of = Of::programs;
    std::size_t context = 0;
    double at_us = 0;
    std::array<std::uint64_t, 3> values{};  ///< compiled, from disk, from memory; or active, held, peak
};

/// A context: its device's clock starts where `base` was recorded; earlier bases are added.
struct ContextClock {
    std::string description;
    std::shared_ptr<plugin::Timing> base;
    double base_us = 0;
    double offset_us = 0;  ///< host time minus device time, a lower limit: no command starts before it is enqueued
    bool has_offset = false;
    std::uint64_t id = 0;
    int streams = 0;
};

/// Thread-safe. Results may be read after settle().
class Collector {
   public:
    explicit Collector(std::string file);

    const std::string file;
    const pid_t process;
    double now_us() const;

    std::size_t context(std::uint64_t id, const std::string& description);
    /// The row of a stream; `name` names a new row, and an empty name gives it the next number.
    std::size_t row(const std::weak_ptr<void>& stream, std::size_t context, const char* name, Row*& found);
    void add(Command command);

    std::size_t open_range(std::string name);
    void close_range(std::size_t index) noexcept;
    void compilation(std::string name, const char* outcome, double begin_us);
    void sample(Sample::Of of, std::size_t context, const std::array<std::uint64_t, 3>& values);

    /// Reads the times of all commands, and waits for running ones, at most for `limit`. Afterwards open ranges count
    /// as ended, and nothing is added.
    void settle(std::chrono::milliseconds limit, bool last);
    /// Only after settle().
    std::string trace();
    std::string table();

    template <class Read>
    void read(Read&& function) {
        std::lock_guard lock(mutex_);
        function(commands_, rows_, contexts_, spans_, samples_);
    }

   private:
    struct Thread {
        std::size_t number = 0;
        std::vector<std::size_t> open;  ///< ranges
    };
    Thread& this_thread();
    void resolve(Command& command);
    /// Reads the times of some of the oldest commands that have ended.
    void resolve_some();

    std::mutex mutex_;
    bool closed_ = false;
    const std::chrono::steady_clock::time_point begin_;
    std::deque<Command> commands_;
    std::size_t resolved_ = 0;
    std::deque<Row> rows_;
    std::map<std::weak_ptr<void>, std::size_t, std::owner_less<>> row_of_;
    std::deque<ContextClock> contexts_;
    std::deque<HostSpan> spans_;
    std::vector<Sample> samples_;
    std::map<std::thread::id, Thread> threads_;
};

}  // namespace gemel::profile
