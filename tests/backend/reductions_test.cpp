/// Reductions of arrays and expressions against plain host loops.
#include "array_support.hpp"

#include <gemel/core/text.hpp>

#include <cmath>
#include <complex>
#include <limits>
#include <span>
#include <type_traits>

using namespace gemel;
using namespace gemel::testing;

namespace {

template <class T>
using Values = std::vector<T>;
using Bytes = std::vector<std::uint8_t>;
using Indices = std::vector<std::int64_t>;

template <class T, class Reduced>
inline constexpr bool gives = std::is_same_v<typename Reduced::value_type, T>;

template <class T>
GPUArray<T> array_of(std::initializer_list<T> values) {
    return to_gpu(std::vector<T>(values));
}

/// Another number for each type: even and odd ones in pairs, as types come signed and unsigned.
std::size_t next_turn() {
    static std::size_t turn = 0;
    ++turn;
    return turn + turn / 2;
}

/// Whole and small numbers: every sum is exact.
template <class T>
void check_whole(std::size_t n) {
    std::vector<T> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<T>(i * 7 % 23);
    double total = 0, least = 100, most = -100;
    std::int64_t where_least = 0, where_most = 0, nonzero = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const auto v = static_cast<double>(values[i]);
        total += v;
        nonzero += v != 0;
        if (v < least) least = v, where_least = static_cast<std::int64_t>(i);
        if (v > most) most = v, where_most = static_cast<std::int64_t>(i);
    }
    const auto x = to_gpu(values);
    INFO(dtype_of<T>().name(), ", ", n, " elements");
    // In the check one type has every other of these, the next type the rest.
    std::size_t choice = next_turn();
    if (!is_left_out(2, choice++)) CHECK(static_cast<double>(sum(x).item()) == total);
    if (!is_left_out(2, choice++)) CHECK(static_cast<double>(min(x).item()) == least);
    if (!is_left_out(2, choice++)) CHECK(static_cast<double>(max(x).item()) == most);
    if (!is_left_out(2, choice++)) CHECK(argmin(x).item() == where_least);
    if (!is_left_out(2, choice++)) CHECK(argmax(x).item() == where_most);
    if (!is_left_out(2, choice++)) CHECK(count_nonzero(x).item() == nonzero);
    if (!is_left_out(2, choice++)) CHECK(any(x).item() == (nonzero > 0));
    if (!is_left_out(2, choice++)) CHECK(all(x).item() == (nonzero == static_cast<std::int64_t>(n)));
    if (!is_left_out(2, choice++))
        CHECK(static_cast<double>(mean(x).item()) == doctest::Approx(total / static_cast<double>(n)).epsilon(1e-6));
}

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("reductions of every integer and floating type") {
    check_whole<std::int8_t>(1000);
    check_whole<std::uint8_t>(1000);
    check_whole<std::int16_t>(1000);
    check_whole<std::uint16_t>(1);
    check_whole<std::int32_t>(100003);
    check_whole<std::uint32_t>(257);
    check_whole<std::int64_t>(1000);
    check_whole<std::uint64_t>(1000);
    check_whole<float>(100003);
    check_whole<double>(1000);
}

TEST_CASE("types of results") {
    GPUArray<bool> b;
    GPUArray<std::int8_t> i8;
    GPUArray<std::uint16_t> u16;
    GPUArray<std::uint64_t> u64;
    GPUArray<half> h;
    GPUArray<bfloat16> bf;
    GPUArray<float> f;
    GPUArray<cfloat> cf;
    static_assert(gives<std::int64_t, decltype(sum(b))> && gives<std::int64_t, decltype(sum(i8))>);
    static_assert(gives<std::uint64_t, decltype(sum(u16))> && gives<std::uint64_t, decltype(prod(u64))>);
    static_assert(gives<half, decltype(sum(h))> && gives<bfloat16, decltype(sum(bf))>);
    static_assert(gives<float, decltype(sum(f))> && gives<cfloat, decltype(prod(cf))>);
    static_assert(gives<bool, decltype(min(b))> && gives<std::int8_t, decltype(max(i8))>);
    static_assert(gives<bool, decltype(any(cf))> && gives<bool, decltype(all(f))>);
    static_assert(gives<std::int64_t, decltype(argmin(h))> && gives<std::int64_t, decltype(argmax(b))>);
    static_assert(gives<double, decltype(mean(b))> && gives<double, decltype(mean(i8))>);
    static_assert(gives<half, decltype(mean(h))> && gives<cfloat, decltype(mean(cf))>);
    static_assert(gives<double, decltype(var(i8))> && gives<half, decltype(var(h))> && gives<float, decltype(var(cf))>);
    static_assert(gives<float, decltype(stddev(f))> && gives<half, decltype(stddev(h))>);
    static_assert(gives<float, decltype(norm(cf))> && gives<double, decltype(norm(i8))> &&
                  gives<half, decltype(norm(h))>);
    static_assert(gives<cfloat, decltype(vdot(cf, f))> && gives<double, decltype(sum(GPUArray<std::int32_t>() + f))>);
    static_assert(gives<std::int64_t, decltype(count_nonzero(cf))>);
}

TEST_CASE("bools are counted") {
    const auto x = to_gpu(std::vector<bool>{true, false, true, true});
    CHECK(sum(x).item() == 3);
    CHECK(prod(x).item() == 0);
    CHECK(min(x).item() == false);
    CHECK(max(x).item() == true);
    CHECK(argmin(x).item() == 1);
    CHECK(argmax(x).item() == 0);
    CHECK(mean(x).item() == 0.75);
    CHECK(var(x).item() == 0.1875);
    CHECK(count_nonzero(x).item() == 3);
}

TEST_CASE("products") {
    CHECK(prod(array_of<std::int8_t>({100, 100, 2})).item() == 20000);
    CHECK(prod(array_of<float>({0.5f, -4, 3})).item() == -6);
    CHECK(prod(counted<double>({0})).item() == 1);
}

TEST_CASE("16-bit floats are reduced in float") {
    const auto x = full<half>({1000}, 100.f);
    CHECK(float(mean(x).item()) == 100);
    CHECK(float(var(x).item()) == 0);
    CHECK(std::isinf(float(sum(x).item())));  // 100000 is no half
    const auto y = array_of<half>({half(3), half(-4)});
    CHECK(float(sum(y).item()) == -1);
    CHECK(float(norm(y).item()) == 5);
    CHECK(float(min(y).item()) == -4);
    CHECK(float(stddev(y).item()) == 3.5f);
    CHECK(argmax(y).item() == 0);
    CHECK(any(y).item());
    const auto b = full<bfloat16>({1000}, 0.5f);
    CHECK(float(sum(b).item()) == 500);
    CHECK(float(max(b).item()) == 0.5f);
}

TEST_CASE("complex numbers are summed and multiplied") {
    const auto x = array_of<cfloat>({{1, 2}, {3, -1}}), y = array_of<cfloat>({{0, 1}, {2, 2}});
    CHECK(sum(x).item() == cfloat(4, 1));
    CHECK(prod(x).item() == cfloat(1, 2) * cfloat(3, -1));
    CHECK(mean(x).item() == cfloat(2, 0.5f));
    CHECK(vdot(x, y).item() == std::conj(cfloat(1, 2)) * cfloat(0, 1) + std::conj(cfloat(3, -1)) * cfloat(2, 2));
    CHECK(norm(x).item() == doctest::Approx(std::sqrt(15.0)).epsilon(1e-6));
    CHECK(var(x).item() == doctest::Approx(1 + 2.25).epsilon(1e-6));
    CHECK(any(x).item());
    CHECK(all(x - cfloat(1, 2)).item() == false);
    CHECK(count_nonzero(x - cfloat(1, 2)).item() == 1);
    CHECK(sum(array_of<cdouble>({{1, 2}, {3, -1}})).item() == cdouble(4, 1));
}

TEST_CASE("over some axes") {
    const auto x = counted<std::int32_t>({2, 3, 4});
    CHECK(sum(x, 0).get() == Values<std::int64_t>{12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34});
    CHECK(sum(x, -1).get() == Values<std::int64_t>{6, 22, 38, 54, 70, 86});
    CHECK(sum(x, {0, 2}).get() == Values<std::int64_t>{60, 92, 124});
    CHECK(sum(x, {-1, 1}).get() == Values<std::int64_t>{66, 210});
    CHECK(sum(x, {0, 1, 2}).item() == 276);
    CHECK(sum(x, 1).shape() == Shape{2, 4});
    CHECK(sum(x, 1, true).shape() == Shape{2, 1, 4});
    CHECK(sum(x, {-1, 0}, true).shape() == Shape{1, 3, 1});
    CHECK(sum(x, {}, true).shape() == Shape{1, 1, 1});
    CHECK(sum(x).shape() == Shape{});
    CHECK(max(x, 2).get() == Values<std::int32_t>{3, 7, 11, 15, 19, 23});
    CHECK(min(x, {0, 1}).get() == Values<std::int32_t>{0, 1, 2, 3});
    CHECK(mean(x, 1).get() == Values<double>{4, 5, 6, 7, 16, 17, 18, 19});
    CHECK(mean(x, 1, true).shape() == Shape{2, 1, 4});
    CHECK(argmax(x, 1).get() == Indices{2, 2, 2, 2, 2, 2, 2, 2});
    CHECK(argmax(x, -1, true).shape() == Shape{2, 3, 1});
    CHECK(argmin(-x, {1, 2}).get() == Indices{11, 11});
    CHECK(all(x, {0, 2}).get() == Bytes{0, 1, 1});
    CHECK(any(x == 5, 0).get() == Bytes{0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0});
    CHECK(count_nonzero(x % 2, 2).get() == Indices{2, 2, 2, 2, 2, 2});
    CHECK(var(x, 0).get() == Values<double>(12, 36));
    CHECK(stddev(x, 0, true).shape() == Shape{1, 3, 4});
    CHECK(norm(astype<double>(counted<std::int32_t>({2, 2})) + 3, 1).get() == Values<double>{5, std::sqrt(61.0)});
    CHECK_THROWS_AS(sum(x, 3), ArgumentError);
    CHECK_THROWS_AS(sum(x, -4), ArgumentError);
    CHECK_THROWS_AS(sum(x, {0, 0}), ArgumentError);
    CHECK_THROWS_AS(mean(x, 3), ArgumentError);
}

TEST_CASE("variance and deviation") {
    const auto x = array_of<double>({1, 2, 4, 9});
    CHECK(mean(x).item() == 4);
    CHECK(var(x).item() == 9.5);
    CHECK(var(x, {}, false, 1).item() == doctest::Approx(38.0 / 3));
    CHECK(stddev(x).item() == doctest::Approx(std::sqrt(9.5)));
    CHECK(norm(x).item() == doctest::Approx(std::sqrt(102.0)));
    CHECK(norm(array_of<std::int8_t>({100, 100})).item() == doctest::Approx(std::sqrt(20000.0)));
    // A large mean does not swamp the distances from it.
    CHECK(var(x + 1e9).item() == doctest::Approx(9.5));
    CHECK(var(array_of<std::int32_t>({1, 2})).item() == 0.25);
}

TEST_CASE("expressions are evaluated inside the reduction") {
    const Context context = current_context();
    const auto x = counted<double>({1000});
    CHECK(sum(x * x).item() == 332833500);
    const Statistics before = context.statistics();
    const auto total = sum(x * x);
    const Statistics after = context.statistics();
    CHECK(after.launches - before.launches <= 2);
    CHECK(after.compilations == before.compilations);
    CHECK(sum(2 * x + 1).item() == 1000000);
    CHECK(sum(3 * x + 1).item() == 1499500);
    CHECK(max(abs(x - 700)).item() == 700);
    CHECK(argmin(abs(x - 700)).item() == 700);
    CHECK(sum(where(x > 990, 1, 0)).item() == 9);
    CHECK(mean(x < 250).item() == 0.25);
    CHECK(vdot(x, full<double>({1}, 2)).item() == 999000);
    // Shapes are broadcast within.
    CHECK(sum(counted<std::int32_t>({3, 1}) * counted<std::int32_t>({4})).item() == 18);
    CHECK(sum(counted<std::int32_t>({3, 1}) * counted<std::int32_t>({4}), 0).get() == Values<std::int64_t>{0, 3, 6, 9});
}

TEST_CASE("views of any strides are reduced") {
    const auto x = counted<std::int32_t>({4, 6});
    CHECK(sum(x(slice(), slice({}, {}, 2))).item() == 4 * 6 + 3 * 36);
    CHECK(sum(x.transpose(), 0).get() == sum(x, 1).get());
    CHECK(sum(x(slice({}, {}, -1)), 1).get() == Values<std::int64_t>{123, 87, 51, 15});
    CHECK(argmax(x(slice({}, {}, -1), slice({}, {}, -1))).item() == 0);
    CHECK(argmin(x.transpose()(slice(1, {}))).item() == 0);
    CHECK(argmax(x.transpose(), 0).get() == Indices{5, 5, 5, 5});
    CHECK(max(x.broadcast_to({2, 4, 6}), 0).get() == x.get());
    CHECK(sum(x(2, 3)).item() == 15);
    CHECK(argmax(x(2, 3)).item() == 0);
}

TEST_CASE("of no elements") {
    const auto x = counted<float>({0}), y = counted<float>({3, 0});
    CHECK(sum(x).item() == 0);
    CHECK(prod(x).item() == 1);
    CHECK(any(x).item() == false);
    CHECK(all(x).item() == true);
    CHECK(count_nonzero(x).item() == 0);
    CHECK(norm(x).item() == 0);
    CHECK(std::isnan(mean(x).item()));
    CHECK(std::isnan(var(x).item()));
    CHECK(sum(y, 1).get() == Values<float>{0, 0, 0});
    CHECK(sum(y, 0).shape() == Shape{0});
    CHECK(max(y, 0).shape() == Shape{0});
    CHECK_THROWS_MENTIONING(ArgumentError, min(x), "min", "(0,)");
    CHECK_THROWS_MENTIONING(ArgumentError, max(y, 1), "max", "(3, 0)");
    CHECK_THROWS_MENTIONING(ArgumentError, argmin(x), "argmin");
    CHECK_THROWS_MENTIONING(ArgumentError, argmax(y), "argmax");
    CHECK_THROWS_AS(sum(GPUArray<float>()), ArgumentError);
}

TEST_CASE("NaN wins and the first of equals") {
    const float nan_ = std::numeric_limits<float>::quiet_NaN();
    const auto x = array_of<float>({3, nan_, 1, nan_, 7});
    CHECK(std::isnan(min(x).item()));
    CHECK(std::isnan(max(x).item()));
    CHECK(std::isnan(sum(x).item()));
    CHECK(argmin(x).item() == 1);
    CHECK(argmax(x).item() == 1);
    CHECK(count_nonzero(x).item() == 5);
    CHECK(any(x).item());
    const auto many = full<float>({10000}, 2);
    CHECK(argmin(many).item() == 0);
    CHECK(argmax(many).item() == 0);
    many(slice(4321, 4322)).fill(nan_);
    many(slice(8000, 8001)).fill(nan_);
    CHECK(argmin(many).item() == 4321);
    CHECK(std::isnan(max(many).item()));
    const auto extremes = array_of<float>({INFINITY, INFINITY});
    CHECK(min(extremes).item() == INFINITY);
    CHECK(argmin(extremes).item() == 0);
    CHECK(argmax(array_of<std::int64_t>({std::numeric_limits<std::int64_t>::min()})).item() == 0);
    CHECK(max(array_of<std::int64_t>({std::numeric_limits<std::int64_t>::min()})).item() ==
          std::numeric_limits<std::int64_t>::min());
}

TEST_CASE("the place of an extreme is an element's also where all are the least or the greatest of their type") {
    const auto check = [](const auto& least, const auto& greatest) {
        CHECK(argmax(least).item() == 0);
        CHECK(argmin(greatest).item() == 0);
        CHECK(argmax(least.reshape({3, 1000}), 1).get() == std::vector<std::int64_t>(3, 0));
        CHECK(argmin(greatest.reshape({3, 1000}), 0).get() == std::vector<std::int64_t>(1000, 0));
    };
    check(full<float>({3000}, -INFINITY), full<float>({3000}, INFINITY));
    check(full<half>({3000}, -INFINITY), full<half>({3000}, INFINITY));
    check(full<std::int8_t>({3000}, -128), full<std::int8_t>({3000}, 127));
    check(full<std::int64_t>({3000}, INT64_MIN), full<std::int64_t>({3000}, INT64_MAX));
    check(full<std::uint32_t>({3000}, 0), full<std::uint32_t>({3000}, UINT32_MAX));
    check(full<bool>({3000}, false), full<bool>({3000}, true));
}

TEST_CASE("sums of many floats stay exact to a few units") {
    // A serial chain in float would be off by more than 1e-4.
    CHECK(sum(full<float>({1000000}, 0.1f)).item() == doctest::Approx(100000.00149).epsilon(1e-6));
}

TEST_CASE("sums and products in a type of one's choice") {
    const auto x = array_of<std::int8_t>({100, 100, 2});
    static_assert(gives<double, decltype(sum<double>(x))> && gives<float, decltype(prod<float>(x))>);
    CHECK(sum<double>(x).item() == 202);
    CHECK(sum<std::int8_t>(x).item() == -54);
    CHECK(prod<std::int8_t>(x).item() == 32);
    CHECK(sum<float>(full<half>({1000}, 100.f)).item() == 100000);
    CHECK(sum<double>(full<float>({1 << 20}, 0.1f) * 2).item() == doctest::Approx(209715.2).epsilon(1e-7));
    CHECK(sum<cdouble>(array_of<float>({1, 2})).item() == cdouble(3, 0));
    CHECK(sum<std::int32_t>(array_of<float>({1.75f, -1.75f}), 0, true).get() == Values<std::int32_t>{0});
    CHECK(sum<bool>(array_of<std::int32_t>({0, 4})).item());
}

TEST_CASE("means and deviations in a type of one's choice, over axes known at run time") {
    if (!current_context().device().info().has_double) return;
    const auto x = full<float>(Shape{2, 100, 100}, 0.1f);
    static_assert(std::is_same_v<decltype(mean<double>(x)), GPUArray<double>>);
    CHECK(mean<double>(x).item() == doctest::Approx(static_cast<double>(0.1f)).epsilon(1e-14));
    CHECK(var<double>(x).item() == doctest::Approx(0).epsilon(1e-14));
    CHECK(stddev<double>(x, 1).shape() == Shape{2, 100});
    CHECK(norm<double>(x, {1, 2}).get()[1] == doctest::Approx(100 * static_cast<double>(0.1f)).epsilon(1e-14));
    const std::vector<int> axes{0, -1};
    CHECK(sum(x, axes).shape() == Shape{100});
    CHECK(sum<double>(x, std::span<const int>(axes).first(1)).shape() == Shape{100, 100});
}

TEST_CASE("reductions that begin with a number") {
    const auto x = counted<std::int32_t>({2, 3});
    CHECK(sum(x, {}, false, 10).item() == 25);
    CHECK(sum(x, 1, false, 10).get() == Values<std::int64_t>{13, 22});
    CHECK(sum<float>(x, 1, true, 0.5).get() == Values<float>{3.5f, 12.5f});
    CHECK(prod(x + 1, {}, false, 2).item() == 1440);
    CHECK(prod<double>(x + 1, {}, false, 0.5).item() == 360);
    CHECK(min(x, 0, false, 2).get() == Values<std::int32_t>{0, 1, 2});
    CHECK(max(x, {}, false, 70).item() == 70);
    CHECK(max(x, {}, false, -70).item() == 5);
    CHECK(float(min(array_of<half>({half(3)}), {}, false, 0.5).item()) == 0.5f);
    CHECK(max(to_gpu(std::vector<bool>{false}), {}, false, true).item());
    CHECK(std::isnan(max(array_of<float>({1, NAN}), {}, false, 7).item()));
    CHECK(std::isnan(min(array_of<float>({1}), {}, false, NAN).item()));
    CHECK(sum(array_of<cfloat>({{1, 2}}), {}, false, cfloat(0, 1)).item() == cfloat(1, 3));
    // Of no elements too.
    CHECK(min(counted<float>({0}), {}, false, 4).item() == 4);
    CHECK(max(counted<std::uint8_t>({3, 0}), 1, false, 4).get() == Values<std::uint8_t>{4, 4, 4});
    CHECK(sum(counted<float>({0}), {}, false, 4).item() == 4);
    CHECK_THROWS_MENTIONING(ArgumentError, min(counted<std::int8_t>({2}), {}, false, 300), "300", "int8_t");
}

TEST_CASE("inner products") {
    const auto x = counted<std::int32_t>({2, 3});
    const auto y = (counted<std::int32_t>({4, 3}) - 5).eval();
    const auto xs = x.get(), ys = y.get();
    const auto found = inner(x, y);
    static_assert(gives<std::int32_t, decltype(inner(x, y))>);
    CHECK(found.shape() == Shape{2, 4});
    const auto values = found.get();
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j) {
            int expected = 0;
            for (int k = 0; k < 3; ++k) expected += xs[3 * i + k] * ys[3 * j + k];
            CHECK(values[4 * i + j] == expected);
        }
    CHECK(inner(x, counted<float>({3})).get() == Values<double>{5, 14});
    CHECK(inner(counted<float>({3}), counted<float>({3})).item() == 5);
    CHECK(inner(array_of<cfloat>({{0, 1}}), array_of<cfloat>({{0, 1}})).item() == cfloat(-1, 0));
    CHECK(inner(counted<float>({3}), x(0, 2)).get() == Values<double>{0, 2, 4});
    CHECK(inner(counted<float>({2, 0}), counted<float>({0})).get() == Values<float>{0, 0});
    CHECK_THROWS_MENTIONING(ArgumentError, inner(counted<float>({3}), counted<float>({1})), "(3,)", "(1,)");
}

TEST_CASE("a single value has the axes 0 and -1 where NumPy says so") {
    const GPUArray<float> x = full<float>({}, 3);
    for (const int axis : {0, -1}) {
        CHECK(sum(x, axis).item() == 3);
        CHECK(sum(x, axis, true).rank() == 0);
        CHECK(prod(x + 1, axis).item() == 4);
        CHECK(min(x, axis).item() == 3);
        CHECK(max(x, axis).item() == 3);
        CHECK(any(x, axis).item());
        CHECK(all(x, axis).item());
        CHECK(argmin(x, axis).item() == 0);
        CHECK(argmax(x, axis).item() == 0);
        CHECK(count_nonzero(x, axis).item() == 1);
        CHECK(sum(AnyArray(x), axis).item<float>() == 3);
    }
    CHECK_THROWS_AS(sum(x, {0}), ArgumentError);
    CHECK_THROWS_AS(sum(x, 1), ArgumentError);
    CHECK_THROWS_AS(sum(x, -2), ArgumentError);
    CHECK_THROWS_AS(mean(x, 0), ArgumentError);
    CHECK_THROWS_AS(var(x, 0), ArgumentError);
    CHECK_THROWS_AS(stddev(AnyArray(x), -1), ArgumentError);
    CHECK_THROWS_AS(norm(x, 0), ArgumentError);
}

TEST_CASE("errors of reductions begin with the function that was called") {
    const auto x = counted<float>({2, 3}), y = counted<float>({4});
    const AnyArray unknown = x;
    const auto begins = [](const char* name, auto&& call) {
        INFO(name);
        try {
            call();
            FAIL("nothing was thrown");
        } catch (const ArgumentError& error) {
            CHECK_MESSAGE(std::string(error.what()).rfind(std::string(name) + ": ", 0) == 0, error.what());
        }
    };
    begins("sum", [&] { sum(x, 2); });
    begins("sum", [&] { sum(unknown, 2); });
    begins("prod", [&] { prod(x, {0, 0}); });
    begins("min", [&] { min(x, -3); });
    begins("max", [&] { max(x + y); });
    begins("any", [&] { any(x, 5); });
    begins("all", [&] { all(GPUArray<bool>()); });
    begins("argmin", [&] { argmin(x, 2); });
    begins("argmax", [&] { argmax(unknown, 2); });
    begins("mean", [&] { mean(x, 2); });
    begins("mean", [&] { mean(unknown, 2); });
    begins("mean", [&] { mean(x + y); });
    begins("var", [&] { var(x, 2); });
    begins("var", [&] { var(unknown, {1, -1}); });
    begins("stddev", [&] { stddev(x, 2); });
    begins("stddev", [&] { stddev(astype<half>(x), 2); });
    begins("stddev", [&] { stddev(unknown, 2); });
    begins("norm", [&] { norm(x, 2); });
    begins("norm", [&] { norm(counted({3}), 1); });
    begins("norm", [&] { norm(unknown, 2); });
    begins("count_nonzero", [&] { count_nonzero(x, 2); });
    begins("count_nonzero", [&] { count_nonzero(unknown, 2); });
    begins("vdot", [&] { vdot(x, y); });
    begins("sum", [&] { sum(counted<std::int8_t>({2}) + 300); });
    begins("cumsum", [&] { cumsum(x, 2); });
    begins("cumprod", [&] { cumprod(x, 2); });
}

TEST_CASE("axes are given as to the views") {
    const auto x = counted({2, 3, 4});
    CHECK(sum(x, Axes{0, -1}).get() == std::vector<std::int64_t>{60, 92, 124});
    CHECK(max(AnyArray(x), Axes{0, 1}).get<std::int32_t>() == std::vector<std::int32_t>{20, 21, 22, 23});
    CHECK(mean(x, Axes{1}, true).shape() == Shape{2, 1, 4});
    CHECK_THROWS_MENTIONING(ArgumentError, sum(x, Axes{3}), "sum: axis 3");
    CHECK_THROWS_MENTIONING(ArgumentError, sum(x, Axes{std::int64_t{1} << 32}), "sum: axis", "out of range");
}

TEST_CASE("as many axes as NumPy has are reduced and computed with") {
    Shape shape;
    while (shape.rank() < 64) shape.push_back(shape.rank() % 8 == 0 ? 2 : 1);
    const auto x = counted(shape);
    CHECK(sum(x).item() == 255 * 128);
    CHECK(sum(x, Axes{0, -1}).rank() == 62);
    Axes swapped;
    for (std::int64_t axis = 0; axis < 64; ++axis) swapped.push_back(axis == 0 ? 56 : axis == 56 ? 0 : axis);
    CHECK(sum(x - x.permute(swapped)).item() == 0);
    CHECK(sum(abs(x - x.permute(swapped))).item() == 127 * 128);
    CHECK(argmax(x, 63).shape().rank() == 63);
    shape.push_back(1);
    CHECK_THROWS_MENTIONING(ArgumentError, sum(x.reshape(shape)), "sum", "65 axes", "at most 64");
}

TEST_CASE("indices of extremes are arrays of their own that hand-written kernels take") {
    const auto k = current_context()
                       .compile(
                           "KERNEL void twice(GLOBAL_MEM int64_t *a, int n)\n"
                           "{\n    int64_t i = GLOBAL_ID_0;\n    if (i < n) a[i] *= 2;\n}\n")
                       .kernel("twice");
    const auto x = counted<float>({6, 5, 4});
    const auto takes = [&](const AnyArray& places) {
        CHECK(places.is_contiguous());
        CHECK(places.offset_bytes() == 0);
        CHECK(places.buffer().size_bytes() == places.size_bytes());
        const auto before = places.get<std::int64_t>();
        k({.block = {64}, .threads = {places.size()}}, places, static_cast<int>(places.size()));
        const auto after = places.get<std::int64_t>();
        bool doubled = true;
        for (std::size_t i = 0; i < before.size(); ++i) doubled &= after[i] == 2 * before[i];
        CHECK(doubled);
    };
    for (const int axis : {0, 1, 2}) {
        for (const bool keepdims : {false, true}) {
            takes(argmax(x, axis, keepdims));
            takes(argmin(-x, axis, keepdims));
            takes(argmax(AnyArray(x), axis, keepdims));
            takes(argmin(AnyExpr(x) * -2, axis, keepdims));
            takes(argmax(x > 3, axis, keepdims));
            takes(argmax(astype<half>(x), axis, keepdims));
            takes(argmin(astype<std::int8_t>(x), axis, keepdims));
        }
    }
    takes(argmax(x));
    takes(argmin(AnyArray(x)));
    takes(argmax(x, {0, 2}));
    // Many outputs, many elements: every way in which blocks share the work.
    const auto tall = counted<std::int32_t>({3, 100000}), wide = tall.transpose();
    CHECK(argmax(tall, 1).get() == Indices{99999, 99999, 99999});
    CHECK(argmax(wide, 0).get() == Indices{99999, 99999, 99999});
    takes(argmax(tall, 0));
    takes(argmax(wide, 1));
    for (int again = 0; again < 4; ++again) CHECK(argmin(tall, 0).get() == Indices(100000, 0));  // remembered calls too
}

TEST_SUITE_END();
