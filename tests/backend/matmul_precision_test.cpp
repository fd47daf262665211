/// Matrix products by precision, tile, epilogue and target.
#include <gemel/testing_doctest.hpp>

#include "array_support.hpp"
#include "matmul_support.hpp"

#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

using namespace gemel;
using namespace gemel::testing;

namespace {

template <class T>
void check_precision(std::int64_t n, std::int64_t k, std::int64_t m, const MatmulOptions& options, double most) {
    const GPUArray<T> a = matrix<T>(n, k, 1), b = matrix<T>(k, m, 2);
    INFO(dtype_of<T>().name(), " ", n, " x ", k, " x ", m, ", precision ", static_cast<int>(options.precision));
    CHECK(error_of(GPUArray<T>(matmul(a, b, options)), a, b) <= most);
    // Neighbours along the other axis, and accesses of one element.
    CHECK(error_of(GPUArray<T>(matmul(a.copy(Order::F), b.copy(Order::F), options)), a, b) <= most);
    const auto odd = slice(1, {}), p = slice(3, {});
    const GPUArray<T> x = a(odd, p), y = b(p, odd);
    CHECK(error_of(GPUArray<T>(matmul(x, y, options)), x.copy(Order::C), y.copy(Order::C)) <= most);
}

/// The ways of split products that there are: of single warps, also from packed halves, and of warp groups from packed
/// factors.
std::vector<MatmulOptions> ways_to_split() {
    std::vector<MatmulOptions> ways{{.precision = Precision::split, .tuning = {.unit_warps = 1}}};
    if (!has_split_products()) return ways;
    for (const codegen::MatmulTuning& tile : {codegen::MatmulTuning{.packs = 1},
                                              {.rows = 128,
                                               .columns = 128,
                                               .depth = 16,
                                               .own_rows = 64,
                                               .own_columns = 64,
                                               .stages = 2,
                                               .resident_blocks = 1,
                                               .packs = 1}})
        ways.push_back({.precision = Precision::split, .tuning = tile});
    if (!has_packed_products()) return ways;
    for (const std::uint32_t columns : {64u, 128u})
        ways.push_back({.precision = Precision::split,
                        .tuning = {.columns = columns, .own_columns = columns, .stages = 2, .unit_warps = 4}});
    return ways;
}

bool is_gpu() { return current_context().device().info().type == DeviceInfo::Type::gpu; }

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("products are as exact as their precision says") {
    for (const auto& [n, k, m] : {std::array<std::int64_t, 3>{70, 90, 33}, {5, 200, 40}}) {
        check_precision<float>(n, k, m, {}, 1e-6);
        for (const MatmulOptions& way : ways_to_split()) check_precision<float>(n, k, m, way, 1e-6);
        check_precision<float>(n, k, m, {.precision = Precision::tensor}, 2e-3);
        check_precision<double>(n, k, m, {}, 1e-14);
        check_precision<half>(n, k, m, {}, 2e-3);
        check_precision<bfloat16>(n, k, m, {}, 2e-2);
    }
}

TEST_CASE("split products are exact where parts are hard") {
    const std::int64_t n = 40, k = 300;
    const auto a = matrix<float>(n, k, 3), b = matrix<float>(k, n, 4);
    const double exact = std::max(error_of(matmul(a, b), a, b), 1e-7);
    for (const MatmulOptions& split : ways_to_split()) {
        CHECK(error_of(matmul(a, b, split), a, b) <= 2 * exact);
        // Of very different sizes, and so small that a part of them is none.
        for (const float scale : {1e-36f, 1e-30f, 1e30f}) {
            std::vector<float> values = numbers(static_cast<std::size_t>(n * k), 5);
            for (std::size_t i = 0; i < values.size(); ++i) values[i] *= i % 3 ? scale : 1;
            const auto wide = to_gpu(values).reshape({n, k});
            INFO("scale ", scale);
            CHECK(error_of(matmul(wide, b, split), wide, b) <= 4 * exact);
            const GPUArray<float> small = a * scale, large = b * (1 / scale);
            CHECK(error_of(matmul(small, large, split), small, large) <= 4 * exact);
        }
        // Denormal numbers, every bit of which counts.
        const GPUArray<float> denormal = a * 1e-39f, other = b * 1e20f;
        CHECK(error_of(matmul(denormal, other, split), denormal, other) <= 4 * exact);
        // Sums that cancel.
        const GPUArray<float> twice(concatenate({a, GPUArray<float>(-a)}, 1));
        const GPUArray<float> both(concatenate({b, b}, 0));
        CHECK(error_of(matmul(twice, both, split), twice, both) <= 2 * exact);
    }
}

TEST_CASE("split products of few terms are exact ones") {
    for (const std::int64_t k : {32, 64}) {
        const auto a = matrix<float>(70, k, 8), b = matrix<float>(k, 50, 9);
        CHECK(matmul(a, b, {.precision = Precision::split}).get() == matmul(a, b).get());
    }
}

TEST_CASE("products of infinities, NaN and the largest numbers are those of plain arithmetic") {
    const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> x = numbers(64 * 40, 6), y = numbers(40 * 64, 7);
    x[3] = inf, x[2 * 40 + 5] = -inf, x[7 * 40 + 1] = nan, x[9 * 40] = 3.4028234e38f, x[11 * 40] = 3e38f;
    y[12] = inf, y[64 + 20] = nan;
    for (int i = 0; i < 40; ++i) x[static_cast<std::size_t>(13 * 40 + i)] = i == 0 ? inf : 0;  // inf * 0 is NaN
    const auto a = to_gpu(x).reshape({64, 40}), b = to_gpu(y).reshape({40, 64});
    std::vector<MatmulOptions> ways = ways_to_split();
    ways.push_back({.precision = Precision::exact});
    ways.push_back({.precision = Precision::tensor});
    for (const MatmulOptions& way : ways) {
        const Precision precision = way.precision;
        const GPUArray<float> target = zeros<float>({64, 64});
        matmul_into(target, a, b, way);
        const auto c = target.get();
        for (std::size_t i = 0; i < 64; ++i)
            for (std::size_t j = 0; j < 64; ++j) {
                double sum = 0;
                for (std::size_t l = 0; l < 40; ++l) sum += double{x[i * 40 + l]} * double{y[l * 64 + j]};
                INFO("precision ", static_cast<int>(precision), ", element ", i, ", ", j, ": ", c[i * 64 + j],
                     ", exactly ", sum);
                if (std::isnan(sum)) {
                    CHECK(std::isnan(c[i * 64 + j]));
                } else if (std::isinf(sum)) {
                    CHECK(c[i * 64 + j] == static_cast<float>(sum));
                } else if (std::abs(sum) < 3e38 && i != 9 && i != 11) {
                    CHECK(c[i * 64 + j] == doctest::Approx(sum).epsilon(precision == Precision::tensor ? 0.05 : 1e-4));
                }
            }
    }
}

namespace {

/// A matrix whose neighbours lie along its rows or its columns.
template <class T>
GPUArray<T> laid_out(std::int64_t rows, std::int64_t columns, bool is_turned, unsigned seed) {
    return is_turned ? matrix<T>(columns, rows, seed).transpose() : matrix<T>(rows, columns, seed);
}

template <class T>
void check_warp_groups(double most, codegen::MatmulTuning tuning) {
    tuning.unit_warps = 4;
    for (const int layout : {0, 1, 2, 3}) {
        // Both rows of a and columns of b apart: groups take no float that way.
        if (sizeof(T) == 4 && layout == 2) continue;
        INFO(dtype_of<T>().name(), " layout ", layout, " rows ", tuning.rows, " columns ", tuning.columns);
        const auto a = laid_out<T>(72, 200, layout / 2 != 0, 31), b = laid_out<T>(200, 136, layout % 2 != 0, 32);
        const MatmulOptions options{.precision = Precision::tensor, .tuning = tuning};
        CHECK(error_of(matmul(a, b, options), a, b) < most);
        MatmulOptions shifted = options;
        shifted.epilogue = "value + before + (float)row - (float)column";
        const GPUArray<T> target = zeros<T>({136, 72});
        target.fill(T(1.0f));
        matmul_into(target.transpose(), a, b, shifted);
        const auto plain = matmul(a, b, options).template astype<float>().get();
        const auto found = target.transpose().copy(Order::C).template astype<float>().get();
        int wrong = 0;
        for (int i = 0; i < 72 * 136; ++i)
            wrong += std::abs(found[static_cast<std::size_t>(i)] - (plain[static_cast<std::size_t>(i)] + 1.0f +
                                                                    static_cast<float>(i / 136 - i % 136))) > 1.0f;
        CHECK(wrong == 0);
    }
}

}  // namespace

TEST_CASE("groups of four warps multiply as warps do, in every layout") {
    if (!default_device().info().has_tensor_maps) {
        const auto a = matrix<half>(64, 64, 1);
        if (default_device().info().type == DeviceInfo::Type::gpu && !default_device().info().has_warp_groups)
            CHECK_THROWS_MENTIONING(ArgumentError, matmul(a, a, {.tuning = {.unit_warps = 4}}), "matmul", "unit_warps",
                                    "has_warp_groups");
        return;
    }
    check_warp_groups<half>(2e-3, {});
    if (!testing::is_check()) check_warp_groups<bfloat16>(1e-2, {.rows = 128, .columns = 64, .own_columns = 64});
    check_warp_groups<half>(2e-3, {.rows = 64, .columns = 128, .own_columns = 128, .stages = 3});
    check_warp_groups<float>(2e-3, {});
    const auto a = laid_out<float>(72, 200, true, 31), b = laid_out<float>(200, 136, false, 32);
    CHECK_THROWS_MENTIONING(ArgumentError, matmul(a, b, {.precision = Precision::tensor, .tuning = {.unit_warps = 4}}),
                            "unit_warps");
    const auto odd = matrix<half>(72, 199, 33);
    CHECK_THROWS_MENTIONING(ArgumentError, matmul(odd, matrix<half>(199, 136, 34), {.tuning = {.unit_warps = 4}}),
                            "unit_warps", "16 bytes");
}

// Registers and slots that are written while a product still reads them spoil some elements of many.
TEST_CASE("large products by groups of four warps are those of single warps") {
    if (!current_context().device().info().has_tensor_maps) return;
    const bool is_short = std::getenv("GEMEL_TEST_SHORT") != nullptr;
    const std::int64_t n = is_short ? 128 : 2048, k = is_short ? 160 : 4096;
    const auto check = [&]<class T>(T, codegen::MatmulTuning tile, bool a_is_turned, bool b_is_turned) {
        tile.unit_warps = 4;
        const auto laid = [&](std::int64_t rows, std::int64_t columns, bool is_turned) {
            const auto x = random::randn<float>(is_turned ? Shape{columns, rows} : Shape{rows, columns});
            return x.template astype<T>();
        };
        const GPUArray<T> a = laid(n, k, a_is_turned), b = laid(k, n, b_is_turned);
        const GPUArray<T> x = a_is_turned ? GPUArray<T>(a.transpose()) : a,
                          y = b_is_turned ? GPUArray<T>(b.transpose()) : b;
        const MatmulOptions by_groups{.precision = Precision::tensor, .tuning = tile};
        const MatmulOptions by_warps{.precision = Precision::tensor, .tuning = {.unit_warps = 1}};
        const GPUArray<float> left = matmul(x, y, by_groups).template astype<float>(),
                              right = matmul(x, y, by_warps).template astype<float>();
        INFO(dtype_of<T>().name(), ", ", to_string(tile), ", turned ", a_is_turned, b_is_turned);
        CHECK(GPUArray<float>(max(abs(left - right))).item() <= (dtype_of<T>().size_bytes() == 2 ? 2.0f : 0.5f));
    };
    check(float(), {.rows = 256, .columns = 128, .depth = 32, .own_rows = 256, .own_columns = 16, .stages = 4}, false,
          false);
    check(float(), {.rows = 128, .columns = 64, .depth = 32, .own_rows = 128, .own_columns = 16, .stages = 3}, false,
          false);
    check(float(), {.rows = 128, .columns = 256, .depth = 32, .own_rows = 16, .own_columns = 256, .stages = 4}, false,
          true);
    check(half(), {.rows = 128, .columns = 256, .depth = 64, .own_rows = 16, .own_columns = 256, .stages = 4}, false,
          false);
    check(half(), {.rows = 128, .columns = 128, .depth = 64, .own_rows = 16, .own_columns = 128, .stages = 3}, true,
          true);
}

TEST_CASE("packed factors are multiplied in batches, any layout and with epilogues") {
    if (!has_packed_products()) return;
    const codegen::MatmulTuning one_part{.rows = 128,
                                         .columns = 256,
                                         .depth = 32,
                                         .own_rows = 16,
                                         .own_columns = 256,
                                         .stages = 4,
                                         .unit_warps = 4,
                                         .packs = 1};
    for (const MatmulOptions& way : {MatmulOptions{.precision = Precision::split, .tuning = {.unit_warps = 4}},
                                     MatmulOptions{.precision = Precision::tensor, .tuning = one_part}})
        for (const int layout : {0, 1, 2, 3}) {
            // In the check each way has two of the layouts.
            if (testing::is_check() && (layout == 1 || layout == 2) == (way.precision == Precision::split)) continue;
            const auto a =
                laid_out<float>(3 * 140, 95, layout / 2 != 0, 41).copy(layout / 2 != 0 ? Order::F : Order::C);
            const auto b = laid_out<float>(95, 270, layout % 2 != 0, 42);
            const GPUArray<float> c = zeros<float>({270, 420}).transpose();
            MatmulOptions shifted = way;
            shifted.epilogue = "value + before + bias[column]";
            const auto bias = matrix<float>(1, 270, 43).reshape({270});
            shifted.arguments = {{"bias", bias}};
            c.fill(1.0f);
            matmul_into(c, a, b, shifted);
            const auto expected = expected_product(a.copy(Order::C), b.copy(Order::C)), shift = bias.get(),
                       found = c.copy(Order::C).get();
            int wrong = 0;
            for (std::size_t i = 0; i < found.size(); ++i)
                wrong += !(std::abs(found[i] - (expected[i] + 1 + shift[i % 270])) <
                           (way.precision == Precision::split ? 1e-4f : 0.2f));
            INFO("layout ", layout, ", precision ", static_cast<int>(way.precision));
            CHECK(wrong == 0);
            const GPUArray<float> batch = a(slice(0, 280)).copy(Order::C).reshape({2, 140, 95});
            CHECK(matmul(batch, b, way)(1).copy().get() == matmul(batch(1), b, way).get());
            CHECK(matmul(batch, b, way).get() == matmul(batch, b, way).get());
        }
}

TEST_CASE("an epilogue reads arrays of any order in C order") {
    const auto a = zeros<float>({3, 4}), b = zeros<float>({4, 5});
    const GPUArray<float> turned = arange<float>(15).reshape({5, 3}).transpose();
    const MatmulOptions options{.epilogue = "w[row * 5 + column]", .arguments = {{"w", turned}}};
    CHECK(matmul(a, b, options).get() == turned.copy(Order::C).get());
    const MatmulOptions halves{.epilogue = "w[row * 5 + column]", .arguments = {{"w", turned.astype<half>()}}};
    CHECK(matmul(a, b, halves).get() == turned.copy(Order::C).get());
    CHECK_THROWS_MENTIONING(ArgumentError,
                            matmul(a, b, {.epilogue = "s * value", .arguments = {{"s", 1.f}, {"s", 2.f}}}),
                            "two arguments 's'");
}

TEST_CASE("an epilogue is stored in place of each element") {
    const auto a = matrix<float>(50, 20, 8), b = matrix<float>(20, 70, 9);
    const auto bias = matrix<float>(1, 70, 10).reshape({70});
    const auto plain = matmul(a, b).get(), shift = bias.get();
    const auto rectified =
        matmul(a, b, {.epilogue = "fmax(value + bias[column], least)", .arguments = {{"bias", bias}, {"least", 0.25f}}})
            .get();
    for (std::size_t i = 0; i < plain.size(); ++i)
        CHECK(rectified[i] == doctest::Approx(std::max(plain[i] + shift[i % 70], 0.25f)).epsilon(1e-5));
    // Which element it is; a function; an argument that is called as the kernel's own names, with gaps and of 16 bits.
    const auto sums = empty<half>({3, 70});
    const GPUArray<half> spread = bias.astype<half>().broadcast_to({2, 70}).copy()(slice({}, {}, -1), slice());
    const auto h = matrix<half>(3, 16, 11), g = matrix<half>(16, 70, 12);
    matmul_into(sums, h, g,
                {.epilogue = "twice(value) + sums[column] + 10 * row",
                 .arguments = {{"sums", spread(0)}},
                 .preamble = "WITHIN_KERNEL float twice(float x) { return x + x; }"});
    const auto product = matmul(h.astype<float>(), g.astype<float>()).get();
    const auto found = sums.astype<float>().get();
    const auto added = spread(0).copy().astype<float>().get();
    for (std::size_t i = 0; i < found.size(); ++i)
        CHECK(found[i] ==
              doctest::Approx(2 * product[i] + added[i % 70] + 10.0f * static_cast<float>(i / 70)).epsilon(2e-3));
    // Values of 16 bits and bools are numbers; an array that shares the target's memory is read as it was.
    const auto shared = matmul(a, b);
    matmul_into(shared, a, b,
                {.epilogue = "is_on ? value - most[column] + half_one : -1",
                 .arguments = {{"most", shared(0)}, {"is_on", true}, {"half_one", half(1.0f)}}});
    const auto differences = shared.get();
    for (std::size_t i = 0; i < plain.size(); ++i)
        CHECK(differences[i] == doctest::Approx(plain[i] - plain[i % 70] + 1).epsilon(1e-4));
    const auto whole =
        matmul(to_gpu(std::vector<int>{1, 2, 3, 4}).reshape({2, 2}),
               to_gpu(std::vector<int>{5, 6, 7, 8}).reshape({2, 2}), {.epilogue = "matrix == 0 ? value + column : -1"});
    CHECK(whole.get() == std::vector<int>{19, 23, 43, 51});
}

TEST_CASE("a product is stored into an array of any layout") {
    const auto a = matrix<double>(30, 12, 13), b = matrix<double>(12, 40, 14);
    const auto expected = matmul(a, b).get();
    const auto turned = empty<double>({40, 30});
    matmul_into(turned.transpose(), a, b);
    CHECK(turned.transpose().get() == expected);
    const auto wide = zeros<double>({60, 80});
    matmul_into(wide(slice(0, {}, 2), slice({}, {}, -2)), a, b);
    CHECK(wide(slice(0, {}, 2), slice({}, {}, -2)).get() == expected);
    CHECK(wide(1).get() == std::vector<double>(80));
    matmul_into(turned.transpose(), a, b, {.epilogue = "0.5 * value + before"});
    const auto more = turned.transpose().get();
    for (std::size_t i = 0; i < more.size(); ++i) CHECK(more[i] == doctest::Approx(1.5 * expected[i]));
    // Into an operand, and into a batch whose axes cannot be joined.
    auto square = matrix<double>(16, 16, 15);
    const auto squared = matmul(square, square).get();
    matmul_into(square, square, square);
    CHECK(square.get() == squared);
    const auto batch = zeros<double>({2, 3, 30, 80});
    const auto every = batch(slice(), slice(), slice(), slice({}, {}, 2));
    const auto stack = a.broadcast_to({2, 3, 30, 12}).copy();
    matmul_into(every.permute({1, 0, 2, 3}), stack.permute({1, 0, 2, 3}), b);
    CHECK(every(1, 2).get() == expected);
    const auto row = empty<double>({40});
    matmul_into(row, a(3), b);
    CHECK(row.get() == std::vector<double>(expected.begin() + 3 * 40, expected.begin() + 4 * 40));
}

TEST_CASE("products can be cut by given tiles, or are refused by name") {
    const auto a = matrix<float>(100, 50, 16), b = matrix<float>(50, 90, 17);
    for (const codegen::MatmulTuning& tile :
         {codegen::MatmulTuning{.rows = 32, .columns = 64, .depth = 16, .own_rows = 4, .own_columns = 4, .stages = 2},
          codegen::MatmulTuning{.rows = 64, .columns = 32, .depth = 8, .own_rows = 8, .own_columns = 4, .stages = 4}})
        CHECK(error_of(matmul(a, b, {.tuning = tile}), a, b) <= 1e-6);
    CHECK(error_of(
              matmul(
                  a, b,
                  {.precision = Precision::split,
                   .tuning = {.rows = 32, .columns = 32, .depth = 16, .own_rows = 16, .own_columns = 32, .stages = 5}}),
              a, b) <= 1e-6);
    if (!is_gpu() || codegen::tuning_fields(codegen::MatmulTuning{}).empty()) return;
    if (current_context().device().info().architecture.starts_with("sm_")) {
        CHECK_THROWS_MENTIONING(ArgumentError, matmul(a, b, {.tuning = {.rows = 48}}), "matmul", "powers of 2");
        CHECK_THROWS_MENTIONING(ArgumentError, matmul(a, b, {.tuning = {.stages = 9}}), "matmul", "1 to 5");
        CHECK(error_of(matmul(a, b), a, b) <= 1e-6);
    }
}

TEST_CASE("targets and epilogues that do not fit are refused") {
    const auto a = matrix<float>(4, 3, 18), b = matrix<float>(3, 5, 19);
    CHECK_THROWS_MENTIONING(ArgumentError, matmul_into(empty<float>({4, 4}), a, b), "matmul_into", "(4, 4)", "(4, 5)");
    CHECK_THROWS_MENTIONING(ArgumentError, matmul_into(empty<double>({4, 5}), a, b), "matmul_into", "double", "float");
    CHECK_THROWS_MENTIONING(ArgumentError, matmul_into(zeros<float>({5}).broadcast_to({4, 5}), a, b),
                            "several indices");
    CHECK_THROWS_MENTIONING(ArgumentError, matmul_into(GPUArray<float>(), a, b), "matmul_into", "empty");
    CHECK_THROWS_MENTIONING(CompileError, matmul(a, b, {.epilogue = "valu + 1"}), "valu");
    CHECK_THROWS_MENTIONING(ArgumentError,
                            matmul(a, b, {.epilogue = "value", .arguments = {{"bias", GPUArray<float>()}}}), "matmul",
                            "bias", "empty");
    for (const char* name : {"row", "kernel", "2nd"})
        CHECK_THROWS_MENTIONING(ArgumentError, matmul(a, b, {.epilogue = "value", .arguments = {{name, 1.0f}}}),
                                "matmul", name, "rename");
    CHECK(matmul(a, b, {.epilogue = "value"}).get() == matmul(a, b).get());
}
