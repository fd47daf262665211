/// Matrix products whose operands one thread copies by tensor maps, in tiles that blocks compute one after the other.
#include <gemel/testing_doctest.hpp>

#include "array_support.hpp"
#include "matmul_support.hpp"

#include <gemel/core/graph.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

using namespace gemel;
using namespace gemel::testing;
using codegen::MatmulTuning;

namespace {

bool has_maps() { return current_context().device().info().has_tensor_maps; }

MatmulTuning tile(std::uint32_t rows, std::uint32_t columns, std::uint32_t stages, std::uint32_t parts = 1) {
    return {.rows = rows,
            .columns = columns,
            .depth = 64,
            .own_rows = 16,
            .own_columns = columns,
            .stages = stages,
            .unit_warps = 4,
            .parts = parts};
}

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("products by tensor maps are exact in every tile, layout and extent") {
    if (!has_maps()) return;
    const std::array<std::int64_t, 3> extents[] = {
        {200, 130, 300}, {64, 64, 64}, {129, 200, 65}, {1, 8, 1}, {130, 1, 7}};
    int n = 0;
    for (const auto& [rows, columns, stages] : {std::array<std::uint32_t, 3>{128, 256, 4},
                                                {128, 192, 4},
                                                {128, 128, 6},
                                                {128, 64, 8},
                                                {64, 256, 5},
                                                {64, 192, 5},
                                                {64, 128, 8},
                                                {64, 64, 8},
                                                {64, 64, 2},
                                                {128, 64, 3}})
        for (int layout = 0; layout < 4; ++layout, ++n) {
            // The check has each tile with one of the layouts.
            if (is_left_out(4, static_cast<std::size_t>(n + n / 4))) continue;
            for (const auto& extent : extents) check_exact<half>(tile(rows, columns, stages), extent, layout);
        }
    check_exact<bfloat16>(tile(128, 256, 4), {200, 130, 300}, 0);
    check_exact<bfloat16>(tile(64, 192, 5), {200, 130, 300}, 3);
    check_exact<bfloat16>({}, {200, 130, 300}, 1);
}

TEST_CASE("products of float by tensor maps are exact in every tile and layout that there is") {
    if (!has_maps()) return;
    const std::array<std::int64_t, 3> extents[] = {
        {200, 130, 300}, {64, 64, 64}, {129, 200, 65}, {1, 8, 1}, {130, 1, 7}};
    int n = 0;
    for (const auto& [own, other, stages] : {std::array<std::uint32_t, 3>{128, 256, 4},
                                             {128, 192, 4},
                                             {128, 64, 8},
                                             {64, 256, 5},
                                             {64, 128, 3},
                                             {64, 64, 2}})
        // With rows of both next to each other, the result is computed transposed.
        for (const int layout : {0, 1, 3}) {
            ++n;
            if (is_left_out(3, static_cast<std::size_t>(n + n / 3))) continue;
            MatmulTuning tuning = tile(own, other, stages);
            tuning.depth = 32;
            if (layout == 0) std::swap(tuning.rows, tuning.columns), std::swap(tuning.own_rows, tuning.own_columns);
            for (const auto& extent : extents) check_exact<float>(tuning, extent, layout);
        }
    MatmulTuning parts = tile(64, 64, 4, 3);
    parts.depth = 32;
    check_exact<float>(parts, {70, 700, 66}, 1);
    std::swap(parts.own_rows, parts.own_columns);
    check_exact<float>(parts, {70, 700, 66}, 0);
    check_exact<float>({}, {200, 130, 300}, 0);
    CHECK_THROWS_MENTIONING(ArgumentError,
                            matmul(padded(whole<float>({64, 64}, 1), true), padded(whole<float>({64, 64}, 1), false),
                                   {.precision = Precision::tensor, .tuning = parts}),
                            "unit_warps", "summed axis");
}

TEST_CASE("products of doubles by tensor maps are exact in every tile, layout and extent") {
    if (!has_maps()) return;
    const auto doubles = [](std::uint32_t rows, std::uint32_t columns, std::uint32_t own_rows,
                            std::uint32_t own_columns, std::uint32_t stages) {
        return MatmulTuning{.rows = rows,
                            .columns = columns,
                            .depth = 16,
                            .own_rows = own_rows,
                            .own_columns = own_columns,
                            .stages = stages,
                            .unit_warps = 4};
    };
    const std::array<std::int64_t, 3> extents[] = {
        {200, 130, 300}, {64, 64, 64}, {129, 200, 65}, {1, 8, 1}, {130, 1, 7}};
    int n = 0;
    for (const MatmulTuning& tuning : {doubles(128, 64, 32, 32, 8), doubles(64, 128, 32, 32, 2),
                                       doubles(64, 64, 32, 32, 3), doubles(128, 64, 64, 32, 4)})
        for (int layout = 0; layout < 4; ++layout, ++n) {
            if (is_left_out(2, static_cast<std::size_t>(n + n / 4))) continue;
            for (const auto& extent : extents) check_exact<double>(tuning, extent, layout);
            const bool a_is_turned = layout / 2 != 0, b_is_turned = layout % 2 != 0;
            const auto a = padded(matrix<double>(70, 300, 11), a_is_turned),
                       b = padded(matrix<double>(300, 66, 12), b_is_turned);
            const GPUArray<double> c = matmul(a, b, {.tuning = tuning});
            CHECK(error_of(c, a.copy(Order::C), b.copy(Order::C)) < 1e-15);
        }
    MatmulTuning parts = doubles(64, 64, 32, 32, 4);
    parts.parts = 3;
    check_exact<double>(parts, {70, 700, 66}, 0);
    check_exact<double>(parts, {70, 513, 66}, 1);
    // Blocks have several of 300 tiles, in batches.
    check_exact<double>(doubles(64, 64, 32, 32, 3), {960, 40, 1280}, 0);
    const auto left = whole<double>({5, 70, 136}, 3), right = whole<double>({136, 72}, 4);
    const GPUArray<double> all = matmul(left, right, {.epilogue = "value + matrix", .tuning = parts});
    for (std::int64_t k = 0; k < 5; ++k) {
        auto expected = expected_product(GPUArray<double>(left(k)).copy(Order::C), right);
        for (double& x : expected) x += static_cast<double>(k);
        CHECK(all(k).copy(Order::C).get() == expected);
    }
    CHECK_THROWS_MENTIONING(ArgumentError, matmul(left, right, {.tuning = doubles(64, 64, 64, 64, 3)}), "2048 doubles");
    CHECK_THROWS_MENTIONING(ArgumentError, matmul(left, right, {.tuning = doubles(96, 64, 32, 32, 3)}),
                            "64, 128 or 256");
    CHECK_THROWS_MENTIONING(ArgumentError, matmul(left, right, {.tuning = doubles(256, 128, 32, 32, 3)}),
                            "1056 threads");
}

TEST_CASE("products by tensor maps in parts of the summed axis, with more tiles than blocks") {
    if (!has_maps()) return;
    check_exact<half>(tile(64, 64, 4, 3), {70, 700, 66}, 0);
    check_exact<half>(tile(128, 64, 4, 2), {70, 513, 66}, 3);
    // 300 tiles of 64 x 64: some blocks have three, and slots in every phase.
    check_exact<half>(tile(64, 64, 3), {960, 200, 1280}, 0);
}

TEST_CASE("batches by tensor maps: broadcast, permuted and apart") {
    if (!has_maps()) return;
    const MatmulOptions options{.tuning = tile(64, 64, 4)};
    const auto left = whole<half>({5, 70, 136}, 3), right = whole<half>({5, 136, 72}, 4);
    const auto check = [&](const GPUArray<half>& a, const GPUArray<half>& b) {
        const GPUArray<half> all = matmul(a, b, options);
        for (std::int64_t k = 0; k < 5; ++k) {
            const GPUArray<half> x = a.shape().rank() == 3 ? GPUArray<half>(a(k)) : a,
                                 y = b.shape().rank() == 3 ? GPUArray<half>(b(k)) : b;
            INFO("matrix ", k);
            CHECK(all(k).copy(Order::C).get() == expected_product(x.copy(Order::C), y.copy(Order::C)));
        }
    };
    check(left, right);
    check(left(0), right);
    check(left, right(0));
    // Rows of all matrices alternate: the step between matrices is the smaller one.
    const GPUArray<half> mixed = zeros<half>({70, 5, 136});
    const GPUArray<half> permuted = mixed.permute({1, 0, 2});
    permuted.assign(left);
    check(permuted, right);
    const GPUArray<half> every_second = zeros<half>({10, 136, 72})(slice({}, {}, 2));
    every_second.assign(right);
    check(left, every_second);
}

TEST_CASE("operands that tensor maps cannot describe are multiplied by single warps") {
    if (!has_maps()) return;
    const auto a = whole<half>({70, 136}, 5), b = whole<half>({136, 72}, 6);
    const auto expected = expected_product(a, b);
    const GPUArray<half> upside_down = a(slice({}, {}, -1)).copy(Order::C);
    CHECK(matmul(upside_down(slice({}, {}, -1)), b).get() == expected);
    const GPUArray<half> row = a(slice(3, 4));
    const auto same = expected_product(GPUArray<half>(row.broadcast_to({70, 136})).copy(Order::C), b);
    CHECK(matmul(row.broadcast_to({70, 136}), b).get() == same);
    CHECK_THROWS_MENTIONING(ArgumentError, matmul(upside_down(slice({}, {}, -1)), b, {.tuning = tile(64, 64, 4)}),
                            "unit_warps", "16 bytes");
    CHECK_THROWS_MENTIONING(ArgumentError, matmul(a, b, {.tuning = tile(64, 96, 4)}), "warp groups have lines of",
                            "64, 128, 192 or 256");
    for (const MatmulOptions& options : {MatmulOptions{}, MatmulOptions{.tuning = tile(64, 64, 4)}}) {
        const GPUArray<half> none = matmul(zeros<half>({70, 0}), zeros<half>({0, 72}), options);
        CHECK(none.get() == zeros<half>({70, 72}).get());
    }
    const GPUArray<float> nothing = matmul(zeros<float>({70, 0}), zeros<float>({0, 72}),
                                           {.precision = Precision::split, .tuning = {.unit_warps = 4}});
    CHECK(nothing.get() == zeros<float>({70, 72}).get());
    // Memory of others may begin at any element, of which the array's offset knows nothing.
    const GPUArray<half> odd = zeros<half>({70 * 136 + 1});
    const Buffer later = current_context().wrap_buffer(odd.buffer().native_handle() + 2, 70 * 136 * 2);
    const GPUArray<half> crooked(later, Shape{70, 136}, Strides{136, 1});
    crooked.assign(a);
    CHECK(matmul(crooked, b).get() == expected);
}

TEST_CASE("epilogues of products by tensor maps know rows, columns, matrices and old elements") {
    if (!has_maps()) return;
    const auto a = whole<half>({2, 70, 136}, 7), b = padded(whole<half>({136, 75}, 8), false);
    const GPUArray<half> c = ones<half>({2, 70, 75});
    const auto bias = arange<float>(75);
    MatmulOptions options{.epilogue = "fmin(value + before + (float)row - bias[column] + 100 * matrix, most)",
                          .arguments = {{"bias", bias}, {"most", 150.0f}},
                          .tuning = tile(64, 64, 4)};
    matmul_into(c, a, b, options);
    const auto found = c.get();
    for (std::int64_t k = 0; k < 2; ++k) {
        const auto plain = expected_product(GPUArray<half>(a(k)).copy(Order::C), b.copy(Order::C));
        int wrong = 0;
        for (std::size_t i = 0; i < plain.size(); ++i) {
            const float row = static_cast<float>(i / 75), column = static_cast<float>(i % 75);
            const float sum = static_cast<float>(plain[i]) + 1 + row - column + 100 * static_cast<float>(k);
            wrong += static_cast<float>(found[static_cast<std::size_t>(k) * 70 * 75 + i]) != std::fmin(sum, 150.0f);
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("a graph repeats products by tensor maps, and says that it keeps their memory") {
    if (!has_maps()) return;
    const auto a = whole<half>({70, 136}, 9), b = whole<half>({136, 72}, 10);
    const GPUArray<half> c = zeros<half>({70, 72}), other = a.copy();
    const MatmulOptions options{.tuning = tile(64, 64, 4)};
    matmul_into(c, a, b, options);
    current_context().synchronize();
    const Stream stream = current_context().create_stream();
    const Graph graph = capture(stream, [&] { matmul_into(c, a, b, options); });
    a.fill(half(1.0f));
    graph.launch();
    CHECK(c.get() == expected_product(a, b));
    CHECK_THROWS_MENTIONING(ArgumentError, graph.replace(a, other), "Graph::replace", "tensor map", "record it anew");
}

TEST_SUITE_END();
