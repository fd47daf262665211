/// Solvers of sparse matrices whose products sum what the iteration needs: beside the same matrix as an
/// operator that only multiplies.
#include "solve_support.hpp"

#include <gemel/core/trace.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using namespace gemel;
using namespace gemel::testing;

namespace {

using sparse::Format;

/// What is tested here are iterations that are launched; solve_chain_test has those that are one launch.
constexpr codegen::SweepTuning never_chained{.chain = codegen::SweepChain::never};

template <class T>
sparse::Matrix<T> matrix_of(const HostSystem<T>& a, Format format, bool wide = false) {
    return sparse::csr<T>({a.n, a.n}, a.starts, a.columns, a.values, {.wide_indices = wide}).to(format);
}

template <class T>
solve::LinearOperator<T> only_multiplies(const sparse::Matrix<T>& a) {
    return {a.shape(), [a](const GPUArray<T>& u, const GPUArray<T>& out) { a.multiply_into(out, u); }};
}

/// Launches of an iteration, on any number of right-hand sides.
template <class T>
std::int64_t launches_of(const solve::LinearOperator<T>& a, const GPUArray<T>& b, solve::LinearOperator<T> m,
                         Solve<T> method = solve::cg<T>) {
    const Context context = current_context();
    const auto launches = [&](std::int64_t iterations) {
        const auto before = context.statistics().launches;
        (void)method(a, b,
                     {.tolerance = 0,
                      .max_iterations = iterations,
                      .preconditioner = m,
                      .throw_if_not_converged = false,
                      .tuning = never_chained});
        return static_cast<std::int64_t>(context.statistics().launches - before);
    };
    launches(4);
    return (launches(8) - launches(4)) / 4;
}

/// Of a step of the iteration.
std::int64_t launches_of_sweep() { return current_context().device().info().has_cross_block_visibility ? 1 : 2; }

/// A matrix beside itself as a plain operator.
template <class T>
void check_same(const HostSystem<T>& a, const sparse::Matrix<T>& matrix, std::int64_t columns, bool with_jacobi) {
    const GPUArray<T> b = to_gpu(random_vector<T>(a.n * columns, 11)).reshape({a.n, columns});
    const double tolerance = sizeof(RealOf<T>) == 4 ? 1e-5 : 1e-11;
    const auto m = with_jacobi ? solve::jacobi(matrix) : solve::LinearOperator<T>();
    const auto summing = solve::cg(matrix, b, {.tolerance = tolerance, .preconditioner = m, .tuning = never_chained});
    const auto plain = solve::cg(only_multiplies(matrix), b, {.tolerance = tolerance, .preconditioner = m});
    REQUIRE(summing.converged);
    // Both add the same products, in another order, up in the same precision.
    for (std::size_t c = 0; c < summing.columns.size(); ++c)
        CHECK(std::abs(summing.columns[c].iterations - plain.columns[c].iterations) <= 1);
    for (std::int64_t c = 0; c < columns; ++c) {
        const std::vector<T> right = b(slice(), c).get();
        // The solver's residual is one of T; computing it anew rounds each row once more.
        CHECK(host_residual(a, right, summing.x(slice(), c).get()) <=
              (1.1 * tolerance + 20 * std::numeric_limits<RealOf<T>>::epsilon()) * host_norm(right));
    }
}

}  // namespace

TEST_SUITE_BEGIN("algorithms");

TEST_CASE_TEMPLATE("products of sparse matrices sum what conjugate gradients need", T, float, double,
                   std::complex<float>, std::complex<double>) {
    const HostSystem<T> a = random_matrix<T>(150, MatrixKind::positive, 1.2);
    // In the check each type has each format with a preconditioner or without.
    std::size_t choice = std::is_same_v<T, double> || std::is_same_v<T, std::complex<float>>;
    for (const Format format : {Format::csr, Format::ell, Format::sell, Format::dia, Format::coo, Format::packeted}) {
        CAPTURE(to_string(format));
        ++choice;
        for (const bool with_jacobi : {false, true}) {
            if (is_left_out(2, choice++)) continue;
            check_same(a, matrix_of(a, format), 1, with_jacobi);
            if (format == Format::csr) check_same(a, matrix_of(a, format, true), 3, with_jacobi);
        }
    }
}

TEST_CASE("rows that several threads share are summed too") {
    const std::int64_t n = 90;
    std::vector<double> dense(static_cast<std::size_t>(n * n));
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j)
            dense[static_cast<std::size_t>(i * n + j)] = i == j ? 100 : 1.0 / static_cast<double>(1 + (i + j) % 7);
    const auto a = HostSystem<double>::dense(n, dense);
    check_same(a, matrix_of(a, Format::csr), 1, true);
    check_same(a, matrix_of(a, Format::csr), 2, false);
}

TEST_CASE("blocks that take several pieces of rows sum all of them") {
    // A half more rows than the blocks of one launch have.
    const auto units = std::max<std::int64_t>(current_context().device().info().compute_units, 1);
    const int width =
        static_cast<int>(std::ceil(std::sqrt(1.5 * 256 * 6 * static_cast<double>(std::min<std::int64_t>(units, 256)))));
    const HostSystem<double> a = laplacian(width);
    const GPUArray<double> b = to_gpu(random_vector<double>(a.n, 5));
    for (const Format format : {Format::csr, Format::ell, Format::dia}) {
        CAPTURE(to_string(format));
        const auto matrix = matrix_of(a, format);
        const solve::Options<double> few{
            .tolerance = 0, .max_iterations = 6, .throw_if_not_converged = false, .tuning = never_chained};
        const auto summing = solve::cg(matrix, b, few);
        const auto plain = solve::cg(only_multiplies(matrix), b, few);
        // Six iterations of a system whose condition is about 8000: sums in another order change the last few digits.
        CHECK(norm(summing.x - plain.x).item() <= 1e-12 * norm(plain.x).item());
        CHECK(std::abs(summing.residual_norm - plain.residual_norm) <= 1e-12 * plain.residual_norm);
    }
}

TEST_CASE("an iteration of a sparse matrix is a product and a step") {
    const HostSystem<double> a = laplacian(30);
    const GPUArray<double> b = to_gpu(random_vector<double>(a.n)),
                           several = to_gpu(random_vector<double>(3 * a.n)).reshape({a.n, 3});
    const std::int64_t step = launches_of_sweep();
    for (const Format format : {Format::csr, Format::ell, Format::sell, Format::dia}) {
        CAPTURE(to_string(format));
        const auto matrix = matrix_of(a, format);
        CHECK(launches_of<double>(matrix, b, {}) == 1 + step);
        CHECK(launches_of<double>(matrix, b, solve::jacobi(matrix)) == 1 + step);
        CHECK(launches_of<double>(matrix, several, {}) == 3 + step);
        CHECK(launches_of<double>(only_multiplies(matrix), b, {}) == 2 + step);
        for (const auto& m : {solve::LinearOperator<double>(), solve::jacobi(matrix)}) {
            CHECK(launches_of<double>(matrix, b, m, solve::minres<double>) == 1 + step);
            CHECK(launches_of<double>(matrix, several, m, solve::minres<double>) == 3 + step);
            CHECK(launches_of<double>(matrix, b, m, solve::gmres<double>) == 1 + 2 * step);
        }
        // Together the columns are one product, which does not sum; each converges all the same.
        const auto together = solve::cg(solve::LinearOperator<double>(matrix, solve::Columns::together), several);
        const auto apart = solve::cg(matrix, several);
        CHECK(together.converged);
        CHECK(std::abs(together.iterations - apart.iterations) <= 1);
    }
}

TEST_CASE("a graph of iterations that sum gives the same bits") {
    const HostSystem<float> a = random_matrix<float>(400, MatrixKind::positive, 1.01);
    const auto matrix = matrix_of(a, Format::automatic);
    const GPUArray<float> b = to_gpu(random_vector<float>(a.n, 5));
    const Stream stream = current_context().create_stream();
    const auto plain = solve::cg(matrix, b, {.tolerance = 1e-5, .check_every = 4, .stream = stream});
    const auto graph = solve::cg(matrix, b, {.tolerance = 1e-5, .check_every = 4, .stream = stream, .graph = true});
    CHECK(graph.converged);
    CHECK(graph.iterations == plain.iterations);
    CHECK(graph.x.get() == plain.x.get());
}

TEST_CASE("matrices that are not positive definite are named by the step") {
    const HostSystem<double> a = random_matrix<double>(80, MatrixKind::indefinite);
    const auto matrix = matrix_of(a, Format::csr);
    const GPUArray<double> b = to_gpu(random_vector<double>(a.n));
    CHECK_THROWS_MENTIONING(solve::BreakDown, solve::cg(matrix, b, {.tolerance = 1e-12}), "A is not positive definite");
    // x stays where the iteration was: no step is done with a curvature that forbids it.
    const auto result = solve::cg(matrix, b, {.tolerance = 1e-12, .throw_if_not_converged = false});
    const std::vector<double> x = result.x.get();
    CHECK(std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); }));
    CHECK(std::abs(host_residual(a, b.get(), x) - result.residual_norm) <= 1e-10 * host_norm(b.get()));
    HostSystem<double> broken = laplacian(12);
    broken.values[7] = std::numeric_limits<double>::quiet_NaN();
    const GPUArray<double> right = to_gpu(random_vector<double>(broken.n));
    CHECK_THROWS_MENTIONING(solve::BreakDown, solve::cg(matrix_of(broken, Format::dia), right, {}),
                            "a number became nan");
}

TEST_CASE_TEMPLATE("products of sparse matrices sum what bicgstab needs", T, float, double) {
    const HostSystem<T> system = random_matrix<T>(500, MatrixKind::general);
    const GPUArray<T> b = to_gpu(random_vector<T>(system.n, 12));
    const double tolerance = sizeof(T) == 4 ? 1e-5 : 1e-11;
    for (const Format format : {Format::csr, Format::dia}) {
        const sparse::Matrix<T> a = matrix_of(system, format);
        for (const auto& m : {solve::LinearOperator<T>(), solve::jacobi(a)}) {
            const auto solved = [&](const solve::LinearOperator<T>& op, std::int64_t& launches) {
                const auto before = current_context().statistics().launches;
                const auto result = solve::bicgstab(op, b, {.tolerance = tolerance, .preconditioner = m});
                launches = static_cast<std::int64_t>(current_context().statistics().launches - before);
                return result;
            };
            std::int64_t few = 0, many = 0;
            const auto summing = solved(a, few), plain = solved(only_multiplies(a), many);
            CHECK(summing.converged);
            CHECK(host_residual(system, b.get(), summing.x.get()) <=
                  (1.1 * tolerance + 20 * std::numeric_limits<T>::epsilon()) * host_norm(b.get()));
            CHECK(std::abs(summing.iterations - plain.iterations) <= 5 + plain.iterations / 5);
            CHECK(few < many);
        }
    }
}

TEST_CASE_TEMPLATE("products of sparse matrices sum what minres needs", T, float, double, std::complex<float>,
                   std::complex<double>) {
    const HostSystem<T> system = random_matrix<T>(300, MatrixKind::indefinite);
    const double tolerance = sizeof(RealOf<T>) == 4 ? 1e-5 : 1e-11;
    const std::int64_t columns = 3;
    const GPUArray<T> b = to_gpu(random_vector<T>(system.n * columns, 12)).reshape({system.n, columns});
    std::size_t choice = std::is_same_v<T, double> || std::is_same_v<T, std::complex<float>>;
    for (const Format format : {Format::csr, Format::dia}) {
        ++choice;
        const sparse::Matrix<T> a = matrix_of(system, format);
        const auto m = solve::jacobi(to_gpu(std::vector<T>(static_cast<std::size_t>(system.n), T(3))));
        for (const auto& none_or_jacobi : {solve::LinearOperator<T>(), m}) {
            if (is_left_out(2, choice++)) continue;
            const auto solved = [&](const solve::LinearOperator<T>& op) {
                return solve::minres(op, b, {.tolerance = tolerance, .preconditioner = none_or_jacobi});
            };
            const auto summing = solved(a), plain = solved(only_multiplies(a));
            CHECK(summing.converged);
            for (std::int64_t c = 0; c < columns; ++c) {
                const std::vector<T> right = b(slice(), c).get();
                CHECK(host_residual(system, right, summing.x(slice(), c).get()) <=
                      (1.1 * tolerance + 20 * std::numeric_limits<RealOf<T>>::epsilon()) * host_norm(right));
                // The sums are added in another order, which moves the end of long runs.
                const auto in_sums = summing.columns[static_cast<std::size_t>(c)].iterations,
                           apart = plain.columns[static_cast<std::size_t>(c)].iterations;
                CAPTURE(apart);
                CHECK(std::abs(in_sums - apart) <= 1 + apart / 50);
            }
        }
    }
}

TEST_SUITE_END();
