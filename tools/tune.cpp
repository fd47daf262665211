/// `gemel tune`: shows the stored tunings, and tunes a kernel in a file whose comments define the space.
#include "commands.hpp"
#include "table.hpp"

#include <gemel/arrays/tune.hpp>
#include <gemel/codegen/template.hpp>
#include <gemel/core/disk_cache.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/signature.hpp>
#include <gemel/core/text.hpp>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace gemel::tools {
namespace {

void require_store() {
    if (!tune::store_folder())
        throw Error("there is no store of tunings: there is no home folder (set GEMEL_CACHE_DIR), or GEMEL_CACHE=off");
}

bool is_meant(const tune::Stored& record, const std::string& part) {
    return record.work.find(part) != std::string::npos || record.device.find(part) != std::string::npos;
}

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

namespace {

/// The tuning comments of a kernel file: lines "// tune KEY VALUE".
struct KernelFile {
    std::string source, kernel;
    std::vector<tune::Parameter> parameters;
    std::vector<std::string> constraints, grid, block, arguments;
};

std::vector<std::string> split(const std::string& list, char separator) {
    std::vector<std::string> parts;
    std::string part;
    int depth = 0;
    for (const char c : list + separator) {
        depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
        if (c != separator || depth > 0) {
            part += c;
            continue;
        }
        const auto first = part.find_first_not_of(" \t\r");
        const auto last = part.find_last_not_of(" \t\r");
        if (first != std::string::npos) parts.push_back(part.substr(first, last - first + 1));
        part.clear();
    }
    return parts;
}

/// A number or a word of the file.
codegen::Value value_of(const std::string& word) {
    if (word.find_first_not_of("0123456789") == std::string::npos) return std::stoll(word);
    return word;
}

KernelFile read_kernel_file(const std::string& name) {
    if (std::error_code failure; std::filesystem::is_directory(name, failure))
        throw Error(text(name, " is a folder; give a kernel file"));
    std::ifstream in(name);
    KernelFile file;
    file.source.assign(std::istreambuf_iterator<char>(in), {});
    if (!in.good() && file.source.empty()) throw Error(text("cannot read ", name, "; give a kernel file"));
    int number = 0;
    for (const std::string& line : split(file.source, '\n')) {
        ++number;
        constexpr std::string_view start = "// tune ";
        if (!line.starts_with(start)) continue;
        const std::string rest = line.substr(start.size());
        const std::string key = rest.substr(0, rest.find(' '));
        const std::string value = rest.size() > key.size() ? rest.substr(key.size() + 1) : "";
        if (key == "parameter") {
            const std::size_t equals = value.find('=');
            if (equals == std::string::npos)
                throw Error(text(name, ": \"", line, "\": expected \"// tune parameter NAME = VALUE, VALUE, ...\""));
            tune::Parameter parameter{.name = split(value.substr(0, equals), ',').at(0), .values = {}};
            for (const std::string& word : split(value.substr(equals + 1), ','))
                parameter.values.push_back(value_of(word));
            file.parameters.push_back(std::move(parameter));
        } else if (key == "constraint") {
            file.constraints.push_back(value);
        } else if (key == "kernel") {
            file.kernel = value;
        } else if (key == "grid" || key == "block" || key == "arguments") {
            (key == "grid" ? file.grid : key == "block" ? file.block : file.arguments) = split(value, ',');
        } else {
            throw Error(text(name, ": \"", line,
                             "\": expected kernel, parameter, constraint, grid, block or arguments after \"tune\""));
        }
    }
    for (const auto& [what, is_missing] :
         {std::pair{"kernel NAME", file.kernel.empty()}, std::pair{"parameter NAME = VALUES", file.parameters.empty()},
          std::pair{"grid EXPRESSIONS", file.grid.empty()}, std::pair{"block EXPRESSIONS", file.block.empty()},
          std::pair{"arguments LIST", file.arguments.empty()}})
        if (is_missing) throw Error(text(name, ": expected a line \"// tune ", what, "\", got none; add it"));
    return file;
}

codegen::Values values_at(const tune::Point& point) { return {point.values().begin(), point.values().end()}; }

Dim3 extents(const std::vector<std::string>& expressions, const tune::Point& point) {
    std::array<long long, 3> extent{1, 1, 1};
    if (expressions.size() > 3)
        throw Error(text("expected at most 3 axes of a grid or block, got ", expressions.size()));
    for (std::size_t axis = 0; axis < expressions.size(); ++axis)
        extent[axis] = std::stoll(codegen::render("{{ (" + expressions[axis] + ") | int }}", values_at(point)));
    return {extent[0], extent[1], extent[2]};
}

/// "float[1048576]" is an array of 0.5, of integers of zeros; "float 3" and "int32_t 1048576" are values.
class FileArguments {
   public:
    explicit FileArguments(const std::vector<std::string>& words) {
        for (const std::string& word : words) add(word);
    }
    std::vector<tune::TunedArgument> packed;

   private:
    void add(const std::string& word) {
        if (const std::size_t open = word.find('['); open != std::string::npos) {
            const std::string type = word.substr(0, open);
            const long long count =
                std::stoll(codegen::render("{{ " + word.substr(open + 1, word.find(']') - open - 1) + " }}"));
            const DType dtype = parse_type(type);
            if (dtype.empty())
                throw Error(
                    text("the argument \"", word, "\": expected an element type such as float, got '", type, "'"));
            const AnyArray array(current_context(), dtype, Shape{count});
            if (array.dtype().is_floating())
                array.fill(0.5);
            else
                array.fill(std::int64_t{0});
            packed.emplace_back(array);
            return;
        }
        const std::size_t blank = word.find(' ');
        if (blank == std::string::npos)
            throw Error(text("the argument \"", word, "\": expected TYPE[COUNT] or TYPE VALUE, such as \"int32_t 3\""));
        const std::string type = word.substr(0, blank), value = codegen::render("{{ " + word.substr(blank + 1) + " }}");
        if (type == "float")
            packed.emplace_back(std::stof(value));
        else if (type == "double")
            packed.emplace_back(std::stod(value));
        else if (type == "int" || type == "int32_t")
            packed.emplace_back(static_cast<std::int32_t>(std::stoll(value)));
        else if (type == "int64_t")
            packed.emplace_back(static_cast<std::int64_t>(std::stoll(value)));
        else if (type == "uint32_t")
            packed.emplace_back(static_cast<std::uint32_t>(std::stoull(value)));
        else if (type == "uint64_t")
            packed.emplace_back(static_cast<std::uint64_t>(std::stoull(value)));
        else
            throw Error(text("the argument \"", word,
                             "\": expected a value of float, double, int32_t, int64_t, uint32_t or uint64_t"));
    }
};

}  // namespace

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
    const FileArguments arguments(file.arguments);
    const tune::Result result = tuner.run_packed({.trials = options.trials,
                                                  .seconds = options.seconds,
                                                  .strategy = tune::parse_strategy(options.strategy),
                                                  .seed = options.seed,
                                                  .progress = true,
                                                  .again = options.again},
                                                 arguments.packed);
    std::printf("%s on %s: %s, %g ms (%g ms at the start), %zu of %zu points tried, %zu of them now\n",
                file.kernel.c_str(), result.device.c_str(), to_string(result.point).c_str(), result.milliseconds,
                result.start_milliseconds, result.history.size(), result.points, result.trials);
    if (!options.json.empty()) result.save_json(options.json);
    if (!options.page.empty()) result.save_page(options.page);
    return 0;
}

}  // namespace gemel::tools
