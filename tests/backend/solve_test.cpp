/// Iterative solvers against plain loops on the host: all methods, types and preconditioners.
#include "solve_support.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <vector>

using namespace gemel;
using namespace gemel::testing;

namespace {

/// Solves, and checks what the result says of itself on the host.
template <class T>
solve::Result<T> check_solved(const char* name, Solve<T> method, const HostSystem<T>& a,
                              const solve::LinearOperator<T>& op, const solve::Options<T>& options) {
    CAPTURE(name);
    const std::vector<T> b = random_vector<T>(a.n);
    const solve::Result<T> result = method(op, to_gpu(b), options);
    CHECK(result.converged);
    CHECK(result.breakdown.empty());
    CHECK(result.iterations > 0);
    CHECK(result.x.shape() == Shape{a.n});
    const double residual = host_residual(a, b, result.x.get()),
                 rounding = std::is_same_v<RealOf<T>, float> ? 2e-6 : 1e-13;
    // The host adds up in another order: by rounding of the products, the two residuals differ.
    CHECK(residual <= options.tolerance * host_norm(b) + rounding * host_norm(b));
    CHECK(std::abs(residual - result.residual_norm) <= rounding * host_norm(b));
    return result;
}

template <class T>
constexpr double tolerance_of = std::is_same_v<RealOf<T>, float> ? 2e-5 : 1e-11;

template <class T>
void check_methods(std::int64_t n) {
    const double tolerance = tolerance_of<T>;
    const HostSystem<T> positive = random_matrix<T>(n, MatrixKind::positive),
                        general = random_matrix<T>(n, MatrixKind::general),
                        indefinite = random_matrix<T>(n, MatrixKind::indefinite);
    const DeviceMatrix<T> p(positive), g(general), i(indefinite);
    const auto with_cg = check_solved<T>("cg", solve::cg<T>, positive, p, {.tolerance = tolerance, .check_every = 5});
    const int host = host_cg(positive, random_vector<T>(n), tolerance);
    CHECK(std::abs(with_cg.iterations - host) <= 2);
    check_solved<T>("bicgstab", solve::bicgstab<T>, general, g, {.tolerance = tolerance});
    check_solved<T>("minres", solve::minres<T>, indefinite, i, {.tolerance = tolerance});
    const auto whole = check_solved<T>("gmres", solve::gmres<T>, general, g, {.tolerance = tolerance, .restart = 200});
    const auto restarted =
        check_solved<T>("gmres(7)", solve::gmres<T>, general, g, {.tolerance = tolerance, .restart = 7});
    CHECK(restarted.iterations >= whole.iterations);
}

}  // namespace

TEST_SUITE_BEGIN("algorithms");

TEST_CASE("all methods solve in double as their residual says") { check_methods<double>(173); }
TEST_CASE("all methods solve in complex double") { check_methods<cdouble>(97); }
TEST_CASE("conjugate gradients solve in float and complex float") {
    const HostSystem<float> a = random_matrix<float>(300, MatrixKind::positive);
    check_solved<float>("float", solve::cg<float>, a, DeviceMatrix<float>(a), {.tolerance = 2e-5});
    const HostSystem<cfloat> c = random_matrix<cfloat>(300, MatrixKind::positive);
    const DeviceMatrix<cfloat> matrix(c);
    check_solved<cfloat>("cfloat", solve::cg<cfloat>, c, matrix,
                         {.tolerance = 2e-5, .preconditioner = solve::jacobi(matrix), .tuning = {.block = 64}});
}

TEST_CASE("float goes as far as float can and says so") {
    const HostSystem<float> a = random_matrix<float>(300, MatrixKind::positive);
    const DeviceMatrix<float> matrix(a);
    const GPUArray<float> b = to_gpu(random_vector<float>(300));
    const auto result = solve::cg(matrix, b, {.tolerance = 1e-12, .throw_if_not_converged = false});
    CHECK_FALSE(result.converged);
    CHECK(result.residual_norm <= 1e-5 * host_norm(b.get()));
    CHECK(result.breakdown.find("the limit of float elements") != std::string::npos);
    // Small numbers are no zeros: their squares are added up in double.
    if (!current_context().device().info().has_double) return;
    const GPUArray<float> tiny = 1e-25f * b;
    const auto scaled = solve::cg(matrix, tiny, {.tolerance = 2e-5});
    CHECK(scaled.iterations > 3);
    CHECK(host_residual(a, tiny.get(), scaled.x.get()) <= 3e-5 * host_norm(tiny.get()));
}

TEST_CASE("preconditioners lead to the same solution in fewer iterations") {
    const HostSystem<double> a = laplacian(40);
    const DeviceMatrix<double> matrix(a);
    const GPUArray<double> b = to_gpu(random_vector<double>(a.n));
    const double tolerance = 1e-10;
    const auto inverse = solve::chebyshev(matrix, b, {.degree = 4});
    std::vector<double> blocks(400 * 4 * 4);
    for (std::size_t k = 0; k < 400; ++k)
        for (std::size_t r = 0; r < 4; ++r)
            for (std::size_t c = 0; c < 4; ++c)
                blocks[(k * 4 + r) * 4 + c] = r == c ? 4.001 : (r + 1 == c || c + 1 == r) ? -1 : 0;
    const auto by_blocks = solve::block_jacobi(to_gpu(blocks).reshape({400, 4, 4}));
    for (const Solve<double> method : {Solve<double>(solve::cg<double>), Solve<double>(solve::minres<double>),
                                       Solve<double>(solve::bicgstab<double>), Solve<double>(solve::gmres<double>)}) {
        const auto plain = check_solved<double>("plain", method, a, matrix, {.tolerance = tolerance});
        const auto with_jacobi = check_solved<double>(
            "jacobi", method, a, matrix, {.tolerance = tolerance, .preconditioner = solve::jacobi(matrix)});
        const auto with_blocks =
            check_solved<double>("blocks", method, a, matrix, {.tolerance = tolerance, .preconditioner = by_blocks});
        const auto with_chebyshev =
            check_solved<double>("chebyshev", method, a, matrix, {.tolerance = tolerance, .preconditioner = inverse});
        CHECK(with_jacobi.iterations <= plain.iterations * 13 / 10);
        CHECK(with_blocks.iterations < plain.iterations);
        CHECK(with_chebyshev.iterations < plain.iterations / 2);
    }
}

TEST_CASE("every way of cutting sweeps gives the solution") {
    const HostSystem<double> a = laplacian(testing::is_check() ? 80 : 200);
    const DeviceMatrix<double> matrix(a);
    for (const codegen::SweepTuning& tuning :
         {codegen::SweepTuning{.block = 64, .blocks_per_unit = 4, .finish = codegen::SweepFinish::launch},
          codegen::SweepTuning{.block = 1, .blocks_per_unit = 3}, codegen::SweepTuning{}}) {
        const auto result =
            check_solved<double>("cg", solve::cg<double>, a, matrix,
                                 {.tolerance = 1e-10, .preconditioner = solve::jacobi(matrix), .tuning = tuning});
        CHECK(std::abs(result.iterations - host_cg(a, random_vector<double>(a.n), 1e-10)) <=
              result.iterations / 50 + 2);
    }
    const HostSystem<double> c = random_matrix<double>(700, MatrixKind::general);
    check_solved<double>("gmres", solve::gmres<double>, c, DeviceMatrix<double>(c),
                         {.tolerance = 1e-10, .restart = 20, .tuning = {.block = 64}});
}

TEST_SUITE_END();
