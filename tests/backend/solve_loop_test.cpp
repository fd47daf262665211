/// How solvers run: several right-hand sides, launches of an iteration, when the host waits.
#include "solve_support.hpp"

#include <gemel/core/text.hpp>
#include <gemel/core/trace.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

using namespace gemel;
using namespace gemel::testing;

namespace {

std::int64_t launches_of(const std::function<void()>& work) {
    const Context context = current_context();
    const auto before = context.statistics().launches;
    work();
    return static_cast<std::int64_t>(context.statistics().launches - before);
}

std::atomic<std::int64_t> waits{0};

}  // namespace

TEST_SUITE_BEGIN("algorithms");

TEST_CASE("iterations that are launched as a graph give the same bits") {
    const HostSystem<double> a = laplacian(20);
    const DeviceMatrix<double> matrix(a);
    const GPUArray<double> b = to_gpu(random_vector<double>(a.n, 5));
    int calls = 0;
    const solve::LinearOperator<double> counted(Shape{a.n, a.n},
                                                [&](const GPUArray<double>& x, const GPUArray<double>& y) {
                                                    ++calls;
                                                    matrix.multiply_into(y, x);
                                                });
    const Stream stream = current_context().create_stream();
    for (const std::int64_t every : {5, 6}) {
        for (const Solve<double> method :
             {Solve<double>(solve::cg<double>), Solve<double>(solve::minres<double>),
              Solve<double>(solve::bicgstab<double>), Solve<double>(solve::gmres<double>)}) {
            CAPTURE(every);
            const auto plain = method(counted, b, {.tolerance = 1e-9, .check_every = every, .stream = stream});
            const int all = std::exchange(calls, 0);
            const auto graph =
                method(counted, b, {.tolerance = 1e-9, .check_every = every, .stream = stream, .graph = true});
            CHECK(graph.converged);
            CHECK(graph.iterations == plain.iterations);
            CHECK(graph.x.get() == plain.x.get());
            CHECK(calls <= all);
            calls = 0;
        }
        const auto recorded = [&](bool graph) {
            calls = 0;
            (void)solve::cg(counted, b, {.tolerance = 1e-9, .check_every = every, .stream = stream, .graph = graph});
            return calls;
        };
        CHECK(2 * recorded(true) < recorded(false));
    }
    // An operator that reads on the host cannot be recorded, and says so.
    const solve::LinearOperator<double> reading(Shape{a.n, a.n},
                                                [&](const GPUArray<double>& x, const GPUArray<double>& y) {
                                                    matrix.multiply_into(y, x);
                                                    (void)y.get();
                                                });
    CHECK_THROWS_MENTIONING(Error, solve::cg(reading, b, {.stream = stream, .graph = true}), "cannot be recorded");
    CHECK(solve::cg(matrix, b, {.stream = stream, .graph = true}).converged);
}

TEST_CASE("each of several right-hand sides converges by itself") {
    const HostSystem<double> a = laplacian(20);
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
    const solve::LinearOperator<double> together(DeviceMatrix<double>::ForAllColumns{matrix}, solve::Columns::together);
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
    const HostSystem<double> one = HostSystem<double>::dense(1, {4});
    for (const Solve<double> method : {Solve<double>(solve::cg<double>), Solve<double>(solve::minres<double>),
                                       Solve<double>(solve::bicgstab<double>), Solve<double>(solve::gmres<double>)}) {
        const DeviceMatrix<double> matrix(one);
        const auto solved = method(matrix, to_gpu(std::vector<double>{8}), {});
        CHECK(std::abs(solved.x.item() - 2) <= 1e-14);
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

TEST_CASE("an iteration has the launches that it must have") {
    const HostSystem<double> a = laplacian(40);
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
                        .throw_if_not_converged = false,
                        .restart = 60});
            });
        };
        launches(50);
        // All of them alike, however many vectors gmres has by then.
        CHECK(4 * (launches(20) - launches(10)) == launches(50) - launches(10));
        return (launches(50) - launches(10)) / 40;
    };
    const auto jacobi = solve::jacobi(matrix);
    const solve::LinearOperator<double> own({a.n, a.n}, [](const auto& u, const auto& out) { out.assign(0.25 * u); });
    for (const auto& none_or_jacobi : {solve::LinearOperator<double>(), jacobi}) {
        CHECK(per_iteration(solve::cg<double>, none_or_jacobi) == 2 + sweep);
        CHECK(per_iteration(solve::bicgstab<double>, none_or_jacobi) == 2 + 3 * sweep + sweep);
        CHECK(per_iteration(solve::minres<double>, none_or_jacobi) == 2 + sweep);
        CHECK(per_iteration(solve::gmres<double>, none_or_jacobi) == 1 + 2 * sweep);
    }
    CHECK(per_iteration(solve::cg<double>, own) == 3 + sweep);
    CHECK(per_iteration(solve::bicgstab<double>, own) == 4 + 4 * sweep);
    CHECK(per_iteration(solve::minres<double>, own) == 3 + sweep);
    CHECK(per_iteration(solve::gmres<double>, own) == 2 + 2 * sweep);
}

TEST_CASE("the host enqueues the next iterations before it looks at the last") {
    const HostSystem<double> a = laplacian(40);
    const DeviceMatrix<double> matrix(a);
    const GPUArray<double> b = to_gpu(random_vector<double>(a.n));
    std::int64_t products = 0;
    const solve::LinearOperator<double> counted({a.n, a.n},
                                                [&](const GPUArray<double>& u, const GPUArray<double>& out) {
                                                    ++products;
                                                    matrix.multiply_into(out, u);
                                                });
    std::vector<std::int64_t> seen, enqueued;
    const auto look = [&](std::int64_t iteration, double) {
        seen.push_back(iteration);
        enqueued.push_back(products);
    };
    const auto result =
        solve::cg(counted, b, {.tolerance = 1e-10, .check_every = 10, .callback = look, .history = true});
    REQUIRE(seen.size() > 5);
    for (std::size_t k = 0; seen[k] < result.iterations; ++k) {
        CHECK(seen[k] == 10 * static_cast<std::int64_t>(k));
        CHECK(enqueued[k] == seen[k] + 10);
    }
    CHECK(products <= result.iterations + 21);  // the last one is for the true residual
    REQUIRE(result.history.size() > 5);
    CHECK(result.history.front().iteration == 0);
    CHECK(std::abs(result.history.front().residual_norm - host_norm(b.get())) <= 1e-12 * host_norm(b.get()));
    CHECK(result.history.back().residual_norm <= 1e-10 * host_norm(b.get()));
}

TEST_CASE("the host waits once for each look") {
    const HostSystem<double> a = laplacian(40);
    const DeviceMatrix<double> matrix(a);
    const GPUArray<double> b = to_gpu(random_vector<double>(a.n));
    for (const Solve<double> method : {Solve<double>(solve::cg<double>), Solve<double>(solve::gmres<double>)}) {
        method(matrix, b, {.tolerance = 1e-10});
        std::int64_t looks = 0;
        waits = 0;
        trace::set_sink([](const std::string& line) {
            for (const char* name : {"clWaitForEvents", "clFinish", "cuEventSynchronize", "cuStreamSynchronize",
                                     "cuCtxSynchronize", "cuMemcpyDtoH_v2(", "cuMemcpyHtoD_v2("})
                waits += line.starts_with(name);
        });
        trace::enabled = true;
        const auto result = method(
            matrix, b, {.tolerance = 1e-10, .check_every = 15, .callback = [&](std::int64_t, double) { ++looks; }});
        trace::enabled = false;
        trace::set_sink(nullptr);
        CHECK(result.iterations >= 100);
        CHECK(looks <= result.iterations / 15 + 4);
        // Two more when the page-locked memory of the looks is given back.
        CHECK(waits <= looks + 2);
    }
}

TEST_SUITE_END();
