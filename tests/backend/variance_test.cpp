/// Variances of doubles and integers, which GPUs compute in one reading, beside two readings on the host.
#include "generator_support.hpp"

#include <array>
#include <cmath>
#include <numeric>

using namespace gemel;
using namespace gemel::testing;

namespace {

double variance(const std::vector<double>& run) {
    const auto n = static_cast<long double>(run.size());
    long double mean = 0, squares = 0;
    for (const double x : run) mean += x / n;
    for (const double x : run) squares += (x - mean) * (x - mean);
    return static_cast<double>(squares / n);
}

/// Numbers about `middle`, the first of each run `first`.
std::vector<double> spread(std::size_t count, double middle, double first) {
    std::mt19937 random(71);
    std::normal_distribution<double> distance(0, 1);
    std::vector<double> values(count);
    for (double& value : values) value = middle + distance(random);
    values[0] = first;
    return values;
}

void check_variance(const std::string& name, const std::vector<double>& values, const GPUArray<double>& found) {
    const double expected = variance(values);
    // Sums of n terms, and a mean that is rounded.
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    const double allowed = 1e-15 * std::sqrt(static_cast<double>(values.size())) * expected +
                           1e-15 * std::abs(mean) * std::sqrt(expected) + 1e-31 * mean * mean;
    for (const double one : found.ravel().get())
        CHECK_MESSAGE(std::abs(one - expected) <= 8 * allowed, name << ": " << one << " instead of " << expected);
}

}  // namespace

TEST_SUITE_BEGIN("reductions");

TEST_CASE("variances of doubles lose no digits to their middle, nor to a first element far away") {
    for (const std::size_t count : {2u, 3u, 1000u, 100003u})
        for (const double middle : {0.0, 1e3, -1e9})
            for (const double first : {middle, middle + 1e7, 1e-3, -1e12}) {
                const std::vector<double> values = spread(count, middle, first);
                const GPUArray<double> x = to_gpu(values);
                const std::array three{x, x, x};
                const std::string name = text(count, " about ", middle, " and ", first);
                check_variance(name, values, var(x));
                check_variance(name + ", rows", values, var(stack(three, 0), 1));
                check_variance(name + ", columns", values, var(stack(three, 1), 0));
                check_variance(name + ", broadcast", values,
                               var(x.reshape({static_cast<std::int64_t>(count), 1}) + zeros<double>({1, 70}), 0));
            }
}

TEST_CASE("variances of integers are computed in double") {
    std::vector<std::int64_t> values(70001);
    for (std::size_t k = 0; k < values.size(); ++k)
        values[k] = static_cast<std::int64_t>(k % 7) + (std::int64_t{1} << 40);
    const std::vector<double> doubles(values.begin(), values.end());
    check_variance("integers", doubles, var(to_gpu(values)));
    CHECK(var(to_gpu(std::vector<std::uint8_t>{1, 2, 3, 4})).item() == 1.25);
    CHECK(stddev(to_gpu(std::vector<bool>{true, false})).item() == 0.5);
}

TEST_CASE("variances of doubles that are not finite are NaN") {
    for (const double odd : {static_cast<double>(NAN), static_cast<double>(INFINITY), -static_cast<double>(INFINITY)})
        for (const std::size_t at : {0u, 1u, 40000u}) {
            std::vector<double> values(40001, 3.0);
            values[at] = odd;
            CHECK(std::isnan(var(to_gpu(values)).item()));
            CHECK(std::isnan(var(to_gpu(std::vector<double>{odd})).item()));
        }
    CHECK(var(to_gpu(std::vector<double>(40001, 3.0))).item() == 0);
    CHECK(var(to_gpu(std::vector<double>{1, 3}), {.ddof = 1}).item() == 2);
}

TEST_SUITE_END();
