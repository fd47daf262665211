/// ReductionKernel and MultiReductionKernel against plain host loops.
#include "generator_support.hpp"

#include <algorithm>
#include <limits>
#include <random>
#include <thread>

using namespace gemel;
using namespace gemel::testing;

namespace science {
struct Extreme {
    float value;
    std::int32_t index;
};
GEMEL_STRUCT(Extreme, value, index)
}  // namespace science

namespace {

const std::array<AnyTuning, 5> tunings{
    AnyTuning{}, gpu_shaped, AnyTuning{.block = 128, .access_bytes = 4, .unroll = 1, .blocks_per_unit = 2},
    // Blocks that no power of 2 describes.
    AnyTuning{.block = 96, .access_bytes = 16, .unroll = 1}, AnyTuning{.block = 71, .access_bytes = 4, .unroll = 2}};

ReductionKernel<float> sum_kernel() {
    return ReductionKernel<float>(
        {.arguments = "const float *x", .neutral = "0", .reduce_expr = "a+b", .name = "sum_all"});
}

/// Sums a C-ordered array over the axes that are set in `mask`.
std::vector<std::int64_t> host_sums(const std::vector<std::int32_t>& values, const Shape& shape, unsigned mask) {
    std::size_t outputs = 1;
    for (std::size_t axis = 0; axis < shape.rank(); ++axis)
        if (!(mask >> axis & 1)) outputs *= static_cast<std::size_t>(shape[axis]);
    std::vector<std::int64_t> sums(outputs);
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::size_t rest = i, at = 0, step = 1;
        for (std::size_t axis = shape.rank(); axis-- > 0;) {
            const std::size_t extent = static_cast<std::size_t>(shape[axis]), k = rest % extent;
            rest /= extent;
            if (!(mask >> axis & 1)) at += k * step, step *= extent;
        }
        sums[at] += values[i];
    }
    return sums;
}

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("a reduction sees each element once at every size and offset") {
    // Whole numbers: exact.
    const ReductionKernel<std::int64_t> dot({.arguments = "const int *x, const int16_t *y",
                                             .neutral = "0",
                                             .map_expr = "x[i] * (int64_t)y[i] + i",
                                             .reduce_expr = "a+b",
                                             .name = "dot_all"});
    for (const AnyTuning& tuning : tunings) {
        const std::size_t block = tuning.block > 1 ? tuning.block : 256;
        for (const std::size_t n :
             std::initializer_list<std::size_t>{0, 1, 2, 3, 7, block - 1, block, block + 1, 3 * block + 5, 100003})
            for (const auto& [x_offset, y_offset] : {std::array<std::size_t, 2>{0, 0}, {1, 2}, {3, 1}, {2, 3}}) {
                const auto x = small_values<std::int32_t>(n, 1);
                const auto y = small_values<std::int16_t>(n, 2);
                std::int64_t expected = 0;
                for (std::size_t i = 0; i < n; ++i)
                    expected += x[i] * std::int64_t{y[i]} + static_cast<std::int64_t>(i);
                const std::int64_t found =
                    dot({.tuning = tuning}, placed<std::int32_t>(x, x_offset), placed<std::int16_t>(y, y_offset))
                        .item();
                CHECK_MESSAGE(found == expected, n, " elements, offsets ", x_offset, " ", y_offset, " ",
                              to_string(tuning), ": ", found, " instead of ", expected);
            }
    }
}

TEST_CASE("a reduction reads the neighbours of each element") {
    const ReductionKernel<std::int32_t> rises(
        {.arguments = "const int16_t *x, const float *y",
         .neutral = "0",
         .map_expr = "(i > 0 && x[i] > x[i - 1]) + 2 * (i + 1 < n && y[i+1] < y[i])",
         .reduce_expr = "a+b",
         .name = "rises"});
    for (const AnyTuning& tuning : tunings)
        for (const std::size_t n : {std::size_t{1}, std::size_t{9}, std::size_t{1003}})
            for (const std::size_t offset : {std::size_t{0}, std::size_t{3}}) {
                const auto x = small_values<std::int16_t>(n, 3);
                const auto y = small_values<float>(n, 4);
                std::int32_t expected = 0;
                for (std::size_t i = 0; i < n; ++i)
                    expected += (i > 0 && x[i] > x[i - 1]) + 2 * (i + 1 < n && y[i + 1] < y[i]);
                const std::int32_t found =
                    rises({.tuning = tuning}, placed<std::int16_t>(x, offset), placed<float>(y, offset)).item();
                CHECK_MESSAGE(found == expected, n, " elements, offset ", offset, " ", to_string(tuning));
            }
}

TEST_CASE("a reduction over each subset of axes gives what loops give in every layout") {
    const ReductionKernel<std::int64_t> free(
        {.arguments = "const int *x", .neutral = "0", .reduce_expr = "a+b", .name = "sum_axes"});
    const ReductionKernel<std::int64_t> bound({.arguments = "const int *x",
                                               .neutral = "0",
                                               .map_expr = "x[i] + 0*i",
                                               .reduce_expr = "a+b",
                                               .name = "sum_axes_i"});
    // Long and short axes, so that both mappings of threads to outputs occur.
    std::size_t shapes = 0;
    for (const Shape& shape : {Shape{3, 4, 5}, Shape{2, 70, 3}, Shape{130, 2, 2}, Shape{2, 3, 300}, Shape{4, 1, 6}}) {
        ++shapes;
        for (const Form form : forms)
            for (unsigned mask = 0; mask < 8; ++mask) {
                if (is_left_out(6, shapes + static_cast<std::size_t>(form) + mask)) continue;
                GPUArray<std::int32_t> x;
                const auto values = fill_in(form, shape, x, small_values<std::int32_t>(shape.count(), 3));
                std::vector<int> axes;
                Shape kept, with_ones;
                for (int axis = 0; axis < 3; ++axis) {
                    const bool reduced = mask >> axis & 1;
                    if (reduced)
                        axes.push_back(axis % 2 ? axis - 3 : axis);
                    else
                        kept.push_back(shape[static_cast<std::size_t>(axis)]);
                    with_ones.push_back(reduced ? 1 : shape[static_cast<std::size_t>(axis)]);
                }
                const AnyTuning& tuning = tunings[mask % 2 + (form == Form::C ? 1 : 0)];
                const auto expected = host_sums(values, shape, mask);
                if (!is_left_out(2, shapes + mask / 2)) {
                    const auto result = free({.axes = axes, .tuning = tuning}, x);
                    CHECK(result.shape() == kept);
                    CHECK_SAME(expected, result.get(), to_string(shape), " ", name_of(form), " mask ", mask, " ",
                               to_string(tuning));
                }
                if (is_left_out(2, shapes + mask / 2 + 1)) continue;
                const auto ones = bound({.axes = axes, .keepdims = true, .tuning = tuning}, x);
                CHECK(ones.shape() == with_ones);
                CHECK_SAME(expected, ones.get(), to_string(shape), " ", name_of(form), " mask ", mask, " with i ",
                           to_string(tuning));
            }
    }
}

TEST_CASE("indices in a map expression are those of the whole array and of the reduced run") {
    MultiReductionKernel<std::int64_t, std::int64_t> last(
        {.arguments = "const int *x",
         .results = {{"-1", "x[i] > 0 ? (int64_t)i : -1", "a > b ? a : b"},
                     {"-1", "x[i] > 0 ? (int64_t)reduced_index : -1", "a > b ? a : b"}},
         .name = "last_positive"});
    const std::size_t rows = 7, columns = 90;
    std::size_t choice = 0;
    for (const Form form : {Form::C, Form::F, Form::strided, Form::reversed})
        for (const int axis : {0, 1})
            for (const AnyTuning& tuning : tunings) {
                if (is_left_out(3, choice++)) continue;
                GPUArray<std::int32_t> x;
                const auto values =
                    fill_in(form, Shape{rows, columns}, x, small_values<std::int32_t>(rows * columns, 5));
                const auto [flat, own] = last({.axes = std::vector<int>{axis}, .tuning = tuning}, x);
                std::vector<std::int64_t> flats(axis ? rows : columns, -1), owns = flats;
                for (std::size_t r = 0; r < rows; ++r)
                    for (std::size_t c = 0; c < columns; ++c) {
                        if (values[r * columns + c] <= 0) continue;
                        flats[axis ? r : c] = std::max(flats[axis ? r : c], static_cast<std::int64_t>(r * columns + c));
                        owns[axis ? r : c] = static_cast<std::int64_t>(axis ? c : r);
                    }
                CHECK_SAME(flats, flat.get(), "i ", name_of(form), " axis ", axis, " ", to_string(tuning));
                CHECK_SAME(owns, own.get(), "reduced_index ", name_of(form), " axis ", axis, " ", to_string(tuning));
            }
}

TEST_CASE("a reduction of nothing is the neutral element") {
    const ReductionKernel<float> product(
        {.arguments = "const float *x", .neutral = "1", .reduce_expr = "a*b", .name = "product"});
    CHECK(product(GPUArray<float>(current_context(), Shape{0})).item() == 1);
    const GPUArray<float> none(current_context(), Shape{3, 0, 2});
    CHECK(product(none).item() == 1);
    CHECK(product({.axes = std::vector<int>{1}}, none).get() == std::vector<float>(6, 1.0f));
    CHECK(product({.axes = std::vector<int>{0}}, none).size() == 0);
    CHECK(product({.axes = std::vector<int>{}}, full<float>(Shape{2}, 7)).get() == std::vector<float>{7, 7});
    CHECK(product(full<float>(Shape{}, 7)).item() == 7);
}

TEST_CASE("a result goes where it is asked to go") {
    const auto sum = sum_kernel();
    const auto x = full<float>(Shape{4, 6}, 2);
    const auto table = zeros<float>(Shape{3, 4});
    const GPUArray<float> row = table(1);
    const auto result = sum({.axes = std::vector<int>{1}, .out = &row}, x);
    CHECK(result.is_view_of(table));
    CHECK(table.get() == std::vector<float>{0, 0, 0, 0, 12, 12, 12, 12, 0, 0, 0, 0});
    for (int r = 0; r < 3; ++r) {
        const GPUArray<float> cell = table(2, r);
        sum({.out = &cell}, x(r));
    }
    CHECK(table.get() == std::vector<float>{0, 0, 0, 0, 12, 12, 12, 12, 12, 12, 12, 0});
    // The array itself, not its address, which then need not outlive the options.
    const ReductionOptions last{.out = table(2, 3)};
    sum(last, x(3));
    CHECK(table.get() == std::vector<float>{0, 0, 0, 0, 12, 12, 12, 12, 12, 12, 12, 12});
    CHECK(sum({.out = static_cast<const AnyArray*>(nullptr)}, x).item() == 48);
    const GPUArray<float> column = table(slice(), 0), empty;
    const GPUArray<std::int32_t> wrong(current_context(), Shape{});
    CHECK_THROWS_MENTIONING(ArgumentError, sum({.out = &row}, x), "sum_all", "shape ()", "(4,)");
    CHECK_THROWS_MENTIONING(ArgumentError, sum({.out = &wrong}, x), "float", "int32_t");
    CHECK_THROWS_MENTIONING(ArgumentError, sum({.out = &empty}, x), "an empty handle");
    CHECK_THROWS_MENTIONING(ArgumentError, sum({.axes = std::vector<int>{0}, .out = &column}, x(slice(), slice(3))),
                            "contiguous");
    CHECK_THROWS_MENTIONING(ArgumentError, sum({.axes = std::vector<int>{2}}, x), "axis 2", "2 axes");
    CHECK_THROWS_MENTIONING(ArgumentError, sum({.axes = std::vector<int>{1, -1}}, x), "twice");
    CHECK_THROWS_MENTIONING(ArgumentError, sum(x.astype<std::int32_t>()), "ReductionKernel 'sum_all'", "argument 1 (x)",
                            "int32_t");
    CHECK_THROWS_MENTIONING(ArgumentError, sum(x, x), "expected 1 argument, got 2");
    CHECK_THROWS_MENTIONING(
        ArgumentError,
        ReductionKernel<float>({.arguments = "float *x", .neutral = "0", .map_expr = "x[i]++", .reduce_expr = "a+b"}),
        "only reads");
    CHECK(sum(x).item() == 48);
}

TEST_CASE("several results are found in one pass") {
    if (lacks_double()) return;
    const MultiReductionKernel<float, float, double, std::int32_t> all({.arguments = "const float *x, float limit",
                                                                        .results = {{"INFINITY", "x[i]", "fmin(a, b)"},
                                                                                    {"-INFINITY", "x[i]", "fmax(a, b)"},
                                                                                    {"0", "x[i]", "a+b"},
                                                                                    {"0", "x[i] > limit", "a+b"}},
                                                                        .name = "several"});
    for (const AnyTuning& tuning : tunings)
        for (const std::size_t n : {1, 100, 20011}) {
            std::vector<float> x(n);
            float low = INFINITY, high = -INFINITY;
            double total = 0;
            int above = 0;
            for (std::size_t i = 0; i < n; ++i) {
                x[i] = static_cast<float>((i * 7919) % 1001) - 500;
                low = std::min(low, x[i]), high = std::max(high, x[i]), total += x[i], above += x[i] > 100;
            }
            const auto [least, most, sum, count] = all({.tuning = tuning}, placed<float>(x, n % 3), 100);
            CHECK(least.item() == low);
            CHECK(most.item() == high);
            CHECK(sum.item() == total);  // whole numbers: exact
            CHECK(count.item() == above);
        }
}

TEST_CASE("argmin by a struct gives the first of equals and the first NaN like NumPy") {
    const ReductionKernel<science::Extreme> argmin({.arguments = "const float *x",
                                                    .neutral = "no_extreme()",
                                                    .map_expr = "extreme_of(x[i], reduced_index)",
                                                    .reduce_expr = "lesser(a, b)",
                                                    .name = "argmin",
                                                    .preamble = R"(
WITHIN_KERNEL Extreme extreme_of(float value, int index) { Extreme e; e.value = value; e.index = index; return e; }
WITHIN_KERNEL Extreme no_extreme() { return extreme_of(INFINITY, 2147483647); }
WITHIN_KERNEL Extreme lesser(Extreme a, Extreme b)
{
    const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
    if (a_nan || b_nan) return a_nan && (!b_nan || a.index < b.index) ? a : b;
    return a.value < b.value || (a.value == b.value && a.index < b.index) ? a : b;
})"});
    const auto host = [](const std::vector<float>& x) {
        std::size_t best = 0;
        for (std::size_t i = 1; i < x.size(); ++i)
            if (!std::isnan(x[best]) && (std::isnan(x[i]) || x[i] < x[best])) best = i;
        return static_cast<std::int32_t>(best);
    };
    std::mt19937 random(11);
    for (const AnyTuning& tuning : tunings)
        for (const std::size_t n : {1, 5, 64, 1000, 30011})
            for (const int kind : {0, 1, 2}) {
                std::vector<float> x(n, 3.0f);
                if (kind > 0)
                    for (float& v : x) v = static_cast<float>(random() % 20);
                if (kind > 1)
                    for (int k = 0; k < 3; ++k) x[random() % n] = NAN;
                const auto found = argmin({.tuning = tuning}, placed<float>(x, 1)).item();
                CHECK_MESSAGE(found.index == host(x), n, " kind ", kind, " ", to_string(tuning));
            }
    const auto rows =
        argmin({.axes = std::vector<int>{1}}, to_gpu(std::vector<float>{3, 1, 1, 5, NAN, 0}, Shape{2, 3})).get();
    CHECK(rows[0].index == 1);
    CHECK(rows[1].index == 1);
}

TEST_CASE("a million floats are summed to six digits") {
    // A serial chain would be off by 1e-4; bounded runs combined by a tree stay far below 1e-6.
    const auto sum = sum_kernel();
    const std::size_t n = 1000000;
    std::mt19937 random(1);
    std::uniform_real_distribution<float> uniform(0, 1);
    std::vector<float> x(n);
    double expected = 0;
    for (float& v : x) v = uniform(random), expected += v;
    for (const AnyTuning& tuning : tunings)
        for (const std::size_t offset : {0, 1}) {
            const float found = sum({.tuning = tuning}, placed<float>(x, offset)).item();
            CHECK_MESSAGE(std::abs(found - expected) <= 1e-6 * expected, to_string(tuning), " ", found - expected);
        }
    const auto matrix = to_gpu(x, Shape{1000, 1000});
    for (const int axis : {0, 1}) {
        const auto sums = sum({.axes = std::vector<int>{axis}}, matrix).get();
        double worst = 0;
        for (std::size_t k = 0; k < 1000; ++k) {
            double one = 0;
            for (std::size_t j = 0; j < 1000; ++j) one += axis ? x[k * 1000 + j] : x[j * 1000 + k];
            worst = std::max(worst, std::abs(sums[k] - one) / one);
        }
        CHECK_MESSAGE(worst <= 1e-6, "axis ", axis, " ", worst);
    }
}

TEST_CASE("small integers and 16-bit floats accumulate in wider types") {
    const std::size_t n = 5000;
    const auto bytes = full<std::int8_t>(Shape{n}, 100);
    CHECK(ReductionKernel<std::int64_t>(
              {.arguments = "const int8_t *x", .neutral = "0", .reduce_expr = "a+b", .name = "wide_sum"})(bytes)
              .item() == 500000);
    // Wraps around as the type itself does, which is what was asked for.
    CHECK(ReductionKernel<std::int8_t>(
              {.arguments = "const int8_t *x", .neutral = "0", .reduce_expr = "a+b", .name = "narrow_sum"})(bytes)
              .item() == static_cast<std::int8_t>(500000));
    // In half the sum would stop at 2048; the result, 5000, is a half.
    CHECK(static_cast<float>(ReductionKernel<half>({.arguments = "const float16_t *x",
                                                    .neutral = "0",
                                                    .reduce_expr = "a+b",
                                                    .name = "half_sum"})(full<half>(Shape{n}, 1))
                                 .item()) == 5000.0f);
    CHECK(static_cast<float>(ReductionKernel<bfloat16>({.arguments = "const bfloat16_t *x",
                                                        .neutral = "0",
                                                        .reduce_expr = "a+b",
                                                        .name = "bfloat_sum"})(full<bfloat16>(Shape{4096}, 1))
                                 .item()) == 4096.0f);
    const auto flags = small_values<bool>(n, 3);
    const auto on_flags = placed<bool>(flags, 3);
    CHECK(ReductionKernel<bool>(
              {.arguments = "const bool *x", .neutral = "0", .reduce_expr = "a || b", .name = "any_of"})(on_flags)
              .item());
    CHECK(!ReductionKernel<bool>(
               {.arguments = "const bool *x", .neutral = "1", .reduce_expr = "a && b", .name = "all_of"})(on_flags)
               .item());
    if (lacks_double()) return;
    CHECK(ReductionKernel<float>({.arguments = "const float *x",
                                  .neutral = "0",
                                  .reduce_expr = "a+b",
                                  .name = "double_sum",
                                  .accumulator = dtype_of<double>()})(to_gpu(std::vector<float>{1e8f, 1, -1e8f}))
              .item() == 1.0f);
    using cd = std::complex<double>;
    const std::vector<cd> z{{1, 2}, {3, -4}, {0.5, 0.25}};
    CHECK(ReductionKernel<cd>({.arguments = "const cdouble *x",
                               .neutral = "cdouble_new(0, 0)",
                               .reduce_expr = "c_add(a, b)",
                               .name = "complex_sum"})(to_gpu(z))
              .item() == cd(4.5, -1.75));
}

TEST_CASE("a reduction gives the same bits each time") {
    const auto sum = sum_kernel();
    std::mt19937 random(4);
    std::vector<float> x(300007);
    for (float& v : x) v = std::ldexp(static_cast<float>(random() % 100000), -static_cast<int>(random() % 30));
    for (const AnyTuning& tuning : tunings) {
        const auto on_x = placed<float>(x, 1);
        const float first = sum({.tuning = tuning}, on_x).item();
        for (int again = 0; again < 10; ++again) CHECK(sum({.tuning = tuning}, on_x).item() == first);
    }
}

TEST_CASE("one reduction kernel serves several threads and streams at once") {
    const auto sum = sum_kernel();
    const Context context = current_context();
    std::vector<std::thread> threads;
    std::array<int, 4> wrong{};
    for (std::size_t t = 0; t < wrong.size(); ++t)
        threads.emplace_back([&, t] {
            const StreamScope scope(context.create_stream());
            for (int k = 1; k <= 30; ++k) {
                const auto x = full<float>(context, Shape{1000 * (t + 1)}, static_cast<float>(k));
                wrong[t] += sum({.tuning = tunings[t % 2]}, x).item() !=
                            static_cast<float>(k) * 1000.0f * static_cast<float>(t + 1);
            }
        });
    for (auto& thread : threads) thread.join();
    CHECK(wrong == std::array<int, 4>{});
}

TEST_CASE("a kind of reduction is compiled once") {
    const ReductionKernel<float> sum({.arguments = "const float *x",
                                      .neutral = "0",
                                      .map_expr = "x[i] + 3",
                                      .reduce_expr = "a+b",
                                      .name = "sum_once"});
    const Context context = current_context();
    const auto x = full<float>(Shape{100, 10}, 1);
    const auto built = [&] {
        const Statistics s = context.statistics();
        return s.compilations + s.disk_hits + s.memory_hits;
    };
    CHECK(sum(x).item() == 4000);
    CHECK(sum({.axes = std::vector<int>{0}}, x).get() == std::vector<float>(10, 400));
    const auto before = built();
    CHECK(sum(x(slice(50))).item() == 2000);
    CHECK(sum({.axes = std::vector<int>{0}}, x).get() == std::vector<float>(10, 400));
    CHECK(built() == before);
}

TEST_CASE("a condition to replace spares comparing places, and the first of equals is found still") {
    const ReductionKernel<science::Extreme> first_largest(
        {.arguments = "const int *x",
         .neutral = "extreme(-1, 0)",
         .map_expr = "extreme(x[i], reduced_index)",
         .reduce_expr = "b.value > a.value || (b.value == a.value && b.index < a.index) ? b : a",
         .replace_if = "b.value > a.value",
         .name = "first_largest",
         .preamble = "WITHIN_KERNEL Extreme extreme(int value, int index)\n"
                     "{\n    Extreme e;\n    e.value = value;\n    e.index = index;\n    return e;\n}\n"});
    std::mt19937 random(7);
    for (const AnyTuning& tuning : tunings)
        for (const std::size_t n : {std::size_t{1}, std::size_t{5}, std::size_t{1003}, std::size_t{70001}})
            for (const std::size_t offset : {0u, 1u, 3u}) {
                // Zero but for a few places with the largest value, or all equal: also before and behind the packs.
                std::vector<std::int32_t> x(n, 0);
                for (int k = 0; k < 3; ++k) x[random() % n] = 5;
                if (offset == 1) x.back() = 5;
                if (offset == 3) std::fill(x.begin(), x.end(), 5);
                const auto found = first_largest({.tuning = tuning}, placed<std::int32_t>(x, offset)).item();
                const auto expected = std::max_element(x.begin(), x.end()) - x.begin();
                CHECK_MESSAGE((found.value == 5 && found.index == expected), n, " elements at offset ", offset, ", ",
                              to_string(tuning), ": ", found.index, " instead of ", expected);
            }
}

TEST_CASE("a search that says what it compares passes over NaN if its condition does") {
    const MultiReductionKernel<std::int32_t> lowest(
        {.arguments = "const float *x",
         .results = {{.neutral = "lowest(INFINITY, -1)",
                      .map_expr = "lowest(x[i], reduced_index)",
                      .reduce_expr = "b.value < a.value || (b.value == a.value && b.index < a.index) ? b : a",
                      .accumulator = dtype_of<science::Extreme>(),
                      .replace_if = "b.value < a.value",
                      .result_expr = "a.index",
                      .extreme = {dtype_of<float>(), "b.value", "INFINITY", "fmin(a, b)"}}},
         .name = "lowest_of_numbers",
         .preamble = "WITHIN_KERNEL Extreme lowest(float value, int index)\n"
                     "{\n    Extreme l;\n    l.value = value;\n    l.index = index;\n    return l;\n}\n"});
    std::mt19937 random(3);
    const std::size_t columns = 5000;
    std::vector<float> values(6 * columns);
    for (float& value : values) value = random() % 8 ? static_cast<float>(random() % 1000) : NAN;
    std::fill(values.end() - columns, values.end(), NAN);
    std::vector<std::int32_t> expected;
    for (std::size_t row = 0; row < 6; ++row) {
        const float* const x = values.data() + row * columns;
        std::int32_t best = -1;
        for (std::size_t k = 0; k < columns; ++k)
            if (!std::isnan(x[k]) && (best < 0 || x[k] < x[best])) best = static_cast<std::int32_t>(k);
        expected.push_back(best);
    }
    const auto x = to_gpu(values).reshape({6, static_cast<std::int64_t>(columns)});
    CHECK(std::get<0>(lowest({.axes = std::vector<int>{1}}, x)).get() == expected);
}

TEST_CASE("a result may be divided by the number of elements") {
    const auto x = arange<float>(60000).reshape({3, 20000});
    const auto mean_of = [](const char* argument, const char* map) {
        return ReductionKernel<float>(ReductionSpec{.arguments = argument,
                                                    .neutral = "0",
                                                    .map_expr = map,
                                                    .reduce_expr = "a+b",
                                                    .name = "mean",
                                                    .accumulator = dtype_of<float>(),
                                                    .result_expr = "a / n"});
    };
    const auto plain = mean_of("const float *x", "x[i]");
    CHECK(plain(x).item() == doctest::Approx(29999.5));
    CHECK(plain({.axes = std::vector<int>{1}}, x)(2).item() == doctest::Approx(49999.5));
    CHECK(plain({.axes = std::vector<int>{0}}, x)(7).item() == doctest::Approx(20007));
    // An argument's name does not change what `n` is in the result.
    CHECK(mean_of("const float *n", "n[i]")(x).item() == doctest::Approx(29999.5));
    CHECK(std::isnan(plain(zeros<float>({0})).item()));
}

TEST_CASE("a kernel of one result may say what it compares, and that it rounds nothing") {
    const ReductionSpec lowest{.arguments = "const float *x",
                               .neutral = "INFINITY",
                               .reduce_expr = "fmin(a, b)",
                               .replace_if = "b < a",
                               .extreme = {dtype_of<float>(), "b", "INFINITY", "fmin(a, b)"},
                               .is_exact = true};
    std::vector<float> values(70001, 4);
    values[30000] = NAN;
    values[69999] = -5;
    CHECK(ReductionKernel<float>(lowest)(to_gpu(values)).item() == -5);
    ReductionSpec wrong = lowest;
    wrong.extreme.part.clear();
    CHECK_THROWS_MENTIONING(ArgumentError, ReductionKernel<float>(wrong), "extreme.part is missing");
}

TEST_CASE("errors in what a search compares say what to give") {
    const auto refused = [](codegen::ReducedExtreme extreme, const char* replace_if, const char* what) {
        CAPTURE(what);
        const auto make = [&] {
            MultiReductionKernel<float>({.arguments = "const float *x",
                                         .results = {{.neutral = "INFINITY",
                                                      .reduce_expr = "fmin(a, b)",
                                                      .replace_if = replace_if,
                                                      .extreme = extreme}},
                                         .name = "lowest"});
        };
        CHECK_THROWS_MENTIONING(ArgumentError, make(), "lowest", what);
    };
    const DType type = dtype_of<float>();
    refused({type, "b", "INFINITY", "fmin(a, b)"}, "", "extreme is given without replace_if");
    refused({type, "", "INFINITY", "fmin(a, b)"}, "b < a", "extreme.part is missing");
    refused({type, "b", "INFINITY", " // none"}, "b < a", "extreme.reduce_expr is missing");
    refused({{}, "b", "", ""}, "b < a", "no extreme.dtype");
    refused({type, "b", "INFINITY", "return a"}, "b < a", "extreme.reduce_expr contains 'return'");
    refused({dtype_of<cfloat>(), "b", "0", "a"}, "b < a", "expected an integer or floating type");
}

TEST_CASE("a million equal floats, whose errors all go one way, keep 1e-6 however they are divided") {
    const auto sum = sum_kernel();
    const std::size_t n = 1000000;
    std::size_t choice = 0;
    for (const float value : {0.1f, 0.3f, 0.7f, 1.0f / 3, 123.456f}) {
        const double expected = static_cast<double>(value) * static_cast<double>(n);
        const auto x = full<float>(Shape{n}, value), wide = full<float>(Shape{n, 2}, value);
        const auto column = wide(slice({}), 0);  // one element in two
        for (const std::uint32_t blocks_per_unit : {0u, 1u, 2u, 3u, 8u, 50u, 300u}) {
            if (is_left_out(3, choice++)) continue;
            const ReductionOptions options{.tuning = {.blocks_per_unit = blocks_per_unit}};
            for (const auto* array : {&x, &column}) {
                const double found = sum(options, *array).item();
                CHECK_MESSAGE(std::abs(found / expected - 1) <= 1e-6, value, ", ", blocks_per_unit,
                              " blocks per unit: off by ", found / expected - 1);
            }
            for (const std::uint32_t block : {0u, 64u}) {  // a thread for both columns, or several for each
                const AnyTuning tuning{.block = block, .blocks_per_unit = blocks_per_unit};
                for (const float found : sum({.axes = {{0}}, .tuning = tuning}, wide).get())
                    CHECK_MESSAGE(std::abs(found / expected - 1) <= 1e-6, value, " down columns, ", to_string(tuning),
                                  ": off by ", found / expected - 1);
            }
        }
    }
}

TEST_CASE("a condition to replace holds where it is not zero, of any type") {
    const ReductionKernel<float> largest({.arguments = "const float *x",
                                          .neutral = "0",
                                          .reduce_expr = "fmax(a, b)",
                                          .replace_if = "fmax(b - a, 0.0f)"});
    const auto x = to_gpu(std::vector<float>{0.25f, 0.5f, 0.375f});
    for (const std::uint32_t block : {0u, 1u, 32u}) CHECK(largest({.tuning = {.block = block}}, x).item() == 0.5f);
    CHECK_THROWS_MENTIONING(
        ArgumentError,
        ReductionKernel<float>(
            {.arguments = "const float *x", .neutral = "0", .reduce_expr = "a", .replace_if = "return 1"}),
        "replace_if", "return");
}

TEST_CASE("any number of lanes per thread gives the whole sum") {
    const ReductionKernel<float> sum({.arguments = "const float *x", .neutral = "0", .reduce_expr = "a+b"});
    const auto x = arange<float>(1000);
    for (const std::uint32_t lanes : {1u, 3u, 5u, 6u, 12u, 100u})
        for (const std::uint32_t block : {1u, 64u}) {
            const AnyTuning tuning{.block = block, .unroll = lanes % 8, .items_per_thread = lanes};
            CHECK(sum({.tuning = tuning}, x).item() == 499500);
            CHECK(sum({.tuning = tuning}, x(slice({}, {}, 2))).item() == 249500);
        }
}

TEST_CASE("calls with few blocks and with many do not share the places where blocks meet") {
    const ReductionKernel<std::int64_t> sum({.arguments = "const int32_t *x", .neutral = "0", .reduce_expr = "a+b"});
    const std::uint32_t units = default_context().device().info().compute_units;
    const auto of_rows = [&](std::size_t rows, std::uint32_t blocks_per_unit) {
        const auto x = ones<std::int32_t>(Shape{rows, 20000});
        const AnyTuning tuning{.block = 64, .blocks_per_unit = blocks_per_unit};
        CHECK(sum({.axes = {{1}}, .tuning = tuning}, x).get() == std::vector<std::int64_t>(rows, 20000));
    };
    of_rows(std::max(units / 2, 1u), 1);
    of_rows(4 * units, 8);
    of_rows(std::max(units / 2, 1u), 1);
}

TEST_CASE("results are not written over what is still to be read") {
    const ReductionKernel<float> sum({.arguments = "const float *x", .neutral = "0", .reduce_expr = "a+b"});
    const auto x = ones<float>(Shape{100, 100}), others = zeros<float>(Shape{2, 100});
    const auto row = x(99), place = others(1);
    for (int again = 0; again < 3; ++again) {
        CHECK_THROWS_MENTIONING(ArgumentError, sum({.axes = {{1}}, .out = &row}, x), "argument 1 (x)", "shares memory",
                                "copy()");
        CHECK(sum({.axes = {{1}}, .out = &place}, x).get() == std::vector<float>(100, 100.0f));
    }
    const auto one = x(99)(0);  // a single value is written last
    CHECK(sum({.out = &one}, x).item() == 10000);
}

struct Many {
    std::array<float, 100> values;
};
GEMEL_STRUCT(Many, values)

TEST_CASE("running values that are too large for a block's shared memory take smaller blocks") {
    const ReductionKernel<Many> total(
        {.arguments = "const float *x",
         .neutral = "many(0)",
         .map_expr = "many(x[i])",
         .reduce_expr = "many(a.values[99] + b.values[0])",
         .preamble = "WITHIN_KERNEL Many many(float value)\n{\n    Many m;\n    for (int k = 0; k < 100; ++k) "
                     "m.values[k] = value;\n    return m;\n}\n"});
    const auto x = arange<float>(1000);
    for (const AnyTuning& tuning : {AnyTuning{}, AnyTuning{.block = 256, .access_bytes = 16}})
        CHECK(total({.tuning = tuning}, x).item().values[50] == 499500);
    CHECK(mentions(total.source(Dialect::cuda()), {"__launch_bounds__(64)"}));
}

TEST_SUITE_END();
