/// Timing for the benchmarks: two or more contestants in turns, medians, one JSON line per figure.
#pragma once

#include <gemel/gemel.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

namespace bench {

/// Runs contestants alternately, so that a machine's moods hit all alike. Returns the median time of each, in
/// microseconds per call of its function.
inline std::vector<double> medians(const std::vector<std::function<void()>>& contestants, int rounds, int warm_up = 2) {
    std::vector<std::vector<double>> times(contestants.size());
    for (int round = -warm_up; round < rounds; ++round) {
        for (std::size_t i = 0; i < contestants.size(); ++i) {
            const auto start = std::chrono::steady_clock::now();
            contestants[i]();
            const std::chrono::duration<double, std::micro> passed = std::chrono::steady_clock::now() - start;
            if (round >= 0) times[i].push_back(passed.count());
        }
    }
    std::vector<double> result;
    for (auto& of_one : times) {
        std::nth_element(of_one.begin(), of_one.begin() + of_one.size() / 2, of_one.end());
        result.push_back(of_one[of_one.size() / 2]);
    }
    return result;
}

/// Rounded to so many decimal places.
inline double rounded(double value, int places) {
    const double scale = std::pow(10.0, places);
    return std::round(value * scale) / scale;
}

/// Fields in the order given, one object per line.
inline void print_line(const nlohmann::ordered_json& object) { std::cout << object.dump() << std::endl; }

/// One figure beside the raw driver's of the same run. `promise` is the largest ratio (or, for `unit` "us beyond raw",
/// the largest difference) that the performance contract allows; zero where there is none.
inline void report(const gemel::Device& device, const std::string& name, double gemel_us, double raw_us, double promise,
                   const std::string& unit = "ratio", double bytes = 0) {
    const double figure = unit == "ratio" ? gemel_us / raw_us : gemel_us - raw_us;
    nlohmann::ordered_json line = {{"benchmark", name},
                                   {"device", device.id()},
                                   {"name", device.name()},
                                   {"gemel_us", rounded(gemel_us, 3)},
                                   {"raw_us", rounded(raw_us, 3)},
                                   {unit, rounded(figure, 3)}};
    if (bytes > 0) {
        line["gemel_gb_per_s"] = rounded(bytes / gemel_us / 1e3, 2);
        line["raw_gb_per_s"] = rounded(bytes / raw_us / 1e3, 2);
    }
    if (promise > 0) {
        line["promise"] = promise;
        line["kept"] = figure <= promise;
    }
    print_line(line);
}

/// Device time of a call on GPUs, wall time on CPUs, in microseconds: the median of several times.
/// @param calls  that follow each other in one time, of which each has its share
inline double time_of(const gemel::Context& context, const std::function<void()>& call, bool on_gpu, int calls = 1) {
    constexpr int rounds = 15;
    std::vector<double> times;
    for (int k = -3; k < rounds; ++k) {
        const auto start = std::chrono::steady_clock::now();
        const gemel::Event begin = context.default_stream().record();
        for (int i = 0; i < calls; ++i) call();
        const gemel::Event end = context.default_stream().record();
        end.wait();
        const std::chrono::duration<double, std::micro> passed = std::chrono::steady_clock::now() - start;
        if (k >= 0) times.push_back((on_gpu ? 1e3 * gemel::elapsed_milliseconds(begin, end) : passed.count()) / calls);
    }
    std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
    return times[rounds / 2];
}

/// Calls that follow each other so that their time is that of the device, not of one launch: as many as take 400 us.
inline int calls_for(double microseconds) { return std::clamp(static_cast<int>(400 / microseconds), 1, 40); }

/// What the benchmarks of a grid of cells are called with: --small for CPU devices, --only TEXT, --list.
struct GridOptions {
    bool small = false, list = false;
    std::string only;
};

inline GridOptions grid_options(int argc, char** argv) {
    GridOptions options;
    for (int k = 1; k < argc; ++k) {
        const std::string word = argv[k];
        if (word == "--small") {
            options.small = true;
        } else if (word == "--list") {
            options.list = true;
        } else if (word == "--only" && k + 1 < argc) {
            options.only = argv[++k];
        } else {
            throw gemel::ArgumentError(std::string(argv[0]) + ": '" + word +
                                       "' is no option; expected --small, --only TEXT or --list");
        }
    }
    return options;
}

}  // namespace bench
