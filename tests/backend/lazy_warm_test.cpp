/// Expressions with reductions whose kernels are known from an earlier evaluation: other numbers, arrays, axes, types.
#include "generator_support.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

using namespace gemel;
using namespace gemel::testing;

TEST_SUITE_BEGIN("lazy");

namespace {

constexpr int rows = 3, columns = 64;

GPUArray<double> squares(int offset) {
    std::vector<double> values;
    for (int i = 0; i < rows * columns; ++i) values.push_back((i + offset) % 17 * ((i + offset) % 17));
    return to_gpu(values).reshape({rows, columns});
}

double mean_of_row(const std::vector<double>& x, int row) {
    double sum = 0;
    for (int k = 0; k < columns; ++k) sum += x[row * columns + k];
    return sum / columns;
}

}  // namespace

TEST_CASE("numbers of a known expression may become equal, different, or equal to the number of elements") {
    const GPUArray<double> x = squares(0);
    const std::vector<double> host = x.get();
    // First what could be taken for less than it is: equal numbers for one, and the count in the mean for a number.
    const std::vector<std::pair<double, double>> pairs{{columns, columns},
                                                       {columns, 3},
                                                       {2, 2},
                                                       {2, 3},
                                                       {3, 2},
                                                       {3, columns},
                                                       {0, -0.0},
                                                       {-0.0, 0},
                                                       {1.0 / columns, 1.0 / columns}};
    for (int round = 0; round < 2; ++round)
        for (const auto& [a, b] : pairs) {
            CAPTURE(a);
            CAPTURE(b);
            const std::vector<double> typed = GPUArray<double>(a * x - lazy::mean(x, 1) * b).get();
            const AnyExpr untyped = a * AnyExpr(x) - lazy::mean(AnyExpr(x), 1) * b;
            const std::vector<double> found = GPUArray<double>(untyped.eval()).get();
            for (int i = 0; i < rows * columns; ++i) {
                const double expected = a * host[i] - mean_of_row(host, i / columns) * b;
                REQUIRE(typed[i] == doctest::Approx(expected));
                REQUIRE(found[i] == doctest::Approx(expected));
            }
        }
    const std::vector<double> nan =
        GPUArray<double>(x * std::numeric_limits<double>::quiet_NaN() - lazy::max(x, 1)).get();
    CHECK(std::isnan(nan[5]));
}

TEST_CASE("untyped expressions of one structure take numbers of several kinds") {
    const AnyArray x = arange<std::int32_t>(6).reshape({2, 3}), y = arange<double>(6).reshape({2, 3});
    for (int round = 0; round < 2; ++round) {
        const AnyArray whole = AnyExpr(AnyExpr(x) * 2 + lazy::sum(AnyExpr(x), 1)).eval(),
                       half = AnyExpr(AnyExpr(x) * 2.5 + lazy::sum(AnyExpr(x), 1)).eval();
        CHECK(whole.dtype().is_integer());
        CHECK(GPUArray<std::int64_t>(whole(1, 2)).item() == 10 + 12);
        CHECK(GPUArray<double>(half(1, 2)).item() == 12.5 + 12);
        const auto scaled = [&](const AnyExpr& factor) {
            return AnyExpr(AnyExpr(y) * factor + lazy::sum(AnyExpr(y), 1)).eval();
        };
        CHECK(GPUArray<double>(scaled(AnyExpr(2))(1, 2)).item() == 10 + 12);
        CHECK(GPUArray<double>(scaled(AnyExpr(2.5))(1, 2)).item() == 12.5 + 12);
    }
}

TEST_CASE("operands of a known expression may become one array, and change shapes") {
    const GPUArray<double> x = squares(0), y = squares(5), last = squares(9)(0, slice());
    const auto ratio = [](const auto& a, const auto& b) { return GPUArray<double>(a * lazy::sum(b, -1)); };
    for (int round = 0; round < 2; ++round) {
        const double sum_x = mean_of_row(x.get(), 1) * columns, sum_y = mean_of_row(y.get(), 1) * columns,
                     at_x = x.get()[columns + 7], at_last = last.get()[7],
                     sum_last = GPUArray<double>(sum(last)).item();
        CHECK(ratio(x, y)(1, 7).item() == doctest::Approx(at_x * sum_y));
        CHECK(ratio(x, x)(1, 7).item() == doctest::Approx(at_x * sum_x));
        CHECK(ratio(x, last)(1, 7).item() == doctest::Approx(at_x * sum_last));
        CHECK(ratio(last, x)(1, 7).item() == doctest::Approx(at_last * sum_x));
    }
}

TEST_CASE("axes tell known expressions apart") {
    const GPUArray<double> x = arange<double>(24).reshape({2, 3, 4}), flat = arange<double>(4).reshape({1, 1, 4});
    for (int round = 0; round < 2; ++round) {
        const auto first = [](const auto& expression) { return GPUArray<double>(expression).get().front(); };
        CHECK(first(x - lazy::sum(x, 0)) == -12);
        CHECK(first(x - lazy::sum(x, 1)) == -12);
        CHECK(first(x - lazy::sum(x, 2)) == -6);
        CHECK(first(x - lazy::sum(x, -3)) == -12);
        CHECK(first(x - lazy::sum(x, std::size_t{2})) == -6);
        CHECK(first(x - lazy::sum(x, std::int8_t{-1})) == -6);
        CHECK(first(x - lazy::sum(x, {0, 2})) == -60);
        CHECK(first(x - lazy::sum(x, {1, 2})) == -66);
        CHECK(first(x - lazy::sum(x)) == -276);
        CHECK(first(flat - lazy::sum(flat, 0)) == 0);
        CHECK(first(flat - lazy::sum(flat, {1, 2})) == -6);
        CHECK(first(x - lazy::var(x, 2)) == -1.25);
        CHECK(first(x - lazy::var(x, 2, 1)) == doctest::Approx(-5.0 / 3));
        CHECK(first(x - lazy::argmax(x, 2)) == -3);
    }
    CHECK_THROWS_MENTIONING(ArgumentError, lazy::sum(x, 3), "lazy::sum", "3");
    CHECK_THROWS_MENTIONING(ArgumentError, lazy::sum(x + 1, -4), "lazy::sum", "-4");
    CHECK_THROWS_MENTIONING(ArgumentError, lazy::mean(x, {0, 0}), "lazy::mean", "0");
}

TEST_CASE("numbers of every kind reach a known expression") {
    const GPUArray<cfloat> z = to_gpu(std::vector<cfloat>{{1, 2}, {3, -4}, {0, 1}, {2, 0}}).reshape({2, 2});
    const GPUArray<half> h = full<half>({2, 3}, half(1.5f));
    const GPUArray<std::uint64_t> u = full<std::uint64_t>({2, 2}, std::uint64_t{1} << 62);
    const GPUArray<bool> b = to_gpu(std::vector<bool>{true, false, true, true}).reshape({2, 2});
    for (int round = 1; round < 4; ++round) {
        const auto factor = static_cast<float>(round);
        const cfloat turn(0, factor);
        CHECK(GPUArray<cfloat>(z * turn - lazy::sum(z, 1))(0, 0).item() == cfloat(1, 2) * turn - cfloat(4, -2));
        CHECK(GPUArray<half>(h * half(factor) - lazy::max(h, 1))(1, 2).item() == half(1.5f * factor - 1.5f));
        const std::uint64_t large = (std::uint64_t{1} << 63) + static_cast<std::uint64_t>(round);
        CHECK(GPUArray<std::uint64_t>((u ^ large) | lazy::max(u, 1))(0, 1).item() ==
              (((std::uint64_t{1} << 62) ^ large) | (std::uint64_t{1} << 62)));
        CHECK(GPUArray<bool>(logical_and(b, round == 2) != lazy::all(b, 1)).get() ==
              (round == 2 ? std::vector<unsigned char>{1, 0, 0, 0} : std::vector<unsigned char>{0, 0, 1, 1}));
        CHECK(GPUArray<double>(where(b, factor, 0.5f) * lazy::count_nonzero(b, 1))(1, 0).item() == 2 * factor);
    }
}

TEST_CASE("threads evaluate one known expression with their own numbers") {
    const GPUArray<double> x = squares(0);
    const Context context = current_context();
    const double at = x.get()[7], mean = mean_of_row(x.get(), 0);
    std::vector<std::thread> threads;
    std::array<bool, 4> is_right{};
    for (std::size_t t = 0; t < is_right.size(); ++t)
        threads.emplace_back([&, t] {
            const ContextScope scope(context);
            bool right = true;
            for (int k = 0; k < 20; ++k) {
                const double a = static_cast<double>(t) + 1, b = static_cast<double>(k % 5);
                const double found = GPUArray<double>(a * x - lazy::mean(x, 1) * b)(0, 7).item();
                right &= std::abs(found - (a * at - mean * b)) < 1e-9 * (1 + std::abs(found));
            }
            is_right[t] = right;
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(std::ranges::all_of(is_right, [](bool right) { return right; }));
}

TEST_CASE("a known expression is written into arrays of other types, strides and shapes") {
    const GPUArray<float> x = arange<float>(12).reshape({3, 4});
    const auto centred = x - lazy::max(x, 1);
    for (int round = 0; round < 2; ++round) {
        const GPUArray<float> same = zeros<float>({3, 4}), wide = zeros<float>({2, 3, 4}),
                              turned = zeros<float>({4, 3});
        const GPUArray<double> converted = zeros<double>({3, 4});
        same.assign(centred);
        wide.assign(centred);
        turned.transpose().assign(centred);
        evaluate_into(converted, centred, same, x * 2);
        CHECK(same(1, 2).item() == 12);
        CHECK(wide(1, 1, 2).item() == -1);
        CHECK(turned(2, 1).item() == -1);
        CHECK(converted(1, 2).item() == -1);
        CHECK_THROWS_AS(zeros<float>({2, 4}).assign(centred), ArgumentError);
        CHECK_THROWS_MENTIONING(ArgumentError, evaluate_into(zeros<int>({3, 4}), centred), "evaluate_into", "astype");
    }
}

TEST_CASE("means, variances and norms of small arrays take one launch on GPUs") {
    if (default_device().info().type != DeviceInfo::Type::gpu) {
        MESSAGE("left out: ", default_device().info().name, " is no GPU");
        return;
    }
    const GPUArray<float> x = arange<float>(60).reshape({4, 15}), ties = ones<float>({300, 40});
    const GPUArray<half> large = full<half>({4, 2000}, half(100.0f));
    const auto launches_of = [](const auto& call) {
        call();
        const auto before = default_context().statistics().launches;
        const auto value = call();
        CHECK(default_context().statistics().launches - before == 1);
        return value;
    };
    CHECK(launches_of([&] { return mean(x, 1); })(1).item() == doctest::Approx(22));
    CHECK(launches_of([&] { return var(2 * x, 1); })(3).item() == doctest::Approx(4 * 56.0 / 3));
    CHECK(launches_of([&] { return var(x, {.axis = 1, .ddof = 1}); })(0).item() == doctest::Approx(20));
    CHECK(launches_of([&] { return stddev(x, 1); })(1).item() == doctest::Approx(std::sqrt(56.0 / 3)));
    if (default_device().info().has_double) {
        const GPUArray<double> equal = full<double>({3, 4001}, 3.0);
        CHECK(launches_of([&] { return var(equal, 1); }).get() == std::vector<double>(3));
    }
    CHECK(launches_of([&] { return norm(x, 0); })(0).item() == doctest::Approx(std::sqrt(15 * 15 * 14.0)));
    CHECK(launches_of([&] { return mean(large, 1); })(3).item() == half(100.0f));
    CHECK(launches_of([&] { return mean(x); }).item() == doctest::Approx(29.5));
    CHECK(launches_of([&] { return argmax(ties, 0); }).get() == std::vector<std::int64_t>(40));
    CHECK(launches_of([&] { return mean(x, 0, true); }).shape() == Shape{1, 15});
    CHECK(launches_of([&] { return mean(astype<std::int32_t>(x), 1); }).get() == std::vector<double>{7, 22, 37, 52});
    CHECK(launches_of([&] { return mean(astype<half>(x), 1); })(2).item() == half(37.0f));
}

TEST_SUITE_END();
