/// What solvers refuse, what breaks them down, and what users write.
#include "solve_support.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

using namespace gemel;
using namespace gemel::testing;

namespace {

/// A diagonal matrix, and some ones beside the diagonal.
HostSystem<double> banded(const std::vector<double>& diagonal, double beside = 0, double across = 0) {
    const std::size_t n = diagonal.size();
    std::vector<double> a(n * n);
    for (std::size_t i = 0; i < n; ++i) {
        a[i * n + i] = diagonal[i];
        if (i + 1 < n) a[i * n + i + 1] = beside, a[(i + 1) * n + i] = across;
    }
    return HostSystem<double>::dense(static_cast<std::int64_t>(n), a);
}

using Method = Solve<double>;
constexpr Method cg = solve::cg<double>, bicgstab = solve::bicgstab<double>, minres = solve::minres<double>,
                 gmres = solve::gmres<double>;

/// What is written on standard error meanwhile, which is a terminal or a pipe.
std::string written_on(bool terminal, const std::function<void()>& work) {
    std::array<int, 2> ends{-1, -1};
    if (terminal) {
        ends[0] = posix_openpt(O_RDWR | O_NOCTTY);
        REQUIRE(ends[0] >= 0);
        REQUIRE(grantpt(ends[0]) == 0);
        REQUIRE(unlockpt(ends[0]) == 0);
        ends[1] = open(ptsname(ends[0]), O_RDWR | O_NOCTTY);
    } else {
        REQUIRE(pipe(ends.data()) == 0);
    }
    REQUIRE(ends[1] >= 0);
    const int saved = dup(STDERR_FILENO);
    dup2(ends[1], STDERR_FILENO);
    work();
    std::fflush(stderr);
    std::string all;
    // A terminal hands on what was written a little later, in pieces.
    pollfd waiting{.fd = ends[0], .events = POLLIN, .revents = 0};
    std::array<char, 4096> piece;
    while (poll(&waiting, 1, 200) > 0 && (waiting.revents & POLLIN)) {
        const auto count = read(ends[0], piece.data(), piece.size());
        if (count <= 0) break;
        all.append(piece.data(), static_cast<std::size_t>(count));
    }
    dup2(saved, STDERR_FILENO);
    for (const int file : {saved, ends[0], ends[1]}) close(file);
    return all;
}

}  // namespace

TEST_SUITE_BEGIN("algorithms");

TEST_CASE("shapes contexts and options that do not fit are refused") {
    const DeviceMatrix<double> a(banded({2, 3, 4}));
    const GPUArray<double> b = ones<double>({3});
    CHECK_THROWS_MENTIONING(ArgumentError, cg(a, ones<double>({4}), {}), "solve::cg", "(3, 3)", "(4, 4)");
    CHECK_THROWS_MENTIONING(ArgumentError, cg(a, GPUArray<double>(), {}), "solve::cg", "right-hand side", "empty");
    CHECK_THROWS_MENTIONING(ArgumentError, minres(a, ones<double>({3, 1, 1}), {}), "solve::minres", "(3, 1, 1)");
    CHECK_THROWS_MENTIONING(ArgumentError, gmres({}, b, {}), "solve::gmres", "operator is empty");
    CHECK_THROWS_MENTIONING(ArgumentError, cg(a, b, {.x0 = ones<double>({3, 1})}), "x0", "(3, 1)", "(3,)");
    CHECK_THROWS_MENTIONING(ArgumentError, cg(a, b, {.preconditioner = solve::jacobi(ones<double>({2}))}),
                            "preconditioner", "(2, 2)", "(3, 3)");
    CHECK_THROWS_MENTIONING(ArgumentError, cg(a, b, {.tolerance = -1}), ".tolerance", "-1");
    CHECK_THROWS_MENTIONING(ArgumentError, cg(a, b, {.tolerance = std::nan("")}), ".tolerance", "nan");
    CHECK_THROWS_MENTIONING(ArgumentError, cg(a, b, {.max_iterations = -2}), ".max_iterations", "-2");
    CHECK_THROWS_MENTIONING(ArgumentError, cg(a, b, {.check_every = 0}), ".check_every", "0");
    CHECK_THROWS_MENTIONING(ArgumentError, gmres(a, b, {.restart = 0}), ".restart", "0");
    CHECK_THROWS_MENTIONING(ArgumentError, solve::LinearOperator<double>({3}, [](const auto&, const auto&) {}),
                            "LinearOperator", "(3,)");
    CHECK_THROWS_MENTIONING(ArgumentError, solve::LinearOperator<double>({3, 3}, nullptr), "no function");
    const solve::LinearOperator<double> op(a);
    CHECK_THROWS_MENTIONING(ArgumentError, op * ones<double>({4}), "(4,)", "(3,)");
    const Context other(current_context().device());
    const ContextScope scope(other);
    const GPUArray<double> elsewhere = ones<double>({3});
    CHECK_THROWS_MENTIONING(ArgumentError, cg(op, b, {.x0 = elsewhere}), "x0", "another context");
    CHECK_THROWS_MENTIONING(ArgumentError, cg(op, b, {.preconditioner = solve::jacobi(elsewhere)}), "preconditioner",
                            "another context");
    CHECK_THROWS_MENTIONING(ArgumentError, cg(op, b, {.stream = other.create_stream()}), ".stream", "another context");
    CHECK_THROWS_AS(cg(a, elsewhere, {}), ArgumentError);  // by the operator's own kernel
    const std::vector<std::int64_t> places{0, 1, 2};
    const auto matrix = sparse::coo<double>(b.context(), {3, 3}, places, places, std::vector<double>{1, 2, 3});
    CHECK_THROWS_MENTIONING(ArgumentError, cg(matrix, elsewhere, {}), "solve::cg", "the operator", "another context");
    CHECK_THROWS_MENTIONING(ArgumentError, matrix.permute(to_gpu(places), to_gpu(places)), "Matrix::permute",
                            "another context");
    CHECK(cg(a, b, {}).converged);
}

TEST_CASE("preconditioners refuse what has no inverse") {
    CHECK_THROWS_MENTIONING(ArgumentError, solve::jacobi(to_gpu(std::vector<double>{1, 0, 2, 0})), "2 of 4");
    CHECK_THROWS_MENTIONING(ArgumentError, solve::jacobi(to_gpu(std::vector<float>{1, std::nanf("")})), "1 of 2");
    CHECK_THROWS_MENTIONING(ArgumentError, solve::jacobi(ones<double>({2, 2})), "(2, 2)", "(n,)");
    const GPUArray<double> blocks = to_gpu(std::vector<double>{0, 1, 1, 0, 1, 2, 2, 4}).reshape({2, 2, 2});
    CHECK_THROWS_MENTIONING(ArgumentError, solve::block_jacobi(blocks), "block 1 of 2", "singular");
    CHECK_THROWS_MENTIONING(ArgumentError, solve::block_jacobi(ones<double>({1, 2, 3})), "(1, 2, 3)");
    const auto swap = solve::block_jacobi(blocks(slice(0, 1)));  // a pivot below
    CHECK((swap * to_gpu(std::vector<double>{3, 5})).get() == std::vector<double>{5, 3});
    const DeviceMatrix<double> a(banded({2, 3, 4}));
    const GPUArray<double> b = ones<double>({3});
    CHECK_THROWS_MENTIONING(ArgumentError, solve::chebyshev(a, b, {.degree = 0}), ".degree", "0");
    CHECK_THROWS_MENTIONING(ArgumentError, solve::chebyshev(a, b, {.lowest = 5, .highest = 4}), "5", "4");
    // Of degree 1 it is a number; of a high degree the inverse.
    const auto inverse = solve::chebyshev(a, b, {.degree = 40, .lowest = 1.9, .highest = 4.1});
    const std::vector<double> found = (inverse * b).get();
    for (std::size_t i = 0; i < 3; ++i) CHECK(std::abs(found[i] * static_cast<double>(i + 2) - 1) < 1e-12);
    const std::vector<std::complex<double>> complex_block{{0, 1}, {1, 0}, {2, 0}, {0, 3}};
    const auto inverted = solve::block_jacobi(to_gpu(complex_block).reshape({1, 2, 2}));
    const auto x = (inverted * to_gpu(std::vector<cdouble>{{1, 2}, {3, 4}})).get();
    CHECK(std::abs(complex_block[0] * x[0] + complex_block[1] * x[1] - cdouble(1, 2)) < 1e-14);
    CHECK(std::abs(complex_block[2] * x[0] + complex_block[3] * x[1] - cdouble(3, 4)) < 1e-14);
}

TEST_CASE("too few iterations say how far they came") {
    const DeviceMatrix<double> a(banded(std::vector<double>(50, 2.1), -1, -1));
    const GPUArray<double> b = ones<double>({50});
    for (const Method method : {cg, bicgstab, minres, gmres})
        for (const std::int64_t most : {1, 3, 4}) {
            const auto result = method(
                a, b, {.tolerance = 1e-10, .max_iterations = most, .check_every = 2, .throw_if_not_converged = false});
            CHECK_FALSE(result.converged);
            CHECK(result.iterations == most);
            CHECK(result.breakdown.empty());
            const double residual = norm(b - a * result.x).item();
            CHECK(std::abs(residual - result.residual_norm) < 1e-12);
            try {
                method(a, b, {.tolerance = 1e-10, .max_iterations = most});
                FAIL("nothing was thrown");
            } catch (const solve::BreakDown& e) {
                FAIL(e.what());
            } catch (const solve::NotConverged& e) {
                CHECK(e.iterations() == most);
                CHECK(std::abs(e.residual_norm() - residual) < 1e-12);
                CHECK(mentions(e.what(), {"solve::", "not converged", "1e-10", ".max_iterations"}));
            }
        }
}

TEST_CASE("breakdowns name the number that forbids to go on") {
    const GPUArray<double> b = to_gpu(std::vector<double>{1, 2, 3, 4});
    const DeviceMatrix<double> indefinite(banded({2, -3, 4, -5})), singular(banded({2, 0, 4, 5})),
        rotation(banded({0, 0, 0, 0}, 1, -1));
    CHECK_THROWS_MENTIONING(solve::BreakDown, cg(indefinite, to_gpu(std::vector<double>{1, 4, 1, 4}), {}), "solve::cg",
                            "p* A p is -", "not positive definite", "minres");
    CHECK(minres(indefinite, b, {.tolerance = 1e-12}).converged);
    CHECK_THROWS_MENTIONING(solve::BreakDown, minres(indefinite, b, {.preconditioner = solve::jacobi(indefinite)}),
                            "solve::minres", "r* M r is -", "preconditioner");
    for (const Method method : {cg, bicgstab, minres, gmres}) {
        const auto result = method(singular, b, {.tolerance = 1e-10, .throw_if_not_converged = false});
        CHECK_FALSE(result.converged);
        CHECK(result.residual_norm > 1.99);
        // cg divides by what rounding leaves of 0, and says so; minres and gmres come as near as there is to come.
        if (method == cg || method == gmres) CHECK_FALSE(result.breakdown.empty());
        if (method == gmres) CHECK(mentions(result.breakdown, {"singular"}));
        if (method == minres || method == gmres) CHECK(result.residual_norm < 100);
    }
    // r and A r are at right angles: bicgstab cannot begin, gmres solves it.
    CHECK_THROWS_MENTIONING(solve::BreakDown, bicgstab(rotation, b, {}), "solve::bicgstab", "gmres");
    CHECK(gmres(rotation, b, {.tolerance = 1e-12}).converged);
}

TEST_CASE("NaN and infinity are named by where they come from") {
    const DeviceMatrix<double> a(banded({2, 3, 4, 5}));
    const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
    const GPUArray<double> b = ones<double>({4});
    const solve::LinearOperator<double> broken({4, 4}, [](const auto& u, const auto& out) { out.assign(u / 0.0); });
    for (const Method method : {cg, bicgstab, minres, gmres}) {
        for (const double bad : {nan, infinity})
            CHECK_THROWS_MENTIONING(ArgumentError, method(a, to_gpu(std::vector<double>{1, bad, 2, 3}), {}),
                                    "solve::", "right-hand side", "NaN or infinite");
        CHECK_THROWS_MENTIONING(ArgumentError,
                                method(a, to_gpu(std::vector<double>{1, 1, 1, nan, 1, 1, 1, 1}).reshape({4, 2}), {}),
                                "in column 1");
        CHECK_THROWS_MENTIONING(solve::BreakDown, method(a, b, {.x0 = to_gpu(std::vector<double>{1, nan, 2, 3})}),
                                "became", "x0");
        CHECK_THROWS_MENTIONING(solve::BreakDown, method(broken, b, {}), "solve::", "broke down");
        // What the operator throws goes through, and the context is as before.
        const solve::LinearOperator<double> throws({4, 4},
                                                   [](const auto&, const auto&) { throw ArgumentError("mine"); });
        CHECK_THROWS_MENTIONING(ArgumentError, method(throws, b, {}), "mine");
        CHECK(method(a, b, {}).converged);
    }
}

TEST_CASE("a right-hand side whose squares underflow is refused, and one of zeros is solved") {
    const DeviceMatrix<double> a(banded({2, 3}));
    for (const Method method : {cg, bicgstab, minres, gmres}) {
        CHECK_THROWS_MENTIONING(ArgumentError, method(a, to_gpu(std::vector<double>{1e-170, 1e-170}), {}),
                                "solve::", "underflow", "multiply b");
        CHECK_THROWS_MENTIONING(ArgumentError,
                                method(a, to_gpu(std::vector<double>{1, 1e-200, 1, 0}).reshape({2, 2}), {}),
                                "underflow", "in column 1");
        CHECK_THROWS_MENTIONING(
            ArgumentError, method(a, to_gpu(std::vector<double>{1e-170, 0}), {.x0 = ones<double>({2})}), "underflow");
        CHECK(method(a, zeros<double>({2, 2}), {}).x.get() == std::vector<double>(4));
        CHECK(method(a, zeros<double>({2}), {.x0 = ones<double>({2})}).x.get() == std::vector<double>(2));
    }
}

TEST_CASE("minres ends where a singular system has no solution, at the least residual") {
    const std::vector<std::int32_t> two{0, 1};
    const auto a = sparse::coo<double>(Shape{3, 3}, two, two, std::vector<double>{2, 3});
    for (const bool with_jacobi : {false, true}) {
        const solve::Options<double> options{
            .preconditioner = with_jacobi ? solve::jacobi(ones<double>({3})) : solve::LinearOperator<double>{},
            .throw_if_not_converged = false};
        const solve::Result<double> ended = solve::minres<double>(a, ones<double>({3}), options);
        CHECK_FALSE(ended.converged);
        CHECK(ended.residual_norm == doctest::Approx(1));
        CHECK(ended.iterations <= 3);
        CHECK(mentions(ended.breakdown, {"singular to working precision"}));
        // It has a solution in the range of A.
        CHECK(solve::minres<double>(a, to_gpu(std::vector<double>{1, 1, 0}), options).converged);
    }
}

TEST_CASE("a solver that is recorded says so") {
    const DeviceMatrix<double> a(banded({2, 3}));
    const GPUArray<double> b = ones<double>({2});
    const Stream stream = b.context().create_stream();
    CHECK_THROWS_MENTIONING(Error, capture(stream, [&] { cg(a, b, {}); }), "solve::cg", "cannot be recorded",
                            "before or after capture()");
    CHECK(cg(a, b, {}).converged);
}

TEST_CASE("an expression is an operator") {
    const GPUArray<double> weights = to_gpu(std::vector<double>{4, 5, 6, 7}), b = ones<double>({4});
    const solve::LinearOperator<double> ring(
        {4, 4}, [=](const GPUArray<double>& u) { return weights * u - roll(u, 1) - roll(u, -1); });
    const auto result = cg(ring, b, {.tolerance = 1e-12});
    const GPUArray<double> residual = b - (weights * result.x - roll(result.x, 1) - roll(result.x, -1));
    CHECK(norm(residual).item() <= 1.001e-12 * 2);
    const solve::LinearOperator<double> dense(
        {4, 4}, [m = eye<double>(current_context(), 4, 4)](const auto& u) { return matmul(m, u); });
    CHECK((dense * b).get() == b.get());
}

TEST_CASE("progress is a line on a terminal and nothing elsewhere") {
    const DeviceMatrix<double> a(banded(std::vector<double>(50, 2.1), -1, -1));
    const GPUArray<double> b = ones<double>({50});
    const auto solve_it = [&] { cg(a, b, {.tolerance = 1e-8, .check_every = 5, .progress = true}); };
    const std::string shown = written_on(true, solve_it);
    CHECK(mentions(shown, {"\rsolve::cg: iteration 5, residual ", "is asked for"}));
    CHECK(shown.ends_with("\n"));
    CHECK(written_on(false, solve_it).empty());
}

TEST_CASE("a solver runs on the stream that it is given") {
    const DeviceMatrix<double> a(banded(std::vector<double>(500, 2.1), -1, -1));
    const Stream stream = current_context().create_stream();
    const GPUArray<double> b = ones<double>({500});
    const auto result = cg(a, b, {.tolerance = 1e-10, .absolute_tolerance = 1e-3, .stream = stream});
    CHECK(result.columns[0].target == 1e-3);
    CHECK(norm(b - a * result.x).item() <= 1.001e-3);
}

TEST_CASE("what users write gives what the documentation says") {
    const int width = 60, n = width * width;
    HostSystem<double> host{.n = n};
    for (int i = 0; i < n; ++i) {
        const int x = i % width, y = i / width;
        const auto entry = [&](int c, double v) { host.columns.push_back(c), host.values.push_back(v); };
        if (y > 0) entry(i - width, -1);
        if (x > 0) entry(i - 1, -1);
        entry(i, 4.01);
        if (x + 1 < width) entry(i + 1, -1);
        if (y + 1 < width) entry(i + width, -1);
        host.starts.push_back(static_cast<std::int32_t>(host.columns.size()));
    }
    const DeviceMatrix<double> a(host);
    const GPUArray<double> b = random::randn<double>({n});
    const solve::Result<double> plain = solve::cg(a, b, {.tolerance = 1e-10, .check_every = 20});
    const GPUArray<double> residual = b - a * plain.x;
    CHECK(plain.converged);
    CHECK(norm(residual).item() <= 1.1e-10 * norm(b).item());
    CHECK(solve::cg(a, b, {.tolerance = 1e-10, .check_every = 20}).x.get() == plain.x.get());  // to the last bit
    const solve::Result<double> preconditioned =
        solve::cg(a, b, {.tolerance = 1e-10, .preconditioner = solve::jacobi(a)});
    CHECK(preconditioned.iterations <= plain.iterations + 20);
    CHECK(max(abs(preconditioned.x - plain.x)).item() <= 1e-7);
    const solve::LinearOperator<double> stencil({n, n}, [=](const GPUArray<double>& u, const GPUArray<double>& out) {
        const auto in = u.reshape({width, width}), to = out.reshape({width, width});
        to.assign(4.01 * in);
        to(slice(1, {})) -= in(slice(0, -1)), to(slice(0, -1)) -= in(slice(1, {}));
        to(slice(), slice(1, {})) -= in(slice(), slice(0, -1)), to(slice(), slice(0, -1)) -= in(slice(), slice(1, {}));
    });
    CHECK(max(abs(solve::cg(stencil, b, {.tolerance = 1e-10}).x - plain.x)).item() <= 1e-7);
    const solve::Result<double> general = solve::bicgstab(a, b, {.tolerance = 1e-9});
    CHECK(max(abs(general.x - plain.x)).item() <= 1e-6);
    try {
        solve::cg(a, b, {.tolerance = 1e-10, .max_iterations = 3});
        FAIL("three iterations are not enough");
    } catch (const solve::NotConverged& e) {
        CHECK(e.iterations() == 3);
    }
}

TEST_SUITE_END();
