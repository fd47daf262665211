/// Conjugate gradients whose iterations are one launch, beside the same iterations launched.
#include "solve_support.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

using namespace gemel;
using namespace gemel::testing;

namespace {

using codegen::SweepChain;
using sparse::Format;

template <class T>
sparse::Matrix<T> matrix_of(const HostSystem<T>& a, Format format) {
    return sparse::csr<T>({a.n, a.n}, a.starts, a.columns, a.values).to(format);
}

/// Launches of a whole solve.
template <class T>
std::int64_t launches_of(const sparse::Matrix<T>& a, const GPUArray<T>& b, const solve::Options<T>& options) {
    const auto before = current_context().statistics().launches;
    (void)solve::cg(a, b, options);
    return static_cast<std::int64_t>(current_context().statistics().launches - before);
}

template <class T>
void check_same(const HostSystem<T>& a, const sparse::Matrix<T>& matrix, bool with_jacobi) {
    const GPUArray<T> b = to_gpu(random_vector<T>(a.n, 11));
    solve::Options<T> options{.tolerance = sizeof(RealOf<T>) == 4 ? 1e-5 : 1e-11, .check_every = 7};
    if (with_jacobi) options.preconditioner = solve::jacobi(matrix);
    options.tuning.chain = SweepChain::always;
    const auto chained = solve::cg(matrix, b, options);
    CHECK(chained.x.get() == solve::cg(matrix, b, options).x.get());  // the same bits
    options.tuning.chain = SweepChain::never;
    const auto launched = solve::cg(matrix, b, options);
    REQUIRE(chained.converged);
    // Both add the same products, in another order, up in the same precision.
    CHECK(std::abs(chained.iterations - launched.iterations) <= 1);
    const std::vector<T> right = b.get();
    CHECK(host_residual(a, right, chained.x.get()) <=
          (1.1 * options.tolerance + 20 * std::numeric_limits<RealOf<T>>::epsilon()) * host_norm(right));
}

}  // namespace

TEST_SUITE_BEGIN("algorithms");

TEST_CASE_TEMPLATE("iterations in one launch find what launched ones find", T, float, double, std::complex<float>,
                   std::complex<double>) {
    const HostSystem<T> a = random_matrix<T>(700, MatrixKind::positive, 1.1);
    std::size_t choice = std::is_same_v<T, double> || std::is_same_v<T, std::complex<float>>;
    for (const Format format : {Format::csr, Format::ell, Format::sell}) {
        CAPTURE(to_string(format));
        const auto matrix = matrix_of(a, format);
        ++choice;
        for (const bool with_jacobi : {false, true})
            if (!is_left_out(2, choice++)) check_same(a, matrix, with_jacobi);
    }
}

TEST_CASE("diagonals, rows that several threads share, and rows of one block are chained") {
    const HostSystem<double> grid = laplacian(24);
    for (const Format format : {Format::csr, Format::dia})
        for (const bool with_jacobi : {false, true}) check_same(grid, matrix_of(grid, format), with_jacobi);
    const std::int64_t n = 90;
    std::vector<double> dense(static_cast<std::size_t>(n * n));
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j)
            dense[static_cast<std::size_t>(i * n + j)] = i == j ? 100 : 1.0 / static_cast<double>(1 + (i + j) % 7);
    const auto full = HostSystem<double>::dense(n, dense);
    check_same(full, matrix_of(full, Format::csr), true);
    const auto one = HostSystem<double>::dense(1, {4});
    check_same(one, matrix_of(one, Format::csr), false);
}

TEST_CASE("a chain is one launch for each look") {
    const HostSystem<double> a = laplacian(24);
    const auto matrix = matrix_of(a, Format::csr);
    const GPUArray<double> b = to_gpu(random_vector<double>(a.n));
    solve::Options<double> options{.tolerance = 0, .check_every = 10, .throw_if_not_converged = false};
    options.tuning.chain = SweepChain::always;
    const auto launches = [&](std::int64_t iterations) {
        options.max_iterations = iterations;
        return launches_of(matrix, b, options);
    };
    launches(20);
    CHECK(launches(40) - launches(20) == 2);
    CHECK(launches(45) - launches(40) == 1);
    options.tuning.chain = SweepChain::never;
    CHECK(launches(40) - launches(20) >= 2 * 20);
    // Several right-hand sides, and operators that are no matrix, are launched.
    options.tuning.chain = SweepChain::always;
    const GPUArray<double> several = to_gpu(random_vector<double>(2 * a.n)).reshape({a.n, 2});
    const auto of_several = [&](std::int64_t iterations) {
        options.max_iterations = iterations;
        return launches_of(matrix, several, options);
    };
    of_several(20);
    CHECK(of_several(40) - of_several(20) >= 2 * 20);
}

TEST_CASE("by default, small systems are one launch for each look on devices whose blocks see each other's writes") {
    const bool is_chained = current_context().device().info().has_cross_block_visibility;
    const HostSystem<double> a = laplacian(24);
    const GPUArray<double> b = to_gpu(random_vector<double>(a.n));
    for (const Format format : {Format::csr, Format::dia}) {
        const auto matrix = matrix_of(a, format);
        solve::Options<double> options{.tolerance = 0, .check_every = 10, .throw_if_not_converged = false};
        const auto launches = [&](std::int64_t iterations) {
            options.max_iterations = iterations;
            return launches_of(matrix, b, options);
        };
        launches(20);
        const std::int64_t added = launches(40) - launches(20);
        CHECK_MESSAGE((is_chained ? added == 2 : added >= 2 * 20), added, " launches in ", to_string(format));
    }
}

TEST_CASE("a chain stops where it has converged, and at the limit") {
    const HostSystem<double> a = laplacian(24);
    const auto matrix = matrix_of(a, Format::csr);
    const GPUArray<double> b = to_gpu(random_vector<double>(a.n));
    solve::Options<double> options{.tolerance = 1e-9};
    options.tuning.chain = SweepChain::never;
    const auto launched = solve::cg(matrix, b, options);
    options.tuning.chain = SweepChain::always;
    options.check_every = 1000;
    const auto chained = solve::cg(matrix, b, options);
    CHECK(chained.converged);
    CHECK(std::abs(chained.iterations - launched.iterations) <= 1);
    CHECK(chained.iterations < 500);
    options.max_iterations = 7;
    options.throw_if_not_converged = false;
    const auto cut = solve::cg(matrix, b, options);
    CHECK(cut.iterations == 7);
    CHECK_FALSE(cut.converged);
    options.check_every = 3;
    CHECK(solve::cg(matrix, b, options).iterations == 7);
    options.graph = true;  // takes nothing away from it
    CHECK(solve::cg(matrix, b, options).x.get() == cut.x.get());
}

TEST_CASE("a chain says why it cannot go on") {
    solve::Options<double> options{.tolerance = 1e-12};
    options.tuning.chain = SweepChain::always;
    const HostSystem<double> a = random_matrix<double>(80, MatrixKind::indefinite);
    const GPUArray<double> b = to_gpu(random_vector<double>(a.n));
    CHECK_THROWS_MENTIONING(solve::BreakDown, solve::cg(matrix_of(a, Format::csr), b, options),
                            "A is not positive definite");
    options.throw_if_not_converged = false;
    const auto result = solve::cg(matrix_of(a, Format::csr), b, options);
    const std::vector<double> x = result.x.get();
    CHECK(std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); }));
    CHECK(std::abs(host_residual(a, b.get(), x) - result.residual_norm) <= 1e-10 * host_norm(b.get()));
    options.throw_if_not_converged = true;
    HostSystem<double> broken = laplacian(12);
    broken.values[7] = std::numeric_limits<double>::quiet_NaN();
    const GPUArray<double> right = to_gpu(random_vector<double>(broken.n));
    CHECK_THROWS_MENTIONING(solve::BreakDown, solve::cg(matrix_of(broken, Format::dia), right, options),
                            "a number became nan");
}

TEST_SUITE_END();
