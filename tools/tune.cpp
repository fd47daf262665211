/// `gemel tune`: shows the stored tunings, and tunes a kernel in a file whose comments define the space.
#include "commands.hpp"
#include "kernel_file.hpp"
#include "table.hpp"

#include <gemel/arrays/tune.hpp>
#include <gemel/core/disk_cache.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <cstdio>

namespace gemel::tools {
namespace {

void require_store() {
    if (!tune::store_folder())
        throw Error("there is no store of tunings: there is no home folder (set GEMEL_CACHE_DIR), or GEMEL_CACHE=off");
}

bool is_meant(const tune::Stored& record, const std::string& part) {
    return record.work.find(part) != std::string::npos || record.device.find(part) != std::string::npos;
}

constexpr int interrupted = 130;  // as a shell reports a command that Ctrl-C ended

std::string milliseconds(const std::optional<double>& time) { return time ? text(*time, " ms") : "-"; }

}  // namespace

int tune_list() {
    require_store();
    Table table(0);
    std::string device;
    for (const tune::Stored& record : tune::stored()) {
        if (record.device != device) table.row({record.device});
        device = record.device;
        table.row({"  " + record.work,
                   record.history.empty()
                       ? "in use"
                       : text(record.trials, " trials", record.failed ? text(", ", record.failed, " failed") : ""),
                   milliseconds(record.milliseconds), to_string(record.point)});
    }
    std::fputs(table.text().c_str(), stdout);
    return 0;
}

int tune_show(const std::string& part) {
    require_store();
    bool is_found = false;
    for (const tune::Stored& record : tune::stored()) {
        if (!is_meant(record, part)) continue;
        is_found = true;
        std::printf("%s\n  on %s\n  fastest: %s, %s\n", record.work.c_str(), record.device.c_str(),
                    to_string(record.point).c_str(), milliseconds(record.milliseconds).c_str());
        Table table(4);
        for (const tune::Trial& trial : record.history)
            table.row({to_string(trial.point), trial.milliseconds ? milliseconds(trial.milliseconds) : trial.failure});
        std::fputs(table.text().c_str(), stdout);
    }
    if (!is_found) throw Error(text("no stored search has '", part, "' in its name; `gemel tune ls` lists all"));
    return 0;
}

int tune_export(const std::string& part) {
    require_store();
    std::vector<tune::Stored> meant;
    for (tune::Stored& record : tune::stored())
        if (is_meant(record, part) && !record.history.empty()) meant.push_back(std::move(record));
    if (meant.size() != 1) {
        std::string names;
        for (const tune::Stored& record : meant) names += "\n  " + record.work + " on " + record.device;
        throw Error(text(tools::counted(meant.size(), "search", "searches"), " with '", part,
                         "' in the name, expected one; `gemel tune ls` lists the names", names));
    }
    std::fputs(to_json(meant.front()).c_str(), stdout);
    return 0;
}

int tune_clear(const std::string& part) {
    require_store();
    if (DiskCache::kernels().mode() == DiskCache::Mode::readonly)
        throw Error("the store is read-only (GEMEL_CACHE=readonly): nothing was removed");
    const std::size_t removed = tune::clear_stored(part);
    std::printf("removed %s from %s\n", tools::counted(removed, "record", "records").c_str(),
                tune::store_folder()->string().c_str());
    return 0;
}

int tune_file(const std::string& name, const TuneFileOptions& options) {
    const KernelFile file = read_kernel_file(name);
    const tune::Tuner tuner({.name = file.kernel,
                             .parameters = file.parameters,
                             .constraints = file.constraints,
                             .source = file.source,
                             .kernel = file.kernel,
                             .launch = [&](const tune::Point& point) {
                                 return LaunchConfig{.grid = extents(file.grid, point),
                                                     .block = extents(file.block, point)};
                             }});
    const std::vector<tune::TunedArgument> arguments = arguments_of(file.arguments);
    const tune::Result result = tuner.run_packed({.trials = options.trials,
                                                  .seconds = options.seconds,
                                                  .strategy = tune::parse_strategy(options.strategy),
                                                  .seed = options.seed,
                                                  .progress = true,
                                                  .again = options.again},
                                                 arguments);
    std::printf("%s on %s: %s, %g ms (%g ms at the start), %zu of %zu points tried, %zu of them now (%s)\n",
                file.kernel.c_str(), result.device.c_str(), to_string(result.point).c_str(), result.milliseconds,
                result.start_milliseconds, result.history.size(), result.points, result.trials, result.stopped.c_str());
    if (!options.json.empty()) result.save_json(options.json);
    if (!options.page.empty()) result.save_page(options.page);
    if (result.stopped != "interrupted") return 0;
    std::fputs("gemel: interrupted; the trials are stored, and the same command continues the search\n", stderr);
    return interrupted;
}

}  // namespace gemel::tools
