/// The heat equation on a square whose rim is kept cold: finite differences from slices, one expression per step.
#include <gemel/gemel.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>

int main() {
    using gemel::slice;
    constexpr int cells = 200, steps = 2000;
    constexpr float ratio = 0.2f;  // time step over the square of the distance; below 1/4 the scheme is stable
    constexpr double pi = std::numbers::pi;

    // sin(pi x) sin(pi y) keeps its form while it cools.
    const gemel::GPUArray<float> wave = gemel::sin(gemel::linspace<float>(0, pi, cells + 1));
    const gemel::GPUArray<float> start = wave(slice(), gemel::newaxis) * wave;
    const gemel::GPUArray<float> u = start.copy();
    u(0).fill(0);
    u(-1).fill(0);
    u(slice(), 0).fill(0);
    u(slice(), -1).fill(0);

    const auto inside = u(slice(1, -1), slice(1, -1));
    const auto north = u(slice({}, -2), slice(1, -1)), south = u(slice(2, {}), slice(1, -1));
    const auto west = u(slice(1, -1), slice({}, -2)), east = u(slice(1, -1), slice(2, {}));
    // What is on the right is read as it was before anything is written, although it overlaps.
    for (int step = 0; step < steps; ++step) inside += ratio * (north + south + west + east - 4 * inside);

    // The discrete wave is multiplied by this in every step.
    const double sine = std::sin(pi / (2 * cells));
    const double decay = std::pow(1 - 8 * ratio * sine * sine, steps);
    const double error = gemel::max(gemel::abs(u - decay * start)).item();
    const bool good = error < 1e-4;  // 2000 roundings of floats near 1
    std::printf("%s: the middle has cooled to %.5f, the largest error is %.1e\n", good ? "ok" : "wrong",
                static_cast<double>(u(cells / 2, cells / 2).item()), error);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
