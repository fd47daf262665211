/// minres and gmres, whose residual is the smallest of its Krylov space: beside such a residual found on the host.
#include "solve_support.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

using namespace gemel;
using namespace gemel::testing;

namespace {

using HostVector = std::vector<double>;

double dot(const HostVector& a, const HostVector& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

/// b without its parts along vectors of length 1, found one after the other and twice.
void take_off(const std::vector<HostVector>& basis, HostVector& b) {
    for (int pass = 0; pass < 2; ++pass)
        for (const HostVector& v : basis) {
            const double part = dot(v, b);
            for (std::size_t i = 0; i < b.size(); ++i) b[i] -= part * v[i];
        }
}

HostVector of_length_1(HostVector v) {
    const double length = host_norm(v);
    for (double& value : v) value /= length;
    return v;
}

/// The norms of b - A x for x nearest to the solution in each of the first Krylov spaces: with orthogonal vectors v of
/// the space, and others that span A v, of which b has nothing left.
HostVector smallest_residuals(const HostSystem<double>& a, const HostVector& b, int count) {
    std::vector<HostVector> space{of_length_1(b)}, image;
    HostVector rest = b, norms{host_norm(b)};
    for (int k = 0; k < count; ++k) {
        HostVector next = a * space.back(), product = next;
        take_off(image, product);
        image.push_back(of_length_1(product));
        take_off({image.back()}, rest);
        norms.push_back(host_norm(rest));
        take_off(space, next);
        space.push_back(of_length_1(next));
    }
    return norms;
}

/// Tridiagonal, with a diagonal that grows from `least` to 1 by the same factor from row to row.
HostSystem<double> graded(std::int64_t n, double least, double below, double above) {
    HostVector dense(static_cast<std::size_t>(n * n));
    for (std::int64_t i = 0; i < n; ++i) {
        const auto at = [&](std::int64_t j) -> double& { return dense[static_cast<std::size_t>(i * n + j)]; };
        at(i) = std::pow(least, 1 - static_cast<double>(i) / static_cast<double>(n - 1));
        if (i > 0) at(i - 1) = below * at(i);
        if (i + 1 < n) at(i + 1) = above * at(i);
    }
    return HostSystem<double>::dense(n, dense);
}

/// With signs that change, and symmetric.
HostSystem<double> indefinite(std::int64_t n, double least) {
    HostVector dense(static_cast<std::size_t>(n * n));
    for (std::int64_t i = 0; i < n; ++i) {
        const double size = std::pow(least, static_cast<double>(i) / static_cast<double>(n - 1));
        dense[static_cast<std::size_t>(i * n + i)] = i % 2 == 0 ? size : -size;
        if (i + 1 < n)
            dense[static_cast<std::size_t>(i * n + i + 1)] = dense[static_cast<std::size_t>((i + 1) * n + i)] =
                0.2 * size;
    }
    return HostSystem<double>::dense(n, dense);
}

void check_smallest(Solve<double> method, const HostSystem<double>& a, int count) {
    const DeviceMatrix<double> matrix(a);
    const HostVector b = random_vector<double>(a.n, 21), norms = smallest_residuals(a, b, count);
    for (int k = 1; k <= count; k += 1 + k / 6) {
        CAPTURE(k);
        const auto result = method(
            matrix, to_gpu(b),
            {.tolerance = 0, .max_iterations = k, .history = true, .throw_if_not_converged = false, .restart = 200});
        const double norm = norms[static_cast<std::size_t>(k)];
        CHECK(result.iterations == k);
        CHECK(std::abs(host_residual(a, b, result.x.get()) - norm) <= 1e-9 * norm + 1e-13 * norms[0]);
        // What the iteration says of itself, before the residual is computed anew.
        CHECK(std::abs(result.history.back().residual_norm - norm) <= 1e-8 * norm + 1e-13 * norms[0]);
    }
}

}  // namespace

TEST_SUITE_BEGIN("algorithms");

TEST_CASE("after any number of iterations gmres has the smallest residual") {
    check_smallest(solve::gmres<double>, random_matrix<double>(200, MatrixKind::general, 0.4), 60);
    check_smallest(solve::gmres<double>, graded(120, 1e-6, 0.9, 0.3), 40);
    check_smallest(solve::gmres<double>, graded(90, 1e-9, -0.5, 0.4), 60);
}

TEST_CASE("gmres keeps its basis orthogonal where products are nearly parallel to it") {
    // One eigenvalue of 1e7, which all products are made of: each new vector is what seven digits less leave of it.
    // With vectors that are made orthogonal once, or taken for orthogonal before, the residual stays above 4e-7.
    const std::int64_t n = 150;
    HostVector dense(static_cast<std::size_t>(n * n));
    const double big = 1e7;
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
            const double size = 1 + static_cast<double>(i - 1) / 100;
            double value = i != j ? (j == i + 1 ? 0.3 : 0) : i == 0 ? big : i % 2 == 0 ? size : -size;
            value += (i < 3 ? big * 1e-3 : 0) + (j < 3 ? big * 1e-3 : 0);
            dense[static_cast<std::size_t>(i * n + j)] = value;
        }
    const auto a = HostSystem<double>::dense(n, dense);
    const HostVector b = random_vector<double>(n, 21), norms = smallest_residuals(a, b, 60);
    for (const int k : {30, 45, 60}) {
        CAPTURE(k);
        const auto result = solve::gmres<double>(
            DeviceMatrix<double>(a), to_gpu(b),
            {.tolerance = 0, .max_iterations = k, .history = true, .throw_if_not_converged = false, .restart = 60});
        const double norm = norms[static_cast<std::size_t>(k)];
        CHECK(std::abs(result.residual_norm - norm) <= 0.1 * norm);
        CHECK(std::abs(result.history.back().residual_norm - norm) <= 0.1 * norm);
    }
}

TEST_CASE("after some iterations minres has the smallest residual") {
    check_smallest(solve::minres<double>, random_matrix<double>(200, MatrixKind::indefinite), 12);
    check_smallest(solve::minres<double>, indefinite(150, 1e-2), 12);
}

TEST_CASE("the residual that an iteration follows is that of its solution") {
    const HostSystem<double> a = indefinite(300, 0.05);
    const DeviceMatrix<double> matrix(a);
    const std::int64_t columns = 3;
    const GPUArray<double> b = to_gpu(random_vector<double>(a.n * columns, 4)).reshape({a.n, columns});
    HostVector weights = random_vector<double>(a.n, 8);
    for (double& w : weights) w = 1 + 0.8 * w;
    const GPUArray<double> diagonal = to_gpu(weights);
    const solve::LinearOperator<double> jacobi = solve::jacobi(diagonal);
    const solve::LinearOperator<double> own({a.n, a.n},
                                            [=](const auto& u, const auto& out) { out.assign(u / diagonal); });
    for (const Solve<double> method : {Solve<double>(solve::minres<double>), Solve<double>(solve::gmres<double>)}) {
        HostVector last;
        for (const auto& m : {solve::LinearOperator<double>(), jacobi, own})
            for (const std::int64_t count : {1, 2, 7, 33}) {
                CAPTURE(count);
                const auto result = method(matrix, b,
                                           {.tolerance = 0,
                                            .max_iterations = count,
                                            .check_every = 5,
                                            .preconditioner = m,
                                            .history = true,
                                            .throw_if_not_converged = false,
                                            .restart = 20});
                CHECK(result.history.back().iteration == count);
                CHECK(std::abs(result.history.back().residual_norm - result.residual_norm) <=
                      1e-10 * result.residual_norm);
                // A diagonal within the kernels and the same one in launches of its own are one preconditioner.
                if (count == 7 && !m.empty()) last.push_back(result.residual_norm);
            }
        REQUIRE(last.size() == 2);
        CHECK(std::abs(last[0] - last[1]) <= 1e-9 * last[0]);
    }
}

TEST_CASE("numbers of any size are no reason to stop") {
    const HostSystem<double> a = indefinite(80, 0.1);
    const GPUArray<float> b = to_gpu(random_vector<float>(a.n, 2));
    // The basis of gmres is as large as A, and multiplied by it; minres scales.
    const auto check = [&](Solve<float> method, float size) {
        CAPTURE(size);
        HostSystem<float> scaled{.n = a.n, .starts = a.starts, .columns = a.columns};
        for (const double value : a.values) scaled.values.push_back(static_cast<float>(value) * size);
        const auto result = method(DeviceMatrix<float>(scaled), b, {.tolerance = 1e-4, .restart = 80});
        CHECK(result.converged);
        CHECK(result.iterations <= 80);
    };
    for (const float size : {1e-25F, 1.F, 1e25F}) check(solve::minres<float>, size);
    for (const float size : {1e-18F, 1.F, 1e18F}) check(solve::gmres<float>, size);
}

TEST_SUITE_END();
