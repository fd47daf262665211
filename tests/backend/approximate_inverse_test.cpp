/// The factorised sparse approximate inverse: beside one that is found row by row on the host, and as a preconditioner.
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

template <class T>
sparse::Matrix<T> matrix_of(const HostSystem<T>& a, bool wide = false) {
    return sparse::csr<T>({a.n, a.n}, a.starts, a.columns, a.values, {.wide_indices = wide});
}

/// x of S x = e_m by Gauss's elimination. @param s  (m, m), Hermitian, positive definite
template <class T>
std::vector<T> last_column_of_inverse(std::vector<T> s, std::size_t m) {
    std::vector<T> x(m);
    x[m - 1] = T(1);
    for (std::size_t k = 0; k < m; ++k)
        for (std::size_t r = k + 1; r < m; ++r) {
            const T factor = s[r * m + k] / s[k * m + k];
            for (std::size_t c = k; c < m; ++c) s[r * m + c] -= factor * s[k * m + c];
            x[r] -= factor * x[k];
        }
    for (std::size_t k = m; k-- > 0;) {
        for (std::size_t c = k + 1; c < m; ++c) x[k] -= s[k * m + c] * x[c];
        x[k] /= s[k * m + k];
    }
    return x;
}

/// G* G in full, from the definition: row i of G is the last row of the inverse of A's part in its places, so scaled
/// that G A G* has ones on the diagonal.
template <class T>
std::vector<T> host_inverse(const HostSystem<T>& a, std::size_t most, bool squared) {
    const auto n = static_cast<std::size_t>(a.n);
    std::vector<T> full(n * n), g(n * n), inverse(n * n);
    std::vector<char> is_there(n * n), pattern(n * n);
    for (std::size_t i = 0; i < n; ++i)
        for (auto e = static_cast<std::size_t>(a.starts[i]); e < static_cast<std::size_t>(a.starts[i + 1]); ++e) {
            full[i * n + static_cast<std::size_t>(a.columns[e])] = a.values[e];
            is_there[i * n + static_cast<std::size_t>(a.columns[e])] = 1;
        }
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t j = 0; j < n && is_there[i * n + k]; ++j)
                if (is_there[k * n + j]) pattern[i * n + j] = 1;
    for (std::size_t i = 0; i < n; ++i) {
        std::vector<std::size_t> places;
        for (std::size_t j = 0; j <= i; ++j)
            if ((squared ? pattern : is_there)[i * n + j]) places.push_back(j);
        if (places.size() > most) places.erase(places.begin(), places.end() - static_cast<std::ptrdiff_t>(most));
        const std::size_t m = places.size();
        std::vector<T> s(m * m);
        for (std::size_t p = 0; p < m; ++p)
            for (std::size_t q = 0; q < m; ++q) s[p * m + q] = full[places[p] * n + places[q]];
        const std::vector<T> x = last_column_of_inverse(s, m);
        for (std::size_t p = 0; p < m; ++p)
            g[i * n + places[p]] = host_conj(x[p]) / static_cast<RealOf<T>>(std::sqrt(std::real(x[m - 1])));
    }
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t j = 0; j < n; ++j) inverse[i * n + j] += host_conj(g[k * n + i]) * g[k * n + j];
    return inverse;
}

/// An operator in full, column by column.
template <class T>
std::vector<T> in_full(const solve::LinearOperator<T>& op) {
    const std::int64_t n = op.shape()[0];
    std::vector<T> unit(static_cast<std::size_t>(n * n));
    for (std::int64_t i = 0; i < n; ++i) unit[static_cast<std::size_t>(i * n + i)] = T(1);
    return (op * to_gpu(unit).reshape({n, n})).get();
}

template <class T>
void check_inverse(const HostSystem<T>& a, const solve::LinearOperator<T>& m, std::size_t most, bool squared) {
    const std::vector<T> expected = host_inverse(a, most, squared), got = in_full(m);
    REQUIRE(got.size() == expected.size());
    double largest = 0, size = 0;
    for (std::size_t k = 0; k < got.size(); ++k) {
        largest = std::max(largest, static_cast<double>(std::abs(got[k] - expected[k])));
        size = std::max(size, static_cast<double>(std::abs(expected[k])));
    }
    // Two factorisations of blocks whose condition is below 100, and two products, each rounded.
    CHECK(largest <= 1000 * std::numeric_limits<RealOf<T>>::epsilon() * size);
}

}  // namespace

TEST_SUITE_BEGIN("algorithms");

TEST_CASE_TEMPLATE("an approximate inverse is what its definition says", T, float, double, std::complex<float>,
                   std::complex<double>) {
    const HostSystem<T> a = random_matrix<T>(60, MatrixKind::positive, 1.1);
    check_inverse(a, solve::approximate_inverse(matrix_of(a)), 64, false);
    check_inverse(a, solve::approximate_inverse(matrix_of(a, true)), 64, false);
    check_inverse(a, solve::approximate_inverse(matrix_of(a), {.power = 2}), 64, true);
}

TEST_CASE("rows of an approximate inverse that are too long keep the nearest entries") {
    const std::int64_t n = 100;
    std::vector<double> dense(static_cast<std::size_t>(n * n));
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j)
            dense[static_cast<std::size_t>(i * n + j)] =
                i == j ? 60 : 1.0 / static_cast<double>(1 + std::abs(i - j) % 9);
    const auto a = HostSystem<double>::dense(n, dense);
    check_inverse(a, solve::approximate_inverse(matrix_of(a)), 64, false);
}

TEST_CASE("an approximate inverse takes iterations away") {
    const HostSystem<double> a = laplacian(48);
    const auto matrix = matrix_of(a);
    const GPUArray<double> b = to_gpu(random_vector<double>(a.n));
    const auto iterations = [&](const solve::LinearOperator<double>& m) {
        const auto result = solve::cg(matrix, b, {.tolerance = 1e-9, .preconditioner = m});
        CHECK(host_residual(a, b.get(), result.x.get()) <= 1.001e-9 * host_norm(b.get()));
        return static_cast<double>(result.iterations);
    };
    const double none = iterations({}), one = iterations(solve::approximate_inverse(matrix)),
                 two = iterations(solve::approximate_inverse(matrix, {.power = 2}));
    MESSAGE("iterations: ", none, ", with an approximate inverse ", one, ", of the second power ", two);
    CHECK(one < 0.65 * none);
    CHECK(two < 0.75 * one);
    // Of several right-hand sides too, and in a graph.
    const GPUArray<double> several = to_gpu(random_vector<double>(3 * a.n)).reshape({a.n, 3});
    const auto m = solve::approximate_inverse(matrix);
    const auto plain = solve::cg(matrix, several, {.check_every = 4, .preconditioner = m});
    const auto graph = solve::cg(matrix, several, {.check_every = 4, .preconditioner = m, .graph = true});
    CHECK(graph.converged);
    CHECK(graph.x.get() == plain.x.get());
}

TEST_CASE("what has no approximate inverse is named") {
    using sparse::Matrix;
    CHECK_THROWS_MENTIONING(ArgumentError, solve::approximate_inverse(Matrix<double>()), "empty handle");
    const std::vector<std::int32_t> rows{0, 1, 2}, columns{0, 1, 2};
    const auto with = [&](std::vector<double> values, std::vector<std::int32_t> at) {
        return sparse::coo<double>({3, 3}, rows, at, values);
    };
    CHECK_THROWS_MENTIONING(ArgumentError, solve::approximate_inverse(with({1, 1, 1}, {0, 0, 2})),
                            "row 1 has no entry on the diagonal");
    CHECK_THROWS_MENTIONING(ArgumentError, solve::approximate_inverse(with({1, 1, -2}, columns)), "row 2");
    CHECK_THROWS_MENTIONING(ArgumentError, solve::approximate_inverse(with({1, 1, 1}, columns), {.power = 3}),
                            ".power is 3");
    CHECK_THROWS_MENTIONING(
        ArgumentError,
        solve::approximate_inverse(sparse::coo<double>({3, 4}, rows, columns, std::vector<double>{1, 1, 1})),
        "expected a square matrix");
    const std::vector<std::int32_t> none;
    const auto empty = solve::approximate_inverse(sparse::coo<double>({0, 0}, none, none, std::vector<double>{}));
    CHECK(empty.shape() == Shape{0, 0});
    // A diagonal matrix has its inverse.
    const auto diagonal = solve::approximate_inverse(with({4, 1, 0.25}, columns));
    CHECK((diagonal * to_gpu(std::vector<double>{4, 1, 0.25})).get() == std::vector<double>{1, 1, 1});
}

TEST_SUITE_END();
