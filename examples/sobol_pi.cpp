/// Pi from the points of a Sobol' sequence, beside as many random points: even points are better ones.
#include <gemel/gemel.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numbers>

namespace {

/// Four times the share of the points, shape (n, 2), that lie in a quarter of a circle.
double estimate(const gemel::GPUArray<float>& points) {
    const auto x = points(gemel::slice(), 0), y = points(gemel::slice(), 1);
    return 4.0 * static_cast<double>(gemel::sum(x * x + y * y < 1.0f).item()) / static_cast<double>(x.size());
}

}  // namespace

int main() {
    constexpr std::int64_t count = 1 << 20;  // a power of two: where such sequences are evenest
    const auto error = [](const gemel::GPUArray<float>& points) {
        return std::abs(estimate(points) - std::numbers::pi);
    };
    const double even = error(gemel::random::Sobol(2).uniform<float>(count));
    const double random = error(gemel::random::Philox(/*seed=*/2026).uniform<float>({count, 2}));

    // Scrambled sequences are independent of each other: their scatter says how far off one is.
    double squares = 0;
    constexpr int sequences = 8;
    for (std::uint64_t seed = 0; seed < sequences; ++seed) {
        const gemel::random::Sobol scrambled(2, gemel::random::Scramble{.seed = seed});
        squares += std::pow(error(scrambled.uniform<float>(count)), 2);
    }
    const double scatter = std::sqrt(squares / sequences);

    const double expected =
        4 * std::sqrt(std::numbers::pi / 4 * (1 - std::numbers::pi / 4) / count);  // of random points
    const bool good = even < expected / 10 && scatter < expected / 10 && random < 4 * expected;
    std::printf("%s: pi is off by %.1e with Sobol' points, by %.1e when they are scrambled, by %.1e with random ones\n",
                good ? "ok" : "wrong", even, scatter, random);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
