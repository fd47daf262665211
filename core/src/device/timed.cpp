/// Commands between two events, and other inputs of a profile.
#include "device/timed.hpp"

#include <gemel/core/log.hpp>
#include <gemel/core/text.hpp>

#include <exception>
#include <mutex>
#include <utility>

namespace gemel {

struct Timed::Open {
    std::shared_ptr<profile::Collector> collector;
    std::shared_ptr<StreamCore> stream;
    std::unique_lock<std::mutex> turn;
    profile::Command command;
    int exceptions = 0;
};

void Timed::begin(const std::shared_ptr<DriverContext>& driver, const std::shared_ptr<StreamCore>& stream, Kind kind,
                  const char* name, std::size_t bytes, const plugin::LaunchShape* shape) {
    auto open = std::make_unique<Open>();
    open->collector = collecting();
    if (!open->collector) return;
    open->stream = stream;
    open->exceptions = std::uncaught_exceptions();
    profile::Command& command = open->command;
    command.kind = kind;
    command.name = name;
    command.bytes = bytes;
    if (shape) {
        command.grid = shape->grid;
        command.block = shape->block;
    }
    const std::size_t context = open->collector->context(driver->id, driver->description());
    profile::Row* row = nullptr;
    command.row =
        open->collector->row(stream, context, stream == driver->default_stream ? "default stream" : nullptr, row);
    open->turn = std::unique_lock(row->turn);
    command.timing = stream->stream->start_timing();
    command.enqueued_us = open->collector->now_us();
    open_ = open.release();
}

void Timed::end() noexcept {
    const std::unique_ptr<Open> open(std::exchange(open_, nullptr));
    profile::Command& command = open->command;
    try {
        command.enqueue_duration_us = open->collector->now_us() - command.enqueued_us;
        open->stream->stream->stop_timing(*command.timing);
        open->turn.unlock();
        if (std::uncaught_exceptions() == open->exceptions) open->collector->add(std::move(command));
    } catch (const std::exception& error) {
        logging::write(logging::Level::warn, "profile", text("'", command.name, "' is not counted: ", error.what()));
    }
}

void Timed::drop() noexcept { const std::unique_ptr<Open> open(std::exchange(open_, nullptr)); }

void note_program(profile::Collector& collector, const DriverContext& driver, const std::string& name,
                  const char* outcome, double begin_us) {
    collector.compilation(name.empty() ? "a program" : name, outcome, begin_us);
    const Counters& c = *driver.counters;
    collector.sample(profile::Sample::Of::programs, collector.context(driver.id, driver.description()),
                     {c.compilations.load(), c.disk_hits.load(), c.memory_hits.load()});
}

void note_memory_hit(const DriverContext& driver) {
    const auto collector = collecting();
    if (!collector) return;
    const Counters& c = *driver.counters;
    collector->sample(profile::Sample::Of::programs, collector->context(driver.id, driver.description()),
                      {c.compilations.load(), c.disk_hits.load(), c.memory_hits.load()});
}

void note_pool(const DriverContext& driver) {
    const auto collector = collecting();
    if (!collector) return;
    const PoolStatistics pool = driver.device_pool.statistics();
    collector->sample(profile::Sample::Of::memory, collector->context(driver.id, driver.description()),
                      {pool.active_bytes, pool.held_bytes, pool.peak_bytes});
}

}  // namespace gemel
