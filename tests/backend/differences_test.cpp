/// diff, gradient and cross beside NumPy 2.4's answers, and arrays like others.
#include "array_support.hpp"

#include <gemel/core/text.hpp>

using namespace gemel;
using namespace gemel::testing;

namespace {

using Ints = std::vector<std::int32_t>;
using Doubles = std::vector<double>;

GPUArray<std::int32_t> given() { return to_gpu(Ints{1, 4, 9, 16, 30, 2, 3, 5, 7, 11, 0, -1, 4, 4, 4}, {3, 5}); }

/// Within 4 units in the last place of the largest weight's term: the order of sums differs from NumPy's.
void check_near(const GPUArray<double>& result, const Doubles& expected) {
    const auto values = result.get();
    REQUIRE(values.size() == expected.size());
    for (std::size_t k = 0; k < values.size(); ++k) {
        CAPTURE(k);
        CHECK(std::abs(values[k] - expected[k]) <= 1e-14 * (40 + std::abs(expected[k])));
    }
}

}  // namespace

TEST_SUITE_BEGIN("differences");

TEST_CASE("diff along any axis is NumPy's") {
    const auto x = given();
    CHECK(diff(x).get() == Ints{3, 5, 7, 14, 1, 2, 2, 4, -1, 5, 0, 0});
    CHECK(diff(x, {.n = 2, .axis = 0}).get() == Ints{-3, -3, 3, 6, 12});
    CHECK(diff(x.transpose(), {.axis = 0}).get() == diff(x).transpose().get());
    CHECK(diff(x, {.n = 5}).shape() == Shape{3, 0});
    CHECK(diff(x, {.n = 0}).get() == x.get());
    CHECK(diff(x + 1).get() == diff(x).get());
    CHECK(GPUArray<std::int32_t>(diff(static_cast<const AnyArray&>(x))).get() == diff(x).get());
    CHECK(diff(to_gpu(std::vector<bool>{true, true, false, true})).get() == std::vector<std::uint8_t>{0, 1, 1});
    CHECK(diff(to_gpu(std::vector<std::uint8_t>{3, 1})).get() == std::vector<std::uint8_t>{254});
}

TEST_CASE("diff takes what stands before and behind") {
    const auto x = given();
    const auto behind = to_gpu(Ints{100, 200, 300}, {3, 1});
    CHECK(diff(x, {.prepend = 0, .append = behind}).get() ==
          Ints{1, 3, 5, 7, 14, 70, 2, 1, 2, 2, 4, 189, 0, -1, 5, 0, 0, 296});
    CHECK(diff(x, {.n = 2, .prepend = to_gpu(Ints{7}, Shape{})}).shape() == Shape{3, 4});
    CHECK_THROWS_MENTIONING(ArgumentError, diff(x, {.append = to_gpu(Ints{1, 2}, {2, 1})}), "concatenate");
}

TEST_CASE("diff refuses what it cannot do") {
    const auto x = given();
    CHECK_THROWS_MENTIONING(ArgumentError, diff(x, {.n = -1}), "n of at least 0", "-1");
    CHECK_THROWS_MENTIONING(ArgumentError, diff(x, {.axis = 2}), "diff", "2");
    CHECK_THROWS_MENTIONING(ArgumentError, diff(to_gpu(Ints{1}, Shape{})), "one axis");
}

TEST_CASE("gradient along all axes with a step and exact edges is NumPy's") {
    const auto all = gradient(given().astype<double>(), {.spacing = {2.0}, .edge_order = 2});
    REQUIRE(all.size() == 2);
    check_near(all[0],
               {1.25, 0.25, -2.75, -6.0, -12.5, -0.25, -1.25, -1.25, -3.0, -6.5, -1.75, -2.75, 0.25, 0.0, -0.5});
    check_near(all[1], {1.0, 2.0, 3.0, 5.25, 8.75, 0.25, 0.75, 1.0, 1.5, 2.5, -2.0, 1.0, 1.25, 0.0, 0.0});
}

TEST_CASE("gradient over uneven coordinates is NumPy's") {
    const auto f = given().astype<double>();
    const Doubles places{0, 1, 1.5, 3.5, 4};
    check_near(gradient_along(f, 1, places, 2),
               {-1.666666666666666, 7.666666666666667, 8.7, 23.1, 32.9, -1.0, 2.9999999999999996, 3.3999999999999995,
                6.600000000000001, 9.399999999999999, -8.333333333333332, 6.333333333333333, 8.0, 0.0, 0.0});
    check_near(gradient_along(f, 1, to_gpu(places)),
               {3.0, 7.666666666666667, 8.7, 23.1, 28.0, 1.0, 2.9999999999999996, 3.3999999999999995, 6.600000000000001,
                8.0, -1.0, 6.333333333333333, 8.0, 0.0, 0.0});
    check_near(gradient_along(given(), -2, to_gpu(Ints{0, 1, 3}), 2),
               {1.6666666666666667, -0.6666666666666664, -5.166666666666667, -11.499999999999998, -24.166666666666668,
                0.33333333333333337, -1.3333333333333333, -2.8333333333333335, -6.499999999999999, -13.833333333333334,
                -2.3333333333333335, -2.666666666666667, 1.8333333333333335, 3.4999999999999996, 6.833333333333334});
    // Evenly apart: the same as a step.
    CHECK(gradient_along(f, 0, Doubles{1, 3, 5}, 2).get() == gradient_along(f, 0, 2, 2).get());
}

TEST_CASE("gradient of integers is of doubles and floats stay floats") {
    CHECK(gradient_along(to_gpu(Ints{1, 2, 4}), 0).get() == Doubles{1.0, 1.5, 2.0});
    CHECK(gradient(to_gpu(Doubles{1, 5}))[0].get() == Doubles{4, 4});
    const GPUArray<float> single = gradient_along(to_gpu(std::vector<float>{1, 2, 4}), 0, 0.5);
    CHECK(single.get() == std::vector<float>{2, 3, 4});
}

TEST_CASE("gradient refuses what it cannot do") {
    const auto f = given().astype<double>();
    CHECK_THROWS_MENTIONING(ArgumentError, gradient_along(f, 0, 1.0, 3), "edge order", "3");
    CHECK_THROWS_MENTIONING(ArgumentError, gradient_along(to_gpu(Doubles{1, 2}), 0, 1.0, 2), "at least 3");
    CHECK_THROWS_MENTIONING(ArgumentError, gradient_along(f, 1, Doubles{0, 1, 3}), "5 coordinates", "(3,)");
    CHECK_THROWS_MENTIONING(ArgumentError, gradient(f, {.spacing = {1.0, 2.0, 3.0}}), "2 spacings, got 3");
    CHECK_THROWS_MENTIONING(ArgumentError, gradient(f, {.axes = Axes{0, -2}}), "twice");
}

TEST_CASE("cross products of vectors of two and three are NumPy's") {
    const auto a = to_gpu(Ints{0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121}, {4, 3});
    const auto b = to_gpu(std::vector<std::int64_t>{1, 2, 3}, {1, 3});
    using Longs = std::vector<std::int64_t>;
    const Longs both{-5, 4, -1, -2, -2, 2, 19, -44, 23, 58, -122, 62};
    CHECK(cross(a, b).get() == both);
    CHECK(cross(a(slice(), slice(2)), b).get() == Longs{3, 0, -1, 48, -27, 2, 147, -108, 23, 300, -243, 62});
    CHECK(cross(a, b(slice(), slice(2))).get() == Longs{-8, 4, -1, -50, 25, 2, -128, 64, 23, -242, 121, 62});
    CHECK(cross(a(slice(), slice(2)), b(slice(), slice(2))).get() == Longs{-1, 2, 23, 62});
    const auto columns = a.transpose();
    CHECK(cross(columns, b, {.axis_a = 0}).get() == both);
    CHECK(cross(columns, flip(columns, {0}), {.axis_a = 0, .axis_b = 0, .axis_c = 0}).get() ==
          Ints{-4, -256, -1372, -4000, 16, 544, 2800, 8080, -4, -256, -1372, -4000});
    CHECK_THROWS_MENTIONING(ArgumentError, cross(columns, b), "2 or 3", "(3, 4)");
}

TEST_CASE("arrays like others have another type or order or shape") {
    const auto x = counted<float>({3, 4}, Order::F);
    const GPUArray<double> zeros = zeros_like<double>(x);
    CHECK(zeros.is_contiguous(Order::F));
    CHECK(zeros.get() == Doubles(12));
    const auto ones = ones_like(x, {.order = Order::C});
    CHECK(ones.is_contiguous(Order::C));
    CHECK(ones.get() == std::vector<float>(12, 1));
    CHECK(full_like<std::int32_t>(x, 7, {.shape = Shape{2, 3}}).get() == Ints(6, 7));
    CHECK(empty_like(x, {.shape = Shape{5, 2}}).is_contiguous(Order::F));
    CHECK(empty_like(x, {.shape = Shape{5}}).shape() == Shape{5});
    const AnyArray any = x;
    CHECK(ones_like(any, dtype_of<std::int32_t>()).get<std::int32_t>() == Ints(12, 1));
    CHECK(zeros_like(any, DType(), {.order = Order::C}).strides() == Strides{4, 1});
    CHECK(full_like(any, 2.5, dtype_of<double>()).get<double>() == Doubles(12, 2.5));
    CHECK_THROWS_AS((void)full_like(any, 2.5, dtype_of<std::int32_t>()), ArgumentError);
}

TEST_CASE("taking from some places and putting into others and sums over subsets") {
    const auto from = counted({10});
    const GPUArray<std::int32_t> other = from * 10;
    const auto to = zeros<std::int32_t>({6}), beside = zeros<std::int32_t>({6});
    multi_put({to, beside}, to_gpu(Ints{5, 0, 3}), multi_take({from, other}, to_gpu(Ints{9, 2, 7})));
    CHECK(to.get() == Ints{2, 0, 0, 7, 0, 9});
    CHECK(beside.get() == Ints{20, 0, 0, 70, 0, 90});
    const auto subset = to_gpu(Ints{1, 4, 4, 9});
    CHECK(sum(take(from, subset)).item() == 18);
    CHECK(max(take(from, subset)).item() == 9);
    CHECK(inner(take(from, subset), take(to(slice({}, {}, 1)), to_gpu(Ints{0, 3, 3, 5}))).item() == 2 + 28 + 28 + 81);
}

TEST_CASE("more differences than elements are none") {
    CHECK(diff(ones<float>({2, 3}), {.n = 1000000000000}).shape() == Shape{2, 0});
}

TEST_SUITE_END();
