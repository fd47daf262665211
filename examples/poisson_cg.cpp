/// Poisson's equation by conjugate gradients, of a matrix that is read from a Matrix Market file: `poisson_cg [file]`.
/// The solver, which never waits for the device, beside two loops: one on arrays, which reads two numbers in every
/// iteration, and one on the host's processor.
#include <gemel/gemel.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace fs = std::filesystem;
using Matrix = gemel::sparse::Matrix<double>;
using Vector = gemel::GPUArray<double>;

constexpr double tolerance = 1e-9;

/// A Poisson matrix of n x n points, as files of the Matrix Market hold symmetric ones: its lower half, counted from 1.
static void write_poisson(const fs::path& path, std::int64_t n) {
    std::ofstream file(path);
    file << "%%MatrixMarket matrix coordinate real symmetric\n";
    file << n * n << ' ' << n * n << ' ' << 3 * n * n - 2 * n << '\n';
    for (std::int64_t k = 1; k <= n * n; ++k) {
        file << k << ' ' << k << " 4\n";
        if (k % n != 0) file << k + 1 << ' ' << k << " -1\n";
        if (k + n <= n * n) file << k + n << ' ' << k << " -1\n";
    }
}

/// The matrix of the file, or of one that is made for the purpose.
static Matrix read(const char* path) {
    if (path != nullptr) return gemel::sparse::load_mtx<double>(path);
    const fs::path made = fs::temp_directory_path() / ("poisson" + std::to_string(std::random_device()()) + ".mtx");
    write_poisson(made, 160);
    const Matrix a = gemel::sparse::load_mtx<double>(made);
    fs::remove(made);
    return a;
}

struct Solution {
    Vector x;
    std::int64_t iterations;
};

/// As one would write it first. The host cannot go on before it has read alpha and beta: the device waits for it,
/// twice.
static Solution loop_on_arrays(const Matrix& a, const Vector& b) {
    const Vector x = gemel::zeros_like(b), r = b.copy(), p = b.copy(), q = gemel::zeros_like(b);
    double rho = gemel::vdot(r, r).item();
    const double target = tolerance * std::sqrt(rho);
    std::int64_t iterations = 0;
    for (; std::sqrt(rho) > target; ++iterations) {
        a.multiply_into(q, p);
        const double alpha = rho / gemel::vdot(p, q).item();
        x += alpha * p;
        r -= alpha * q;
        const double before = rho;
        rho = gemel::vdot(r, r).item();
        p.assign(r + (rho / before) * p);
    }
    return {x, iterations};
}

/// The same without a device.
class HostLoop {
   public:
    explicit HostLoop(const Matrix& a)
        : starts_(a.row_starts().astype(gemel::dtype_of<std::int64_t>()).get<std::int64_t>()),
          columns_(a.column_indices().astype(gemel::dtype_of<std::int64_t>()).get<std::int64_t>()),
          values_(a.values().get()) {}

    Solution operator()(const Vector& b) const {
        using Numbers = std::vector<double>;
        const auto dot = [](const Numbers& u, const Numbers& v) {
            return std::inner_product(u.begin(), u.end(), v.begin(), 0.0);
        };
        Numbers r = b.get(), p = r, q(r.size()), x(r.size());
        double rho = dot(r, r);
        const double target = tolerance * std::sqrt(rho);
        std::int64_t iterations = 0;
        for (; std::sqrt(rho) > target; ++iterations) {
            multiply(q, p);
            const double alpha = rho / dot(p, q), before = rho;
            for (std::size_t i = 0; i < r.size(); ++i) x[i] += alpha * p[i], r[i] -= alpha * q[i];
            rho = dot(r, r);
            for (std::size_t i = 0; i < r.size(); ++i) p[i] = r[i] + rho / before * p[i];
        }
        return {gemel::to_gpu(b.context(), x), iterations};
    }

   private:
    void multiply(std::vector<double>& y, const std::vector<double>& x) const {
        for (std::size_t i = 0; i < y.size(); ++i) {
            double sum = 0;
            for (auto k = static_cast<std::size_t>(starts_[i]); k < static_cast<std::size_t>(starts_[i + 1]); ++k)
                sum += values_[k] * x[static_cast<std::size_t>(columns_[k])];
            y[i] = sum;
        }
    }

    std::vector<std::int64_t> starts_, columns_;
    std::vector<double> values_;
};

int main(int argc, char** argv) {
    const Matrix by_rows = read(argc > 1 ? argv[1] : nullptr), a = by_rows.to(gemel::sparse::Format::automatic);
    const Vector expected = gemel::random::Philox(/*seed=*/5).uniform<double>({a.shape()[0]}, -1, 1), b = a * expected;
    std::printf("%lld unknowns, %lld entries as %s\n", static_cast<long long>(a.shape()[0]),
                static_cast<long long>(a.nonzeros()), to_string(a.format()).c_str());
    std::printf("%-38s %10s %13s %14s %10s\n", "", "iterations", "us/iteration", "|b - A x|/|b|", "error");

    bool good = true;
    const auto report = [&](const char* name, const std::function<Solution()>& solve) {
        Solution found = solve();  // kernels are compiled
        double least = INFINITY;
        for (int repeat = 0; repeat < 3; ++repeat) {
            const auto start = std::chrono::steady_clock::now();
            found = solve();
            a.context().synchronize();
            const std::chrono::duration<double, std::micro> passed = std::chrono::steady_clock::now() - start;
            least = std::min(least, passed.count());
        }
        const double residual = gemel::norm(b - a * found.x).item() / gemel::norm(b).item();
        const double error = gemel::max(gemel::abs(found.x - expected)).item();
        std::printf("%-38s %10lld %13.1f %14.1e %10.1e\n", name, static_cast<long long>(found.iterations),
                    least / static_cast<double>(found.iterations), residual, error);
        good = good && residual < 1.1 * tolerance && (argc > 1 || error < 1e-5);  // files may be worse conditioned
    };
    report("solve::cg, looking every 20 iterations", [&]() -> Solution {
        const auto solved = gemel::solve::cg(a, b, {.tolerance = tolerance});
        return {solved.x, solved.iterations};
    });
    report("the same, recorded as a graph", [&]() -> Solution {
        const auto solved = gemel::solve::cg(a, b, {.tolerance = tolerance, .graph = true});
        return {solved.x, solved.iterations};
    });
    report("a loop on arrays that reads scalars", [&] { return loop_on_arrays(a, b); });
    report("a loop on the host's processor", [&, loop = HostLoop(by_rows)] { return loop(b); });
    std::printf("%s: all four find the known solution\n", good ? "ok" : "wrong");
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
