/// log_softmax, standardize, layer_norm, rms_norm and normalize against the same computed in double on the host.
#include "generator_support.hpp"

#include <gemel/gemel.hpp>

#include <cmath>
#include <functional>

using namespace gemel;
using namespace gemel::testing;

namespace {

constexpr std::int64_t row_count = 5, row_length = 67;

GPUArray<float> some_rows() {
    std::vector<float> values(row_count * row_length);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<float>(std::sin(0.7 * double(k)) * 3 + 1);
    return to_gpu(values).reshape({row_count, row_length});
}

using Row = std::vector<double>;

double mean_of(const Row& row, const std::function<double(double)>& f) {
    double sum = 0;
    for (const double x : row) sum += f(x);
    return sum / static_cast<double>(row.size());
}

/// Compares each row with `expected` of it. The tolerance is some roundings of float, at the size of the values.
void check_rows(const GPUArray<float>& given, const GPUArray<float>& found, const std::function<Row(Row)>& expected) {
    REQUIRE(found.shape() == given.shape());
    const std::vector<float> from = given.get(), to = found.get();
    for (std::size_t r = 0; r < row_count; ++r) {
        const Row row = expected(Row(from.begin() + r * row_length, from.begin() + (r + 1) * row_length));
        for (std::size_t k = 0; k < row_length; ++k)
            CHECK(to[r * row_length + k] == doctest::Approx(row[k]).epsilon(2e-6).scale(5));
    }
}

Row mapped(const Row& row, const std::function<double(double)>& f) {
    Row result;
    for (const double x : row) result.push_back(f(x));
    return result;
}

Row standardized(const Row& row, double epsilon) {
    const double mean = mean_of(row, [](double x) { return x; });
    const double variance = mean_of(row, [&](double x) { return (x - mean) * (x - mean); });
    return mapped(row, [&](double x) { return (x - mean) / std::sqrt(variance + epsilon); });
}

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("log_softmax is x less the logarithm of the sum of exp") {
    const GPUArray<float> x = some_rows();
    check_rows(x, log_softmax(x), [](const Row& row) {
        const double sum = mean_of(row, [](double v) { return std::exp(v); }) * row_length;
        return mapped(row, [&](double v) { return v - std::log(sum); });
    });
    // softmax() of these is 0, whose logarithm would be -infinity.
    const auto far = to_gpu(std::vector<float>{0, -200});
    CHECK(log_softmax(far).get() == std::vector<float>{0, -200});
}

TEST_CASE("standardize and layer_norm shift and scale each row") {
    const GPUArray<float> x = some_rows();
    check_rows(x, standardize(x, -1, 0.5), [](const Row& row) { return standardized(row, 0.5); });
    const GPUArray<float> weight = linspace<float>(1, 2, row_length), bias = linspace<float>(-1, 1, row_length);
    check_rows(x, layer_norm(x, weight, bias), [](const Row& row) {
        Row result = standardized(row, 1e-5);
        for (std::size_t k = 0; k < row_length; ++k) {
            const double part = static_cast<double>(k) / (row_length - 1);
            result[k] = result[k] * (1 + part) + (2 * part - 1);
        }
        return result;
    });
}

TEST_CASE("rms_norm and normalize divide each row by its size") {
    const GPUArray<float> x = some_rows();
    const auto square_mean = [](const Row& row) { return mean_of(row, [](double v) { return v * v; }); };
    check_rows(x, rms_norm(x, 2), [&](const Row& row) {
        return mapped(row, [&](double v) { return 2 * v / std::sqrt(square_mean(row) + 1e-6); });
    });
    check_rows(x, normalize(x), [&](const Row& row) {
        return mapped(row, [&](double v) { return v / std::sqrt(square_mean(row) * row_length); });
    });
    // 16-bit floats of zeros stay zeros, although half cannot hold the bound.
    const std::vector<half> nothing(4, half(0.0f));
    const GPUArray<half> zero = to_gpu(nothing).reshape({1, 4});
    CHECK(GPUArray<half>(normalize(zero)).get() == nothing);
    CHECK(AnyArray(normalize(AnyExpr(zero))).get<half>() == nothing);
    CHECK(GPUArray<half>(rms_norm(zero, 2, -1, 1e-8)).get() == nothing);
    CHECK(GPUArray<half>(standardize(zero + half(1.0f), -1, 1e-8)).get() == nothing);
    // A row shorter than `least` is divided by that.
    CHECK(normalize(to_gpu(std::vector<float>{0, 3}), 0, 6).get() == std::vector<float>{0, 0.5f});
}

TEST_SUITE_END();
