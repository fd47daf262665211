/// How fast conjugate gradients converge without a preconditioner and with three of them, for ground that conducts heat
/// in layers of very different kinds, and along them better than across. Draws the residuals into cg_convergence.ppm.
#include <gemel/core/text.hpp>
#include <gemel/gemel.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

namespace solve = gemel::solve;
using gemel::slice;
using Vector = gemel::GPUArray<double>;

constexpr std::int64_t side = 128, unknowns = side * side, block = 32;
constexpr double tolerance = 1e-8;

/// Balances of heat in side x side cells, which lose it to a cold rim.
static gemel::sparse::Matrix<double> layered_ground() {
    std::vector<std::int64_t> rows, columns;
    std::vector<double> values;
    const auto add = [&](std::int64_t row, std::int64_t column, double value) {
        rows.push_back(row), columns.push_back(column), values.push_back(value);
    };
    // From 1 to 100; the layers rise and fall.
    const auto conductivity = [](std::int64_t y, std::int64_t x) {
        const double depth = static_cast<double>(y) + 5 * std::sin(static_cast<double>(x) / 20);
        return std::pow(10.0, 1 + std::sin(depth / 6));
    };
    for (std::int64_t y = 0; y < side; ++y)
        for (std::int64_t x = 0; x < side; ++x) {
            const std::int64_t cell = y * side + x;
            const auto neighbour = [&](std::int64_t dy, std::int64_t dx, double factor) {
                const std::int64_t v = y + dy, u = x + dx;
                const double flow = factor * 2 / (1 / conductivity(y, x) + 1 / conductivity(v, u));
                add(cell, cell, flow);
                if (v >= 0 && v < side && u >= 0 && u < side) add(cell, v * side + u, -flow);
            };
            neighbour(0, -1, 1), neighbour(0, 1, 1), neighbour(-1, 0, 0.1), neighbour(1, 0, 0.1);
        }
    return gemel::sparse::coo<double>({unknowns, unknowns}, rows, columns, values);
}

/// What the matrix has in blocks along its diagonal: cells of the same layer, one beside the other.
static Vector blocks_of(const gemel::sparse::Matrix<double>& a) {
    const Vector blocks = gemel::zeros<double>({unknowns / block, block, block});
    // A block's elements in a row: those on its diagonal are block + 1 apart, and so are those beside it.
    const Vector flat = blocks.reshape({unknowns / block, block * block});
    const Vector beside = gemel::concatenate({a.diagonal(1), gemel::zeros<double>({1})}).reshape({-1, block});
    flat(slice(), slice(0, {}, block + 1)).assign(a.diagonal().reshape({-1, block}));
    flat(slice(), slice(1, {}, block + 1)).assign(beside(slice(), slice(0, -1)));
    flat(slice(), slice(block, {}, block + 1)).assign(beside(slice(), slice(0, -1)));
    return blocks;
}

struct Curve {
    std::array<std::uint8_t, 3> colour;
    std::vector<solve::Look> looks;  ///< residuals, relative to that of zero
};

/// Iterations to the right, residuals from 10 at the top down to 1e-9. Lines stand at every hundredth iteration and at
/// every power of ten.
static bool save(const std::vector<Curve>& curves, std::int64_t most, const char* path) {
    constexpr std::int64_t width = 720, height = 400;
    std::vector<std::array<std::uint8_t, 3>> pixels(width * height, {12, 12, 12});
    const auto dot = [&](double iteration, double residual, const std::array<std::uint8_t, 3>& colour) {
        const auto x = static_cast<std::int64_t>(iteration * (width - 2) / static_cast<double>(most));
        const auto y = static_cast<std::int64_t>((1 - std::log10(residual)) * height / 10);
        if (x >= 0 && x < width && y >= 0 && y < height) pixels[static_cast<std::size_t>(y * width + x)] = colour;
    };
    for (int power = -8; power < 1; ++power)
        for (std::int64_t x = 0; x < width; ++x)
            dot(static_cast<double>(x * most) / width, std::pow(10, power), {50, 50, 50});
    for (std::int64_t iteration = 100; iteration < most; iteration += 100)
        for (std::int64_t y = 0; y < height; ++y)
            dot(static_cast<double>(iteration), std::pow(10, 1 - 10 * (y + 0.5) / height), {50, 50, 50});
    for (const Curve& curve : curves)
        for (std::size_t k = 1; k < curve.looks.size(); ++k)
            for (int step = 0; step <= 64; ++step) {
                const double part = step / 64.0;
                const solve::Look &a = curve.looks[k - 1], &b = curve.looks[k];
                const double residual = std::pow(a.residual_norm, 1 - part) * std::pow(b.residual_norm, part);
                const double iteration = static_cast<double>(a.iteration) + part * (b.iteration - a.iteration);
                for (const double thick : {0.98, 1.0, 1.02}) dot(iteration, residual * thick, curve.colour);
            }
    std::ofstream file(path, std::ios::binary);
    file << "P6 " << width << ' ' << height << " 255\n";
    file.write(reinterpret_cast<const char*>(pixels.data()), static_cast<std::streamsize>(3 * pixels.size()));
    return file.good();
}

int main() {
    const auto by_rows = layered_ground(), a = by_rows.to(gemel::sparse::Format::automatic);
    const Vector heat = gemel::random::Philox(/*seed=*/7).uniform<double>({unknowns}), b = a * heat;
    const double length = gemel::norm(b).item();

    // The matrix, and how often something is multiplied by it: chebyshev() does so too, first to find an eigenvalue.
    std::int64_t products = 0;
    const solve::LinearOperator<double> counted(a.shape(), [&](const Vector& u, const Vector& out) {
        ++products;
        a.multiply_into(out, u);
    });

    std::vector<Curve> curves;
    bool good = true;
    std::int64_t most = 0;
    std::printf("%-22s %-8s %10s %9s %14s %10s\n", "preconditioner", "colour", "iterations", "products",
                "|b - A x|/|b|", "error");
    const auto run = [&](const char* name, const char* colour_name, std::array<std::uint8_t, 3> colour,
                         const solve::LinearOperator<double>& preconditioner) {
        // A look in every iteration, for the picture; the figures arrive while the next iteration runs.
        const auto solved = solve::cg(
            counted, b, {.tolerance = tolerance, .check_every = 1, .preconditioner = preconditioner, .history = true});
        Curve& curve = curves.emplace_back(Curve{colour, {{0, 1}}});
        for (const solve::Look& look : solved.history)
            if (look.iteration > 0) curve.looks.push_back({look.iteration, look.residual_norm / length});
        most = std::max(most, solved.iterations);
        const double error = gemel::max(gemel::abs(solved.x - heat)).item();
        std::printf("%-22s %-8s %10lld %9lld %14.1e %10.1e\n", name, colour_name,
                    static_cast<long long>(solved.iterations), static_cast<long long>(products),
                    solved.residual_norm / length, error);
        good = good && solved.converged && error < 1e-3 && curve.looks.size() > 10;
        products = 0;
        return solved.iterations;
    };
    const auto none = run("none", "white", {235, 235, 235}, {});
    const auto jacobi = run("jacobi", "blue", {90, 150, 255}, solve::jacobi(by_rows));
    const auto blocks = run("block_jacobi, 32", "green", {90, 210, 110}, solve::block_jacobi(blocks_of(by_rows)));
    const auto chebyshev =
        run("chebyshev, degree 4", "orange", {255, 160, 60}, solve::chebyshev(counted, b, {.degree = 4}));
    good = save(curves, most, "cg_convergence.ppm") && good && jacobi < none && blocks < jacobi && chebyshev < none;
    std::printf("%s: cg_convergence.ppm, %lld unknowns\n", good ? "ok" : "wrong", static_cast<long long>(unknowns));
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
