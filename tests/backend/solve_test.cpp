/// Iterative solvers against elimination on the host: all methods, types and preconditioners, several right-hand sides.
#include "solve_support.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <vector>

using namespace gemel;
using namespace gemel::testing;

namespace {

enum class Kind { positive, indefinite, general };

/// Some entries in each row, and a diagonal that dominates them.
template <class T>
HostMatrix<T> random_matrix(std::int64_t n, Kind kind, double dominance = 1.02) {
    std::mt19937 engine(7);
    std::uniform_real_distribution<double> number(-1, 1);
    const auto element = [&] {
        if constexpr (gemel::is_complex<T>) {
            const double re = number(engine), im = number(engine);
            return T(static_cast<RealOf<T>>(re), static_cast<RealOf<T>>(im));
        } else {
            return static_cast<T>(number(engine));
        }
    };
    const auto size = static_cast<std::size_t>(n);
    std::vector<T> a(size * size);
    for (std::size_t i = 0; i < size; ++i)
        for (int k = 0; k < 4; ++k) {
            const std::size_t j = engine() % size;
            if (j == i) continue;
            a[i * size + j] = element();
            if (kind != Kind::general) a[j * size + i] = host_conj(a[i * size + j]);
        }
    for (std::size_t i = 0; i < size; ++i) {
        double sum = 0.1 + 0.5 * std::abs(number(engine));
        for (std::size_t j = 0; j < size; ++j) sum += std::abs(a[i * size + j]);
        a[i * size + i] = static_cast<RealOf<T>>(dominance * (kind == Kind::indefinite && i % 2 == 1 ? -sum : sum));
    }
    return HostMatrix<T>::dense(n, a);
}

/// Minus the Laplacian of a square of points, and a little: positive definite, some hundred iterations.
HostMatrix<double> laplacian(int width) {
    HostMatrix<double> a{.n = width * width};
    for (int i = 0; i < width * width; ++i) {
        const int x = i % width, y = i / width;
        const auto entry = [&](int c, double v) { a.columns.push_back(c), a.values.push_back(v); };
        if (y > 0) entry(i - width, -1);
        if (x > 0) entry(i - 1, -1);
        entry(i, 4.001);
        if (x + 1 < width) entry(i + 1, -1);
        if (y + 1 < width) entry(i + width, -1);
        a.starts.push_back(static_cast<std::int32_t>(a.columns.size()));
    }
    return a;
}

template <class T>
std::vector<T> random_vector(std::int64_t n, unsigned seed = 3) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> number(-1, 1);
    std::vector<T> x(static_cast<std::size_t>(n));
    for (T& value : x) {
        if constexpr (gemel::is_complex<T>) {
            const double re = number(engine), im = number(engine);
            value = T(static_cast<RealOf<T>>(re), static_cast<RealOf<T>>(im));
        } else {
            value = static_cast<T>(number(engine));
        }
    }
    return x;
}

template <class T>
double host_norm(const std::vector<T>& x) {
    double sum = 0;
    for (const T& value : x) sum += static_cast<double>(std::norm(value));
    return std::sqrt(sum);
}

template <class T>
double host_residual(const HostMatrix<T>& a, const std::vector<T>& b, const std::vector<T>& x) {
    std::vector<T> r = a * x;
    for (std::size_t i = 0; i < r.size(); ++i) r[i] = b[i] - r[i];
    return host_norm(r);
}

/// Plain conjugate gradients: how many iterations they take.
template <class T>
int host_cg(const HostMatrix<T>& a, const std::vector<T>& b, double tolerance) {
    std::vector<T> x(b.size()), r = b, p = b;
    double rr = host_norm(r) * host_norm(r);
    const double target = tolerance * host_norm(b);
    for (int iteration = 0;; ++iteration) {
        if (std::sqrt(rr) <= target) return iteration;
        const std::vector<T> s = a * p;
        double mu = 0;
        for (std::size_t i = 0; i < s.size(); ++i) mu += std::real(host_conj(p[i]) * s[i]);
        const auto alpha = static_cast<RealOf<T>>(rr / mu);
        for (std::size_t i = 0; i < s.size(); ++i) x[i] += alpha * p[i], r[i] -= alpha * s[i];
        const double next = host_norm(r) * host_norm(r);
        for (std::size_t i = 0; i < s.size(); ++i) p[i] = r[i] + static_cast<RealOf<T>>(next / rr) * p[i];
        rr = next;
    }
}

template <class T>
using Solve = solve::Result<T> (*)(const solve::LinearOperator<T>&, const GPUArray<T>&, const solve::Options<T>&);

/// Solves, and checks what the result says of itself on the host.
template <class T>
solve::Result<T> check_solved(const char* name, Solve<T> method, const HostMatrix<T>& a,
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
    const HostMatrix<T> positive = random_matrix<T>(n, Kind::positive), general = random_matrix<T>(n, Kind::general),
                        indefinite = random_matrix<T>(n, Kind::indefinite);
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

std::int64_t launches_of(const std::function<void()>& work) {
    const Context context = current_context();
    const auto before = context.statistics().launches;
    work();
    return static_cast<std::int64_t>(context.statistics().launches - before);
}

}  // namespace

TEST_SUITE_BEGIN("algorithms");

TEST_CASE("all methods solve in double as their residual says") { check_methods<double>(173); }
TEST_CASE("all methods solve in complex double") { check_methods<cdouble>(97); }
TEST_CASE("conjugate gradients solve in float and complex float") {
    const HostMatrix<float> a = random_matrix<float>(300, Kind::positive);
    check_solved<float>("float", solve::cg<float>, a, DeviceMatrix<float>(a), {.tolerance = 2e-5});
    const HostMatrix<cfloat> c = random_matrix<cfloat>(300, Kind::positive);
    const DeviceMatrix<cfloat> matrix(c);
    check_solved<cfloat>("cfloat", solve::cg<cfloat>, c, matrix,
                         {.tolerance = 2e-5, .preconditioner = solve::jacobi(matrix)});
}

TEST_CASE("float goes as far as float can and says so") {
    const HostMatrix<float> a = random_matrix<float>(300, Kind::positive);
    const DeviceMatrix<float> matrix(a);
    const GPUArray<float> b = to_gpu(random_vector<float>(300));
    const auto result = solve::cg(matrix, b, {.tolerance = 1e-12, .throw_if_not_converged = false});
    CHECK_FALSE(result.converged);
    CHECK(result.residual_norm <= 1e-5 * host_norm(b.get()));
    CHECK(result.breakdown.find("as far as elements of float go") != std::string::npos);
    // Small numbers are no zeros: their squares are added up in double.
    if (!current_context().device().info().has_double) return;
    const GPUArray<float> tiny = 1e-25f * b;
    const auto scaled = solve::cg(matrix, tiny, {.tolerance = 2e-5});
    CHECK(scaled.iterations > 3);
    CHECK(host_residual(a, tiny.get(), scaled.x.get()) <= 3e-5 * host_norm(tiny.get()));
}

TEST_CASE("preconditioners lead to the same solution in fewer iterations") {
    const HostMatrix<double> a = laplacian(40);
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

TEST_CASE("each of several right-hand sides converges by itself") {
    const HostMatrix<double> a = laplacian(20);
    const DeviceMatrix<double> matrix(a);
    const std::int64_t n = a.n;
    // A column of zeros, one that x0 solves, one eigenvector (a single iteration), two at random.
    std::vector<double> exact = random_vector<double>(n, 5), b(static_cast<std::size_t>(5 * n)), x0(b.size());
    const std::vector<double> solved = a * exact, first = random_vector<double>(n, 6),
                              second = random_vector<double>(n, 8);
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
        const double pi = std::acos(-1.0), wave = pi / 21;
        b[5 * i + 1] = solved[i], x0[5 * i + 1] = exact[i];
        b[5 * i + 2] =
            std::sin(wave * static_cast<double>(i % 20 + 1)) * std::sin(wave * static_cast<double>(i / 20 + 1));
        b[5 * i + 3] = first[i], b[5 * i + 4] = 1e3 * second[i];
    }
    const GPUArray<double> right = to_gpu(b).reshape({n, 5}), start = to_gpu(x0).reshape({n, 5});
    const solve::LinearOperator<double> by_columns(matrix);
    const solve::LinearOperator<double> together(
        {n, n},
        [&](const GPUArray<double>& u, const GPUArray<double>& out) {
            CHECK(u.shape() == Shape{n, 5});
            for (std::int64_t c = 0; c < 5; ++c) matrix.multiply_into(out(slice(), c), u(slice(), c));
        },
        solve::Columns::together);
    for (const solve::LinearOperator<double>& op : {by_columns, together})
        for (const Solve<double> method :
             {Solve<double>(solve::cg<double>), Solve<double>(solve::minres<double>),
              Solve<double>(solve::bicgstab<double>), Solve<double>(solve::gmres<double>)}) {
            const auto result = method(op, right, {.tolerance = 1e-9, .check_every = 7, .x0 = start});
            REQUIRE(result.converged);
            REQUIRE(result.columns.size() == 5);
            CHECK(result.x.shape() == Shape{n, 5});
            CHECK(result.columns[0].iterations == 0);
            CHECK(result.columns[1].iterations == 0);
            CHECK(result.columns[2].iterations == 1);
            CHECK(result.columns[3].iterations > 10);
            CHECK(result.iterations == std::max(result.columns[3].iterations, result.columns[4].iterations));
            for (std::int64_t c = 0; c < 5; ++c) {
                const std::vector<double> column = right(slice(), c).get();
                CHECK(host_residual(a, column, result.x(slice(), c).get()) <= 1.001e-9 * host_norm(column) + 1e-15);
                if (c >= 2) {
                    const auto alone = method(by_columns, to_gpu(column), {.tolerance = 1e-9, .check_every = 7});
                    CHECK(std::abs(alone.iterations - result.columns[static_cast<std::size_t>(c)].iterations) <= 1);
                }
            }
        }
}

TEST_CASE("a batch of small systems is an operator on all columns") {
    const std::int64_t n = 12, count = 300;
    std::vector<double> diagonals = random_vector<double>(n * count);
    for (double& d : diagonals) d = 2.5 + d;
    const GPUArray<double> middle = to_gpu(diagonals).reshape({n, count});
    const solve::LinearOperator<double> systems(
        {n, n},
        [=](const GPUArray<double>& u, const GPUArray<double>& out) {
            out.assign(middle * u);
            out(slice(1, {})) -= 0.5 * u(slice(0, -1)), out(slice(0, -1)) -= 0.5 * u(slice(1, {}));
        },
        solve::Columns::together);
    const GPUArray<double> b = to_gpu(random_vector<double>(n * count, 9)).reshape({n, count});
    const auto result = solve::cg(systems, b, {.tolerance = 1e-10});
    CHECK(result.converged);
    const GPUArray<double> r = b - systems * result.x;
    CHECK(max(norm(r, {.axis = 0}) / norm(b, {.axis = 0})).item() <= 1.001e-10);
    CHECK(result.iterations <= n + 2);
}

TEST_CASE("zeros one unknown and none are solved") {
    const HostMatrix<double> one = HostMatrix<double>::dense(1, {4});
    for (const Solve<double> method : {Solve<double>(solve::cg<double>), Solve<double>(solve::minres<double>),
                                       Solve<double>(solve::bicgstab<double>), Solve<double>(solve::gmres<double>)}) {
        const DeviceMatrix<double> matrix(one);
        const auto solved = method(matrix, to_gpu(std::vector<double>{8}), {});
        CHECK(solved.x.item() == 2);
        CHECK(solved.iterations == 1);
        // b = 0 is solved by 0, wherever it starts.
        const GPUArray<double> zero = to_gpu(std::vector<double>{0});
        const auto nothing = method(matrix, zero, {.x0 = to_gpu(std::vector<double>{3})});
        CHECK(nothing.converged);
        CHECK(nothing.x.item() == 0);
        CHECK(nothing.residual_norm == 0);
        const solve::LinearOperator<double> none({0, 0}, [](const auto&, const auto&) {});
        const auto empty = method(none, GPUArray<double>(current_context(), Shape{0}), {});
        CHECK(empty.converged);
        CHECK(empty.x.shape() == Shape{0});
        CHECK(method(matrix, GPUArray<double>(current_context(), Shape{1, 0}), {}).x.shape() == Shape{1, 0});
    }
}

TEST_CASE("every way of cutting sweeps gives the solution") {
    const HostMatrix<double> a = laplacian(60);
    const DeviceMatrix<double> matrix(a);
    for (const codegen::SweepTuning& tuning :
         {codegen::SweepTuning{.block = 64, .blocks_per_unit = 4, .finish = codegen::SweepFinish::launch},
          codegen::SweepTuning{.block = 1, .blocks_per_unit = 3},
          codegen::SweepTuning{.block = 128, .blocks_per_unit = 2}}) {
        const auto result =
            check_solved<double>("cg", solve::cg<double>, a, matrix,
                                 {.tolerance = 1e-10, .preconditioner = solve::jacobi(matrix), .tuning = tuning});
        CHECK(std::abs(result.iterations - host_cg(a, random_vector<double>(a.n), 1e-10)) <= 3);
    }
    const HostMatrix<cdouble> c = random_matrix<cdouble>(500, Kind::general);
    check_solved<cdouble>("gmres", solve::gmres<cdouble>, c, DeviceMatrix<cdouble>(c),
                          {.tolerance = 1e-10, .restart = 20, .tuning = {.block = 64}});
}

TEST_CASE("an iteration has the launches that it must have") {
    const HostMatrix<double> a = laplacian(40);
    const DeviceMatrix<double> matrix(a);
    const GPUArray<double> b = to_gpu(random_vector<double>(a.n));
    const Device device = current_context().device();
    const std::int64_t sweep = device.info().has_cross_block_visibility ? 1 : 2;  // launches of one
    const auto per_iteration = [&](Solve<double> method, const solve::LinearOperator<double>& m) {
        const auto launches = [&](std::int64_t iterations) {
            return launches_of([&] {
                method(matrix, b,
                       {.tolerance = 1e-30,
                        .max_iterations = iterations,
                        .preconditioner = m,
                        .throw_if_not_converged = false});
            });
        };
        launches(10);
        return (launches(50) - launches(10)) / 40;
    };
    const auto jacobi = solve::jacobi(matrix);
    const solve::LinearOperator<double> own({a.n, a.n}, [](const auto& u, const auto& out) { out.assign(0.25 * u); });
    for (const auto& none_or_jacobi : {solve::LinearOperator<double>(), jacobi}) {
        CHECK(per_iteration(solve::cg<double>, none_or_jacobi) == 1 + 2 * sweep);
        CHECK(per_iteration(solve::bicgstab<double>, none_or_jacobi) == 2 + 3 * sweep + sweep);
        CHECK(per_iteration(solve::minres<double>, none_or_jacobi) == 1 + 3 * sweep);
    }
    CHECK(per_iteration(solve::cg<double>, own) == 2 + 2 * sweep);
    CHECK(per_iteration(solve::bicgstab<double>, own) == 4 + 4 * sweep);
    CHECK(per_iteration(solve::minres<double>, own) == 2 + 1 + 3 * sweep);
}

TEST_CASE("the host enqueues the next iterations before it looks at the last") {
    const HostMatrix<double> a = laplacian(40);
    const DeviceMatrix<double> matrix(a);
    const GPUArray<double> b = to_gpu(random_vector<double>(a.n));
    std::int64_t products = 0, looks = 0;
    const solve::LinearOperator<double> counted({a.n, a.n},
                                                [&](const GPUArray<double>& u, const GPUArray<double>& out) {
                                                    ++products;
                                                    matrix.multiply_into(out, u);
                                                });
    std::vector<std::int64_t> iterations;
    const auto result = solve::cg(counted, b,
                                  {.tolerance = 1e-10,
                                   .check_every = 10,
                                   .callback =
                                       [&](std::int64_t iteration, double) {
                                           if (++looks > 1)
                                               CHECK(products >= std::min<std::int64_t>(iteration + 10, 20));
                                           iterations.push_back(iteration);
                                       },
                                   .history = true});
    REQUIRE(iterations.size() > 5);
    for (std::size_t k = 0; k + 2 < iterations.size(); ++k)
        CHECK(iterations[k] == std::min<std::int64_t>(10 * static_cast<std::int64_t>(k), result.iterations));
    // Two looks more than it needs at most: one batch is under way while the host looks at the one before.
    CHECK(products <= result.iterations + 30);
    REQUIRE(result.history.size() > 5);
    CHECK(result.history.front().iteration == 0);
    CHECK(std::abs(result.history.front().residual_norm - host_norm(b.get())) <= 1e-12 * host_norm(b.get()));
    CHECK(result.history.back().residual_norm <= 1e-10 * host_norm(b.get()));
}

TEST_SUITE_END();
