/// The heat equation by implicit steps, far longer than an explicit scheme could take: conjugate gradients over an
/// operator of shifted views, for two plates at once. Writes a picture of the second.
#include <gemel/gemel.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numbers>
#include <vector>

using gemel::slice;
using Plate = gemel::GPUArray<double>;

/// Blue is cold, white is hot.
static bool save(const Plate& heat, const char* path) {
    const std::vector<double> values = heat.get();
    std::ofstream file(path, std::ios::binary);
    file << "P6 " << heat.shape()[1] << ' ' << heat.shape()[0] << " 255\n";
    for (const double value : values)
        for (const double shade : {3 * value - 0.7, 3 * value - 1.7, 0.2 + 1.5 * value})
            file.put(static_cast<char>(static_cast<std::uint8_t>(255 * std::fmin(std::fmax(shade, 0), 1))));
    return file.good();
}

int main() {
    constexpr std::int64_t inside = 255;  // points between the cold rims
    constexpr int steps = 4;
    constexpr double ratio = 30;  // time step over the square of the distance: explicit steps end at 1/4
    constexpr double pi = std::numbers::pi;

    // The rim stays at 0: points beyond it are left out.
    const gemel::solve::LinearOperator<double> step(
        {inside * inside, inside * inside}, [=](const Plate& u, const Plate& out) {
            const Plate from = u.reshape({inside, inside}), to = out.reshape({inside, inside});
            to.assign((1 + 4 * ratio) * from);
            to(slice(1, {})) -= ratio * from(slice({}, -1));
            to(slice({}, -1)) -= ratio * from(slice(1, {}));
            to(slice(), slice(1, {})) -= ratio * from(slice(), slice({}, -1));
            to(slice(), slice({}, -1)) -= ratio * from(slice(), slice(1, {}));
        });

    // One column of right-hand sides is a wave, whose decay is known; the other has a hot disc and a hot bar.
    const auto place = gemel::linspace<double>(pi / (inside + 1), pi * inside / (inside + 1), inside);
    const auto y = place(slice(), gemel::newaxis), x = place;
    const Plate wave = gemel::sin(y) * gemel::sin(x);
    const auto disc = gemel::hypot(y - 1.1, x - 1.0) < 0.5;
    const auto bar = gemel::logical_and(gemel::abs(y - 2.3) < 0.15, gemel::abs(x - 1.9) < 0.9);
    const Plate plates(wave.context(), {inside * inside, 2});
    plates(slice(), 0).assign(wave.reshape({-1}));
    plates(slice(), 1).assign(Plate(gemel::astype<double>(gemel::logical_or(disc, bar))).reshape({-1}));

    Plate u = plates;
    std::int64_t iterations = 0;
    for (int k = 0; k < steps; ++k) {
        const auto solved = gemel::solve::cg(step, u, {.tolerance = 1e-10, .x0 = u});
        iterations += solved.iterations;
        u = solved.x;
    }

    const double sine = std::sin(pi / (2 * (inside + 1)));
    const double decay = std::pow(1 + 8 * ratio * sine * sine, -steps);
    const double error = gemel::max(gemel::abs(u(slice(), 0) - decay * plates(slice(), 0))).item();
    const Plate picture = u(slice(), 1).copy().reshape({inside, inside});
    const bool good = save(picture, "implicit_heat.ppm") && error < 1e-7 && gemel::max(picture).item() < 1;
    std::printf("%s: implicit_heat.ppm after %d steps of %.1f iterations, the largest error of the wave is %.1e\n",
                good ? "ok" : "wrong", steps, static_cast<double>(iterations) / steps, error);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
