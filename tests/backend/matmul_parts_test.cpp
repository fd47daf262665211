/// Matrix products with a long summed axis, which several blocks share.
#include <gemel/testing_doctest.hpp>

#include "array_support.hpp"
#include "matmul_support.hpp"

#include <array>
#include <cmath>
#include <limits>

using namespace gemel;
using namespace gemel::testing;

namespace {

template <class T>
void check_long(std::int64_t n, std::int64_t k, std::int64_t m) {
    INFO(dtype_of<T>().name(), ": ", n, " x ", k, " x ", m);
    const auto a = whole<T>({n, k}, 1), b = whole<T>({k, m}, 2);
    const auto expected = expected_product(a, b);
    CHECK(matmul(a, b).get() == expected);
    CHECK(matmul(a.copy(Order::F), b.copy(Order::F)).get() == expected);
}

bool has_slots() { return current_context().device().info().architecture.starts_with("sm_"); }

/// Tiles that single warps, or threads, multiply.
codegen::MatmulTuning warps(std::uint32_t parts) {
    return {.rows = 32, .columns = 32, .depth = 16, .own_rows = 16, .own_columns = 16, .stages = 3, .parts = parts};
}
codegen::MatmulTuning threads(std::uint32_t parts) {
    return {.rows = 32, .columns = 64, .depth = 16, .own_rows = 4, .own_columns = 4, .stages = 2, .parts = parts};
}

std::uint64_t launches() { return current_context().statistics().launches; }

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("products with a long summed axis are those of a loop") {
    check_long<float>(5, 3001, 7);
    check_long<double>(33, 1030, 17);
    check_long<std::int32_t>(4, 2000, 6);
    check_long<std::int8_t>(3, 1500, 5);
    check_long<bool>(9, 1100, 4);
    check_long<cfloat>(2, 1200, 3);
    check_long<half>(6, 1000, 5);
}

TEST_CASE("parts are as exact as their precision says, at any number of them") {
    const auto a = matrix<float>(40, 1007, 3), b = matrix<float>(1007, 50, 4);
    for (const std::uint32_t parts : {2u, 5u, 16u, 63u}) {
        INFO(parts, " parts");
        CHECK(error_of(matmul(a, b, {.tuning = threads(parts)}), a, b) <= 1e-6);
        CHECK(error_of(matmul(a, b, {.precision = Precision::split, .tuning = warps(parts)}), a, b) <= 1e-6);
        CHECK(error_of(matmul(a, b, {.precision = Precision::tensor, .tuning = warps(parts)}), a, b) <= 2e-3);
        const auto x = a.astype<half>(), y = b.astype<half>();
        CHECK(error_of(matmul(x, y, {.tuning = warps(parts)}), x, y) <= 2e-3);
        const auto v = a.astype<double>(), w = b.astype<double>();
        CHECK(error_of(matmul(v, w, {.tuning = warps(parts)}), v, w) <= 1e-14);
    }
}

TEST_CASE("parts are added by a second launch, the same way every time") {
    if (!has_slots()) return;
    const auto a = matrix<float>(20, 900, 5), b = matrix<float>(900, 30, 6);
    for (const std::uint32_t parts : {1u, 4u}) {
        const MatmulOptions options{.tuning = threads(parts)};
        const auto first = matmul(a, b, options).get();
        const std::uint64_t before = launches();
        const auto second = matmul(a, b, options);
        CHECK(launches() - before == (parts > 1 ? 2 : 1));
        CHECK(second.get() == first);
    }
}

TEST_CASE("batches in parts are stored by epilogues into any target") {
    const auto a = whole<double>({3, 7, 700}, 7), b = whole<double>({3, 700, 9}, 8);
    const auto bias = whole<double>({9}, 9);
    const auto wide = ones<double>({3, 14, 9});
    const auto c = wide(slice(), slice({}, {}, 2));
    matmul_into(c, a, b,
                {.epilogue = "value + bias[column] + 10 * row + 100 * matrix + factor * before",
                 .arguments = {{"bias", bias}, {"factor", 1000.0}},
                 .tuning = warps(8)});
    const auto shift = bias.get();
    for (int k = 0; k < 3; ++k) {
        const auto product = expected_product(GPUArray<double>(a(k)), GPUArray<double>(b(k)));
        const auto stored = GPUArray<double>(c(k)).get();
        for (std::size_t i = 0; i < 7 * 9; ++i)
            CHECK(stored[i] == product[i] + shift[i % 9] + 10 * static_cast<double>(i / 9) + 100 * k + 1000);
    }
    CHECK(GPUArray<double>(wide(1, 1)).get() == std::vector<double>(9, 1.0));
}

TEST_CASE("infinities and NaN reach the sums of parts") {
    const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    auto x = numbers(16 * 640, 10);
    x[3] = inf, x[640 + 600] = -inf, x[2 * 640 + 320] = nan, x[3 * 640 + 1] = inf, x[3 * 640 + 639] = -inf;
    const auto a = to_gpu(x).reshape({16, 640}), b = ones<float>({640, 16});
    for (const Precision precision : {Precision::exact, Precision::split, Precision::tensor}) {
        INFO("precision ", static_cast<int>(precision));
        const auto tuning = precision == Precision::exact ? threads(5) : warps(5);
        const auto c = matmul(a, b, {.precision = precision, .tuning = tuning}).get();
        CHECK(c[0] == inf);
        CHECK(c[16] == -inf);
        CHECK(std::isnan(c[32]));
        CHECK(std::isnan(c[48]));
        CHECK(std::isfinite(c[64]));
    }
}

TEST_SUITE_END();
