/// The table of variables, and how their values are read.
#include <gemel/core/environment.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <limits>

namespace gemel {

namespace {

/// `files`: text that names files to load, to write or to compile in.
enum class Takes { text, files, flag, choice, size };

struct Row {
    const char* name;
    Takes takes;
    const char* values;  ///< for a choice, exactly the words that are accepted, between " | "
    const char* meaning;
};

constexpr std::array table{
    Row{"GEMEL_BACKEND", Takes::text, "cuda | opencl | the name of another plug-in, in any case",
        "Only this backend is used, listed and compared; it is an error if it is unavailable."},
    Row{"GEMEL_DEVICE", Takes::text, "an index such as 0 | opencl:1 | part of a device's name",
        "The device of the default context, and the only one that is listed and compared."},
    Row{"GEMEL_PLUGIN_PATH", Takes::files, "folders with : between them",
        "Folders searched for plug-ins before all others."},
    Row{"GEMEL_CACHE", Takes::choice, "on | readonly | off",
        "Whether compiled kernels are kept on disk; readonly and off write nothing, and turn off drivers' own caches."},
    Row{"GEMEL_CACHE_DIR", Takes::files, "a folder", "Where compiled kernels are kept instead of ~/.cache/gemel."},
    Row{"GEMEL_BUNDLE", Takes::files, "a file",
        "A bundle of compiled programs, searched before the cache and the compiler."},
    Row{"GEMEL_BUNDLE_RECORD", Takes::files, "a file",
        "Adds every program that is compiled or found in the cache to this bundle."},
    Row{"GEMEL_BUNDLE_ARCHITECTURES", Takes::text, "architectures such as sm_80,sm_90,compute_75",
        "CUDA programs are recorded for these architectures, too."},
    Row{"GEMEL_COMPILE", Takes::choice, "on | off",
        "off forbids compilers: a program that is neither in the bundle nor in the cache is an error."},
    Row{"GEMEL_LOG", Takes::text, "trace | debug | info | warn | error | off, and subsystem=level, with commas between",
        "Which messages are shown; warn when unset."},
    Row{"GEMEL_TRACE", Takes::flag, "0 | 1", "Shows every driver call with its result, in order."},
    Row{"GEMEL_PROFILE", Takes::files, "a file",
        "Profiles the whole program: a trace for ui.perfetto.dev or chrome://tracing, written when it ends."},
    Row{"GEMEL_CAPTURE", Takes::files, "a folder",
        "Writes the first call of every kernel to a subfolder of this folder, for gemel replay."},
    Row{"GEMEL_DUMP", Takes::files, "a folder",
        "Keeps the source, options, binary and log of every program that is compiled."},
    Row{"GEMEL_BUILD_OPTIONS", Takes::files, "compiler options with spaces between them",
        "Passed to the compiler with every program, after the program's own options."},
    Row{"GEMEL_NVRTC", Takes::files, "a file", "The NVRTC library to load instead of the one that the loader finds."},
    Row{"GEMEL_OPENCL_COMPILER", Takes::choice, "driver | nvrtc",
        "nvrtc compiles for NVIDIA's OpenCL devices as for CUDA: NVRTC makes PTX of CUDA C++, which the driver loads."},
    Row{"GEMEL_SYNC", Takes::flag, "0 | 1",
        "Waits for each command and checks it, so that an error names the kernel that caused it."},
    Row{"GEMEL_DEBUG", Takes::flag, "0 | 1",
        "Compiles with device debug information, keeps the sources, and stores no program: for cuda-gdb and the like."},
    Row{"GEMEL_CHECK", Takes::flag, "0 | 1",
        "Generated kernels check subscripts in snippets, and each call waits and says which one was out of bounds."},
    Row{"GEMEL_DOUBLE", Takes::flag, "on | off",
        "off uses OpenCL devices as if they had no double precision: shows which parts of a program need it."},
    Row{"GEMEL_POOL", Takes::flag, "on | off",
        "off passes every allocation and release to the driver at once, for tools that check memory."},
    Row{"GEMEL_POOL_LIMIT", Takes::size,
        "bytes such as 1048576, 512K, 2G | a share of the device's memory from 1% to 100%, such as 80%",
        "The maximum device memory that gemel allocates; 0: no limit."},
    Row{"GEMEL_EXTERNAL_MEMORY", Takes::flag, "on | off",
        "off copies between backends, and between OpenCL contexts, through the host, not through shared device "
        "memory."},
    Row{"GEMEL_COPY_PIECE", Takes::size, "bytes such as 8M, 64M",
        "The largest piece of a GPU-to-GPU copy through memory shared by CUDA and OpenCL. Default 32M, minimum 1M. The "
        "first copy allocates three pieces."},
    Row{"GEMEL_OVERLAP", Takes::flag, "on | off",
        "off launches each CUDA kernel after the previous one has ended; on overlaps the launch with its end."},
    Row{"GEMEL_TUNE", Takes::choice, "off | use | auto",
        "Whether stored tunings and trials are used (default: use); off uses none and stores new ones; auto also tries "
        "others in the first calls of a kind."},
    Row{"GEMEL_SEED", Takes::text, "a number from 0 to 2^64 - 1",
        "The seed of random::rand and random::randn; by default every process has a new one."},
};

const Row& row_of(const char* name) {
    const auto* const found =
        std::find_if(table.begin(), table.end(), [&](const Row& row) { return std::string_view(row.name) == name; });
    if (found == table.end()) {
        throw Error(text("env::get: '", name, "' is missing from gemel's table of environment variables"));
    }
    return *found;
}

std::optional<std::string> raw(const Row& row) {
    // A program with more rights than its caller must not load, write or compile anything that the caller names.
    const char* const value = row.takes == Takes::files ? ::secure_getenv(row.name) : std::getenv(row.name);
    return value != nullptr && *value != '\0' ? std::optional<std::string>(value) : std::nullopt;
}

std::string lower(std::string value) {
    std::transform(value.begin(), value.end(), value.begin(), [](unsigned char c) { return std::tolower(c); });
    return value;
}

[[noreturn]] void refuse(const Row& row, const std::string& value) {
    throw ArgumentError(text("environment variable ", row.name, " is '", value, "', which is not understood; it takes ",
                             row.takes == Takes::flag ? "1, on, true, yes, 0, off, false or no" : row.values));
}

std::optional<bool> as_flag(const std::string& value) {
    const std::string word = lower(value);
    if (word == "1" || word == "on" || word == "true" || word == "yes") {
        return true;
    }
    if (word == "0" || word == "off" || word == "false" || word == "no") {
        return false;
    }
    return std::nullopt;
}

bool is_choice(std::string_view choices, std::string_view word) {
    constexpr std::string_view separator = " | ";
    for (std::size_t from = 0; from <= choices.size();) {
        const std::size_t to = std::min(choices.find(separator, from), choices.size());
        if (choices.substr(from, to - from) == word) {
            return true;
        }
        from = to + separator.size();
    }
    return false;
}

/// The factor of a unit, empty if the unit is unknown. Units are powers of 1024 in any spelling.
std::optional<std::size_t> unit_factor(std::string unit) {
    unit = lower(std::move(unit));
    if (unit.empty() || unit == "b") {
        return 1;
    }
    const std::size_t power = std::string_view("kmgt").find(unit[0]);
    const std::string rest = unit.substr(1);
    if (power == std::string_view::npos || !(rest.empty() || rest == "b" || rest == "ib")) {
        return std::nullopt;
    }
    return std::size_t{1} << (10 * (power + 1));
}

}  // namespace

std::vector<EnvironmentVariable> environment() {
    std::vector<EnvironmentVariable> out;
    for (const Row& row : table) {
        out.push_back({row.name, row.values, row.meaning, raw(row)});
    }
    return out;
}

namespace env {

std::optional<std::string> get(const char* name) {
    const Row& row = row_of(name);
    std::optional<std::string> value = raw(row);
    if (value && row.takes == Takes::choice) {
        const std::string word = lower(*value);
        if (!is_choice(row.values, word)) {
            refuse(row, *value);
        }
        return word;
    }
    if (value && row.takes == Takes::flag && !as_flag(*value)) {
        refuse(row, *value);
    }
    return value;
}

bool flag(const char* name, bool unset) {
    const std::optional<std::string> value = get(name);
    if (!value) {
        return unset;
    }
    const std::optional<bool> on = as_flag(*value);
    if (!on) {
        refuse(row_of(name), *value);
    }
    return *on;
}

void check_values() {
    for (const Row& row : table)
        if (row.takes == Takes::size) {
            (void)bytes(row.name, 1 << 30);
        } else if (row.takes != Takes::text && row.takes != Takes::files &&
                   row.name != std::string_view("GEMEL_TRACE")) {
            (void)get(row.name);
        }
}

std::optional<std::size_t> bytes(const char* name, std::size_t total_bytes) {
    const std::optional<std::string> value = get(name);
    if (!value) {
        return std::nullopt;
    }
    std::size_t number = 0;
    const char* const end = value->data() + value->size();
    const auto [unit, failure] = std::from_chars(value->data(), end, number);
    if (failure != std::errc()) {
        refuse(row_of(name), *value);
    }
    if (std::string_view(unit, end) == "%") {
        // 0 % would be 0 bytes, which means no limit.
        if (number == 0 || number > 100) {
            refuse(row_of(name), *value);
        }
        // In two parts, to avoid overflow.
        return std::max<std::size_t>(1, total_bytes / 100 * number + total_bytes % 100 * number / 100);
    }
    const std::optional<std::size_t> factor = unit_factor(std::string(unit, end));
    if (!factor || number > std::numeric_limits<std::size_t>::max() / *factor) {
        refuse(row_of(name), *value);
    }
    return number * *factor;
}

}  // namespace env
}  // namespace gemel
