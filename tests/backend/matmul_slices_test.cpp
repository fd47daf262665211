/// Matrix products whose blocks share out the summed axis, and products on tensor cores that read four tiles at once.
#include <gemel/testing_doctest.hpp>

#include "array_support.hpp"
#include "matmul_support.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace gemel;
using namespace gemel::testing;
using codegen::MatmulTuning;

namespace {

GPUArray<float> from(const Shape& shape, const std::vector<float>& values) {
    GPUArray<float> array(current_context(), shape);
    array.set(values);
    return array;
}

bool has_slots() { return current_context().device().info().architecture.starts_with("sm_"); }

/// Products of small whole numbers, which are exact: rows and columns in either order, and at odd offsets.
template <class T>
void check_exact(const MatmulTuning& tile, Precision precision = Precision::exact) {
    const MatmulOptions options{.precision = precision, .tuning = tile};
    for (const auto& [n, k, m] : {std::array<std::int64_t, 3>{70, 200, 132}, {64, 64, 64}, {33, 20, 5}}) {
        INFO(dtype_of<T>().name(), " ", n, " x ", k, " x ", m, ", ", to_string(tile));
        const auto a = whole<T>({n, k}, 1), b = whole<T>({k, m}, 2);
        const auto expected = expected_product(a, b);
        CHECK(matmul(a, b, options).get() == expected);
        CHECK(matmul(a.copy(Order::F), b.copy(Order::F), options).get() == expected);
        const auto wide = zeros<T>({n + 1, 2 * k + 3});
        const GPUArray<T> x = wide(slice(1, {}), slice(3, {}, 2));
        x.assign(a);
        CHECK(matmul(x, b, options).get() == expected);
    }
}

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("slices of the summed axis add up to the product") {
    for (const std::uint32_t slices : {1u, 2u, 4u, 8u}) {
        MatmulTuning tile{.rows = 64,
                          .columns = 64,
                          .depth = 32,
                          .own_rows = 8,
                          .own_columns = 8,
                          .stages = 2,
                          .resident_blocks = 1,
                          .parts = 1,
                          .slices = slices};
        check_exact<float>(tile);
        if (slices == 8) continue;
        tile.rows = 32, tile.own_rows = 4, tile.parts = 3;
        check_exact<float>(tile);
        tile.rows = 64, tile.own_rows = tile.own_columns = 32, tile.parts = 1;
        check_exact<float>(tile, Precision::tensor);
        tile.depth = 64;
        check_exact<half>(tile);
        tile.rows = tile.columns = tile.depth = 32;
        tile.own_rows = tile.own_columns = 16;
        check_exact<double>(tile);
    }
}

TEST_CASE("slices that no kernel has are refused") {
    if (!has_slots()) return;
    const auto a = whole<float>({40, 40}, 1);
    const MatmulTuning tile{.rows = 64, .columns = 64, .depth = 16, .own_rows = 8, .own_columns = 8, .stages = 2};
    for (const std::uint32_t slices : {3u, 16u}) {
        MatmulTuning other = tile;
        other.slices = slices;
        CHECK_THROWS_MENTIONING(ArgumentError, matmul(a, a, {.tuning = other}), "matmul", "1, 2, 4 or 8 slices");
    }
    const MatmulTuning warps{
        .rows = 32, .columns = 32, .depth = 8, .own_rows = 16, .own_columns = 16, .stages = 2, .slices = 2};
    CHECK_THROWS_MENTIONING(ArgumentError, matmul(a, a, {.precision = Precision::tensor, .tuning = warps}), "matmul",
                            "a slice takes 8");
    CHECK_THROWS_MENTIONING(ArgumentError, matmul(a, a, {.precision = Precision::split, .tuning = warps}), "matmul",
                            "slices");
    CHECK(matmul(a, a).get() == expected_product(a, a));
}

TEST_CASE("a given or stored tile has no slices that were chosen for another") {
    // The size whose default tile has slices, which this one cannot have.
    const auto a = whole<float>({512, 512}, 1);
    const auto expected = matmul(a, a).get();
    const MatmulTuning tile{.rows = 32, .columns = 64, .depth = 16, .own_rows = 4, .own_columns = 4, .stages = 2};
    CHECK(matmul(a, a, {.tuning = tile}).get() == expected);
    const codegen::Workload work{.count = std::size_t{512} * 512 * 512,
                                 .item_bytes = 4,
                                 .arrays = static_cast<std::uint32_t>(codegen::MatmulForm::threads),
                                 .outputs = 1};
    store_tuning(default_context(), work, tile);
    CHECK(matmul(a, a).get() == expected);
    store_tuning(default_context(), work, MatmulTuning{});
}

TEST_CASE("products of 11-bit numbers on tensor cores are exact, and others not biased") {
    const std::int64_t n = 70, k = 16;
    std::mt19937 random(5);
    for (const MatmulTuning& tile : {MatmulTuning{.unit_warps = 1}, MatmulTuning{}}) {
        const MatmulOptions options{.precision = Precision::tensor, .tuning = tile};
        std::vector<float> x(n * k), y(k * n);
        for (float& value : x) value = static_cast<float>(random() % 2047) - 1023;
        for (float& value : y) value = static_cast<float>(random() % 1023) - 511;
        const auto a = from({n, k}, x), b = from({k, n}, y);
        CHECK(matmul(a, b, options).get() == expected_product(a, b));
        // Numbers cut off, instead of rounded, would make sums 7e-4 too small.
        const auto p = random::rand<float>({64, 4096}) + 1.0f, q = random::rand<float>({4096, 64}) + 1.0f;
        const GPUArray<float> u(p), v(q), exact = matmul(u, v), rounded = matmul(u, v, options);
        const float bias = mean(GPUArray<float>((rounded - exact) / exact)).get()[0];
        CHECK(std::abs(bias) < (tile.unit_warps == 1 ? 1e-4f : 8e-4f));
    }
}

TEST_CASE("products that read four tiles at once store into any target, and keep infinities and NaN") {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const std::int64_t n = 100, k = 50;
    for (const std::int64_t m : {128, 93}) {
        auto x = numbers(n * k, 1);
        x[3 * k + 7] = infinity;
        x[9 * k] = std::numeric_limits<float>::quiet_NaN();
        x[20 * k + 3] = std::numeric_limits<float>::max();  // its first part is infinite
        // Rows of 16 bytes, of which 93 columns are not a multiple.
        const auto a = from({n, k}, x);
        const GPUArray<float> b = from({k, 128}, numbers(k * 128, 2))(slice(), slice(0, m));
        const auto exact = matmul(a, b).get();
        for (const Precision precision : {Precision::split, Precision::tensor}) {
            const MatmulOptions options{.precision = precision,
                                        .epilogue = "fabs(value) > 1e30f ? before : value + before",
                                        .tuning = {.rows = 64,
                                                   .columns = 64,
                                                   .depth = 32,
                                                   .own_rows = 32,
                                                   .own_columns = 32,
                                                   .stages = 2,
                                                   .unit_warps = 1}};
            for (const std::int64_t offset : {0, 1, 4})
                for (const std::int64_t pitch : {m + 3, m + 4}) {
                    INFO("columns ", m, ", precision ", static_cast<int>(precision), ", offset ", offset, ", pitch ",
                         pitch);
                    const auto whole = full<float>({n, pitch + 8}, 5.0f);
                    const GPUArray<float> c = whole(slice(), slice(offset, offset + m));
                    matmul_into(c, a, b, options);
                    const auto found = whole.get();
                    int wrong = 0;
                    for (std::int64_t i = 0; i < n; ++i)
                        for (std::int64_t j = 0; j < pitch + 8; ++j) {
                            const float is = found[i * (pitch + 8) + j];
                            if (j < offset || j >= offset + m) {
                                wrong += is != 5;
                                continue;
                            }
                            const float value = exact[i * m + (j - offset)];
                            const float should = std::abs(value) > 1e30f ? 5 : value + 5;
                            if (std::isnan(should))
                                wrong += !std::isnan(is);
                            else
                                wrong += !(std::abs(is - should) <= (precision == Precision::split ? 1e-4f : 0.05f));
                        }
                    CHECK(wrong == 0);
                }
        }
    }
}

TEST_SUITE_END();
