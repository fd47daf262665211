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

// Fewer than 2^22 elements in runs of more than 32 are read twice, on GPUs too.
TEST_CASE("variances of many doubles, which GPUs read once, lose no digits either") {
    constexpr std::size_t count = (std::size_t{1} << 22) + 6;
    for (const double first : {1e-3, -1e9 + 1e7}) {
        if (is_check() && first != 1e-3) continue;
        const std::vector<double> values = spread(count, -1e9, first);
        const GPUArray<double> x = to_gpu(values);
        check_variance("many", values, var(x));
        const GPUArray<double> rows = x.reshape({2, static_cast<std::int64_t>(count / 2)});
        const auto half = static_cast<std::ptrdiff_t>(count / 2);
        const GPUArray<double> of_rows = var(rows, 1), of_columns = var(rows.transpose().copy(), 0);
        for (std::size_t k = 0; k < 2; ++k) {
            const auto begin = values.begin() + static_cast<std::ptrdiff_t>(k) * half;
            const std::vector<double> own(begin, begin + half);
            const auto at = static_cast<std::int64_t>(k);
            check_variance("many in rows", own, of_rows(slice(at, at + 1)));
            check_variance("many in columns", own, of_columns(slice(at, at + 1)));
        }
    }
}

TEST_CASE("the variance of a large array of floats takes two launches on GPUs") {
    const GPUArray<float> x = ones<float>({3, 1 << 21});
    const Device device = x.context().device();
    if (device.info().type != DeviceInfo::Type::gpu || !device.info().has_double) return;
    const auto before = x.context().statistics().launches;
    (void)var(x, 1);
    CHECK(x.context().statistics().launches - before == 2);
    (void)var(exp(x), 1);
    CHECK(x.context().statistics().launches - before == 5);  // the first elements take one more
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

TEST_CASE("any number of degrees of freedom, by every way of computing a variance") {
    // 5000 runs of 1, 2, 3, 4; then a few, long runs; then one run of all.
    std::vector<float> values(20000);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<float>(k % 4 + 1);
    const auto x = to_gpu(values);
    const bool has_double = default_device().info().has_double;
    const auto check = [&](const char* name, const auto& of, double count, double squares) {
        using T = typename std::decay_t<decltype(of)>::value_type;
        for (const int axis : {0, 1})
            for (const double ddof : {0.0, 1.0, 1.5, -2.0, count - 0.25, count, count + 3}) {
                CAPTURE(name);
                CAPTURE(axis);
                CAPTURE(ddof);
                const GPUArray<T> runs = axis == 1 ? GPUArray<T>(of) : of.transpose().copy();
                const double expected = squares / std::max(count - ddof, 0.0);
                const auto found = var(runs, {.axis = axis, .ddof = ddof}).get();
                const auto roots = stddev(runs, {.axis = axis, .ddof = ddof}).get();
                const auto is_about = [](T value, double wanted) {
                    const auto number = static_cast<double>(value);
                    return number == wanted || number == doctest::Approx(wanted);
                };
                CHECK(is_about(found.back(), expected));
                CHECK(is_about(roots.front(), std::sqrt(expected)));
            }
    };
    const GPUArray<float> rows = x.reshape({5000, 4});
    check("rows", rows, 4, 5);
    check("long rows", stack(std::vector{x, x, x}, 0), 20000, 25000);
    if (has_double) {
        check("rows of doubles", astype<double>(rows).eval(), 4, 5);
        check("long rows of doubles", astype<double>(stack(std::vector{x, x, x}, 0)).eval(), 20000, 25000);
    }
    CHECK(
        GPUArray<float>(var(AnyArray(astype<half>(rows).eval()), {.axis = 1, .dtype = dtype_of<float>(), .ddof = 1}))(7)
            .item() == doctest::Approx(5.0 / 3));
    CHECK_THROWS_MENTIONING(ArgumentError, var(x, {.ddof = static_cast<double>(NAN)}), "var: ", ".ddof is nan",
                            "finite");
    CHECK_THROWS_MENTIONING(ArgumentError, stddev(x, {.ddof = -static_cast<double>(INFINITY)}), "stddev: ", ".ddof");
}

TEST_CASE("means and norms of long columns of few and of many elements are one reduction") {
    const auto few = ones<float>({40000, 3});
    const auto complex = full<cfloat>({40000, 3}, cfloat(2, -4));
    const auto launches_of = [](const auto& call) {
        const auto launches = [] { return default_context().statistics().launches; };
        call();
        const auto before = launches();
        const auto value = call();
        // On CPU devices a second kernel combines the threads' results.
        CHECK(launches() - before <= (default_device().info().type == DeviceInfo::Type::cpu ? 2 : 1));
        return value;
    };
    CHECK(launches_of([&] { return mean(few, 0); }).get() == std::vector<float>(3, 1));
    CHECK(launches_of([&] { return mean(complex, 0); })(1).item() == cfloat(2, -4));
    CHECK(launches_of([&] { return norm(few, 0); })(2).item() == doctest::Approx(200));
    CHECK(launches_of([&] { return mean(complex); }).item() == cfloat(2, -4));
    if (default_device().info().has_double)
        CHECK(launches_of([&] { return mean(astype<std::int32_t>(few), 0); }).get() == std::vector<double>(3, 1));
}

TEST_SUITE_END();
