/// Timing for the benchmarks: two or more contestants in turns, medians, one JSON line per figure.
#pragma once

#include <gemel/gemel.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
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

/// One figure beside the raw driver's of the same run. `promise` is the largest ratio (or, for `unit` "us beyond raw",
/// the largest difference) that the performance contract allows; zero where there is none.
inline void report(const gemel::Device& device, const std::string& name, double gemel_us, double raw_us, double promise,
                   const std::string& unit = "ratio", double bytes = 0) {
    const double figure = unit == "ratio" ? gemel_us / raw_us : gemel_us - raw_us;
    std::printf(
        "{\"benchmark\": \"%s\", \"device\": \"%s\", \"name\": \"%s\", \"gemel_us\": %.3f, \"raw_us\": %.3f, "
        "\"%s\": %.3f",
        name.c_str(), device.id().c_str(), device.name().c_str(), gemel_us, raw_us, unit.c_str(), figure);
    if (bytes > 0)
        std::printf(", \"gemel_gb_per_s\": %.2f, \"raw_gb_per_s\": %.2f", bytes / gemel_us / 1e3, bytes / raw_us / 1e3);
    if (promise > 0) std::printf(", \"promise\": %.3f, \"kept\": %s", promise, figure <= promise ? "true" : "false");
    std::printf("}\n");
    std::fflush(stdout);
}

}  // namespace bench
