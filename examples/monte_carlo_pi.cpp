/// Pi from random points in a square: drawn on the device, judged and counted by one kernel.
#include <gemel/gemel.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numbers>

int main() {
    constexpr std::int64_t count = 1 << 22;
    const gemel::random::Philox generator(/*seed=*/2026);
    const auto x = generator.uniform<float>({count}), y = generator.uniform<float>({count});

    // No array of distances or of truth values is stored.
    const std::int64_t inside = gemel::sum(x * x + y * y < 1.0f).item();
    const double estimate = 4.0 * static_cast<double>(inside) / count;

    const double deviation = 4 * std::sqrt(std::numbers::pi / 4 * (1 - std::numbers::pi / 4) / count);
    const double error = std::abs(estimate - std::numbers::pi);
    const bool good = error < 4 * deviation;  // the seed is fixed, so that this holds always or never
    std::printf("%s: pi is about %.5f, off by %.1f standard deviations\n", good ? "ok" : "wrong", estimate, error / deviation);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
