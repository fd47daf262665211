/// Split products whose operands are packed as halves.
#include <gemel/testing_doctest.hpp>

#include "array_support.hpp"
#include "matmul_support.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

using namespace gemel;
using namespace gemel::testing;

namespace {

const std::vector<codegen::MatmulTuning> warp_tiles{{.rows = 128,
                                                     .columns = 128,
                                                     .depth = 16,
                                                     .own_rows = 64,
                                                     .own_columns = 64,
                                                     .stages = 2,
                                                     .resident_blocks = 2,
                                                     .packs = 1},
                                                    {.rows = 64,
                                                     .columns = 64,
                                                     .depth = 32,
                                                     .own_rows = 64,
                                                     .own_columns = 32,
                                                     .stages = 2,
                                                     .resident_blocks = 2,
                                                     .packs = 1}};

/// The tiles of single warps, and of warp groups where there are some.
std::vector<codegen::MatmulTuning> tiles() {
    std::vector<codegen::MatmulTuning> all = warp_tiles;
    if (!has_packed_products()) return all;
    for (const std::uint32_t columns : {64u, 128u})
        all.push_back({.columns = columns, .own_columns = columns, .stages = 2, .unit_warps = 4});
    return all;
}

MatmulOptions by_halves(const codegen::MatmulTuning& tile) { return {.precision = Precision::split, .tuning = tile}; }

/// A matrix whose columns (or rows) have these factors in turn.
GPUArray<float> scaled(std::int64_t rows, std::int64_t columns, bool by_columns, const std::vector<float>& factors,
                       unsigned seed) {
    std::vector<float> values = numbers(static_cast<std::size_t>(rows * columns), seed);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t place =
            by_columns ? i % static_cast<std::size_t>(columns) : i / static_cast<std::size_t>(columns);
        values[i] *= factors[place % factors.size()];
    }
    return to_gpu(values).reshape({rows, columns});
}

/// n x 3n/2: a number in each of the first n rows and columns, the others 0; then columns without zeros, for operands
/// that are mostly 0 are not packed as halves.
GPUArray<float> one_per_line(std::int64_t n, unsigned seed) {
    const auto across = static_cast<std::size_t>(n + n / 2), down = static_cast<std::size_t>(n);
    std::vector<float> values = numbers(down * across, seed);
    for (std::size_t i = 0; i < down; ++i)
        for (std::size_t j = 0; j < down; ++j)
            if (j != (i * 7 + 3) % down) values[i * across + j] = 0;
    return to_gpu(values).reshape({n, n + n / 2});
}

}  // namespace

TEST_SUITE_BEGIN("arrays");

// An element of such a product is one product: nothing larger hides an error of its factors.
TEST_CASE("halves lose nothing of small elements beside large ones") {
    if (!has_split_products()) return;
    const std::int64_t n = 101;
    for (const int exponent : {8, 24, 27, 28, 29, 40, 100, -100}) {
        INFO("2^", exponent);
        const float factor = std::ldexp(1.0f, -exponent);
        const auto a = scaled(90, n, true, {1, factor, 1, 1, factor}, 1), b = one_per_line(n, 2),
                   left = b.transpose().copy(Order::C), turned = scaled(n, 90, false, {1, factor, factor}, 3);
        for (const codegen::MatmulTuning& tile : tiles()) {
            CHECK(error_of(matmul(a, b, by_halves(tile)), a, b) < 5e-7);
            CHECK(error_of(matmul(left, turned, by_halves(tile)), left, turned) < 5e-7);
        }
    }
}

TEST_CASE("products of permutations, and of whole numbers, are exact") {
    if (!has_split_products()) return;
    const std::int64_t n = 130;
    std::vector<float> ones(static_cast<std::size_t>(n * n));
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) ones[i * 130 + (i * 7 + 3) % 130] = 1;
    const auto a = matrix<float>(90, n, 21), permutation = to_gpu(ones).reshape({n, n}), x = whole<float>({90, n}, 22),
               y = whole<float>({n, 70}, 23);
    for (const codegen::MatmulTuning& tile : tiles()) {
        CHECK(matmul(a, permutation, by_halves(tile)).get() == matmul(a, permutation).get());
        CHECK(matmul(x, y, by_halves(tile)).get() == matmul(x, y).get());
    }
}

TEST_CASE("sums of parts go on across slots of any magnitudes") {
    if (!has_packed_products()) return;
    // Scales of slots change by little and by so much that what has been summed is moved. From 2048 terms on, tensor
    // cores add 64 instead of 32.
    constexpr std::array exponents{0, 3, -35, 38, 0, -20, 39, -39};
    for (const std::int64_t k : {512, 2100}) {
        std::vector<float> factors;
        for (std::int64_t i = 0; i < k; ++i)
            factors.push_back(std::ldexp(1.0f, exponents[static_cast<std::size_t>(i / 64) % exponents.size()]));
        const auto a = scaled(70, k, true, factors, 24), b = scaled(k, 70, false, factors, 25);
        for (std::size_t i = 0; i < factors.size(); ++i)
            if (i / 64 == 3) factors[i] = 0;
        const auto c = scaled(70, k, true, factors, 26);
        for (const codegen::MatmulTuning& tile : tiles()) {
            if (k > 512 && testing::is_check() && (tile.columns != 64 || tile.unit_warps != 4))
                continue;  // slow where it is emulated
            CHECK(error_of(matmul(a, b, by_halves(tile)), a, b) < 1e-6);
            if (k == 512 || !testing::is_check()) CHECK(error_of(matmul(c, b, by_halves(tile)), c, b) < 1e-6);
        }
    }
}

TEST_CASE("each stretch of the summed axis is packed by what it holds") {
    if (!has_split_products()) return;
    // Stretches of 32: ordinary, too wide, zero, ordinary, too small for the products of two scales, huge.
    std::vector<float> factors;
    for (int i = 0; i < 190; ++i)
        factors.push_back(i / 32 == 1   ? (i % 2 == 0 ? 1e-12f : 1.0f)
                          : i / 32 == 2 ? 0.0f
                          : i / 32 == 4 ? 1e-20f
                          : i / 32 == 5 ? 1e20f
                                        : 1.0f);
    const std::int64_t k = 190;
    const auto a = scaled(300, k, true, factors, 4), b = scaled(k, 70, false, {1.0f}, 5);
    std::vector<float> inverse;
    for (const float factor : factors) inverse.push_back(factor == 0 ? 1 : 1 / factor);
    const auto c = scaled(k, 70, false, inverse, 6);
    for (const codegen::MatmulTuning& tile : tiles())
        for (const Order order : {Order::C, Order::F}) {
            const auto x = a.copy(order);
            CHECK(error_of(matmul(x, b, by_halves(tile)), a, b) < 1e-6);
            CHECK(error_of(matmul(x, c.copy(order), by_halves(tile)), a, c) < 1e-6);
            // The other operand's stretches decide as well.
            const GPUArray<float> left = b.transpose(), right = a.transpose();
            CHECK(error_of(matmul(left, right, by_halves(tile)), left.copy(Order::C), right.copy(Order::C)) < 1e-6);
        }
}

TEST_CASE("small lines among others, and small products of both operands, are exact") {
    if (!has_split_products()) return;
    std::vector<float> factors(300, 1.0f);
    for (std::size_t i = 290; i < 300; ++i) factors[i] = std::ldexp(1.0f, -40);  // in the last share of the lines
    const auto a = scaled(300, 70, false, factors, 11), b = matrix<float>(70, 40, 12);
    const GPUArray<float> left = a * 1e-16f, right = b * 1e-16f;
    for (const codegen::MatmulTuning& tile : tiles()) {
        CHECK(error_of(matmul(a, b, by_halves(tile)), a, b) < 1e-6);
        const GPUArray<float> x = b.transpose(), y = a.transpose();
        CHECK(error_of(matmul(x, y, by_halves(tile)), x.copy(Order::C), y.copy(Order::C)) < 1e-6);
        const GPUArray<float> first = left(slice(0, 100));
        CHECK(error_of(matmul(first, right, by_halves(tile)), first, right) < 1e-6);
    }
}

TEST_CASE("halves are packed in batches of any layout, and have epilogues") {
    if (!has_split_products()) return;
    for (const codegen::MatmulTuning& tile : tiles())
        for (const int layout : {0, 1, 2, 3}) {
            // In the check, warp groups have two of the layouts.
            if (testing::is_check() && tile.unit_warps == 4 && (tile.columns != 64 || layout % 3 != 0)) continue;
            INFO("layout ", layout);
            const auto a = matrix<float>(3 * 140, 95, 7).copy(layout / 2 != 0 ? Order::F : Order::C);
            const auto b = matrix<float>(95, 270, 8).copy(layout % 2 != 0 ? Order::F : Order::C);
            const GPUArray<float> c = zeros<float>({270, 420}).transpose();
            MatmulOptions shifted = by_halves(tile);
            shifted.epilogue = "value + before + a_scales[column]";  // as the kernel's own parameter
            const auto bias = matrix<float>(1, 270, 9).reshape({270});
            shifted.arguments = {{"a_scales", bias}};
            c.fill(1.0f);
            matmul_into(c, a, b, shifted);
            const auto expected = expected_product(a.copy(Order::C), b.copy(Order::C)), shift = bias.get(),
                       found = c.copy(Order::C).get();
            int wrong = 0;
            for (std::size_t i = 0; i < found.size(); ++i)
                wrong += !(std::abs(found[i] - (expected[i] + 1 + shift[i % 270])) < 1e-4f);
            CHECK(wrong == 0);
            // Matrices with magnitudes of their own, one operand broadcast, the other backwards.
            const GPUArray<float> batch = a.copy(Order::C).reshape({3, 140, 95});
            batch(1).assign(GPUArray<float>(batch(1) * 1e9f));
            const GPUArray<float> all = matmul(batch, b, by_halves(tile));
            for (const int k : {0, 1, 2})
                CHECK(error_of(GPUArray<float>(all(k)).copy(), batch(k).copy(), b.copy(Order::C)) < 1e-6);
            CHECK(all.get() == matmul(batch, b, by_halves(tile)).get());
            const GPUArray<float> back = a(slice({}, {}, -1));
            CHECK(error_of(matmul(back, b, by_halves(tile)), back.copy(Order::C), b.copy(Order::C)) < 1e-6);
        }
}

TEST_CASE("large products by halves are nearly as exact as plain ones") {
    if (!has_split_products()) return;
    const std::int64_t n = testing::is_check() ? 256 : 2048;
    const auto a = random::Philox(21).normal<float>({n, n}), b = random::Philox(22).normal<float>({n, n});
    const GPUArray<double> exact = matmul(a.astype<double>(), b.astype<double>());
    const auto error = [&](const GPUArray<float>& c) {
        return GPUArray<double>(max(abs(c.astype<double>() - exact))).item();
    };
    const double plain = error(matmul(a, b));
    for (const codegen::MatmulTuning& tile : tiles()) CHECK(error(matmul(a, b, by_halves(tile))) <= 2 * plain);
}

TEST_CASE("tiles that halves do not have are refused") {
    if (!has_split_products()) return;
    const auto a = matrix<float>(64, 64, 10);
    CHECK_THROWS_MENTIONING(
        ArgumentError,
        matmul(a, a, by_halves({.rows = 64, .columns = 64, .depth = 8, .own_rows = 32, .own_columns = 32, .packs = 1})),
        "depth must be 16 or 32");
}

TEST_SUITE_END();
