/// Reductions over any axes of any shape against plain host loops: short and long runs, few and many of them, in C
/// order and in others, with gaps, broadcast, in all ways of dealing them out.
#include "generator_support.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

using namespace gemel;
using namespace gemel::testing;

namespace {

using Numbers = std::vector<std::int64_t>;

/// What host loops find: of every output the sum, the largest element and its place along the reduced axes.
struct Expected {
    Numbers sum, largest, place;
};

template <class T>
Expected expected(const GPUArray<T>& x, const std::vector<int>& axes) {
    const std::vector<T> values = x.get();
    const Shape& shape = x.shape();
    std::array<bool, 8> reduced{};
    for (const int axis : axes) reduced[static_cast<std::size_t>(axis)] = true;
    std::size_t outputs = 1;
    for (std::size_t a = 0; a < shape.rank(); ++a)
        if (!reduced[a]) outputs *= static_cast<std::size_t>(shape[a]);
    Expected all{Numbers(outputs), Numbers(outputs, std::numeric_limits<std::int64_t>::min()), Numbers(outputs)};
    Numbers seen(outputs);
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::size_t rest = i, output = 0, step = 1;
        for (std::size_t a = shape.rank(); a-- > 0;) {
            const auto extent = static_cast<std::size_t>(shape[a]), along = rest % extent;
            rest /= extent;
            if (!reduced[a]) output += along * step, step *= extent;
        }
        const auto value = static_cast<std::int64_t>(static_cast<float>(values[i]));
        all.sum[output] += value;
        if (value > all.largest[output]) all.largest[output] = value, all.place[output] = seen[output];
        ++seen[output];
    }
    return all;
}

template <class T>
Numbers integers(const GPUArray<T>& x) {
    Numbers all;
    for (const T value : x.get()) all.push_back(static_cast<std::int64_t>(static_cast<float>(value)));
    return all;
}

struct Random {
    std::mt19937 engine;
    std::int64_t operator()(std::int64_t below) {
        return static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(below));
    }
};

/// Up to some 100 000 elements, of small integers, as a view of a larger array in any order of axes.
template <class T>
GPUArray<T> any_view(Random& random) {
    const auto rank = static_cast<std::size_t>(1 + random(4));
    const std::int64_t most = std::array{90000, 400, 60, 20}[rank - 1];
    Shape shape;
    std::size_t count = 1;
    std::vector<std::int64_t> gaps(rank);
    for (std::size_t a = 0; a < rank; ++a) {
        std::int64_t extent = random(6) == 0 ? 1 : 1 + random(random(3) == 0 ? 9 : most);
        if (random(3) == 0) extent = (extent + 15) / 16 * 16;
        gaps[a] = random(5) == 0 ? 1 + random(3) : 0;
        shape.push_back(extent + gaps[a]);
        count *= static_cast<std::size_t>(extent + gaps[a]);
    }
    std::vector<T> values(count);
    for (T& value : values) value = static_cast<T>(static_cast<float>(random(13) - 6));
    std::vector<Index> cut;
    for (std::size_t a = 0; a < rank; ++a) {
        const std::int64_t start = random(gaps[a] + 1);
        cut.push_back(slice(start, shape[a] - gaps[a] + start, gaps[a] == 0 && random(9) == 0 ? 2 : 1));
    }
    Axes order;
    for (std::size_t a = 0; a < rank; ++a) order.push_back(static_cast<std::int64_t>(a));
    if (random(3) == 0) std::shuffle(order.begin(), order.end(), random.engine);
    return GPUArray<T>(to_gpu(values).reshape(shape).view(cut).permute(order));
}

std::vector<int> any_axes(Random& random, std::size_t rank) {
    std::vector<int> axes;
    for (std::size_t a = 0; a < rank; ++a)
        if (random(2)) axes.push_back(static_cast<int>(a));
    if (axes.empty()) axes.push_back(static_cast<int>(random(static_cast<std::int64_t>(rank))));
    return axes;
}

/// All of them beside the host, and kernels of one's own in `tunings`.
template <class T>
void check_shapes(unsigned seed, int cases, const std::vector<AnyTuning>& tunings) {
    const std::string type(dtype_of<T>().name());
    const ReductionKernel<std::int64_t> total(
        {.arguments = "const " + type + " *x", .neutral = "0", .map_expr = "(int64_t)x[i]", .reduce_expr = "a+b"});
    // The last of the largest: b comes after a.
    const MultiReductionKernel<std::int64_t, std::int64_t> both(
        {.arguments = "const " + type + " *x",
         .results = {{.neutral = "-1000000",
                      .map_expr = "1000 * (int64_t)x[i] + reduced_index % 1000",
                      .reduce_expr = "a > b ? a : b"},
                     {.neutral = "0", .map_expr = "(int64_t)x[i] * (i % 7)", .reduce_expr = "a+b"}}});
    Random random{std::mt19937(seed)};
    for (int number = 0; number < cases; ++number) {
        const GPUArray<T> x = any_view<T>(random);
        const std::vector<int> axes = any_axes(random, x.rank());
        if (is_left_out(8, static_cast<std::size_t>(number))) continue;
        const Expected want = expected(x, axes);
        CAPTURE(number);
        CAPTURE(to_string(x.shape()));
        CAPTURE(axes.front());
        CAPTURE(axes.size());
        REQUIRE(integers(sum<std::int64_t>(x, axes)) == want.sum);
        REQUIRE(integers(max(x, axes)) == want.largest);
        REQUIRE(argmax(x, axes).get() == want.place);
        std::size_t choice = static_cast<std::size_t>(number / 8);
        for (const AnyTuning& tuning : tunings) {
            if (is_left_out(tunings.size(), choice++)) continue;
            CAPTURE(gemel::testing::to_string(tuning));
            REQUIRE(total({.axes = axes, .tuning = tuning}, x).get() == want.sum);
            const auto [coded, weighted] = both({.axes = axes, .tuning = tuning}, x);
            const auto [plain_coded, plain_weighted] = both({.axes = axes}, x.copy());
            REQUIRE(coded.get() == plain_coded.get());
            REQUIRE(weighted.get() == plain_weighted.get());
        }
    }
}

/// The place of the first extreme, or of the first NaN.
template <class T>
std::int64_t first_extreme(const std::vector<T>& row, bool greatest) {
    std::size_t best = 0;
    for (std::size_t k = 0; k < row.size(); ++k) {
        const auto value = static_cast<float>(row[k]), found = static_cast<float>(row[best]);
        if (std::isnan(found)) break;
        if (std::isnan(value) || (greatest ? value > found : value < found)) best = k;
    }
    return static_cast<std::int64_t>(best);
}

/// Rows with many equal extremes, with one at either end, with nothing but the least number, with NaN.
template <class T>
std::vector<std::vector<T>> rows_with_extremes(std::size_t extent, Random& random) {
    const auto number = [](double value) { return static_cast<T>(static_cast<float>(value)); };
    std::vector<std::vector<T>> rows(8, std::vector<T>(extent));
    for (auto& row : rows)
        for (T& value : row) value = number(static_cast<double>(random(5)));
    rows[1].back() = number(9);
    rows[2].front() = number(9);
    rows[2].back() = number(9);
    rows[3].assign(extent, number(3));
    if constexpr (!std::is_integral_v<T>) {
        rows[4].assign(extent, number(-INFINITY));
        rows[5].assign(extent, number(INFINITY));
        rows[6].back() = number(NAN);
        rows[7][static_cast<std::size_t>(random(static_cast<std::int64_t>(extent)))] = number(NAN);
        rows[7][extent / 2] = number(NAN);
    }
    return rows;
}

template <class T>
void check_first_extremes(std::size_t extent, Random& random) {
    CAPTURE(dtype_of<T>().name());
    CAPTURE(extent);
    const auto rows = rows_with_extremes<T>(extent, random);
    std::vector<T> all;
    for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
    const auto length = static_cast<std::int64_t>(extent);
    const GPUArray<T> x = GPUArray<T>(current_context(), Shape{length * 8});
    x.set(all);
    const GPUArray<T> square = x.reshape({8, length});
    for (const bool greatest : {true, false}) {
        CAPTURE(greatest);
        Numbers expected;
        for (const auto& row : rows) expected.push_back(first_extreme(row, greatest));
        CHECK((greatest ? argmax(square, 1) : argmin(square, 1)).get() == expected);
        CHECK((greatest ? argmax(x) : argmin(x)).get()[0] == first_extreme(all, greatest));
        Numbers backwards;
        for (auto row : rows) {
            std::reverse(row.begin(), row.end());
            backwards.push_back(first_extreme(row, greatest));
        }
        const auto reversed = square(slice(), slice({}, {}, -1));
        CHECK((greatest ? argmax(reversed, 1) : argmin(reversed, 1)).get() == backwards);
    }
}

}  // namespace

TEST_SUITE_BEGIN("reduction_shapes");

TEST_CASE("reductions over any axes of any shape") {
    const std::vector<AnyTuning> tunings{
        gpu_shaped, {.block = 256, .access_bytes = 16}, {.block = 96, .access_bytes = 8}};
    SUBCASE("float") { check_shapes<float>(1, 60, tunings); }
    SUBCASE("bytes") { check_shapes<std::int8_t>(2, 60, tunings); }
    SUBCASE("half") { check_shapes<half>(3, 30, {gpu_shaped}); }
    SUBCASE("64 bits") { check_shapes<std::int64_t>(4, 30, {gpu_shaped}); }
}

TEST_CASE("expressions with operands that are spread over an axis, along every axis") {
    const auto x = to_gpu(small_values<float>(7 * 37 * 64, 1)).reshape({7, 37, 64});
    const auto row = to_gpu(small_values<float>(64, 2)), column = to_gpu(small_values<float>(37, 3)).reshape({37, 1});
    const GPUArray<float> whole = x * row + column;
    for (const int axis : {0, 1, 2}) {
        CAPTURE(axis);
        CHECK(sum(x * row + column, axis).get() == sum(whole, axis).get());
        CHECK(max(x * row + column, axis).get() == max(whole, axis).get());
        CHECK(argmin(x * row + column, axis).get() == argmin(whole, axis).get());
    }
}

TEST_CASE("what is infinite or no number wins along every axis") {
    std::vector<float> values(60 * 70, 1);
    values[7 * 70 + 3] = std::numeric_limits<float>::quiet_NaN();
    values[8 * 70 + 4] = -std::numeric_limits<float>::infinity();
    const auto x = to_gpu(values).reshape({60, 70});
    for (const int axis : {0, 1}) {
        CAPTURE(axis);
        const std::size_t at = axis == 0 ? 3 : 7, other = axis == 0 ? 4 : 8;
        CHECK(std::isnan(max(x, axis).get()[at]));
        CHECK(min(x, axis).get()[other] == -std::numeric_limits<float>::infinity());
        CHECK(argmax(x, axis).get()[at] == (axis == 0 ? 7 : 3));
        CHECK(argmin(x, axis).get()[other] == (axis == 0 ? 8 : 4));
        CHECK(std::isinf(sum(x, axis).get()[other]));
    }
}

TEST_CASE("the first extreme of rows shorter and longer than the blocks that CPUs search") {
    Random random{std::mt19937(5)};
    for (const std::size_t extent : {63u, 64u, 65u, 127u, 200u, 257u, 4095u, 4096u, 4097u, 4160u, 9001u}) {
        check_first_extremes<float>(extent, random);
        check_first_extremes<std::int8_t>(extent, random);
        if (extent > 300 && extent != 4097) continue;
        check_first_extremes<half>(extent, random);
        check_first_extremes<std::uint64_t>(extent, random);
        if (!lacks_double()) check_first_extremes<double>(extent, random);
    }
    // Of an expression, whose elements are computed twice.
    std::vector<float> numbers(3 * 5000);
    for (float& number : numbers) number = static_cast<float>(random(1 << 20)) * 0x1p-20f;
    const auto x = to_gpu(numbers).reshape({3, 5000});
    const auto found = argmax(sin(40.0f * x), 1).get(), evaluated = argmax(GPUArray<float>(sin(40.0f * x)), 1).get();
    CHECK(found == evaluated);
}

TEST_CASE("variances of many short runs are as exact as two readings in double") {
    // Arrays of 2^22 elements, of which GPUs keep short runs in registers. Along axis 1: all three are runs and
    // columns.
    const std::int64_t elements = 1 << 22;
    std::mt19937 engine(6);
    std::vector<float> values(static_cast<std::size_t>(elements));
    for (float& value : values) value = 3e4f + static_cast<float>(engine() % 4096) / 512;
    const GPUArray<float> all = to_gpu(values);
    for (const Shape& shape : {Shape{1 << 14, 256, 1}, Shape{64, 16, 4096}, Shape{1 << 10, 64, 64}}) {
        CAPTURE(to_string(shape));
        const GPUArray<float> x = all.reshape(shape);
        const auto length = static_cast<std::size_t>(shape[1]), inner = static_cast<std::size_t>(shape[2]);
        const auto kept = var(x, {.axis = 1, .keepdims = true});
        CHECK(kept.shape() == Shape{shape[0], 1, shape[2]});
        const auto found = kept.get(), root = stddev(x, {.axis = 1, .ddof = 1}).get();
        GPUArray<float> out = full<float>({shape[0], shape[2]}, -1);
        var(x, {.axis = 1, .out = out});
        CHECK(out.get() == found);
        for (std::size_t output = 0; output < found.size(); output += 997) {
            const float* const run = values.data() + output / inner * length * inner + output % inner;
            double mean = 0, squares = 0;
            for (std::size_t k = 0; k < length; ++k) mean += run[k * inner] / static_cast<double>(length);
            for (std::size_t k = 0; k < length; ++k) squares += std::pow(run[k * inner] - mean, 2);
            REQUIRE(found[output] == doctest::Approx(squares / static_cast<double>(length)).epsilon(1e-6));
            REQUIRE(root[output] ==
                    doctest::Approx(std::sqrt(squares / static_cast<double>(length - 1))).epsilon(1e-6));
        }
    }
    const auto equal = var(full<half>({elements / 8, 8}, 3.f), 1).get();
    CHECK(std::all_of(equal.begin(), equal.end(), [](half value) { return float(value) == 0; }));
    values[5] = std::numeric_limits<float>::infinity();
    const auto marked = var(to_gpu(values).reshape({elements / 16, 16}), 1).get();
    CHECK(std::isnan(marked[0]));
    CHECK(!std::isnan(marked[1]));
}

TEST_CASE("variances of floats are as exact as two readings in double") {
    std::mt19937 engine(5);
    std::normal_distribution<float> normal(0, 1);
    const std::size_t rows = 300, columns = 41;
    for (const float offset : {0.f, 3e4f, -1e6f}) {
        // With the first of each run far from all others, and without.
        for (const float first : {0.f, 1e5f}) {
            CAPTURE(offset);
            CAPTURE(first);
            std::vector<float> values(rows * columns);
            for (float& value : values) value = offset + normal(engine);
            for (std::size_t k = 0; k < values.size(); ++k)
                if (k < columns || k % columns == 0) values[k] += first;
            const auto x =
                to_gpu(values).reshape({static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)});
            for (const int axis : {0, 1}) {
                const std::size_t outputs = axis == 0 ? columns : rows, n = axis == 0 ? rows : columns;
                const auto at = [&](std::size_t output, std::size_t k) -> double {
                    return values[axis == 0 ? k * columns + output : output * columns + k];
                };
                const auto found = var(x, axis).get(), root = stddev(x, {.axis = axis, .ddof = 1}).get();
                const auto of_sum = var(x + 1.f, axis).get();
                for (std::size_t output = 0; output < outputs; ++output) {
                    double mean = 0, squares = 0;
                    for (std::size_t k = 0; k < n; ++k) mean += at(output, k) / static_cast<double>(n);
                    for (std::size_t k = 0; k < n; ++k) squares += std::pow(at(output, k) - mean, 2);
                    REQUIRE(found[output] == doctest::Approx(squares / static_cast<double>(n)).epsilon(1e-6));
                    REQUIRE(root[output] ==
                            doctest::Approx(std::sqrt(squares / static_cast<double>(n - 1))).epsilon(1e-6));
                    if (offset == 0) REQUIRE(of_sum[output] == doctest::Approx(found[output]).epsilon(1e-3));
                }
            }
        }
    }
    // Equal elements have none at all, and what is no number has no other.
    CHECK(var(full<float>({1000}, 1e7f)).item() == 0);
    CHECK(var(full<half>({10, 70}, 3.f), 0).get() == std::vector<half>(70));
    std::vector<float> values(100, 1);
    values[50] = std::numeric_limits<float>::infinity();
    CHECK(std::isnan(var(to_gpu(values)).item()));
    CHECK(std::isnan(var(to_gpu(std::vector<float>{1}), {.ddof = 1}).item()));
    CHECK(var(to_gpu(std::vector<float>{7})).item() == 0);
}

TEST_CASE("long columns of odd width") {
    // From 2^26 elements, blocks of GPUs have more threads side by side. The stand-in takes minutes for so many.
    const bool is_short = std::getenv("GEMEL_TEST_SHORT");
    const std::int64_t width = 263, length = is_short ? 3000 : (std::int64_t{1} << 26) / width + 1;
    std::vector<std::int8_t> values(static_cast<std::size_t>(width * length));
    Numbers sum(static_cast<std::size_t>(width)), place(sum.size());
    std::mt19937 random(29);
    for (std::int64_t& one : place) one = static_cast<std::int64_t>(random()) % length;
    for (std::int64_t row = 0, k = 0; row < length; ++row)
        for (std::size_t column = 0; column < sum.size(); ++column, ++k) {
            const auto value = static_cast<std::int8_t>(row == place[column] ? 100 : (k * 7 + row) % 11 - 5);
            values[static_cast<std::size_t>(k)] = value;
            sum[column] += value;
        }
    const GPUArray<std::int8_t> x = to_gpu(values).reshape({length, width});
    CHECK(gemel::sum(x, 0).get() == sum);
    CHECK(argmax(x, 0).get() == place);
    CHECK(max(x, 0).get() == std::vector<std::int8_t>(sum.size(), 100));
    const GPUArray<float> y = x.astype<float>();
    CHECK(max(y, 0).get() == std::vector<float>(sum.size(), 100));
    CHECK(argmax(y, 0).get() == place);
    CHECK(gemel::sum<double>(y, 0).get() == std::vector<double>(sum.begin(), sum.end()));
    const std::vector<float> variances = var(y, 0).get();
    double squares = 0;
    for (std::int64_t row = 0; row < length; ++row)
        squares += std::pow(static_cast<double>(values[static_cast<std::size_t>(row * width + 5)]), 2);
    const double n = static_cast<double>(length), mean = static_cast<double>(sum[5]) / n;
    CHECK(variances[5] == doctest::Approx(squares / n - mean * mean).epsilon(1e-6));
}

TEST_CASE("reductions of permuted arrays of many axes") {
    std::vector<float> numbers(1 << 14);
    for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = static_cast<float>(k % 1013);
    for (const int rank : {9, 11, 14}) {
        Shape shape;
        for (int axis = 0; axis < rank; ++axis) shape.push_back(2);
        const GPUArray<float> x =
            to_gpu(std::vector<float>(numbers.begin(), numbers.begin() + (std::ptrdiff_t{1} << rank))).reshape(shape);
        Axes order;
        for (int axis = 0; axis < rank; ++axis) order.push_back((5 * axis + 3) % rank);
        const AnyArray turned = AnyArray(x).permute(order), plain = turned.copy(Order::C);
        for (const std::vector<int>& axes :
             {std::vector<int>{2, 3, 4, 5, 6}, std::vector<int>{0}, std::vector<int>{1, 7}}) {
            const AnyArray found = sum(turned, axes), expected = sum(plain, axes);
            CHECK(GPUArray<bool>(all(AnyExpr(found) == expected)).item());
            const AnyArray greatest = max(turned, axes), same = max(plain, axes);
            CHECK(GPUArray<bool>(all(AnyExpr(greatest) == same)).item());
        }
    }
}

TEST_SUITE_END();
