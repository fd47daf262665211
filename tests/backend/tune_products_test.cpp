/// The spaces of products of matrices: what is found is right, is stored, and later products use it.
#include "child.hpp"
#include "generator_support.hpp"
#include "sparse_support.hpp"

#include <gemel/algorithms/sparse_matrix.hpp>
#include <gemel/arrays/matmul.hpp>
#include <gemel/arrays/stored_tuning.hpp>
#include <gemel/arrays/tune.hpp>

#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

using namespace gemel;
using namespace gemel::testing;

namespace {

/// Numbers of both signs, so that sums cancel.
std::vector<float> signed_numbers(std::size_t count) {
    std::mt19937 random(5);
    std::normal_distribution<float> normal;
    std::vector<float> all(count);
    for (float& x : all) x = normal(random);
    return all;
}

constexpr std::int64_t n = 100;

/// Whether c is `times` a a, within 1e-4 of the sums of magnitudes: floats, 100 terms.
bool is_square(const GPUArray<float>& c, const std::vector<float>& a, double times = 1) {
    const std::vector<float> found = c.get();
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
            double sum = 0, size = 0;
            for (std::int64_t k = 0; k < n; ++k) {
                const double term =
                    double{a[static_cast<std::size_t>(i * n + k)]} * a[static_cast<std::size_t>(k * n + j)];
                sum += term, size += std::abs(term);
            }
            if (!(std::abs(found[static_cast<std::size_t>(i * n + j)] - times * sum) <= 1e-4 * times * size))
                return false;
        }
    return true;
}

/// A matrix of rows of 0 to 9 entries, and what it gives of ones.
struct Sums {
    sparse::Matrix<float> matrix;
    std::vector<float> expected;
    explicit Sums(std::int64_t rows) {
        HostMatrix<float> host{rows, rows};
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t k = 0; k < r % 10; ++k) host.add(r, (r * 7 + k * 13) % rows, static_cast<float>(k - 4));
        matrix = host.on_device();
        expected = host.times(std::vector<float>(static_cast<std::size_t>(rows), 1.0f));
    }
};

int tune_products() {
    const std::vector<float> numbers = signed_numbers(n * n);
    const auto a = to_gpu(numbers).reshape({n, n});
    const tune::Result dense = tune::tune([](const auto& x) { return matmul(x, x); }, {.trials = 5}, a);
    std::size_t failed = 0;
    for (const tune::Trial& trial : dense.history) {
        failed += trial.failure.empty() ? 0 : 1;
        if (!trial.failure.empty()) std::printf("%s: %s\n", to_string(trial.point).c_str(), trial.failure.c_str());
    }
    std::printf("dense: %s, %zu trials of %d points, %zu failed, not slower %d, right %d\n", dense.name.c_str(),
                dense.trials, static_cast<int>(dense.points), failed, dense.milliseconds <= dense.start_milliseconds,
                is_square(matmul(a, a), numbers));
    const Sums sums(3000);
    const auto ones = full<float>(Shape{3000}, 1.0f);
    const tune::Result product = tune::tune([&](const auto& x) { return sums.matrix * x; },
                                            {.trials = 6, .strategy = tune::Strategy::random}, ones);
    std::printf("sparse: %s, %zu trials, right %d\n", product.name.c_str(), product.trials,
                (sums.matrix * ones).get() == sums.expected);
    bool has_strategy = false;
    for (const tune::Parameter& parameter : product.parameters) has_strategy |= parameter.name == "strategy";
    std::printf("strategy %d\n", has_strategy);
    std::size_t records = 0;
    for (const tune::Stored& record : tune::stored())
        records += record.work.starts_with("matmul item") || record.work.starts_with("sparse_product item") ? 1 : 0;
    std::printf("records %zu\n", records);
    return 0;
}

/// GEMEL_TUNE=auto: targets that are added to show each call that would have run twice or not at all.
int online_products() {
    const std::vector<float> numbers = signed_numbers(n * n);
    const auto a = to_gpu(numbers).reshape({n, n});
    const auto c = zeros<float>({n, n});
    for (int k = 0; k < 120; ++k) matmul_into(c, a, a, {.epilogue = "before + value"});
    const Sums sums(3000);
    const auto ones = full<float>(Shape{3000}, 1.0f), y = zeros<float>({3000});
    for (int k = 0; k < 120; ++k) sums.matrix.multiply_into(y, ones, {.alpha = 1, .beta = 1});
    std::vector<float> expected = sums.expected;
    for (float& x : expected) x *= 120;
    std::printf("right %d %d\n", is_square(c, numbers, 120), y.get() == expected);
    for (const tune::Stored& record : tune::stored())
        std::printf("stored %s\n", record.work.substr(0, record.work.find(' ')).c_str());
    return 0;
}

/// A call that writes its new array three times only: what it gives later lies in memory that held the right
/// numbers.
int tune_forgetful() {
    const auto x = full<float>(Shape{5000}, 3.0f);
    int calls = 0;
    try {
        tune::tune(
            [&](const auto& from) {
                const auto to = empty<float>(Shape{5000});
                if (calls++ < 3) to.assign(2 * from);
                return to;
            },
            {.trials = 2}, x);
        std::puts("nothing was noticed");
    } catch (const Error& error) {
        std::puts(error.what());
    }
    return 0;
}

const Child a("tune-products", tune_products), b("online-products", online_products),
    c("tune-forgetful", tune_forgetful);

}  // namespace

TEST_SUITE_BEGIN("tune");

TEST_CASE("products of matrices have spaces and what is found there is right and used") {
    const ScratchFolder folder;
    const RunningChild::Environment environment{{"GEMEL_CACHE_DIR", (folder / "gemel").string()}, {"GEMEL_CACHE", ""}};
    const auto first = run_child("tune-products", environment);
    CHECK_MESSAGE(first.exit_code == 0, first.output);
    CHECK_MESSAGE(mentions(first.output, {"dense: matmul, 5 trials", "not slower 1, right 1",
                                          "sparse: sparse_product, 6 trials, right 1", "strategy 1", "records 2"}),
                  first.output);
    const auto second = run_child("tune-products", environment);
    CHECK_MESSAGE(mentions(second.output, {"dense: matmul, 0 trials", "right 1", "sparse_product, 0 trials, right 1"}),
                  second.output);
}

TEST_CASE("a configuration that leaves new arrays unwritten is wrong") {
    const ScratchFolder folder;
    const auto result =
        run_child("tune-forgetful", {{"GEMEL_CACHE_DIR", (folder / "gemel").string()}, {"GEMEL_CACHE", ""}});
    CHECK_MESSAGE(mentions(result.output, {"result 0 differs"}), result.output);
}

TEST_CASE("products are tuned while a program runs and each runs once") {
    const ScratchFolder folder;
    const auto result =
        run_child("online-products",
                  {{"GEMEL_CACHE_DIR", (folder / "gemel").string()}, {"GEMEL_CACHE", ""}, {"GEMEL_TUNE", "auto"}});
    CHECK_MESSAGE(result.exit_code == 0, result.output);
    CHECK_MESSAGE(mentions(result.output, {"right 1 1", "stored matmul", "stored sparse_product"}), result.output);
}
